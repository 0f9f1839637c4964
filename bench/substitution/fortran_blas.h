// Functions of BLAS as Fortran has them, with the lengths of their strings at the end.
#pragma once

#include <stddef.h>

typedef const char* letter;
typedef const int* size;
typedef const float* input;
// clang-format off
void sgemm_(letter, letter, size, size, size, input, input, size, input, size, input, float*, size,
            size_t, size_t);
void ssyrk_(letter, letter, size, size, input, input, size, input, float*, size, size_t, size_t);
void strsm_(letter, letter, letter, letter, size, size, input, input, size, float*, size,
            size_t, size_t, size_t, size_t);
// clang-format on

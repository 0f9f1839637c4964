// The Fortran BLAS's product, with the hidden lengths of its two characters.
#pragma once

#include <stddef.h>

void sgemm_(const char*,
            const char*,
            const int*,
            const int*,
            const int*,
            const float*,
            const float*,
            const int*,
            const float*,
            const int*,
            const float*,
            float*,
            const int*,
            size_t,
            size_t);

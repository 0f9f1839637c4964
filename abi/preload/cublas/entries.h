// The functions of the table's cuBLAS rows, as the preload library exports them.
#pragma once

#include "cublas/describe.h"

namespace myblas::preload {
extern "C" {

#define UNPACK(...) __VA_ARGS__
#define CUBLAS_ENTRY(name, routine, function, call, against, parameters, ...)                      \
    int SIZED(name)(void* handle, UNPACK parameters);
#include "common/entries.inc"
#define MYBLAS_ENTRIES_64
#include "common/entries.inc"
#undef MYBLAS_ENTRIES_64
#undef CUBLAS_ENTRY
#undef UNPACK

} // extern "C"
} // namespace myblas::preload

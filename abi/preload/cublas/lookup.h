// For programs that look up cuBLAS's functions by name, as JAX does. A `dlsym` returns the preload
// library's functions where the program would have got cuBLAS's. Available on x86-64 only.
#pragma once

#include "common/mapped.h"

namespace myblas::preload {

enum class library_kind : int { cublas, cublas_lt };

// The definition that the code at `caller` would have got without the preload library. A library
// whose functions were looked up is searched after the caller's own dependencies.
void* cublas_symbol(library_kind, const char* symbol, const void* caller) noexcept;

} // namespace myblas::preload

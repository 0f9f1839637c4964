// What is mapped into the process, and whose symbols a caller would have got without the preload.
#pragma once

#include <cstddef>

namespace myblas::preload {

// Whether the address is in the preload library itself.
bool is_own(const void* address) noexcept;

// Whether both addresses are in one library.
bool in_same_file(const void* first, const void* second) noexcept;

// The file that holds the address, as the loader names it ("" is the program); null if there is none.
const char* file_of(const void* address) noexcept;

// A handle for a library that is mapped, never one that would have to be loaded; null otherwise. It keeps
// the library mapped.
void* mapped_library(const char* name) noexcept;

// A definition of the symbol outside the preload library, reached through a handle of dlopen or RTLD_NEXT.
void* foreign_symbol(void* handle, const char* symbol) noexcept;

// Calls visit(name, context) for each mapped file in the order of loading until it returns true.
bool visit_mapped(bool (*visit)(const char* name, void* context), void* context) noexcept;

// The base name of a path.
const char* base_name(const char* path) noexcept;

} // namespace myblas::preload

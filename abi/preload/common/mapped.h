// The files that are mapped into the process, and the symbols that a caller would have got without
// the preload.
#pragma once

namespace myblas::preload {

// Whether the address is in the preload library itself.
bool is_own(const void* address) noexcept;

// Whether both addresses are in one library.
bool in_same_file(const void* first, const void* second) noexcept;

// The file that holds the address, as the loader names it ("" is the program); null if there is
// none.
const char* file_of(const void* address) noexcept;

// An address that identifies the mapped file, different from all other files mapped at that time;
// null if no file holds the address. Takes some microseconds and does not search the symbol names.
const void* mapped_file(const void* address) noexcept;

// A handle for a library that is already mapped; null otherwise. Never loads a library. The handle
// keeps the library mapped.
void* mapped_library(const char* name) noexcept;

// A definition of the symbol outside the preload library, reached through a handle of dlopen or
// RTLD_NEXT.
void* foreign_symbol(void* handle, const char* symbol) noexcept;

// The definition that the code at `caller` would have got without the preload library.
//
// The dynamic loader looks among the libraries of the program first. For a library that was loaded
// by dlopen(RTLD_LOCAL), such as Python's extensions, the loader then looks among that library's
// own dependencies. The loader skips definitions of another version than the caller asks for. Plain
// symbols are therefore looked up in the loader's order (`program_first`). Versioned symbols are
// looked up among the caller's dependencies first (`caller_first`), where the right version is.
// RTLD_NEXT stands for the libraries of the program. Alone it finds nothing for libraries that were
// loaded with RTLD_LOCAL. Last come all mapped libraries whose base name is a candidate. A handle
// in `preferred` comes directly after the caller's dependencies.
enum class scope_order { program_first, caller_first };
void* symbol_for(const void* caller,
                 const char* symbol,
                 scope_order,
                 bool (*is_candidate)(const char* base_name),
                 void* preferred = nullptr) noexcept;

// Calls visit(address) for each definition of the symbol in another mapped file whose base name is
// a candidate, also in files that were loaded with RTLD_LOCAL.
void visit_definitions(const char* symbol,
                       bool (*is_candidate)(const char* base_name),
                       void (*visit)(void* address)) noexcept;

// Calls visit(file, symbol, is_defined, context) for the dynamic symbols of each mapped file; the
// program has the name "".
using visit_symbol = void(const char* file, const char* symbol, bool is_defined, void* context);
void visit_symbols(visit_symbol* visit, void* context) noexcept;

// The base name of a path.
const char* base_name(const char* path) noexcept;

} // namespace myblas::preload

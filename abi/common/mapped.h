// What is mapped into the process, and whose symbols a caller would have got without the preload.
#pragma once

namespace myblas::preload {

// Whether the address is in the preload library itself.
bool is_own(const void* address) noexcept;

// Whether both addresses are in one library.
bool in_same_file(const void* first, const void* second) noexcept;

// The file that holds the address, as the loader names it ("" is the program); null if there is none.
const char* file_of(const void* address) noexcept;

// What no other mapped file has at the same time; null if none holds the address. In some microseconds, with the names of all
// symbols left alone.
const void* mapped_file(const void* address) noexcept;

// A handle for a library that is mapped, never one that would have to be loaded; null otherwise. It keeps
// the library mapped.
void* mapped_library(const char* name) noexcept;

// A definition of the symbol outside the preload library, reached through a handle of dlopen or RTLD_NEXT.
void* foreign_symbol(void* handle, const char* symbol) noexcept;

// The definition that the code at `caller` would have got without the preload library.
//
// The dynamic loader looks among the libraries of the program first, and then, for a library that came by
// dlopen(RTLD_LOCAL) as Python's extensions do, among that library's own dependencies; but it passes over
// definitions of another version than the caller asks for. So plain symbols are looked for in that order
// (`program_first`), and versioned ones among the caller's dependencies first (`caller_first`), where the
// right version is. RTLD_NEXT stands for the libraries of the program; alone it finds nothing for
// libraries that came with RTLD_LOCAL. At last come all mapped libraries whose base name is a candidate. A handle in
// `preferred` comes right behind the caller's dependencies.
enum class scope_order { program_first, caller_first };
void* symbol_for(const void* caller,
                 const char* symbol,
                 scope_order,
                 bool (*is_candidate)(const char* base_name),
                 void* preferred = nullptr) noexcept;

// Calls visit(file, symbol, is_defined, context) for the dynamic symbols of each mapped file; the program has the name "".
using visit_symbol = void(const char* file, const char* symbol, bool is_defined, void* context);
void visit_symbols(visit_symbol* visit, void* context) noexcept;

// The base name of a path.
const char* base_name(const char* path) noexcept;

} // namespace myblas::preload

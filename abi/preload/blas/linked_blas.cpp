// libmyblas-blas.so forwards a call to the BLAS that it is linked to. It defines every BLAS
// function that the linked library exports: the routines of common/entries.inc (entries.cpp), and
// the functions below, which only jump. Everything else that the linked library exports, such as
// OpenBLAS's LAPACK, is found through it, since it is a dependency.
//
// linked_symbols.sh writes the list of the functions below:
//   LINKED_BLAS         the name by which the loader knows the linked library
//   FORWARDED(symbol)   a function
#include "blas/assembly.h"
#include "blas/offload.h"
#include "common/mapped.h"
#include "common/names.h"
#include "common/report.h"

#include <dlfcn.h>

using any_function = void();

#define FORWARDED(symbol)                                                                          \
    extern "C" {                                                                                   \
    extern any_function* symbol##_function;                                                        \
    constinit any_function* symbol##_function = [] { myblas::preload::end_for_want_of(#symbol); }; \
    }                                                                                              \
    FUNCTION(symbol, LANDING JUMP(symbol##_function))
#include "linked_symbols.inc"
#undef FORWARDED

namespace myblas::preload {

const char* const report_title = system_blas_title;

namespace {

// The dependency is loaded before this library.
void* linked_library() noexcept {
    static void* const library = dlopen(LINKED_BLAS, RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

struct forwarded_function {
    const char* symbol;
    any_function** function;
};
constexpr forwarded_function forwarded[] = {
#define FORWARDED(symbol) {#symbol, &symbol##_function},
#include "linked_symbols.inc"
#undef FORWARDED
};

// The loader runs this before the constructors of the libraries that need this one. A function that
// the linked library has lost since this library was built keeps ending the process.
[[gnu::constructor]] void find_forwarded() {
    for (const auto& [symbol, function] : forwarded)
        if (void* const found = dlsym(linked_library(), symbol))
            *function = reinterpret_cast<any_function*>(found);
}

} // namespace

own_function find_own(const void*, const char* symbol, bool) noexcept {
    return {dlsym(linked_library(), symbol), true};
}

namespace {

// The function of the BLAS preload library, if its sgemm_ is the first of the process; else null.
// That library forwards calls to the linked library directly, unless a library in between calls
// this one.
using is_within_function = bool(const void*, int);
is_within_function* ask_library_in_front() noexcept {
    static auto* const ask = []() -> is_within_function* {
        const void* const first = dlsym(RTLD_DEFAULT, "sgemm_");
        const char* const file = first ? file_of(first) : nullptr;
        void* const library = file && *file && !is_own(first) ? mapped_library(file) : nullptr;
        if (!library)
            return nullptr;
        void* const found = dlsym(library, "myblas_is_within_call");
        dlclose(library);
        return found && in_same_file(found, first) ? reinterpret_cast<is_within_function*>(found)
                                                   : nullptr;
    }();
    return ask;
}

} // namespace

bool stands_behind_another() noexcept { return ask_library_in_front() != nullptr; }

bool is_within_call_in_front(const void* place, int wrong_routine) noexcept {
    is_within_function* const ask = ask_library_in_front();
    return ask && ask(place, wrong_routine);
}

} // namespace myblas::preload

// For the BLAS preload library: the linked library's function of this name.
extern "C" [[gnu::visibility("default")]] void* myblas_linked_function(const char* symbol) {
    return dlsym(myblas::preload::linked_library(), symbol);
}

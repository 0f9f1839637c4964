// The preload library forwards a call to the BLAS that its caller would have got without the
// preload, as symbol_for() finds it. If a function that every BLAS should have is missing, OpenBLAS
// provides it, if it can be loaded.
#include "blas/offload.h"
#include "common/mapped.h"
#include "common/names.h"
#include "common/report.h"

#include <cstring>
#include <dlfcn.h>

namespace myblas::preload {

const char* const report_title = blas_title;
bool stands_behind_another() noexcept { return false; }
bool is_within_call_in_front(const void*, int) noexcept { return false; }

namespace {

bool may_be_blas(const char* base_name) {
    return std::strstr(base_name, "blas") || std::strstr(base_name, "mkl_");
}

void* find_in_openblas(const char* symbol) noexcept {
    void* library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
    return library ? foreign_symbol(library, symbol) : nullptr;
}

// A function of libmyblas-blas.so would offer the call to the GPU and count it a second time: the
// function that it is linked to, instead.
void* behind_system_blas(void* function, const char* symbol) noexcept {
    const char* const file = function ? file_of(function) : nullptr;
    void* const library = file && *file ? mapped_library(file) : nullptr;
    if (!library)
        return function;
    using linked_function = void*(const char*);
    auto* const linked =
        reinterpret_cast<linked_function*>(dlsym(library, "myblas_linked_function"));
    dlclose(library);
    void* const own = linked && in_same_file(reinterpret_cast<void*>(linked), function)
                          ? linked(symbol)
                          : nullptr;
    return own ? own : function;
}

own_function find_foreign(const void* caller, const char* symbol, bool may_load) noexcept {
    if (void* function = foreign_symbol(RTLD_NEXT, symbol))
        return {function, true};
    void* function = symbol_for(caller, symbol, scope_order::program_first, may_be_blas);
    if (!function && may_load)
        function = find_in_openblas(symbol);
    return {function, false};
}

} // namespace

own_function find_own(const void* caller, const char* symbol, bool may_load) noexcept {
    own_function found = find_foreign(caller, symbol, may_load);
    found.address = behind_system_blas(found.address, symbol);
    return found;
}

} // namespace myblas::preload

// For libmyblas-blas.so behind this library.
extern "C" [[gnu::visibility("default")]] bool myblas_is_within_call(const void* place,
                                                                     int wrong_routine) {
    return myblas::preload::is_within_call(place, wrong_routine);
}

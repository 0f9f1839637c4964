// The preload library forwards a call to the BLAS that its caller would have got without the
// preload, as symbol_for() finds it. If a function that every BLAS should have is missing, OpenBLAS
// provides it, if it can be loaded.
#include "blas/program_blas.h"
#include "common/mapped.h"
#include "common/names.h"
#include "common/report.h"

#include <cstring>
#include <dlfcn.h>

namespace myblas::preload {

const char* const report_title = blas_title;
bool stands_behind_another() noexcept { return false; }

namespace {

bool may_be_blas(const char* base_name) {
    return std::strstr(base_name, "blas") || std::strstr(base_name, "mkl_");
}

void* find_in_openblas(const char* symbol) noexcept {
    void* library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
    return library ? foreign_symbol(library, symbol) : nullptr;
}

} // namespace

own_function find_own(const void* caller, const char* symbol, bool may_load) noexcept {
    if (void* function = foreign_symbol(RTLD_NEXT, symbol))
        return {function, true};
    void* function = symbol_for(caller, symbol, scope_order::program_first, may_be_blas);
    if (!function && may_load)
        function = find_in_openblas(symbol);
    return {function, false};
}

} // namespace myblas::preload

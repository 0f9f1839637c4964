#include "blas/program_blas.h"

#include "common/mapped.h"

#include <cstring>
#include <dlfcn.h>

namespace myblas::preload {
namespace {

constexpr const char* fortran_symbols[] = {
#define BLAS_ENTRY(name) #name "_",
#include "common/entries.inc"
#undef BLAS_ENTRY
};
constexpr const char* cblas_symbols[] = {
#define BLAS_ENTRY(name) "cblas_" #name,
#include "common/entries.inc"
#undef BLAS_ENTRY
};

// ---- Integers of 64 bits -------------------------------------------------------------------------

// By its file's name (libblas64.so.3, libopenblas64.so.0, libmkl_intel_ilp64.so, ...), or because
// OpenBLAS says so.
bool has_64_bit_integers(const void* function) noexcept {
    const char* file = function ? file_of(function) : nullptr;
    if (!file)
        return false;
    const char* name = base_name(file);
    if (std::strstr(name, "64.so") || std::strstr(name, "64_") || std::strstr(name, "ilp64"))
        return true;
    void* library = mapped_library(file);
    if (!library)
        return false;
    using get_config_function = const char*();
    auto* get_config =
        reinterpret_cast<get_config_function*>(dlsym(library, "openblas_get_config"));
    const bool is_64 = get_config && in_same_file(reinterpret_cast<void*>(get_config), function) &&
                       std::strstr(get_config(), "USE64BITINT");
    dlclose(library);
    return is_64;
}

// ---- Finding -------------------------------------------------------------------------------------

bool may_be_blas(const char* base_name) {
    return std::strstr(base_name, "blas") || std::strstr(base_name, "mkl_");
}

void* find_in_openblas(const char* symbol) noexcept {
    void* library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
    return library ? foreign_symbol(library, symbol) : nullptr;
}

void fill(program_blas* blas, const void* caller, interface i) noexcept {
    for (int r = 0; r < routine_count; ++r) {
        const char* symbol = i == interface::fortran ? fortran_symbols[r] : cblas_symbols[r];
        void* function = symbol_for(caller, symbol, scope_order::program_first, may_be_blas);
        // The matcopy routines are extensions of OpenBLAS: no reason to load it for other calls.
        const bool is_standard = r < static_cast<int>(routine::somatcopy);
        if (!function && is_standard && !blas->is_ilp64)
            function = find_in_openblas(symbol);
        blas->functions[r] = function;
        blas->is_ilp64 = blas->is_ilp64 || has_64_bit_integers(function);
    }
}

void note_first_caller(const void* caller, interface i, void* sgemm) noexcept {
    first_caller& first = i == interface::fortran ? fortran_first_caller : cblas_first_caller;
    const code_segment code = segment_of(caller);
    uintptr_t nobody = 0;
    if (!sgemm || code.bytes == 0 || !first.begin.compare_exchange_strong(nobody, code.begin))
        return;
    first.sgemm.store(sgemm, std::memory_order_relaxed);
    first.bytes.store(code.bytes, std::memory_order_release);
}

} // namespace

constinit caller_cache<program_blas> blas_callers;
constinit first_caller fortran_first_caller, cblas_first_caller;

const program_blas& blas_of(const void* caller, interface i) noexcept {
    return blas_callers.of(caller, static_cast<unsigned>(i), [=](program_blas* blas) {
        fill(blas, caller, i);
        note_first_caller(caller, i, blas->get<void>(routine::sgemm));
    });
}

} // namespace myblas::preload

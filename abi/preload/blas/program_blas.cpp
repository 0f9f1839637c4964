#include "blas/program_blas.h"

#include "blas/integers.h"
#include "common/mapped.h"

#include <cstring>
#include <dlfcn.h>

namespace myblas::preload {
namespace {

constexpr const char* symbols[][spelling_count] = {
#define SPELL(name, id, used, integer, before, after) #before #name #after,
#define BLAS_ENTRY(name, ...) {BLAS_SPELLINGS(SPELL, name)},
#include "common/entries.inc"
#undef BLAS_ENTRY
#undef SPELL
};

// ---- Integers of 64 bits ------------------------------------------------------------------------

// Judged by the name of the function's file (libblas64.so.3, libopenblas64.so.0,
// libmkl_intel_ilp64.so, ...), or by OpenBLAS's own answer.
bool has_64_bit_integers(const void* function) noexcept {
    const char* file = function ? file_of(function) : nullptr;
    if (!file)
        return false;
    if (names_64_bit_integers(base_name(file)))
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

// ---- Finding ------------------------------------------------------------------------------------

bool may_be_blas(const char* base_name) {
    return std::strstr(base_name, "blas") || std::strstr(base_name, "mkl_");
}

// Keeps the function's library mapped. A pointer to the function outlives the caller, which may be
// unloaded with its libraries.
void keep_mapped(const void* function) noexcept {
    if (const char* file = file_of(function); file && *file)
        mapped_library(file);
}

void* find_in_openblas(const char* symbol) noexcept {
    void* library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
    return library ? foreign_symbol(library, symbol) : nullptr;
}

void fill(program_blas* blas, const void* caller, spelling s) noexcept {
    const bool is_plain = s == spelling::fortran || s == spelling::cblas;
    bool is_known = false;
    for (int r = 0; r < routine_count; ++r) {
        const char* symbol = symbols[r][static_cast<int>(s)];
        void* function = foreign_symbol(RTLD_NEXT, symbol);
        if (function)
            blas->same_for_all |= uint64_t{1} << r;
        else
            function = symbol_for(caller, symbol, scope_order::program_first, may_be_blas);
        // OpenBLAS is not loaded just for its extensions, or for a routine that few BLAS have:
        // sgemmtr came with the reference BLAS 3.12.1.
        const bool is_standard =
            r < static_cast<int>(routine::isamin) && r != static_cast<int>(routine::sgemmtr);
        if (!function && is_standard && is_plain && !blas->is_ilp64)
            function = find_in_openblas(symbol);
        blas->functions[r] = function;
        if (function && !is_known) { // the other functions are in the same file
            is_known = true;
            blas->is_ilp64 = is_plain && has_64_bit_integers(function);
            keep_mapped(function);
        }
    }
}

} // namespace

constinit caller_cache<program_blas> blas_callers;

const program_blas& blas_of(const void* caller, spelling s) noexcept {
    return blas_callers.of(
        caller, static_cast<unsigned>(s), [=](program_blas* blas) { fill(blas, caller, s); });
}

} // namespace myblas::preload

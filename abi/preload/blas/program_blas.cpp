#include "blas/program_blas.h"

#include "blas/integers.h"
#include "common/mapped.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

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

// Keeps the function's library mapped. A pointer to the function outlives the caller, which may be
// unloaded with its libraries.
void keep_mapped(const void* function) noexcept {
    if (const char* file = file_of(function); file && *file)
        mapped_library(file);
}

void fill(program_blas* blas, const void* caller, spelling s) noexcept {
    const bool is_plain = s == spelling::fortran || s == spelling::cblas;
    bool is_known = false;
    for (int r = 0; r < routine_count; ++r) {
        const char* symbol = symbols[r][static_cast<int>(s)];
        // No BLAS is loaded just for OpenBLAS's extensions, or for a routine that few BLAS have:
        // sgemmtr came with the reference BLAS 3.12.1.
        const bool is_standard =
            r < static_cast<int>(routine::isamin) && r != static_cast<int>(routine::sgemmtr);
        const auto [function, is_same_for_all] =
            find_own(caller, symbol, is_standard && is_plain && !blas->is_ilp64);
        if (is_same_for_all)
            blas->same_for_all |= uint64_t{1} << r;
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

void end_for_want_of(const char* name) noexcept {
    char message[128];
    const int length = std::snprintf(
        message, sizeof message, "myblas: neither the program's BLAS nor libmyblas has %s\n", name);
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, message, static_cast<size_t>(length));
    _exit(127);
}

} // namespace myblas::preload

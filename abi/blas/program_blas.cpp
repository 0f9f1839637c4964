#include "blas/program_blas.h"

#include "common/mapped.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>

namespace myblas::preload {
namespace {

constexpr const char* symbols[2][routine_count] = {
    {"sgemm_", "sgemv_", "sasum_", "sdot_", "saxpy_", "scopy_", "somatcopy_", "simatcopy_"},
    {"cblas_sgemm",
     "cblas_sgemv",
     "cblas_sasum",
     "cblas_sdot",
     "cblas_saxpy",
     "cblas_scopy",
     "cblas_somatcopy",
     "cblas_simatcopy"}};

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

struct search {
    const char* symbol;
    void* found;
};

bool visit_blas(const char* name, void* context) {
    search& s = *static_cast<search*>(context);
    const char* base = base_name(name);
    if (!std::strstr(base, "blas") && !std::strstr(base, "mkl_"))
        return false;
    if (void* library = mapped_library(name)) {
        s.found = foreign_symbol(library, s.symbol);
        if (!s.found)
            dlclose(library);
    }
    return s.found != nullptr;
}

void* find_mapped(const char* symbol) noexcept {
    search s{symbol, nullptr};
    visit_mapped(visit_blas, &s);
    return s.found;
}

void* find_in_openblas(const char* symbol) noexcept {
    void* library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
    return library ? foreign_symbol(library, symbol) : nullptr;
}

void fill(program_blas* blas, const void* caller, interface i) noexcept {
    // The main program has the name "", and dlopen takes that for its whole scope, with the preload
    // library in front: RTLD_NEXT has said all there is to say about it.
    const char* file = file_of(caller);
    void* scope = file && *file ? mapped_library(file) : nullptr;
    for (int r = 0; r < routine_count; ++r) {
        const char* symbol = symbols[static_cast<int>(i)][r];
        void* function = foreign_symbol(RTLD_NEXT, symbol);
        if (!function && scope)
            function = foreign_symbol(scope, symbol);
        if (!function)
            function = find_mapped(symbol);
        // The matcopy routines are extensions of OpenBLAS: no reason to load it for other calls.
        const bool is_standard = r < static_cast<int>(routine::omatcopy);
        if (!function && is_standard && !blas->is_ilp64)
            function = find_in_openblas(symbol);
        blas->functions[r] = function;
        blas->is_ilp64 = blas->is_ilp64 || has_64_bit_integers(function);
    }
}

// ---- Remembering ---------------------------------------------------------------------------------

// Callers by the page of their code and the interface, found without a lock: the loader may hold its own
// one when it runs a constructor that calls the BLAS. Few pages call the BLAS; beyond `probes` collisions
// a caller is looked up each time.
constexpr int page_shift = 12;
constexpr int place_count = 256;
constexpr int probes = 16;
constexpr uintptr_t being_filled = 1; // no key: page 0 is never mapped

struct place {
    std::atomic<uintptr_t> key;
    program_blas blas;
};

constinit place places[place_count] = {};

} // namespace

const program_blas& blas_of(const void* caller, interface i) noexcept {
    const uintptr_t page = reinterpret_cast<uintptr_t>(caller) >> page_shift;
    const uintptr_t key = page * 2 + static_cast<uintptr_t>(i);
    for (int probe = 0; probe < probes; ++probe) {
        place& p = places[(key + static_cast<uintptr_t>(probe)) % place_count];
        uintptr_t found = p.key.load(std::memory_order_acquire);
        if (found == key) [[likely]]
            return p.blas;
        if (found == 0 && p.key.compare_exchange_strong(found, being_filled)) {
            fill(&p.blas, caller, i);
            p.key.store(key, std::memory_order_release);
            return p.blas;
        }
    }
    static thread_local program_blas unplaced;
    unplaced = {};
    fill(&unplaced, caller, i);
    return unplaced;
}

} // namespace myblas::preload

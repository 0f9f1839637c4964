// The BLAS that a caller would have got without the preload: its own, as symbol_for() finds it, and for
// what every BLAS should have, OpenBLAS if there is one to load. Two libraries of one process may have
// different BLAS, so the answer belongs to the caller.
#pragma once

#include "blas/routines.h"
#include "common/caller_cache.h"

namespace myblas::preload {

struct program_blas {
    void* functions[routine_count]; // of one interface; null: nowhere to be found
    // Its integers have 64 bits under the usual names (Debian's libblas64.so.3): arguments must not be
    // interpreted.
    bool is_ilp64;

    template <class Function>
    Function* get(routine r) const noexcept {
        return reinterpret_cast<Function*>(functions[static_cast<int>(r)]);
    }
};

extern caller_cache<program_blas> blas_callers;

// The code that was the first to multiply by an interface, mostly the only one, and the function that it gets.
// Once set it stays. The entry points on x86-64 know this layout.
struct alignas(32) first_caller {
    std::atomic<uintptr_t> begin;
    std::atomic<uintptr_t> bytes; // set last; 0: nobody has called yet
    std::atomic<void*> sgemm;
};
extern "C" [[gnu::visibility("hidden")]] first_caller fortran_first_caller, cblas_first_caller;

// The BLAS of the code at the address, which is a return address of the caller.
const program_blas& blas_of(const void* caller, interface) noexcept;

// The same, if it can be told at once; else null.
[[gnu::always_inline]] inline const program_blas* known_blas_of(const void* caller,
                                                                interface i) noexcept {
    return blas_callers.known(caller, static_cast<unsigned>(i));
}

} // namespace myblas::preload

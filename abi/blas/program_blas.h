// The BLAS that a caller would have got without the preload: its own, as symbol_for() finds it, and for
// what every BLAS should have, OpenBLAS if there is one to load. Two libraries of one process may have
// different BLAS, so the answer belongs to the caller.
#pragma once

#include "blas/routines.h"

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

// The BLAS of the code at the address, which is a return address of the caller.
const program_blas& blas_of(const void* caller, interface) noexcept;

} // namespace myblas::preload

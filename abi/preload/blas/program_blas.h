// The BLAS to which a call is forwarded. In the preload library that is the BLAS that the caller
// would have got without the preload (found_blas.cpp). In libmyblas-blas.so it is the BLAS that the
// library is linked to (linked_blas.cpp). Two libraries of one process may have different BLAS, so
// the answer depends on the caller and on the spelling of the names that the caller uses.
#pragma once

#include "blas/routines.h"
#include "common/caller_cache.h"

namespace myblas::preload {

struct program_blas {
    void* functions[routine_count]; // of one spelling; null: not found
    uint64_t same_for_all;          // bit r: all callers get routine r from the same place
    // Its integers have 64 bits although its names do not say so (Debian's libblas64.so.3):
    // arguments must not be interpreted.
    bool is_ilp64;

    void* get(routine r) const noexcept { return functions[static_cast<int>(r)]; }
    bool is_same_for_all(routine r) const noexcept {
        return same_for_all >> static_cast<int>(r) & 1;
    }
};
static_assert(routine_count <= 64);

// A function to which calls are forwarded; null: there is none.
struct own_function {
    void* address;
    bool is_same_for_all; // all callers get it
};

// The function of this name for the caller. Either found_blas.cpp or linked_blas.cpp defines it.
// `may_load`: a BLAS may be loaded for the function's sake.
own_function find_own(const void* caller, const char* symbol, bool may_load) noexcept;

extern caller_cache<program_blas> blas_callers;

// The origin of a call, for parts of the call that must be computed on the host.
struct origin {
    const program_blas& own;
    spelling spelt;
};

// The BLAS of the code at the address, which is a return address of the caller.
const program_blas& blas_of(const void* caller, spelling) noexcept;

// The same, if it is already known; else null.
[[gnu::always_inline]] inline const program_blas* known_blas_of(const void* caller,
                                                                spelling s) noexcept {
    return blas_callers.known(caller, static_cast<unsigned>(s));
}

// Ends the process in the way that the loader ends a program that lacks a symbol.
[[noreturn]] void end_for_want_of(const char* name) noexcept;

// Calls the origin's function for a routine; false if the origin has none. The values describe
// column-major matrices.
template <routine r, class... Values>
bool call_own(const origin& from, Values... values) noexcept {
    void* const function = from.own.get(r);
    if (!function)
        return false;
    const auto call = [&]<interface i, class Integer>() {
        using c = convention_of<i, Integer, typename signature_of<r>::type>;
        auto* const f = reinterpret_cast<typename c::function*>(function);
        if constexpr (i == interface::cblas)
            c::call(f, 'C', values...);
        else
            c::call(f, values...);
    };
    const spelling_facts facts = facts_of(from.spelt);
    if (facts.used == interface::cblas) // CBLAS's slots hold both widths
        call.template operator()<interface::cblas, int64_t>();
    else if (facts.is_64)
        call.template operator()<interface::fortran, int64_t>();
    else
        call.template operator()<interface::fortran, int>();
    return true;
}

} // namespace myblas::preload

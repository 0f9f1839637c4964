// *result = the sum of x_i, or of |x_i|.
#pragma once

#include "routines/operands.h"

namespace myblas {

template <class T>
struct sum_problem {
    int64_t n = 0; // not negative
    const T* x = nullptr;
    int64_t incx = 1; // positive
    bool absolute = false;
    T* result = nullptr; // memory of the backend

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        list.vector("x", x, incx, n, n > 0);
        list.result(result);
    }
    // An increment of zero or less leaves nothing to read.
    void normalise() {
        if (n <= 0 || incx <= 0)
            n = 0, incx = 1;
    }
    size_t result_bytes() const { return sizeof *result; }
    selection_key key() const { return {absolute ? 2u : 1u, {n, incx}}; }
};

namespace calls {
inline constexpr routine_call<sum_problem<float>> sum{"mysum"};
inline constexpr routine_call<sum_problem<float>> sasum{
    .name = "mysasum",
    .preset = {.absolute = true},
};
inline constexpr routine_call<sum_problem<double>> dsum{"mydsum"};
} // namespace calls

} // namespace myblas

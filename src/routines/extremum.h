// *result = the number, from 1, of the first element with the largest (or least) |x_i|.
#pragma once

#include "routines/operands.h"

namespace myblas {

struct extremum_problem {
    bool least = false;
    int64_t n = 0;
    const float* x = nullptr;
    int64_t incx = 1;       // positive
    bool wide = false;      // the result is an int64_t, not an int
    void* result = nullptr; // memory of the backend

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        list.vector("x", x, incx, n, n > 0);
        list.index_result(result, wide);
    }
    // An increment of zero or less leaves nothing to read.
    void normalise() {
        if (n <= 0 || incx <= 0)
            n = 0, incx = 1;
    }
    myblas::wide most_elements() const { return n; }
    size_t result_bytes() const { return wide ? sizeof(int64_t) : sizeof(int); }
    selection_key key() const { return {least ? 2u : 1u, {n, incx}}; }
};

namespace calls {
inline constexpr routine_call<extremum_problem> isamax{"myisamax"};
inline constexpr routine_call<extremum_problem> isamin{
    .name = "myisamin",
    .preset = {.least = true},
};
} // namespace calls

} // namespace myblas

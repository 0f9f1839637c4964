// y = x, and the exchange of x and y.
#pragma once

#include "routines/operands.h"

namespace myblas {

// Element 0 as in axpy.
struct copy_problem {
    int64_t n = 0;
    const float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        list.vector("x", x, incx, n);
        list.vector("y", y, incy, n);
    }
    bool is_empty() const { return n <= 0; }
    wide most_elements() const { return n; }
};

struct swap_problem {
    int64_t n = 0;
    float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        list.vector("x", x, incx, n);
        list.vector("y", y, incy, n);
    }
    bool is_empty() const { return n <= 0; }
    wide most_elements() const { return n; }
};

namespace calls {
inline constexpr routine_call<copy_problem> scopy{"myscopy"};
inline constexpr routine_call<swap_problem> sswap{"mysswap"};
} // namespace calls

} // namespace myblas

// y = alpha * x + y.
#pragma once

#include "routines/operands.h"

namespace myblas {

// x and y point at element 0 of the vector, for either sign of the increment.
struct axpy_problem {
    int64_t n = 0;
    scalar alpha{};
    const float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        list.scalar("alpha", alpha);
        list.vector("x", x, incx, n);
        list.vector("y", y, incy, n);
    }
    bool is_empty() const { return n <= 0; }
    bool is_unchanged() const { return !may_be_nonzero(alpha); }
    wide most_elements() const { return n; }
};

namespace calls {
inline constexpr routine_call<axpy_problem> saxpy{"mysaxpy"};
}

} // namespace myblas

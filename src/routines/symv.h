// y = alpha * A * x + beta * y, A symmetric, n x n, in one triangle.
#pragma once

#include "routines/operands.h"

namespace myblas {

// x and y as in gemv.
struct symv_problem {
    bool upper = false;
    int64_t n = 0;
    scalar alpha{}, beta{};
    const float* a = nullptr;
    int64_t lda = 1;
    const float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;

    template <class List>
    void operands(List& list) {
        list.fill_mode("uplo", upper);
        list.size("n", n);
        list.scalar("alpha", alpha);
        list.matrix("A", a, lda, shape_of(n, n), may_be_nonzero(alpha));
        list.vector("x", x, incx, n, may_be_nonzero(alpha));
        list.scalar("beta", beta);
        list.vector("y", y, incy, n);
    }
    bool is_empty() const { return n == 0; }
    bool is_unchanged() const { return !may_be_nonzero(alpha) && is_one(beta); }
};

namespace calls {
inline constexpr routine_call<symv_problem> ssymv{"myssymv"};
}

} // namespace myblas

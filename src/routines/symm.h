// C = alpha * A * B + beta * C, A symmetric.
#pragma once

#include "routines/operands.h"

namespace myblas {

// With `right`, C = alpha * B * A + beta * C. C is m x n, one triangle of A is stored.
struct symm_problem {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    bool right = false, upper = false;
    int64_t m = 0, n = 0;
    scalar alpha{}, beta{};
    const float* a = nullptr;
    int64_t lda = 1;
    const float* b = nullptr;
    int64_t ldb = 1;
    float* c = nullptr;
    int64_t ldc = 1;

    int64_t order() const { return right ? n : m; } // of A

    template <class List>
    void operands(List& list) {
        list.side("side", right);
        list.fill_mode("uplo", upper);
        list.size("m", m);
        list.size("n", n);
        list.scalar("alpha", alpha);
        list.matrix("A", a, lda, shape_of(order(), order()), may_be_nonzero(alpha));
        list.matrix("B", b, ldb, shape_of(m, n), may_be_nonzero(alpha));
        list.scalar("beta", beta);
        list.matrix("C", c, ldc, shape_of(m, n));
    }
    bool is_empty() const { return m == 0 || n == 0; }
    bool is_unchanged() const { return !may_be_nonzero(alpha) && is_one(beta); }
    // A plan may have a square of at least the order in its workspace.
    wide most_elements() const { return wide{order() + 1024} * (order() + 1024); }
    selection_key key() const { return {1, {m, n, order()}}; }
};

namespace calls {
inline constexpr routine_call<symm_problem> ssymm{"myssymm"};
}

} // namespace myblas

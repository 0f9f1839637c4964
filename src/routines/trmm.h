// C = alpha * op(A) * B, A triangular.
#pragma once

#include "routines/operands.h"

namespace myblas {

// The bit of selection_key's forms for calls in place; other calls have 1.
inline constexpr unsigned trmm_in_place_form = 2;

// With `right`, C = alpha * B * op(A). C is m x n. In place when c == b.
struct trmm_problem {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    bool right = false, upper = false, trans = false, unit = false;
    int64_t m = 0, n = 0;
    scalar alpha{};
    const float* a = nullptr;
    int64_t lda = 1;
    const float* b = nullptr;
    int64_t ldb = 1;
    float* c = nullptr;
    int64_t ldc = 1;

    int64_t order() const { return right ? n : m; } // of A
    int64_t lines() const {
        return right ? m : n;
    } // rows or columns of B that do not depend on each other
    bool in_place() const { return c == b; }

    template <class List>
    void operands(List& list) {
        list.side("side", right);
        list.fill_mode("uplo", upper);
        list.operation("trans", trans);
        list.diagonal("diag", unit);
        list.size("m", m);
        list.size("n", n);
        list.scalar("alpha", alpha);
        list.matrix("A", a, lda, shape_of(order(), order()), may_be_nonzero(alpha));
        list.matrix("B", b, ldb, shape_of(m, n), may_be_nonzero(alpha));
        list.matrix("C", c, ldc, shape_of(m, n));
    }
    bool is_empty() const { return m == 0 || n == 0; }
    wide most_elements() const { return wide{m + 4} * (n + 4); }
    fault check() const {
        if (c == b && ldc != ldb)
            return {"C == B, but ldc", ldc, "and ldb =", ldb};
        return nullptr;
    }
    selection_key key() const { return {in_place() ? trmm_in_place_form : 1, {m, n, order()}}; }
};

namespace calls {
inline constexpr routine_call<trmm_problem> strmm{"mystrmm"};
}

} // namespace myblas

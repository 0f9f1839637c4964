// C = alpha * op(A) + beta * op(B), C m x n.
#pragma once

#include "routines/operands.h"

namespace myblas {

struct geam_problem {
    bool transa = false, transb = false;
    int64_t m = 0, n = 0;
    scalar alpha{}, beta{};
    const float* a = nullptr;
    int64_t lda = 1;
    const float* b = nullptr;
    int64_t ldb = 1;
    float* c = nullptr;
    int64_t ldc = 1;

    template <class List>
    void operands(List& list) {
        list.operation("transa", transa);
        list.operation("transb", transb);
        list.size("m", m);
        list.size("n", n);
        list.scalar("alpha", alpha);
        list.matrix("A", a, lda, shape_of(m, n, transa), may_be_nonzero(alpha));
        list.scalar("beta", beta);
        list.matrix("B", b, ldb, shape_of(m, n, transb), may_be_nonzero(beta));
        list.matrix("C", c, ldc, shape_of(m, n));
    }
    bool is_empty() const { return m == 0 || n == 0; }
    fault check() const {
        if (c == a && (transa || lda != ldc))
            return "C == A needs transa == N and lda == ldc";
        if (c == b && (transb || ldb != ldc))
            return "C == B needs transb == N and ldb == ldc";
        return nullptr;
    }
    // Extents: m, n, min(m, n), m * n.
    selection_key key() const {
        return {1u << (transa * 2 + transb), {m, n, m < n ? m : n, m * n}};
    }
};

namespace calls {
inline constexpr routine_call<geam_problem> sgeam{"mysgeam"};
}

} // namespace myblas

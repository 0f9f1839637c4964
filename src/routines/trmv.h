// A triangle and a vector: trmv and trsv.
#pragma once

#include "routines/operands.h"

namespace myblas {

// x = op(A) * x, or with `solve` op(A) * x = the old x, A a triangle, n x n; x as in gemv.
template <bool solve>
struct triangular_problem {
    bool upper = false, trans = false, unit = false;
    int64_t n = 0;
    const float* a = nullptr;
    int64_t lda = 1;
    float* x = nullptr;
    int64_t incx = 1;

    bool op_is_lower() const { return upper == trans; }

    template <class List>
    void operands(List& list) {
        list.fill_mode("uplo", upper);
        list.operation("trans", trans);
        list.diagonal("diag", unit);
        list.size("n", n);
        list.matrix("A", a, lda, shape_of(n, n));
        list.vector("x", x, incx, n);
    }
    bool is_empty() const { return n == 0; }
};
using trmv_problem = triangular_problem<false>;
using trsv_problem = triangular_problem<true>;

namespace calls {
inline constexpr routine_call<trmv_problem> strmv{"mystrmv"};
inline constexpr routine_call<trsv_problem> strsv{"mystrsv"};
} // namespace calls

} // namespace myblas

// One triangle of C: syrk, syrkx and syr2k.
#pragma once

#include "routines/operands.h"

namespace myblas {

// C = alpha * op(A) * op(B)^T + beta * C on one triangle of C, which is n x n; op(A) and op(B) are
// n x k. With `twice` alpha * op(B) * op(A)^T is added too. b == a: syrk.
template <bool twice>
struct rank_k_problem {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    bool upper = false, trans = false;
    bool has_b = twice; // else B is A
    int64_t n = 0, k = 0;
    scalar alpha{}, beta{};
    const float* a = nullptr;
    int64_t lda = 1;
    const float* b = nullptr;
    int64_t ldb = 1;
    float* c = nullptr;
    int64_t ldc = 1;

    template <class List>
    void operands(List& list) {
        list.fill_mode("uplo", upper);
        list.operation("trans", trans);
        list.size("n", n);
        list.size("k", k);
        list.scalar("alpha", alpha);
        const bool reads_ab = k > 0 && may_be_nonzero(alpha);
        list.matrix("A", a, lda, shape_of(n, k, trans), reads_ab);
        if (has_b)
            list.matrix("B", b, ldb, shape_of(n, k, trans), reads_ab);
        else
            b = a, ldb = lda;
        list.scalar("beta", beta);
        list.matrix("C", c, ldc, shape_of(n, n));
    }
    bool is_empty() const { return n == 0; }
    bool is_unchanged() const { return (k == 0 || !may_be_nonzero(alpha)) && is_one(beta); }
    // A plan may have a square of at least n rows in its workspace.
    wide most_elements() const {
        const wide square = wide{n + 1024} * (n + 1024), panels = 2 * wide{n} * k;
        return square > panels ? square : panels;
    }
    void take_form(const myblasCall_t& call) { has_b = twice || call.ldb != 0; }
};

using syrk_problem = rank_k_problem<false>;
using syr2k_problem = rank_k_problem<true>;

namespace calls {
inline constexpr routine_call<syrk_problem> ssyrk{"myssyrk"};
inline constexpr routine_call<syrk_problem> ssyrkx{.name = "myssyrkx", .preset = {.has_b = true}};
inline constexpr routine_call<syr2k_problem> ssyr2k{"myssyr2k"};
} // namespace calls

} // namespace myblas

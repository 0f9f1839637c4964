// One triangle of C: syrk, syrkx, gemmtr and syr2k.
#pragma once

#include "routines/operands.h"

namespace myblas {

// C = alpha * op(A) * op(B) + beta * C on one triangle of C, which is n x n; op(A) is n x k, op(B)
// is k x n. In syrk, B is A. In syrk, syrkx and syr2k, op(B) is the transpose of a matrix that is
// stored like A. With `twice` (syr2k) the product with A and B exchanged is added too.
template <bool twice>
struct rank_k_problem {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    bool upper = false, transa = false, transb = true;
    bool has_b = twice;      // else B is A
    bool has_transb = false; // gemmtr; else it is the opposite of transa
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
        list.operation(has_transb ? "transa" : "trans", transa);
        if (has_transb)
            list.operation("transb", transb);
        else
            transb = !transa;
        list.size("n", n);
        list.size("k", k);
        list.scalar("alpha", alpha);
        const bool reads_ab = k > 0 && may_be_nonzero(alpha);
        list.matrix("A", a, lda, shape_of(n, k, transa), reads_ab);
        if (has_b)
            list.matrix("B", b, ldb, shape_of(k, n, transb), reads_ab);
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
    void take_form(const myblasCall_t& call) {
        has_b = twice || call.ldb != 0;
        has_transb = has_b && !twice;
    }
};

using syrk_problem = rank_k_problem<false>;
using syr2k_problem = rank_k_problem<true>;

namespace calls {
inline constexpr routine_call<syrk_problem> ssyrk{"myssyrk"};
inline constexpr routine_call<syrk_problem> ssyrkx{.name = "myssyrkx", .preset = {.has_b = true}};
inline constexpr routine_call<syr2k_problem> ssyr2k{"myssyr2k"};
inline constexpr routine_call<syrk_problem> sgemmtr{
    .name = "mysgemmtr",
    .preset = {.has_b = true, .has_transb = true},
};
} // namespace calls

} // namespace myblas

// X with op(A) * X = alpha * B, A triangular, in place of B.
#pragma once

#include "routines/operands.h"

namespace myblas {

// With `right`, X * op(A) = alpha * B. B is m x n. Batches as of sgemm_problem.
struct trsm_problem {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    bool right = false, upper = false, trans = false, unit = false;
    int64_t m = 0, n = 0;
    scalar alpha{};
    const float* a = nullptr;
    int64_t lda = 1, stride_a = 0;
    float* b = nullptr;
    int64_t ldb = 1, stride_b = 0;
    const float* const* a_array = nullptr; // [batch_count], device memory
    float* const* b_array = nullptr;
    int64_t batch_count = 1;

    int64_t order() const { return right ? n : m; }
    int64_t lines() const { return right ? m : n; }

    template <class List>
    void operands(List& list) {
        list.side("side", right);
        list.fill_mode("uplo", upper);
        list.operation("trans", trans);
        list.diagonal("diag", unit);
        list.size("m", m);
        list.size("n", n);
        list.scalar("alpha", alpha);
        list.matrix(
            "A", a, lda, shape_of(order(), order()), may_be_nonzero(alpha), stride_a, a_array);
        list.matrix("B", b, ldb, shape_of(m, n), true, stride_b, b_array);
        list.batch("batch_count", batch_count);
    }
    bool is_empty() const { return m == 0 || n == 0 || batch_count == 0; }
    wide most_elements() const {
        return wide{batch_count} * (wide{order()} * order() + wide{m} * n);
    }
    selection_key key() const { return {1, {m, n, order(), batch_count}}; }
};

namespace calls {
inline constexpr routine_call<trsm_problem> strsm{"mystrsm"};
inline constexpr routine_call<trsm_problem> strsm_batched{"mystrsmBatched", batch_form::arrays};
inline constexpr routine_call<trsm_problem> strsm_strided_batched{
    "mystrsmStridedBatched",
    batch_form::strided,
};
} // namespace calls

} // namespace myblas

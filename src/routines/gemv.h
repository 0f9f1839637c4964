// y = alpha * op(A) * x + beta * y, A m x n.
#pragma once

#include "routines/gemm.h"

namespace myblas {

// x and y point at element 0 of the vectors, for either sign of the increment. Element i of a batch
// is at base + i * stride, or at array[i] when the array is set. The call is computed as a product.
// A vector that is not contiguous is a row of a matrix, and the increment, negative or not, is its
// leading dimension (runs_backwards).
struct gemv_problem {
    myblasMath_t math =
        MYBLAS_FP32_STRICT_MATH; // reproducible or not; other modes compute as strict
    bool trans = false;
    int64_t m = 0, n = 0;
    scalar alpha{}, beta{};
    const float* a = nullptr;
    int64_t lda = 1, stride_a = 0;
    const float* x = nullptr;
    int64_t incx = 1, stride_x = 0;
    float* y = nullptr;
    int64_t incy = 1, stride_y = 0;
    const float* const* a_array = nullptr; // [batch_count], device memory
    const float* const* x_array = nullptr;
    float* const* y_array = nullptr;
    int64_t batch_count = 1;

    int64_t length_x() const { return trans ? m : n; }
    int64_t length_y() const { return trans ? n : m; }

    template <class List>
    void operands(List& list) {
        list.operation("trans", trans);
        list.size("m", m);
        list.size("n", n);
        list.scalar("alpha", alpha);
        list.matrix("A", a, lda, shape_of(m, n), may_be_nonzero(alpha), stride_a, a_array);
        list.vector("x", x, incx, length_x(), may_be_nonzero(alpha), stride_x, x_array);
        list.scalar("beta", beta);
        list.vector("y", y, incy, length_y(), true, stride_y, y_array);
        list.batch("batch_count", batch_count);
    }
    bool is_empty() const { return m == 0 || n == 0 || batch_count == 0; }
    bool is_unchanged() const { return !may_be_nonzero(alpha) && is_one(beta); }
    wide most_elements() const { return wide{batch_count} * m * n; }
    sgemm_problem as_product() const;
};

// The leading dimension for a single column. Any value is valid; this one is aligned, which kernels
// may need.
inline int64_t aligned_ld(int64_t rows) { return (rows + 3) / 4 * 4; }

// y is a column of C if it is contiguous, else a row, computed with op(A)^T.
inline sgemm_problem gemv_problem::as_product() const {
    sgemm_problem q{
        .is_gemv = true, .k = length_x(), .alpha = alpha, .beta = beta, .batch_count = batch_count};
    if (math == MYBLAS_FP32_REPRODUCIBLE_MATH)
        q.math = math;
    q.c = y, q.stride_c = stride_y, q.c_array = y_array;
    if (incy == 1) {
        q.m = length_y(), q.n = 1, q.ldc = aligned_ld(q.m);
        q.transa = trans;
        q.a = a, q.lda = lda, q.stride_a = stride_a, q.a_array = a_array;
        q.transb = incx != 1;
        q.ldb = q.transb ? incx : aligned_ld(q.k);
        q.b = x, q.stride_b = stride_x, q.b_array = x_array;
    } else {
        q.m = 1, q.n = length_y(), q.ldc = incy;
        q.a = x, q.lda = incx, q.stride_a = stride_x, q.a_array = x_array;
        q.transb = !trans;
        q.b = a, q.ldb = lda, q.stride_b = stride_a, q.b_array = a_array;
    }
    return q;
}

namespace calls {
inline constexpr routine_call<gemv_problem> sgemv{"mysgemv"};
inline constexpr routine_call<gemv_problem> sgemv_strided_batched{
    "mysgemvStridedBatched",
    batch_form::strided,
};
inline constexpr routine_call<gemv_problem> sgemv_batched{"mysgemvBatched", batch_form::arrays};
} // namespace calls

} // namespace myblas

// What a routine was asked to do, as plain data: filled by src/api, read by src/select, passed by
// value to the kernels. Sizes are validated; pointers are what the caller gave.
#pragma once

#include "myblas/myblas.h"

#include <cstddef>
#include <cstdint>

namespace myblas {

// A scalar operand in either pointer mode: `value`, unless `device` points to it. Kernels resolve it,
// so that the host never waits for a device scalar.
struct scalar {
    float value = 0;
    const float* device = nullptr;
};

// Whether a scalar may be other than zero, as far as the host can know.
inline bool may_count(const scalar& s) { return s.device || s.value != 0; }

// What is done to the elements of a product on their way to C: with x = alpha * op(A) * op(B) + beta * source + bias,
// aux = x and C = activation(x). Batches are strided. Only kernels that say so (kernel_entry::finishes) look at it.
struct product_finish {
    myblasActivation_t activation = MYBLAS_ACTIVATION_NONE;
    bool is_bias_of_columns = false;
    const float* bias = nullptr; // an element for each row of C, or each column; null: none
    int64_t stride_bias = 0;
    const float* source = nullptr; // null: C itself
    int64_t ld_source = 1, stride_source = 0;
    float* aux = nullptr; // null: none
    int64_t ld_aux = 1, stride_aux = 0;

    bool is_empty() const {
        return activation == MYBLAS_ACTIVATION_NONE && !bias && !source && !aux;
    }
};

// What of C a product computes: all, or one triangle with the diagonal, of a square C. The rest is neither read nor
// written.
enum class triangle_of_c : uint8_t { none, lower, upper };

// Where op(A) or op(B), which then is square, holds zeroes: on one side of its diagonal. Kernels may leave out the k that
// meet nothing else; those that do not care multiply the zeroes.
enum class known_zeros : uint8_t { none, above_of_a, below_of_a, above_of_b, below_of_b };

// C = alpha * op(A) * op(B) + beta * C. Element i of a batch is at base + i * stride, or at array[i]
// when the array is set.
struct sgemm_problem {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH; // what the caller allows
    bool transa = false, transb = false;
    bool is_gemv = false; // asked for as a matrix by a vector: C is one column or one row
    triangle_of_c triangle = triangle_of_c::none;
    known_zeros zeros = known_zeros::none;
    int64_t m = 0, n = 0, k = 0;
    scalar alpha{}, beta{};
    const float* a = nullptr;
    int64_t lda = 1, stride_a = 0;
    const float* b = nullptr;
    int64_t ldb = 1, stride_b = 0;
    float* c = nullptr;
    int64_t ldc = 1, stride_c = 0;
    const float* const* a_array = nullptr; // [batch_count], device memory
    const float* const* b_array = nullptr;
    float* const* c_array = nullptr;
    int64_t batch_count = 1;
    product_finish finish{};
};

// A matrix by a vector whose increment, a leading dimension here, is negative. Of such a vector that an array points to,
// the stride is the way from there to its element 0.
inline bool runs_backwards(const sgemm_problem& p) { return (p.lda | p.ldb | p.ldc) < 0; }

// Whether all columns of a matrix of each product start at a multiple of 16 bytes. What a pointer array holds is not
// known here.
inline bool
batch_aligned16(const float* x, int64_t ld, int64_t stride, const void* array, int64_t batch) {
    return !array && reinterpret_cast<uintptr_t>(x) % 16 == 0 && ld % 4 == 0 &&
           (batch == 1 || stride % 4 == 0);
}

// Elements of C that the product computes; in floating point, for estimates.
inline double computed_elements(const sgemm_problem& p) {
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    return p.triangle == triangle_of_c::none ? m * n : n * (n + 1) / 2;
}

inline bool inputs_aligned16(const sgemm_problem& p) {
    return batch_aligned16(p.a, p.lda, p.stride_a, p.a_array, p.batch_count) &&
           batch_aligned16(p.b, p.ldb, p.stride_b, p.b_array, p.batch_count);
}

// B = A^T, A m x n. Matrices of a batch are a stride apart.
struct transpose_problem {
    int64_t m = 0, n = 0;
    int element_bytes = 4;
    const void* a = nullptr;
    int64_t lda = 1;
    void* b = nullptr;
    int64_t ldb = 1;
    int64_t stride_a = 0, stride_b = 0; // elements
    int64_t batch_count = 1;

    bool in_place() const { return a == b && a != nullptr; }

    // `count` matrices of the batch from `first` on.
    transpose_problem part(int64_t first, int64_t count) const {
        transpose_problem some = *this;
        some.a = static_cast<const unsigned char*>(a) + first * stride_a * element_bytes;
        some.b = static_cast<unsigned char*>(b) + first * stride_b * element_bytes;
        some.batch_count = count;
        return some;
    }
};

// C = alpha * op(A) + beta * op(B), C m x n.
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
};

// *result = sum of x_i, or of |x_i|; n >= 0, incx >= 1. `result` is memory of the backend.
template <class T>
struct sum_problem {
    int64_t n = 0;
    const T* x = nullptr;
    int64_t incx = 1;
    bool absolute = false;
    T* result = nullptr;
};

// result_i = sum of row i of op(A); A m x n. `result` has n elements for a transposed A, else m.
struct gemsum_problem {
    bool trans = false;
    int64_t m = 0, n = 0;
    const float* a = nullptr;
    int64_t lda = 1;
    float* result = nullptr;
};

// counts_v = how many of the n bytes of x are v, v = 0 ... 255.
struct histogram_problem {
    int64_t n = 0;
    const uint8_t* x = nullptr;
    uint64_t* counts = nullptr;
};

// y = alpha * x + y. x and y point at element 0 of the vector, whatever the sign of the increment.
struct axpy_problem {
    int64_t n = 0;
    scalar alpha{};
    const float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;
};

// y = x, with the same conventions.
struct copy_problem {
    int64_t n = 0;
    const float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;
};

// ---- Level 1 -------------------------------------------------------------------------------------

// x = alpha * x; incx >= 1.
struct scal_problem {
    int64_t n = 0;
    scalar alpha{};
    float* x = nullptr;
    int64_t incx = 1;
};

// x and y change places; element 0 as in axpy.
struct swap_problem {
    int64_t n = 0;
    float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;
};

// x_i = c x_i + s y_i, y_i = c y_i - s x_i; element 0 as in axpy.
struct rot_problem {
    int64_t n = 0;
    float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;
    scalar c{}, s{};
};

// The matrix of a modified rotation.
struct rotm_matrix {
    float h11 = 1, h21 = 0, h12 = 0, h22 = 1;
    bool is_identity = true;
};

// (x_i, y_i) = H (x_i, y_i); element 0 as in axpy. H is in `h`, unless `param` points to the five floats
// that BLAS describes it by.
struct rotm_problem {
    int64_t n = 0;
    float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;
    rotm_matrix h{};
    const float* param = nullptr;
};

// The rotation that turns (a, b) to (r, 0). All point to memory of the backend.
struct rotg_problem {
    float *a = nullptr, *b = nullptr; // r and z afterwards
    float *c = nullptr, *s = nullptr;
};

// The modified rotation that makes the second component of (sqrt(d1) x1, sqrt(d2) y1) zero.
struct rotmg_problem {
    float *d1 = nullptr, *d2 = nullptr, *x1 = nullptr;
    const float* y1 = nullptr;
    float* param = nullptr; // 5 floats: the flag, h11, h21, h12, h22
};

// *result = sum of x_i * y_i; element 0 as in axpy. `result` is memory of the backend.
struct dot_problem {
    int64_t n = 0;
    const float* x = nullptr;
    int64_t incx = 1;
    const float* y = nullptr;
    int64_t incy = 1;
    float* result = nullptr;
};

// *result = the square root of the sum of x_i^2; incx >= 0.
struct nrm2_problem {
    int64_t n = 0;
    const float* x = nullptr;
    int64_t incx = 1;
    float* result = nullptr;
};

// *result = the number, from 1, of the first element with the largest (or least) |x_i|; incx >= 1.
struct extremum_problem {
    bool least = false;
    int64_t n = 0;
    const float* x = nullptr;
    int64_t incx = 1;
    bool wide = false;      // the result is an int64_t, not an int
    void* result = nullptr; // memory of the backend
};

// ---- Level 2 -------------------------------------------------------------------------------------

// y = alpha * op(A) * x + beta * y, A m x n. x and y point at element 0 of the vectors, whatever the sign of the
// increment. Element i of a batch is at base + i * stride, or at array[i] when the array is set.
struct gemv_problem {
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
};

// A = alpha * x * y^T + A, A m x n; x and y as in gemv.
struct ger_problem {
    int64_t m = 0, n = 0;
    scalar alpha{};
    const float* x = nullptr;
    int64_t incx = 1;
    const float* y = nullptr;
    int64_t incy = 1;
    float* a = nullptr;
    int64_t lda = 1;
};

// y = alpha * A * x + beta * y, A symmetric, n x n, in one triangle; x and y as in gemv.
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
};

// A = alpha * (x * y^T + y * x^T) + A on one triangle; without y, A = alpha * x * x^T + A. Where `is_ger` holds,
// A = alpha * x * y^T + A, all of A, m x n.
struct syr_problem {
    bool is_ger = false;
    bool upper = false;
    int64_t m = 0; // of ger
    int64_t n = 0;
    scalar alpha{};
    const float* x = nullptr;
    int64_t incx = 1;
    const float* y = nullptr;
    int64_t incy = 1;
    float* a = nullptr;
    int64_t lda = 1;

    int64_t rows() const { return is_ger ? m : n; }
};

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
};
using trmv_problem = triangular_problem<false>;
using trsv_problem = triangular_problem<true>;

// Where element 0 of a vector is that BLAS gives by its lowest address. x may be null where it is not read.
template <class T>
T* first_element(T* x, int64_t n, int64_t increment) {
    return x && increment < 0 ? x + (1 - n) * increment : x;
}

// A problem with x and y as BLAS gives them, at the lowest address, moved to element 0, which is at
// the highest where an increment is negative.
template <class Problem>
Problem at_first_elements(Problem p) {
    p.x = first_element(p.x, p.n, p.incx);
    p.y = first_element(p.y, p.n, p.incy);
    return p;
}

// nrm2 as BLAS gives it: nothing without elements, and squares do not mind the direction.
inline nrm2_problem with_positive_increment(nrm2_problem p) {
    if (p.n <= 0)
        p.n = p.incx = 0;
    if (p.incx < 0 && p.incx != INT64_MIN)
        p.incx = -p.incx;
    return p;
}

// ---- Level 3 ---------------------------------------------------------------------------------------

// C = alpha * op(A) * op(B)^T + beta * C on one triangle of C, which is n x n; op(A) and op(B) are n x k. With `twice`
// alpha * op(B) * op(A)^T is added too. b == a: syrk.
template <bool twice>
struct rank_k_problem {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    bool upper = false, trans = false;
    int64_t n = 0, k = 0;
    scalar alpha{}, beta{};
    const float* a = nullptr;
    int64_t lda = 1;
    const float* b = nullptr;
    int64_t ldb = 1;
    float* c = nullptr;
    int64_t ldc = 1;
};

using syrk_problem = rank_k_problem<false>;
using syr2k_problem = rank_k_problem<true>;

// C = alpha * A * B + beta * C, or with `right` alpha * B * A + beta * C: C m x n, A symmetric, one triangle of it stored.
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
};

// C = alpha * op(A) * B, or with `right` alpha * B * op(A): C m x n, A triangular. In place when c == b.
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
};

// X with op(A) * X = alpha * B, or with `right` X * op(A) = alpha * B, in place of B: m x n, A triangular. Batches as of
// sgemm_problem.
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
};

} // namespace myblas

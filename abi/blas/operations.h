// The calls that can be taken to a device, as plain data. Each knows which of its arguments is wrong, and
// how to compute itself by staging.
#pragma once

#include "blas/model.h"
#include "blas/program_blas.h"
#include "blas/staged_level3.h"
#include "common/call_log.h"
#include "common/report.h"

namespace myblas::preload {

// Where a call came from, for parts of it that must be computed on the host.
struct origin {
    const program_blas& own;
    interface used;
};

// A part of a product by the program's BLAS; by libmyblas on the host where it has no sgemm. `context` is
// its origin.
void product_on_host(const product&, const void* context);

// The same of any operation of level 3.
void level3_on_host(const level3&, const void* context);

// Routines that a device may make faster: those that use their data many times.
constexpr bool can_gain(routine r) { return r <= routine::strsm; }

// What the operations have in common, by way of an example:
//   kind               which routine it is
//   shape()            its extents
//   wrong_argument()   the number of the first argument that the reference BLAS refuses; 0: none
//   is_trivial()       nothing to compute: left to the program's BLAS
//   run(...)           computes it on the devices
//   size()             its work, where can_gain(kind)
//   logged()           what the log of calls says of it, except the routine

struct product_call : product {
    int wrong_letter = 0; // the number of an argument that names no operation or order
    static constexpr routine kind = routine::sgemm;
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_SGEMM;
    report::extents shape() const { return {m, n, k}; }
    product_size size() const { return {m, n, k, beta != 0}; }
    int wrong_argument() const;
    bool is_trivial() const { return m == 0 || n == 0 || k == 0 || alpha == 0; }
    logged_call logged() const {
        return {.transa = transa ? MYBLAS_OP_T : MYBLAS_OP_N,
                .transb = transb ? MYBLAS_OP_T : MYBLAS_OP_N,
                .m = m,
                .n = n,
                .k = k,
                .lda = lda,
                .ldb = ldb,
                .ldc = ldc};
    }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

// What the other operations of level 3 share. wrong_argument() numbers the arguments as the Fortran interface does.
struct any_level3_call : level3 {
    int wrong_letter = 0;
    report::extents shape() const { return {m, n, updates_triangle() ? k : order()}; }
    product_size size() const;
    int wrong_argument() const;
    bool is_trivial() const {
        return m == 0 || n == 0 || alpha == 0 || (updates_triangle() && k == 0);
    }
    // The triangular matrix stands on one side of C, which is B in the interface.
    logged_call logged() const {
        return {.side = left ? MYBLAS_SIDE_LEFT : MYBLAS_SIDE_RIGHT,
                .uplo = upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER,
                .transa = transa ? MYBLAS_OP_T : MYBLAS_OP_N,
                .diag = unit ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT,
                .m = m,
                .n = n,
                .k = shape().k,
                .lda = lda,
                .ldb = is_triangular() ? ldc : ldb,
                .ldc = ldc};
    }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

template <routine r, myblasRoutine_t kernels>
struct level3_call : any_level3_call {
    static constexpr routine kind = r;
    static constexpr myblasRoutine_t computed_by = kernels;
};
using syrk_call = level3_call<routine::ssyrk, MYBLAS_ROUTINE_SYRK>;
using syr2k_call = level3_call<routine::ssyr2k, MYBLAS_ROUTINE_SYR2K>;
using symm_call = level3_call<routine::ssymm, MYBLAS_ROUTINE_SYMM>;
using trmm_call = level3_call<routine::strmm, MYBLAS_ROUTINE_TRMM>;
using trsm_call = level3_call<routine::strsm, MYBLAS_ROUTINE_TRSM>;

// y = alpha * op(A) * x + beta * y, A rows x cols.
struct matrix_vector_call {
    static constexpr routine kind = routine::sgemv;
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_SGEMM;
    bool trans;
    int64_t rows, cols;
    float alpha;
    const float* a;
    int64_t lda;
    const float* x;
    int64_t incx;
    float beta;
    float* y;
    int64_t incy;
    int wrong_letter = 0;

    report::extents shape() const { return {rows, cols, 1}; }
    int wrong_argument() const;
    bool is_trivial() const { return rows == 0 || cols == 0 || alpha == 0; }
    logged_call logged() const {
        return {.transa = trans ? MYBLAS_OP_T : MYBLAS_OP_N,
                .m = rows,
                .n = cols,
                .lda = lda,
                .incx = incx,
                .incy = incy};
    }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

struct asum_call {
    static constexpr routine kind = routine::sasum;
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_SUM;
    int64_t n;
    const float* x;
    int64_t incx;
    float* result;

    report::extents shape() const { return {n, 1, 1}; }
    int wrong_argument() const { return 0; }
    bool is_trivial() const { return n <= 0 || incx <= 0; }
    logged_call logged() const { return {.n = n, .incx = incx, .incy = incx}; }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

struct dot_call {
    static constexpr routine kind = routine::sdot;
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_SGEMM;
    int64_t n;
    const float* x;
    int64_t incx;
    const float* y;
    int64_t incy;
    float* result;

    report::extents shape() const { return {n, 1, 1}; }
    int wrong_argument() const { return 0; }
    bool is_trivial() const { return n <= 0 || incx == 0 || incy == 0; }
    logged_call logged() const { return {.n = n, .incx = incx, .incy = incy}; }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

struct axpy_call {
    static constexpr routine kind = routine::saxpy;
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_AXPY;
    int64_t n;
    float alpha;
    const float* x;
    int64_t incx;
    float* y;
    int64_t incy;

    report::extents shape() const { return {n, 1, 1}; }
    int wrong_argument() const { return 0; }
    bool is_trivial() const { return n <= 0 || alpha == 0 || incx == 0 || incy == 0; }
    logged_call logged() const { return {.n = n, .incx = incx, .incy = incy}; }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

struct copy_call {
    static constexpr routine kind = routine::scopy;
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_COPY;
    int64_t n;
    const float* x;
    int64_t incx;
    float* y;
    int64_t incy;

    report::extents shape() const { return {n, 1, 1}; }
    int wrong_argument() const { return 0; }
    bool is_trivial() const { return n <= 0 || incx == 0 || incy == 0; }
    logged_call logged() const { return {.n = n, .incx = incx, .incy = incy}; }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

// B = alpha * op(A), column-major.
struct omatcopy_call : scaled_copy {
    int wrong_letter = 0;
    static constexpr routine kind = routine::somatcopy;
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_GEAM;
    report::extents shape() const { return {rows, cols, 1}; }
    int wrong_argument() const;
    bool is_trivial() const { return false; }
    logged_call logged() const {
        return {.transa = trans ? MYBLAS_OP_T : MYBLAS_OP_N,
                .m = rows,
                .n = cols,
                .lda = lda,
                .ldb = ldb};
    }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

// A = alpha * op(A), with ldb afterwards.
struct imatcopy_call {
    static constexpr routine kind = routine::simatcopy;
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_GEAM;
    bool trans;
    int64_t rows, cols;
    float alpha;
    float* a;
    int64_t lda, ldb;
    int wrong_letter = 0;

    report::extents shape() const { return {rows, cols, 1}; }
    int wrong_argument() const;
    bool is_trivial() const { return false; }
    logged_call logged() const {
        return {.transa = trans ? MYBLAS_OP_T : MYBLAS_OP_N,
                .m = rows,
                .n = cols,
                .lda = lda,
                .ldb = ldb};
    }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

} // namespace myblas::preload

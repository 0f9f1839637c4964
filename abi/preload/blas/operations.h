// The calls that a device can compute, as plain data. Each call knows which of its arguments is
// wrong, and how to compute itself by staging.
#pragma once

#include "blas/model.h"
#include "blas/small_call.h"
#include "blas/staged_level3.h"
#include "common/call_log.h"

namespace myblas::preload {

// Computes a part of a product by the program's BLAS, or by libmyblas on the host if the program
// has no sgemm. `context` is its origin.
void product_on_host(const product&, const void* context);

// The same for any operation of level 3.
void level3_on_host(const level3&, const void* context);

// Routines that a device may make faster, because they use their data many times.
constexpr bool can_gain(routine r) { return r <= routine::strsm; }

// The members that all operations share:
//   kind               which routine it is
//   shape()            its extents
//   wrong_argument()   the number of the first argument that the reference BLAS refuses; 0: none
//   is_trivial()       nothing to compute: left to the program's BLAS
//   run(...)           computes it on the devices
//   size()             its work, where can_gain(kind)
//   logged()           its entry in the log of calls, except the routine

constexpr bool is_transposed(char trans) { return trans == 'T' || trans == 'C'; }

// read() takes the arguments of the signature in entries.inc. A call on row-major matrices becomes
// the column-major call on the transposes.

struct product_call : product {
    int wrong_letter = 0; // the number of an argument that names no operation or order
    static constexpr routine kind = routine::sgemm;
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_SGEMM;
    static product_call read(char layout,
                             char transa,
                             char transb,
                             int64_t m,
                             int64_t n,
                             int64_t k,
                             float alpha,
                             const float* a,
                             int64_t lda,
                             const float* b,
                             int64_t ldb,
                             float beta,
                             float* c,
                             int64_t ldc);
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

// The members that the other operations of level 3 share. wrong_argument() numbers the arguments as
// the Fortran interface does.
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

template <routine r, level3::kind operation, myblasRoutine_t kernels>
struct level3_call : any_level3_call {
    static constexpr routine kind = r;
    static constexpr myblasRoutine_t computed_by = kernels;

    // syrk
    static level3_call read(char layout,
                            char uplo,
                            char trans,
                            int64_t n,
                            int64_t depth,
                            float alpha,
                            const float* a,
                            int64_t lda,
                            float beta,
                            float* c,
                            int64_t ldc) {
        return read(layout, uplo, trans, n, depth, alpha, a, lda, nullptr, 0, beta, c, ldc);
    }

    // syr2k; symm, whose first letters are side and uplo
    static level3_call read(char layout,
                            char first,
                            char second,
                            int64_t m,
                            int64_t n,
                            float alpha,
                            const float* a,
                            int64_t lda,
                            const float* b,
                            int64_t ldb,
                            float beta,
                            float* c,
                            int64_t ldc) {
        const bool by_rows = layout == 'R';
        level3_call call;
        call.what = operation;
        if (call.updates_triangle()) {
            call.upper = (first == 'U') != by_rows;
            call.transa = is_transposed(second) != by_rows;
            call.m = call.n = m;
            call.k = n;
        } else {
            call.left = (first == 'L') != by_rows;
            call.upper = (second == 'U') != by_rows;
            call.m = by_rows ? n : m;
            call.n = by_rows ? m : n;
        }
        call.alpha = alpha;
        call.a = a;
        call.lda = lda;
        call.b = b;
        call.ldb = ldb;
        call.beta = beta;
        call.c = c;
        call.ldc = ldc;
        return call;
    }

    // trmm, trsm
    static level3_call read(char layout,
                            char side,
                            char uplo,
                            char trans,
                            char diag,
                            int64_t m,
                            int64_t n,
                            float alpha,
                            const float* a,
                            int64_t lda,
                            float* b,
                            int64_t ldb) {
        level3_call call = read(layout, side, uplo, m, n, alpha, a, lda, nullptr, 0, 0, b, ldb);
        call.transa = is_transposed(trans);
        call.unit = diag == 'U';
        return call;
    }
};
using syrk_call = level3_call<routine::ssyrk, level3::kind::syrk, MYBLAS_ROUTINE_SYRK>;
using syr2k_call = level3_call<routine::ssyr2k, level3::kind::syr2k, MYBLAS_ROUTINE_SYR2K>;
using symm_call = level3_call<routine::ssymm, level3::kind::symm, MYBLAS_ROUTINE_SYMM>;
using trmm_call = level3_call<routine::strmm, level3::kind::trmm, MYBLAS_ROUTINE_TRMM>;
using trsm_call = level3_call<routine::strsm, level3::kind::trsm, MYBLAS_ROUTINE_TRSM>;

// B = alpha * op(A), column-major; in place with the same a and b.
struct matcopy_call {
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_GEAM;
    bool trans;
    int64_t rows, cols;
    float alpha;
    const float* a;
    int64_t lda;
    float* b;
    int64_t ldb;
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

struct omatcopy_call : matcopy_call {
    static constexpr routine kind = routine::somatcopy;
    static omatcopy_call read(char order,
                              char trans,
                              int64_t rows,
                              int64_t cols,
                              float alpha,
                              const float* a,
                              int64_t lda,
                              float* b,
                              int64_t ldb) {
        const bool by_rows = order == 'R';
        return {{is_transposed(trans),
                 by_rows ? cols : rows,
                 by_rows ? rows : cols,
                 alpha,
                 a,
                 lda,
                 b,
                 ldb}};
    }
};

struct imatcopy_call : matcopy_call {
    static constexpr routine kind = routine::simatcopy;
    static imatcopy_call read(char order,
                              char trans,
                              int64_t rows,
                              int64_t cols,
                              float alpha,
                              float* a,
                              int64_t lda,
                              int64_t ldb) {
        return {omatcopy_call::read(order, trans, rows, cols, alpha, a, lda, a, ldb)};
    }
};

// The type that describes a routine's calls.
template <routine>
struct call_of;
#define BLAS_ENTRY(name, kernels, call, ...)                                                       \
    template <>                                                                                    \
    struct call_of<routine::name> : std::type_identity<call> {};
#include "common/entries.inc"
#undef BLAS_ENTRY

} // namespace myblas::preload

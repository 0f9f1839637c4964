// Level 3 beside mysgemm: check, quick return, dispatch.
#include "api/dispatch.h"
#include "api/validate.h"

namespace myblas {
namespace {

bool is_one(const scalar& s) { return !s.device && s.value == 1; }

// Arguments as the caller gave them, beside those that the problem holds already.
struct scalar_pointers {
    const float* alpha;
    const float* beta; // null where the routine has none
    bool has_beta;
};

// What is common to all: `p` has sizes, flags and operands, and its sizes are as `found` says.
template <class Problem>
myblasStatus_t enter(const char* function,
                     myblasContext& handle,
                     fault found,
                     const scalar_pointers& scalars,
                     Problem p) noexcept {
    if (found)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (is_empty(p))
        return MYBLAS_STATUS_SUCCESS;
    if (!scalars.alpha)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "alpha is NULL");
    if (scalars.has_beta && !scalars.beta)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "beta is NULL");
    p.math = handle.math_mode;
    p.alpha = read_scalar(handle, scalars.alpha);
    bool is_c_kept = false; // C = C
    if constexpr (requires { p.beta; }) {
        p.beta = read_scalar(handle, scalars.beta);
        bool is_nothing_added = !may_count(p.alpha);
        if constexpr (requires { p.k; })
            is_nothing_added = is_nothing_added || p.k == 0;
        is_c_kept = is_nothing_added && is_one(p.beta);
    }
    if (const fault wrong = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, wrong);
    return is_c_kept ? MYBLAS_STATUS_SUCCESS : dispatch(handle, function, p);
}

template <class Problem>
myblasStatus_t rank_k(const char* function,
                      myblasHandle_t handle,
                      myblasFillMode_t uplo,
                      myblasOperation_t trans,
                      const float* alpha,
                      const float* beta,
                      Problem p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    p.upper = uplo == MYBLAS_FILL_MODE_UPPER;
    p.trans = trans != MYBLAS_OP_N;
    return enter(function, *handle, check_sizes(uplo, trans, p), {alpha, beta, true}, p);
}

myblasStatus_t symm(const char* function,
                    myblasHandle_t handle,
                    myblasSideMode_t side,
                    myblasFillMode_t uplo,
                    const float* alpha,
                    const float* beta,
                    symm_problem p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    p.right = side == MYBLAS_SIDE_RIGHT;
    p.upper = uplo == MYBLAS_FILL_MODE_UPPER;
    return enter(function, *handle, check_sizes(side, uplo, p), {alpha, beta, true}, p);
}

// trmm and trsm.
template <class Problem>
myblasStatus_t triangular(const char* function,
                          myblasHandle_t handle,
                          myblasSideMode_t side,
                          myblasFillMode_t uplo,
                          myblasOperation_t trans,
                          myblasDiagType_t diag,
                          const float* alpha,
                          Problem p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    p.right = side == MYBLAS_SIDE_RIGHT;
    p.upper = uplo == MYBLAS_FILL_MODE_UPPER;
    p.trans = trans != MYBLAS_OP_N;
    p.unit = diag == MYBLAS_DIAG_UNIT;
    const fault found = check_triangle(side, uplo, trans, diag, p);
    return enter(function, *handle, found ? found : check_sizes(p), {alpha, nullptr, false}, p);
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t myssyrk(myblasHandle_t handle,
                       myblasFillMode_t uplo,
                       myblasOperation_t trans,
                       int n,
                       int k,
                       const float* alpha,
                       const float* A,
                       int lda,
                       const float* beta,
                       float* C,
                       int ldc) {
    return rank_k(
        "myssyrk",
        handle,
        uplo,
        trans,
        alpha,
        beta,
        syrk_problem{.n = n, .k = k, .a = A, .lda = lda, .b = A, .ldb = lda, .c = C, .ldc = ldc});
}

myblasStatus_t myssyrk_64(myblasHandle_t handle,
                          myblasFillMode_t uplo,
                          myblasOperation_t trans,
                          int64_t n,
                          int64_t k,
                          const float* alpha,
                          const float* A,
                          int64_t lda,
                          const float* beta,
                          float* C,
                          int64_t ldc) {
    return rank_k(
        "myssyrk",
        handle,
        uplo,
        trans,
        alpha,
        beta,
        syrk_problem{.n = n, .k = k, .a = A, .lda = lda, .b = A, .ldb = lda, .c = C, .ldc = ldc});
}

myblasStatus_t myssyrkx(myblasHandle_t handle,
                        myblasFillMode_t uplo,
                        myblasOperation_t trans,
                        int n,
                        int k,
                        const float* alpha,
                        const float* A,
                        int lda,
                        const float* B,
                        int ldb,
                        const float* beta,
                        float* C,
                        int ldc) {
    return rank_k(
        "myssyrkx",
        handle,
        uplo,
        trans,
        alpha,
        beta,
        syrk_problem{.n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t myssyrkx_64(myblasHandle_t handle,
                           myblasFillMode_t uplo,
                           myblasOperation_t trans,
                           int64_t n,
                           int64_t k,
                           const float* alpha,
                           const float* A,
                           int64_t lda,
                           const float* B,
                           int64_t ldb,
                           const float* beta,
                           float* C,
                           int64_t ldc) {
    return rank_k(
        "myssyrkx",
        handle,
        uplo,
        trans,
        alpha,
        beta,
        syrk_problem{.n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t myssyr2k(myblasHandle_t handle,
                        myblasFillMode_t uplo,
                        myblasOperation_t trans,
                        int n,
                        int k,
                        const float* alpha,
                        const float* A,
                        int lda,
                        const float* B,
                        int ldb,
                        const float* beta,
                        float* C,
                        int ldc) {
    return rank_k(
        "myssyr2k",
        handle,
        uplo,
        trans,
        alpha,
        beta,
        syr2k_problem{.n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t myssyr2k_64(myblasHandle_t handle,
                           myblasFillMode_t uplo,
                           myblasOperation_t trans,
                           int64_t n,
                           int64_t k,
                           const float* alpha,
                           const float* A,
                           int64_t lda,
                           const float* B,
                           int64_t ldb,
                           const float* beta,
                           float* C,
                           int64_t ldc) {
    return rank_k(
        "myssyr2k",
        handle,
        uplo,
        trans,
        alpha,
        beta,
        syr2k_problem{.n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t myssymm(myblasHandle_t handle,
                       myblasSideMode_t side,
                       myblasFillMode_t uplo,
                       int m,
                       int n,
                       const float* alpha,
                       const float* A,
                       int lda,
                       const float* B,
                       int ldb,
                       const float* beta,
                       float* C,
                       int ldc) {
    return symm("myssymm",
                handle,
                side,
                uplo,
                alpha,
                beta,
                {.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t myssymm_64(myblasHandle_t handle,
                          myblasSideMode_t side,
                          myblasFillMode_t uplo,
                          int64_t m,
                          int64_t n,
                          const float* alpha,
                          const float* A,
                          int64_t lda,
                          const float* B,
                          int64_t ldb,
                          const float* beta,
                          float* C,
                          int64_t ldc) {
    return symm("myssymm",
                handle,
                side,
                uplo,
                alpha,
                beta,
                {.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mystrmm(myblasHandle_t handle,
                       myblasSideMode_t side,
                       myblasFillMode_t uplo,
                       myblasOperation_t trans,
                       myblasDiagType_t diag,
                       int m,
                       int n,
                       const float* alpha,
                       const float* A,
                       int lda,
                       const float* B,
                       int ldb,
                       float* C,
                       int ldc) {
    return triangular(
        "mystrmm",
        handle,
        side,
        uplo,
        trans,
        diag,
        alpha,
        trmm_problem{.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mystrmm_64(myblasHandle_t handle,
                          myblasSideMode_t side,
                          myblasFillMode_t uplo,
                          myblasOperation_t trans,
                          myblasDiagType_t diag,
                          int64_t m,
                          int64_t n,
                          const float* alpha,
                          const float* A,
                          int64_t lda,
                          const float* B,
                          int64_t ldb,
                          float* C,
                          int64_t ldc) {
    return triangular(
        "mystrmm",
        handle,
        side,
        uplo,
        trans,
        diag,
        alpha,
        trmm_problem{.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mystrsm(myblasHandle_t handle,
                       myblasSideMode_t side,
                       myblasFillMode_t uplo,
                       myblasOperation_t trans,
                       myblasDiagType_t diag,
                       int m,
                       int n,
                       const float* alpha,
                       const float* A,
                       int lda,
                       float* B,
                       int ldb) {
    return triangular("mystrsm",
                      handle,
                      side,
                      uplo,
                      trans,
                      diag,
                      alpha,
                      trsm_problem{.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb});
}

myblasStatus_t mystrsm_64(myblasHandle_t handle,
                          myblasSideMode_t side,
                          myblasFillMode_t uplo,
                          myblasOperation_t trans,
                          myblasDiagType_t diag,
                          int64_t m,
                          int64_t n,
                          const float* alpha,
                          const float* A,
                          int64_t lda,
                          float* B,
                          int64_t ldb) {
    return triangular("mystrsm",
                      handle,
                      side,
                      uplo,
                      trans,
                      diag,
                      alpha,
                      trsm_problem{.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb});
}

myblasStatus_t mystrsmBatched(myblasHandle_t handle,
                              myblasSideMode_t side,
                              myblasFillMode_t uplo,
                              myblasOperation_t trans,
                              myblasDiagType_t diag,
                              int m,
                              int n,
                              const float* alpha,
                              const float* const Aarray[],
                              int lda,
                              float* const Barray[],
                              int ldb,
                              int batch_count) {
    return triangular("mystrsmBatched",
                      handle,
                      side,
                      uplo,
                      trans,
                      diag,
                      alpha,
                      trsm_problem{.m = m,
                                   .n = n,
                                   .lda = lda,
                                   .ldb = ldb,
                                   .a_array = Aarray,
                                   .b_array = Barray,
                                   .batch_count = batch_count});
}

myblasStatus_t mystrsmBatched_64(myblasHandle_t handle,
                                 myblasSideMode_t side,
                                 myblasFillMode_t uplo,
                                 myblasOperation_t trans,
                                 myblasDiagType_t diag,
                                 int64_t m,
                                 int64_t n,
                                 const float* alpha,
                                 const float* const Aarray[],
                                 int64_t lda,
                                 float* const Barray[],
                                 int64_t ldb,
                                 int64_t batch_count) {
    return triangular("mystrsmBatched",
                      handle,
                      side,
                      uplo,
                      trans,
                      diag,
                      alpha,
                      trsm_problem{.m = m,
                                   .n = n,
                                   .lda = lda,
                                   .ldb = ldb,
                                   .a_array = Aarray,
                                   .b_array = Barray,
                                   .batch_count = batch_count});
}

myblasStatus_t mystrsmStridedBatched(myblasHandle_t handle,
                                     myblasSideMode_t side,
                                     myblasFillMode_t uplo,
                                     myblasOperation_t trans,
                                     myblasDiagType_t diag,
                                     int m,
                                     int n,
                                     const float* alpha,
                                     const float* A,
                                     int lda,
                                     long long strideA,
                                     float* B,
                                     int ldb,
                                     long long strideB,
                                     int batch_count) {
    return triangular("mystrsmStridedBatched",
                      handle,
                      side,
                      uplo,
                      trans,
                      diag,
                      alpha,
                      trsm_problem{.m = m,
                                   .n = n,
                                   .a = A,
                                   .lda = lda,
                                   .stride_a = strideA,
                                   .b = B,
                                   .ldb = ldb,
                                   .stride_b = strideB,
                                   .batch_count = batch_count});
}

myblasStatus_t mystrsmStridedBatched_64(myblasHandle_t handle,
                                        myblasSideMode_t side,
                                        myblasFillMode_t uplo,
                                        myblasOperation_t trans,
                                        myblasDiagType_t diag,
                                        int64_t m,
                                        int64_t n,
                                        const float* alpha,
                                        const float* A,
                                        int64_t lda,
                                        long long strideA,
                                        float* B,
                                        int64_t ldb,
                                        long long strideB,
                                        int64_t batch_count) {
    return triangular("mystrsmStridedBatched",
                      handle,
                      side,
                      uplo,
                      trans,
                      diag,
                      alpha,
                      trsm_problem{.m = m,
                                   .n = n,
                                   .a = A,
                                   .lda = lda,
                                   .stride_a = strideA,
                                   .b = B,
                                   .ldb = ldb,
                                   .stride_b = strideB,
                                   .batch_count = batch_count});
}

} // extern "C"

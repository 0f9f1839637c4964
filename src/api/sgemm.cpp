// The matrix products.
#include "api/dispatch.h"
#include "api/validate.h"

namespace myblas {
namespace {

// All entry points come here. `p` has everything but the transpositions and the scalars.
myblasStatus_t sgemm(const char* function,
                     myblasHandle_t handle,
                     myblasOperation_t transa,
                     myblasOperation_t transb,
                     const float* alpha,
                     const float* beta,
                     sgemm_problem p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_sizes(transa, transb, p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (is_empty(p))
        return MYBLAS_STATUS_SUCCESS;
    if (!alpha)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "alpha is NULL");
    if (!beta)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "beta is NULL");
    p.math = handle->math_mode;
    p.transa = transa != MYBLAS_OP_N;
    p.transb = transb != MYBLAS_OP_N;
    p.alpha = read_scalar(*handle, alpha);
    p.beta = read_scalar(*handle, beta);
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if ((p.k == 0 || !may_count(p.alpha)) && !p.beta.device && p.beta.value == 1)
        return MYBLAS_STATUS_SUCCESS; // C = C
    return dispatch(*handle, function, p);
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t mysgemm(myblasHandle_t handle,
                       myblasOperation_t transa,
                       myblasOperation_t transb,
                       int m,
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
    return sgemm(
        "mysgemm",
        handle,
        transa,
        transb,
        alpha,
        beta,
        {.m = m, .n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mysgemm_64(myblasHandle_t handle,
                          myblasOperation_t transa,
                          myblasOperation_t transb,
                          int64_t m,
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
    return sgemm(
        "mysgemm",
        handle,
        transa,
        transb,
        alpha,
        beta,
        {.m = m, .n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mysgemmStridedBatched(myblasHandle_t handle,
                                     myblasOperation_t transa,
                                     myblasOperation_t transb,
                                     int m,
                                     int n,
                                     int k,
                                     const float* alpha,
                                     const float* A,
                                     int lda,
                                     long long strideA,
                                     const float* B,
                                     int ldb,
                                     long long strideB,
                                     const float* beta,
                                     float* C,
                                     int ldc,
                                     long long strideC,
                                     int batch_count) {
    return sgemm("mysgemmStridedBatched",
                 handle,
                 transa,
                 transb,
                 alpha,
                 beta,
                 {.m = m,
                  .n = n,
                  .k = k,
                  .a = A,
                  .lda = lda,
                  .stride_a = strideA,
                  .b = B,
                  .ldb = ldb,
                  .stride_b = strideB,
                  .c = C,
                  .ldc = ldc,
                  .stride_c = strideC,
                  .batch_count = batch_count});
}

myblasStatus_t mysgemmStridedBatched_64(myblasHandle_t handle,
                                        myblasOperation_t transa,
                                        myblasOperation_t transb,
                                        int64_t m,
                                        int64_t n,
                                        int64_t k,
                                        const float* alpha,
                                        const float* A,
                                        int64_t lda,
                                        long long strideA,
                                        const float* B,
                                        int64_t ldb,
                                        long long strideB,
                                        const float* beta,
                                        float* C,
                                        int64_t ldc,
                                        long long strideC,
                                        int64_t batch_count) {
    return sgemm("mysgemmStridedBatched",
                 handle,
                 transa,
                 transb,
                 alpha,
                 beta,
                 {.m = m,
                  .n = n,
                  .k = k,
                  .a = A,
                  .lda = lda,
                  .stride_a = strideA,
                  .b = B,
                  .ldb = ldb,
                  .stride_b = strideB,
                  .c = C,
                  .ldc = ldc,
                  .stride_c = strideC,
                  .batch_count = batch_count});
}

myblasStatus_t mysgemmBatched(myblasHandle_t handle,
                              myblasOperation_t transa,
                              myblasOperation_t transb,
                              int m,
                              int n,
                              int k,
                              const float* alpha,
                              const float* const Aarray[],
                              int lda,
                              const float* const Barray[],
                              int ldb,
                              const float* beta,
                              float* const Carray[],
                              int ldc,
                              int batch_count) {
    return sgemm("mysgemmBatched",
                 handle,
                 transa,
                 transb,
                 alpha,
                 beta,
                 {.m = m,
                  .n = n,
                  .k = k,
                  .lda = lda,
                  .ldb = ldb,
                  .ldc = ldc,
                  .a_array = Aarray,
                  .b_array = Barray,
                  .c_array = Carray,
                  .batch_count = batch_count});
}

myblasStatus_t mysgemmBatched_64(myblasHandle_t handle,
                                 myblasOperation_t transa,
                                 myblasOperation_t transb,
                                 int64_t m,
                                 int64_t n,
                                 int64_t k,
                                 const float* alpha,
                                 const float* const Aarray[],
                                 int64_t lda,
                                 const float* const Barray[],
                                 int64_t ldb,
                                 const float* beta,
                                 float* const Carray[],
                                 int64_t ldc,
                                 int64_t batch_count) {
    return sgemm("mysgemmBatched",
                 handle,
                 transa,
                 transb,
                 alpha,
                 beta,
                 {.m = m,
                  .n = n,
                  .k = k,
                  .lda = lda,
                  .ldb = ldb,
                  .ldc = ldc,
                  .a_array = Aarray,
                  .b_array = Barray,
                  .c_array = Carray,
                  .batch_count = batch_count});
}

} // extern "C"

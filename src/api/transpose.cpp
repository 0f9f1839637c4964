// Transposes and their sums.
#include "api/dispatch.h"
#include "api/validate.h"

namespace myblas {
namespace {

myblasStatus_t transpose(const char* function,
                         myblasHandle_t handle,
                         int64_t element_bytes,
                         transpose_problem p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_sizes(element_bytes, p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (is_empty(p))
        return MYBLAS_STATUS_SUCCESS;
    p.element_bytes = static_cast<int>(element_bytes);
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    return dispatch(*handle, function, p);
}

// `p` has everything but the transpositions and the scalars.
myblasStatus_t geam(myblasHandle_t handle,
                    myblasOperation_t transa,
                    myblasOperation_t transb,
                    const float* alpha,
                    const float* beta,
                    geam_problem p) noexcept {
    constexpr const char* function = "mysgeam";
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
    p.transa = transa != MYBLAS_OP_N;
    p.transb = transb != MYBLAS_OP_N;
    p.alpha = read_scalar(*handle, alpha);
    p.beta = read_scalar(*handle, beta);
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    return dispatch(*handle, function, p);
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t
mytranspose(myblasHandle_t handle, int m, int n, const float* A, int lda, float* B, int ldb) {
    return transpose("mytranspose",
                     handle,
                     sizeof(float),
                     {.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb});
}

myblasStatus_t mytranspose_64(myblasHandle_t handle,
                              int64_t m,
                              int64_t n,
                              const float* A,
                              int64_t lda,
                              float* B,
                              int64_t ldb) {
    return transpose("mytranspose",
                     handle,
                     sizeof(float),
                     {.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb});
}

myblasStatus_t mytransposeEx(myblasHandle_t handle,
                             int m,
                             int n,
                             int element_bytes,
                             const void* A,
                             int lda,
                             void* B,
                             int ldb) {
    return transpose("mytransposeEx",
                     handle,
                     element_bytes,
                     {.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb});
}

myblasStatus_t mytransposeEx_64(myblasHandle_t handle,
                                int64_t m,
                                int64_t n,
                                int64_t element_bytes,
                                const void* A,
                                int64_t lda,
                                void* B,
                                int64_t ldb) {
    return transpose("mytransposeEx",
                     handle,
                     element_bytes,
                     {.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb});
}

myblasStatus_t mytransposeStridedBatched(myblasHandle_t handle,
                                         int m,
                                         int n,
                                         const float* A,
                                         int lda,
                                         long long strideA,
                                         float* B,
                                         int ldb,
                                         long long strideB,
                                         int batch_count) {
    return transpose("mytransposeStridedBatched",
                     handle,
                     sizeof(float),
                     {.m = m,
                      .n = n,
                      .a = A,
                      .lda = lda,
                      .b = B,
                      .ldb = ldb,
                      .stride_a = strideA,
                      .stride_b = strideB,
                      .batch_count = batch_count});
}

myblasStatus_t mytransposeStridedBatched_64(myblasHandle_t handle,
                                            int64_t m,
                                            int64_t n,
                                            const float* A,
                                            int64_t lda,
                                            long long strideA,
                                            float* B,
                                            int64_t ldb,
                                            long long strideB,
                                            int64_t batch_count) {
    return transpose("mytransposeStridedBatched",
                     handle,
                     sizeof(float),
                     {.m = m,
                      .n = n,
                      .a = A,
                      .lda = lda,
                      .b = B,
                      .ldb = ldb,
                      .stride_a = strideA,
                      .stride_b = strideB,
                      .batch_count = batch_count});
}

myblasStatus_t mysgeam(myblasHandle_t handle,
                       myblasOperation_t transa,
                       myblasOperation_t transb,
                       int m,
                       int n,
                       const float* alpha,
                       const float* A,
                       int lda,
                       const float* beta,
                       const float* B,
                       int ldb,
                       float* C,
                       int ldc) {
    return geam(handle,
                transa,
                transb,
                alpha,
                beta,
                {.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mysgeam_64(myblasHandle_t handle,
                          myblasOperation_t transa,
                          myblasOperation_t transb,
                          int64_t m,
                          int64_t n,
                          const float* alpha,
                          const float* A,
                          int64_t lda,
                          const float* beta,
                          const float* B,
                          int64_t ldb,
                          float* C,
                          int64_t ldc) {
    return geam(handle,
                transa,
                transb,
                alpha,
                beta,
                {.m = m, .n = n, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

} // extern "C"

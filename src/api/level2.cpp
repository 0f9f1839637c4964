// Matrices and vectors. gemv is a product of one column or row and takes the kernels of products: a vector with a
// positive increment is a row of a matrix with that leading dimension. ger takes the kernels of syr, triangles have
// kernels of their own.
#include "api/dispatch.h"
#include "api/validate.h"

namespace myblas {
namespace {

// A leading dimension for a single column, for which any will do: one that leaves columns aligned.
int64_t aligned_ld(int64_t rows) { return (rows + 3) / 4 * 4; }

// y as a column of C where it is contiguous, else as a row, by op(A)^T.
sgemm_problem product_of(const gemv_problem& p) {
    sgemm_problem q{.is_gemv = true,
                    .k = p.length_x(),
                    .alpha = p.alpha,
                    .beta = p.beta,
                    .batch_count = p.batch_count};
    q.c = p.y, q.stride_c = p.stride_y, q.c_array = p.y_array;
    if (p.incy == 1) {
        q.m = p.length_y(), q.n = 1, q.ldc = aligned_ld(q.m);
        q.transa = p.trans;
        q.a = p.a, q.lda = p.lda, q.stride_a = p.stride_a, q.a_array = p.a_array;
        q.transb = p.incx != 1;
        q.ldb = q.transb ? p.incx : aligned_ld(q.k);
        q.b = p.x, q.stride_b = p.stride_x, q.b_array = p.x_array;
    } else {
        q.m = 1, q.n = p.length_y(), q.ldc = p.incy;
        q.a = p.x, q.lda = p.incx, q.stride_a = p.stride_x, q.a_array = p.x_array;
        q.transb = !p.trans;
        q.b = p.a, q.ldb = p.lda, q.stride_b = p.stride_a, q.b_array = p.a_array;
    }
    return q;
}

// The way from where BLAS gives a vector to its element 0.
int64_t way_to_first(int64_t n, int64_t increment) {
    return increment < 0 ? (1 - n) * increment : 0;
}

// `p` has everything but the transposition and the scalars, and vectors as the caller gave them.
myblasStatus_t gemv(const char* function,
                    myblasHandle_t handle,
                    myblasOperation_t trans,
                    const float* alpha,
                    const float* beta,
                    gemv_problem p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_sizes(trans, p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (is_empty(p))
        return MYBLAS_STATUS_SUCCESS;
    if (!alpha)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "alpha is NULL");
    if (!beta)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "beta is NULL");
    p.trans = trans != MYBLAS_OP_N;
    p.alpha = read_scalar(*handle, alpha);
    p.beta = read_scalar(*handle, beta);
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (!may_count(p.alpha) && !p.beta.device && p.beta.value == 1)
        return MYBLAS_STATUS_SUCCESS;
    p.x = first_element(p.x, p.length_x(), p.incx);
    p.y = first_element(p.y, p.length_y(), p.incy);
    if (p.x_array)
        p.stride_x = way_to_first(p.length_x(), p.incx);
    if (p.y_array)
        p.stride_y = way_to_first(p.length_y(), p.incy);
    return dispatch(*handle, function, product_of(p));
}

myblasStatus_t ger(myblasHandle_t handle, const float* alpha, ger_problem p) noexcept {
    constexpr const char* function = "mysger";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_sizes(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (p.m == 0 || p.n == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (!alpha)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "alpha is NULL");
    p.alpha = read_scalar(*handle, alpha);
    if (!may_count(p.alpha))
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    return dispatch(*handle,
                    function,
                    syr_problem{.is_ger = true,
                                .m = p.m,
                                .n = p.n,
                                .alpha = p.alpha,
                                .x = first_element(p.x, p.m, p.incx),
                                .incx = p.incx,
                                .y = first_element(p.y, p.n, p.incy),
                                .incy = p.incy,
                                .a = p.a,
                                .lda = p.lda});
}

// ---- Triangles -----------------------------------------------------------------------------------

myblasStatus_t symv(myblasHandle_t handle,
                    myblasFillMode_t uplo,
                    const float* alpha,
                    const float* beta,
                    symv_problem p) noexcept {
    constexpr const char* function = "myssymv";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_sizes(uplo, p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (p.n == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (!alpha)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "alpha is NULL");
    if (!beta)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "beta is NULL");
    p.upper = uplo == MYBLAS_FILL_MODE_UPPER;
    p.alpha = read_scalar(*handle, alpha);
    p.beta = read_scalar(*handle, beta);
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (!may_count(p.alpha) && !p.beta.device && p.beta.value == 1)
        return MYBLAS_STATUS_SUCCESS;
    return dispatch(*handle, function, at_first_elements(p));
}

// syr and syr2, which `twice` tells apart.
myblasStatus_t syr(const char* function,
                   myblasHandle_t handle,
                   myblasFillMode_t uplo,
                   const float* alpha,
                   bool twice,
                   syr_problem p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_sizes(uplo, p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (p.n == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (!alpha)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "alpha is NULL");
    p.upper = uplo == MYBLAS_FILL_MODE_UPPER;
    p.alpha = read_scalar(*handle, alpha);
    if (!may_count(p.alpha))
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = check_operands(p, twice))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    return dispatch(*handle, function, at_first_elements(p));
}

template <bool solve>
myblasStatus_t triangular(const char* function,
                          myblasHandle_t handle,
                          myblasFillMode_t uplo,
                          myblasOperation_t trans,
                          myblasDiagType_t diag,
                          triangular_problem<solve> p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_sizes(uplo, trans, diag, p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (p.n == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    p.upper = uplo == MYBLAS_FILL_MODE_UPPER;
    p.trans = trans != MYBLAS_OP_N;
    p.unit = diag == MYBLAS_DIAG_UNIT;
    p.x = first_element(p.x, p.n, p.incx);
    return dispatch(*handle, function, p);
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t mysgemv(myblasHandle_t handle,
                       myblasOperation_t trans,
                       int m,
                       int n,
                       const float* alpha,
                       const float* A,
                       int lda,
                       const float* x,
                       int incx,
                       const float* beta,
                       float* y,
                       int incy) {
    return gemv("mysgemv",
                handle,
                trans,
                alpha,
                beta,
                {.m = m, .n = n, .a = A, .lda = lda, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t mysgemv_64(myblasHandle_t handle,
                          myblasOperation_t trans,
                          int64_t m,
                          int64_t n,
                          const float* alpha,
                          const float* A,
                          int64_t lda,
                          const float* x,
                          int64_t incx,
                          const float* beta,
                          float* y,
                          int64_t incy) {
    return gemv("mysgemv",
                handle,
                trans,
                alpha,
                beta,
                {.m = m, .n = n, .a = A, .lda = lda, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t mysgemvStridedBatched(myblasHandle_t handle,
                                     myblasOperation_t trans,
                                     int m,
                                     int n,
                                     const float* alpha,
                                     const float* A,
                                     int lda,
                                     long long strideA,
                                     const float* x,
                                     int incx,
                                     long long stridex,
                                     const float* beta,
                                     float* y,
                                     int incy,
                                     long long stridey,
                                     int batch_count) {
    return gemv("mysgemvStridedBatched",
                handle,
                trans,
                alpha,
                beta,
                {.m = m,
                 .n = n,
                 .a = A,
                 .lda = lda,
                 .stride_a = strideA,
                 .x = x,
                 .incx = incx,
                 .stride_x = stridex,
                 .y = y,
                 .incy = incy,
                 .stride_y = stridey,
                 .batch_count = batch_count});
}

myblasStatus_t mysgemvStridedBatched_64(myblasHandle_t handle,
                                        myblasOperation_t trans,
                                        int64_t m,
                                        int64_t n,
                                        const float* alpha,
                                        const float* A,
                                        int64_t lda,
                                        long long strideA,
                                        const float* x,
                                        int64_t incx,
                                        long long stridex,
                                        const float* beta,
                                        float* y,
                                        int64_t incy,
                                        long long stridey,
                                        int64_t batch_count) {
    return gemv("mysgemvStridedBatched",
                handle,
                trans,
                alpha,
                beta,
                {.m = m,
                 .n = n,
                 .a = A,
                 .lda = lda,
                 .stride_a = strideA,
                 .x = x,
                 .incx = incx,
                 .stride_x = stridex,
                 .y = y,
                 .incy = incy,
                 .stride_y = stridey,
                 .batch_count = batch_count});
}

myblasStatus_t mysgemvBatched(myblasHandle_t handle,
                              myblasOperation_t trans,
                              int m,
                              int n,
                              const float* alpha,
                              const float* const Aarray[],
                              int lda,
                              const float* const xarray[],
                              int incx,
                              const float* beta,
                              float* const yarray[],
                              int incy,
                              int batch_count) {
    return gemv("mysgemvBatched",
                handle,
                trans,
                alpha,
                beta,
                {.m = m,
                 .n = n,
                 .lda = lda,
                 .incx = incx,
                 .incy = incy,
                 .a_array = Aarray,
                 .x_array = xarray,
                 .y_array = yarray,
                 .batch_count = batch_count});
}

myblasStatus_t mysgemvBatched_64(myblasHandle_t handle,
                                 myblasOperation_t trans,
                                 int64_t m,
                                 int64_t n,
                                 const float* alpha,
                                 const float* const Aarray[],
                                 int64_t lda,
                                 const float* const xarray[],
                                 int64_t incx,
                                 const float* beta,
                                 float* const yarray[],
                                 int64_t incy,
                                 int64_t batch_count) {
    return gemv("mysgemvBatched",
                handle,
                trans,
                alpha,
                beta,
                {.m = m,
                 .n = n,
                 .lda = lda,
                 .incx = incx,
                 .incy = incy,
                 .a_array = Aarray,
                 .x_array = xarray,
                 .y_array = yarray,
                 .batch_count = batch_count});
}

myblasStatus_t mysger(myblasHandle_t handle,
                      int m,
                      int n,
                      const float* alpha,
                      const float* x,
                      int incx,
                      const float* y,
                      int incy,
                      float* A,
                      int lda) {
    return ger(handle,
               alpha,
               {.m = m, .n = n, .x = x, .incx = incx, .y = y, .incy = incy, .a = A, .lda = lda});
}

myblasStatus_t mysger_64(myblasHandle_t handle,
                         int64_t m,
                         int64_t n,
                         const float* alpha,
                         const float* x,
                         int64_t incx,
                         const float* y,
                         int64_t incy,
                         float* A,
                         int64_t lda) {
    return ger(handle,
               alpha,
               {.m = m, .n = n, .x = x, .incx = incx, .y = y, .incy = incy, .a = A, .lda = lda});
}

myblasStatus_t myssymv(myblasHandle_t handle,
                       myblasFillMode_t uplo,
                       int n,
                       const float* alpha,
                       const float* A,
                       int lda,
                       const float* x,
                       int incx,
                       const float* beta,
                       float* y,
                       int incy) {
    return symv(handle,
                uplo,
                alpha,
                beta,
                {.n = n, .a = A, .lda = lda, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t myssymv_64(myblasHandle_t handle,
                          myblasFillMode_t uplo,
                          int64_t n,
                          const float* alpha,
                          const float* A,
                          int64_t lda,
                          const float* x,
                          int64_t incx,
                          const float* beta,
                          float* y,
                          int64_t incy) {
    return symv(handle,
                uplo,
                alpha,
                beta,
                {.n = n, .a = A, .lda = lda, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t myssyr(myblasHandle_t handle,
                      myblasFillMode_t uplo,
                      int n,
                      const float* alpha,
                      const float* x,
                      int incx,
                      float* A,
                      int lda) {
    return syr(
        "myssyr", handle, uplo, alpha, false, {.n = n, .x = x, .incx = incx, .a = A, .lda = lda});
}

myblasStatus_t myssyr_64(myblasHandle_t handle,
                         myblasFillMode_t uplo,
                         int64_t n,
                         const float* alpha,
                         const float* x,
                         int64_t incx,
                         float* A,
                         int64_t lda) {
    return syr(
        "myssyr", handle, uplo, alpha, false, {.n = n, .x = x, .incx = incx, .a = A, .lda = lda});
}

myblasStatus_t myssyr2(myblasHandle_t handle,
                       myblasFillMode_t uplo,
                       int n,
                       const float* alpha,
                       const float* x,
                       int incx,
                       const float* y,
                       int incy,
                       float* A,
                       int lda) {
    return syr("myssyr2",
               handle,
               uplo,
               alpha,
               true,
               {.n = n, .x = x, .incx = incx, .y = y, .incy = incy, .a = A, .lda = lda});
}

myblasStatus_t myssyr2_64(myblasHandle_t handle,
                          myblasFillMode_t uplo,
                          int64_t n,
                          const float* alpha,
                          const float* x,
                          int64_t incx,
                          const float* y,
                          int64_t incy,
                          float* A,
                          int64_t lda) {
    return syr("myssyr2",
               handle,
               uplo,
               alpha,
               true,
               {.n = n, .x = x, .incx = incx, .y = y, .incy = incy, .a = A, .lda = lda});
}

myblasStatus_t mystrmv(myblasHandle_t handle,
                       myblasFillMode_t uplo,
                       myblasOperation_t trans,
                       myblasDiagType_t diag,
                       int n,
                       const float* A,
                       int lda,
                       float* x,
                       int incx) {
    return triangular("mystrmv",
                      handle,
                      uplo,
                      trans,
                      diag,
                      trmv_problem{.n = n, .a = A, .lda = lda, .x = x, .incx = incx});
}

myblasStatus_t mystrmv_64(myblasHandle_t handle,
                          myblasFillMode_t uplo,
                          myblasOperation_t trans,
                          myblasDiagType_t diag,
                          int64_t n,
                          const float* A,
                          int64_t lda,
                          float* x,
                          int64_t incx) {
    return triangular("mystrmv",
                      handle,
                      uplo,
                      trans,
                      diag,
                      trmv_problem{.n = n, .a = A, .lda = lda, .x = x, .incx = incx});
}

myblasStatus_t mystrsv(myblasHandle_t handle,
                       myblasFillMode_t uplo,
                       myblasOperation_t trans,
                       myblasDiagType_t diag,
                       int n,
                       const float* A,
                       int lda,
                       float* x,
                       int incx) {
    return triangular("mystrsv",
                      handle,
                      uplo,
                      trans,
                      diag,
                      trsv_problem{.n = n, .a = A, .lda = lda, .x = x, .incx = incx});
}

myblasStatus_t mystrsv_64(myblasHandle_t handle,
                          myblasFillMode_t uplo,
                          myblasOperation_t trans,
                          myblasDiagType_t diag,
                          int64_t n,
                          const float* A,
                          int64_t lda,
                          float* x,
                          int64_t incx) {
    return triangular("mystrsv",
                      handle,
                      uplo,
                      trans,
                      diag,
                      trsv_problem{.n = n, .a = A, .lda = lda, .x = x, .incx = incx});
}

} // extern "C"

/* The forms with 64-bit sizes: written by scripts/generate.py from myblas.h. */
#ifndef MYBLAS_MYBLAS_64_H
#define MYBLAS_MYBLAS_64_H

#include "myblas/myblas.h"

#ifdef __cplusplus
extern "C" {
#endif
/* clang-format off */

/* ---- Streams and memory for portable programs ------------------------------------------------ */

MYBLAS_API myblasStatus_t myblasSetMatrix_64(
    myblasHandle_t handle, int64_t rows, int64_t cols, int64_t element_bytes, const void* A,
    int64_t lda, void* B, int64_t ldb);

MYBLAS_API myblasStatus_t myblasGetMatrix_64(
    myblasHandle_t handle, int64_t rows, int64_t cols, int64_t element_bytes, const void* A,
    int64_t lda, void* B, int64_t ldb);

MYBLAS_API myblasStatus_t myblasSetVector_64(
    myblasHandle_t handle, int64_t n, int64_t element_bytes, const void* x, int64_t incx, void* y,
    int64_t incy);

MYBLAS_API myblasStatus_t myblasGetVector_64(
    myblasHandle_t handle, int64_t n, int64_t element_bytes, const void* x, int64_t incx, void* y,
    int64_t incy);

MYBLAS_API myblasStatus_t myblasSetMatrixAsync_64(
    myblasHandle_t handle, int64_t rows, int64_t cols, int64_t element_bytes, const void* A,
    int64_t lda, void* B, int64_t ldb, myblasStream_t stream);

MYBLAS_API myblasStatus_t myblasGetMatrixAsync_64(
    myblasHandle_t handle, int64_t rows, int64_t cols, int64_t element_bytes, const void* A,
    int64_t lda, void* B, int64_t ldb, myblasStream_t stream);

MYBLAS_API myblasStatus_t myblasSetVectorAsync_64(
    myblasHandle_t handle, int64_t n, int64_t element_bytes, const void* x, int64_t incx, void* y,
    int64_t incy, myblasStream_t stream);

MYBLAS_API myblasStatus_t myblasGetVectorAsync_64(
    myblasHandle_t handle, int64_t n, int64_t element_bytes, const void* x, int64_t incx, void* y,
    int64_t incy, myblasStream_t stream);

/* ---- Matrix product -------------------------------------------------------------------------- */

MYBLAS_API myblasStatus_t mysgemm_64(
    myblasHandle_t handle, myblasOperation_t transa, myblasOperation_t transb, int64_t m,
    int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda, const float* B,
    int64_t ldb, const float* beta, float* C, int64_t ldc);

MYBLAS_API myblasStatus_t mysgemmHost_64(
    myblasHandle_t handle, myblasOperation_t transa, myblasOperation_t transb, int64_t m,
    int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda, const float* B,
    int64_t ldb, const float* beta, float* C, int64_t ldc);

MYBLAS_API myblasStatus_t mysgemmStridedBatched_64(
    myblasHandle_t handle, myblasOperation_t transa, myblasOperation_t transb, int64_t m,
    int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda, long long strideA,
    const float* B, int64_t ldb, long long strideB, const float* beta, float* C, int64_t ldc,
    long long strideC, int64_t batch_count);

MYBLAS_API myblasStatus_t mysgemmBatched_64(
    myblasHandle_t handle, myblasOperation_t transa, myblasOperation_t transb, int64_t m,
    int64_t n, int64_t k, const float* alpha, const float* const Aarray[], int64_t lda,
    const float* const Barray[], int64_t ldb, const float* beta, float* const Carray[],
    int64_t ldc, int64_t batch_count);

MYBLAS_API myblasStatus_t mysgemmFused_64(
    myblasHandle_t handle, myblasOperation_t transa, myblasOperation_t transb, int64_t m,
    int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda, const float* B,
    int64_t ldb, const float* beta, const float* C, int64_t ldc, float* D, int64_t ldd,
    const myblasEpilogue_t* epilogue);

MYBLAS_API myblasStatus_t mysgemmFusedStridedBatched_64(
    myblasHandle_t handle, myblasOperation_t transa, myblasOperation_t transb, int64_t m,
    int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda, long long strideA,
    const float* B, int64_t ldb, long long strideB, const float* beta, const float* C,
    int64_t ldc, long long strideC, float* D, int64_t ldd, long long strideD,
    const myblasEpilogue_t* epilogue, int64_t batch_count);

/* ---- Level 3 --------------------------------------------------------------------------------- */

MYBLAS_API myblasStatus_t myssyrk_64(
    myblasHandle_t handle, myblasFillMode_t uplo, myblasOperation_t trans, int64_t n, int64_t k,
    const float* alpha, const float* A, int64_t lda, const float* beta, float* C, int64_t ldc);

MYBLAS_API myblasStatus_t myssyrkx_64(
    myblasHandle_t handle, myblasFillMode_t uplo, myblasOperation_t trans, int64_t n, int64_t k,
    const float* alpha, const float* A, int64_t lda, const float* B, int64_t ldb,
    const float* beta, float* C, int64_t ldc);

MYBLAS_API myblasStatus_t myssyr2k_64(
    myblasHandle_t handle, myblasFillMode_t uplo, myblasOperation_t trans, int64_t n, int64_t k,
    const float* alpha, const float* A, int64_t lda, const float* B, int64_t ldb,
    const float* beta, float* C, int64_t ldc);

MYBLAS_API myblasStatus_t mysgemmtr_64(
    myblasHandle_t handle, myblasFillMode_t uplo, myblasOperation_t transa,
    myblasOperation_t transb, int64_t n, int64_t k, const float* alpha, const float* A,
    int64_t lda, const float* B, int64_t ldb, const float* beta, float* C, int64_t ldc);

MYBLAS_API myblasStatus_t myssymm_64(
    myblasHandle_t handle, myblasSideMode_t side, myblasFillMode_t uplo, int64_t m, int64_t n,
    const float* alpha, const float* A, int64_t lda, const float* B, int64_t ldb,
    const float* beta, float* C, int64_t ldc);

MYBLAS_API myblasStatus_t mystrmm_64(
    myblasHandle_t handle, myblasSideMode_t side, myblasFillMode_t uplo, myblasOperation_t trans,
    myblasDiagType_t diag, int64_t m, int64_t n, const float* alpha, const float* A, int64_t lda,
    const float* B, int64_t ldb, float* C, int64_t ldc);

MYBLAS_API myblasStatus_t mystrsm_64(
    myblasHandle_t handle, myblasSideMode_t side, myblasFillMode_t uplo, myblasOperation_t trans,
    myblasDiagType_t diag, int64_t m, int64_t n, const float* alpha, const float* A, int64_t lda,
    float* B, int64_t ldb);

MYBLAS_API myblasStatus_t mystrsmBatched_64(
    myblasHandle_t handle, myblasSideMode_t side, myblasFillMode_t uplo, myblasOperation_t trans,
    myblasDiagType_t diag, int64_t m, int64_t n, const float* alpha, const float* const Aarray[],
    int64_t lda, float* const Barray[], int64_t ldb, int64_t batch_count);

MYBLAS_API myblasStatus_t mystrsmStridedBatched_64(
    myblasHandle_t handle, myblasSideMode_t side, myblasFillMode_t uplo, myblasOperation_t trans,
    myblasDiagType_t diag, int64_t m, int64_t n, const float* alpha, const float* A, int64_t lda,
    long long strideA, float* B, int64_t ldb, long long strideB, int64_t batch_count);

MYBLAS_API myblasStatus_t mysgemmGroupedBatched_64(
    myblasHandle_t handle, const myblasOperation_t transa_array[],
    const myblasOperation_t transb_array[], const int64_t m_array[], const int64_t n_array[],
    const int64_t k_array[], const float alpha_array[], const float* const Aarray[],
    const int64_t lda_array[], const float* const Barray[], const int64_t ldb_array[],
    const float beta_array[], float* const Carray[], const int64_t ldc_array[],
    int64_t group_count, const int64_t group_size[]);

/* ---- Transpose ------------------------------------------------------------------------------- */

MYBLAS_API myblasStatus_t mytranspose_64(
    myblasHandle_t handle, int64_t m, int64_t n, const float* A, int64_t lda, float* B,
    int64_t ldb);

MYBLAS_API myblasStatus_t mytransposeEx_64(
    myblasHandle_t handle, int64_t m, int64_t n, int64_t element_bytes, const void* A,
    int64_t lda, void* B, int64_t ldb);

MYBLAS_API myblasStatus_t mytransposeStridedBatched_64(
    myblasHandle_t handle, int64_t m, int64_t n, const float* A, int64_t lda, long long strideA,
    float* B, int64_t ldb, long long strideB, int64_t batch_count);

MYBLAS_API myblasStatus_t mysgeam_64(
    myblasHandle_t handle, myblasOperation_t transa, myblasOperation_t transb, int64_t m,
    int64_t n, const float* alpha, const float* A, int64_t lda, const float* beta, const float* B,
    int64_t ldb, float* C, int64_t ldc);

/* ---- Sums ------------------------------------------------------------------------------------ */

MYBLAS_API myblasStatus_t mysum_64(
    myblasHandle_t handle, int64_t n, const float* x, int64_t incx, float* result);

MYBLAS_API myblasStatus_t mysasum_64(
    myblasHandle_t handle, int64_t n, const float* x, int64_t incx, float* result);

MYBLAS_API myblasStatus_t mydsum_64(
    myblasHandle_t handle, int64_t n, const double* x, int64_t incx, double* result);

MYBLAS_API myblasStatus_t mysgemsum_64(
    myblasHandle_t handle, myblasOperation_t op, int64_t m, int64_t n, const float* A,
    int64_t lda, float* result);

MYBLAS_API myblasStatus_t myhistogram256_64(
    myblasHandle_t handle, int64_t n, const unsigned char* x, uint64_t* counts);

/* ---- Vectors --------------------------------------------------------------------------------- */

MYBLAS_API myblasStatus_t mysaxpy_64(
    myblasHandle_t handle, int64_t n, const float* alpha, const float* x, int64_t incx, float* y,
    int64_t incy);

MYBLAS_API myblasStatus_t myscopy_64(
    myblasHandle_t handle, int64_t n, const float* x, int64_t incx, float* y, int64_t incy);

/* ---- Level 1 --------------------------------------------------------------------------------- */

MYBLAS_API myblasStatus_t mysdot_64(
    myblasHandle_t handle, int64_t n, const float* x, int64_t incx, const float* y, int64_t incy,
    float* result);

MYBLAS_API myblasStatus_t mysdsdot_64(
    myblasHandle_t handle, int64_t n, const float* sb, const float* x, int64_t incx,
    const float* y, int64_t incy, float* result);

MYBLAS_API myblasStatus_t mysnrm2_64(
    myblasHandle_t handle, int64_t n, const float* x, int64_t incx, float* result);

MYBLAS_API myblasStatus_t myisamax_64(
    myblasHandle_t handle, int64_t n, const float* x, int64_t incx, int64_t* result);

MYBLAS_API myblasStatus_t myisamin_64(
    myblasHandle_t handle, int64_t n, const float* x, int64_t incx, int64_t* result);

MYBLAS_API myblasStatus_t mysscal_64(
    myblasHandle_t handle, int64_t n, const float* alpha, float* x, int64_t incx);

MYBLAS_API myblasStatus_t mysswap_64(
    myblasHandle_t handle, int64_t n, float* x, int64_t incx, float* y, int64_t incy);

MYBLAS_API myblasStatus_t mysrot_64(
    myblasHandle_t handle, int64_t n, float* x, int64_t incx, float* y, int64_t incy,
    const float* c, const float* s);

MYBLAS_API myblasStatus_t mysrotm_64(
    myblasHandle_t handle, int64_t n, float* x, int64_t incx, float* y, int64_t incy,
    const float* param);

/* ---- Level 2 --------------------------------------------------------------------------------- */

MYBLAS_API myblasStatus_t mysgemv_64(
    myblasHandle_t handle, myblasOperation_t trans, int64_t m, int64_t n, const float* alpha,
    const float* A, int64_t lda, const float* x, int64_t incx, const float* beta, float* y,
    int64_t incy);

MYBLAS_API myblasStatus_t mysgemvStridedBatched_64(
    myblasHandle_t handle, myblasOperation_t trans, int64_t m, int64_t n, const float* alpha,
    const float* A, int64_t lda, long long strideA, const float* x, int64_t incx,
    long long stridex, const float* beta, float* y, int64_t incy, long long stridey,
    int64_t batch_count);

MYBLAS_API myblasStatus_t mysgemvBatched_64(
    myblasHandle_t handle, myblasOperation_t trans, int64_t m, int64_t n, const float* alpha,
    const float* const Aarray[], int64_t lda, const float* const xarray[], int64_t incx,
    const float* beta, float* const yarray[], int64_t incy, int64_t batch_count);

MYBLAS_API myblasStatus_t mysger_64(
    myblasHandle_t handle, int64_t m, int64_t n, const float* alpha, const float* x, int64_t incx,
    const float* y, int64_t incy, float* A, int64_t lda);

MYBLAS_API myblasStatus_t myssymv_64(
    myblasHandle_t handle, myblasFillMode_t uplo, int64_t n, const float* alpha, const float* A,
    int64_t lda, const float* x, int64_t incx, const float* beta, float* y, int64_t incy);

MYBLAS_API myblasStatus_t myssyr_64(
    myblasHandle_t handle, myblasFillMode_t uplo, int64_t n, const float* alpha, const float* x,
    int64_t incx, float* A, int64_t lda);

MYBLAS_API myblasStatus_t myssyr2_64(
    myblasHandle_t handle, myblasFillMode_t uplo, int64_t n, const float* alpha, const float* x,
    int64_t incx, const float* y, int64_t incy, float* A, int64_t lda);

MYBLAS_API myblasStatus_t mystrmv_64(
    myblasHandle_t handle, myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag,
    int64_t n, const float* A, int64_t lda, float* x, int64_t incx);

MYBLAS_API myblasStatus_t mystrsv_64(
    myblasHandle_t handle, myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag,
    int64_t n, const float* A, int64_t lda, float* x, int64_t incx);

/* clang-format on */
#ifdef __cplusplus
}
#endif
#endif /* MYBLAS_MYBLAS_64_H */

// Written by scripts/generate.py from myblas.h: the parameters after the
// handle that a routine shares with cuBLAS's, and the same as arguments. SIZE is int or int64_t.
#pragma once

// clang-format off
#define PARAMETERS_mysgemm (myblasOperation_t transa, myblasOperation_t transb, SIZE m, SIZE n, \
    SIZE k, const float* alpha, const float* A, SIZE lda, const float* B, SIZE ldb, \
    const float* beta, float* C, SIZE ldc)
#define ARGUMENTS_mysgemm (transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)
#define PARAMETERS_mysgemmStridedBatched (myblasOperation_t transa, myblasOperation_t transb, \
    SIZE m, SIZE n, SIZE k, const float* alpha, const float* A, SIZE lda, long long strideA, \
    const float* B, SIZE ldb, long long strideB, const float* beta, float* C, SIZE ldc, \
    long long strideC, SIZE batch_count)
#define ARGUMENTS_mysgemmStridedBatched (transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb, \
    strideB, beta, C, ldc, strideC, batch_count)
#define PARAMETERS_mysgemmBatched (myblasOperation_t transa, myblasOperation_t transb, SIZE m, \
    SIZE n, SIZE k, const float* alpha, const float* const* Aarray, SIZE lda, \
    const float* const* Barray, SIZE ldb, const float* beta, float* const* Carray, SIZE ldc, \
    SIZE batch_count)
#define ARGUMENTS_mysgemmBatched (transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta, \
    Carray, ldc, batch_count)
#define PARAMETERS_myssyrk (myblasFillMode_t uplo, myblasOperation_t trans, SIZE n, SIZE k, \
    const float* alpha, const float* A, SIZE lda, const float* beta, float* C, SIZE ldc)
#define ARGUMENTS_myssyrk (uplo, trans, n, k, alpha, A, lda, beta, C, ldc)
#define PARAMETERS_myssyrkx (myblasFillMode_t uplo, myblasOperation_t trans, SIZE n, SIZE k, \
    const float* alpha, const float* A, SIZE lda, const float* B, SIZE ldb, const float* beta, \
    float* C, SIZE ldc)
#define ARGUMENTS_myssyrkx (uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)
#define PARAMETERS_myssyr2k (myblasFillMode_t uplo, myblasOperation_t trans, SIZE n, SIZE k, \
    const float* alpha, const float* A, SIZE lda, const float* B, SIZE ldb, const float* beta, \
    float* C, SIZE ldc)
#define ARGUMENTS_myssyr2k (uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)
#define PARAMETERS_myssymm (myblasSideMode_t side, myblasFillMode_t uplo, SIZE m, SIZE n, \
    const float* alpha, const float* A, SIZE lda, const float* B, SIZE ldb, const float* beta, \
    float* C, SIZE ldc)
#define ARGUMENTS_myssymm (side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc)
#define PARAMETERS_mystrmm (myblasSideMode_t side, myblasFillMode_t uplo, myblasOperation_t trans, \
    myblasDiagType_t diag, SIZE m, SIZE n, const float* alpha, const float* A, SIZE lda, \
    const float* B, SIZE ldb, float* C, SIZE ldc)
#define ARGUMENTS_mystrmm (side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C, ldc)
#define PARAMETERS_mystrsm (myblasSideMode_t side, myblasFillMode_t uplo, myblasOperation_t trans, \
    myblasDiagType_t diag, SIZE m, SIZE n, const float* alpha, const float* A, SIZE lda, float* B, \
    SIZE ldb)
#define ARGUMENTS_mystrsm (side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb)
#define PARAMETERS_mystrsmBatched (myblasSideMode_t side, myblasFillMode_t uplo, \
    myblasOperation_t trans, myblasDiagType_t diag, SIZE m, SIZE n, const float* alpha, \
    const float* const* Aarray, SIZE lda, float* const* Barray, SIZE ldb, SIZE batch_count)
#define ARGUMENTS_mystrsmBatched (side, uplo, trans, diag, m, n, alpha, Aarray, lda, Barray, ldb, \
    batch_count)
#define PARAMETERS_mysgemmGroupedBatched (const myblasOperation_t* transa_array, \
    const myblasOperation_t* transb_array, const SIZE* m_array, const SIZE* n_array, \
    const SIZE* k_array, const float* alpha_array, const float* const* Aarray, \
    const SIZE* lda_array, const float* const* Barray, const SIZE* ldb_array, \
    const float* beta_array, float* const* Carray, const SIZE* ldc_array, SIZE group_count, \
    const SIZE* group_size)
#define ARGUMENTS_mysgemmGroupedBatched (transa_array, transb_array, m_array, n_array, k_array, \
    alpha_array, Aarray, lda_array, Barray, ldb_array, beta_array, Carray, ldc_array, group_count, \
    group_size)
#define PARAMETERS_mysgeam (myblasOperation_t transa, myblasOperation_t transb, SIZE m, SIZE n, \
    const float* alpha, const float* A, SIZE lda, const float* beta, const float* B, SIZE ldb, \
    float* C, SIZE ldc)
#define ARGUMENTS_mysgeam (transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc)
#define PARAMETERS_mysasum (SIZE n, const float* x, SIZE incx, float* result)
#define ARGUMENTS_mysasum (n, x, incx, result)
#define PARAMETERS_mysaxpy (SIZE n, const float* alpha, const float* x, SIZE incx, float* y, \
    SIZE incy)
#define ARGUMENTS_mysaxpy (n, alpha, x, incx, y, incy)
#define PARAMETERS_myscopy (SIZE n, const float* x, SIZE incx, float* y, SIZE incy)
#define ARGUMENTS_myscopy (n, x, incx, y, incy)
#define PARAMETERS_mysdot (SIZE n, const float* x, SIZE incx, const float* y, SIZE incy, \
    float* result)
#define ARGUMENTS_mysdot (n, x, incx, y, incy, result)
#define PARAMETERS_mysnrm2 (SIZE n, const float* x, SIZE incx, float* result)
#define ARGUMENTS_mysnrm2 (n, x, incx, result)
#define PARAMETERS_myisamax (SIZE n, const float* x, SIZE incx, SIZE* result)
#define ARGUMENTS_myisamax (n, x, incx, result)
#define PARAMETERS_myisamin (SIZE n, const float* x, SIZE incx, SIZE* result)
#define ARGUMENTS_myisamin (n, x, incx, result)
#define PARAMETERS_mysscal (SIZE n, const float* alpha, float* x, SIZE incx)
#define ARGUMENTS_mysscal (n, alpha, x, incx)
#define PARAMETERS_mysswap (SIZE n, float* x, SIZE incx, float* y, SIZE incy)
#define ARGUMENTS_mysswap (n, x, incx, y, incy)
#define PARAMETERS_mysrot (SIZE n, float* x, SIZE incx, float* y, SIZE incy, const float* c, \
    const float* s)
#define ARGUMENTS_mysrot (n, x, incx, y, incy, c, s)
#define PARAMETERS_mysrotm (SIZE n, float* x, SIZE incx, float* y, SIZE incy, const float* param)
#define ARGUMENTS_mysrotm (n, x, incx, y, incy, param)
#define PARAMETERS_mysrotg (float* a, float* b, float* c, float* s)
#define ARGUMENTS_mysrotg (a, b, c, s)
#define PARAMETERS_mysrotmg (float* d1, float* d2, float* x1, const float* y1, float* param)
#define ARGUMENTS_mysrotmg (d1, d2, x1, y1, param)
#define PARAMETERS_mysgemv (myblasOperation_t trans, SIZE m, SIZE n, const float* alpha, \
    const float* A, SIZE lda, const float* x, SIZE incx, const float* beta, float* y, SIZE incy)
#define ARGUMENTS_mysgemv (trans, m, n, alpha, A, lda, x, incx, beta, y, incy)
#define PARAMETERS_mysgemvStridedBatched (myblasOperation_t trans, SIZE m, SIZE n, \
    const float* alpha, const float* A, SIZE lda, long long strideA, const float* x, SIZE incx, \
    long long stridex, const float* beta, float* y, SIZE incy, long long stridey, \
    SIZE batch_count)
#define ARGUMENTS_mysgemvStridedBatched (trans, m, n, alpha, A, lda, strideA, x, incx, stridex, \
    beta, y, incy, stridey, batch_count)
#define PARAMETERS_mysgemvBatched (myblasOperation_t trans, SIZE m, SIZE n, const float* alpha, \
    const float* const* Aarray, SIZE lda, const float* const* xarray, SIZE incx, \
    const float* beta, float* const* yarray, SIZE incy, SIZE batch_count)
#define ARGUMENTS_mysgemvBatched (trans, m, n, alpha, Aarray, lda, xarray, incx, beta, yarray, \
    incy, batch_count)
#define PARAMETERS_mysger (SIZE m, SIZE n, const float* alpha, const float* x, SIZE incx, \
    const float* y, SIZE incy, float* A, SIZE lda)
#define ARGUMENTS_mysger (m, n, alpha, x, incx, y, incy, A, lda)
#define PARAMETERS_myssymv (myblasFillMode_t uplo, SIZE n, const float* alpha, const float* A, \
    SIZE lda, const float* x, SIZE incx, const float* beta, float* y, SIZE incy)
#define ARGUMENTS_myssymv (uplo, n, alpha, A, lda, x, incx, beta, y, incy)
#define PARAMETERS_myssyr (myblasFillMode_t uplo, SIZE n, const float* alpha, const float* x, \
    SIZE incx, float* A, SIZE lda)
#define ARGUMENTS_myssyr (uplo, n, alpha, x, incx, A, lda)
#define PARAMETERS_myssyr2 (myblasFillMode_t uplo, SIZE n, const float* alpha, const float* x, \
    SIZE incx, const float* y, SIZE incy, float* A, SIZE lda)
#define ARGUMENTS_myssyr2 (uplo, n, alpha, x, incx, y, incy, A, lda)
#define PARAMETERS_mystrmv (myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag, \
    SIZE n, const float* A, SIZE lda, float* x, SIZE incx)
#define ARGUMENTS_mystrmv (uplo, trans, diag, n, A, lda, x, incx)
#define PARAMETERS_mystrsv (myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag, \
    SIZE n, const float* A, SIZE lda, float* x, SIZE incx)
#define ARGUMENTS_mystrsv (uplo, trans, diag, n, A, lda, x, incx)

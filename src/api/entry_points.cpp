// Written by scripts/generate.py from myblas.h: the functions that take
// operands, which src/routines and api/memory.h declare.
#include "api/enter.h"
#include "api/memory.h"

using namespace myblas;

// clang-format off
extern "C" {

[[gnu::flatten]] myblasStatus_t myblasSetMatrix(myblasHandle_t handle, int rows, int cols,
    int element_bytes, const void* A, int lda, void* B, int ldb) {
    return enter(calls::set_matrix, handle, rows, cols, element_bytes, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t myblasSetMatrix_64(myblasHandle_t handle, int64_t rows,
    int64_t cols, int64_t element_bytes, const void* A, int64_t lda, void* B, int64_t ldb) {
    return enter(calls::set_matrix, handle, rows, cols, element_bytes, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t myblasGetMatrix(myblasHandle_t handle, int rows, int cols,
    int element_bytes, const void* A, int lda, void* B, int ldb) {
    return enter(calls::get_matrix, handle, rows, cols, element_bytes, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t myblasGetMatrix_64(myblasHandle_t handle, int64_t rows,
    int64_t cols, int64_t element_bytes, const void* A, int64_t lda, void* B, int64_t ldb) {
    return enter(calls::get_matrix, handle, rows, cols, element_bytes, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t myblasSetVector(myblasHandle_t handle, int n, int element_bytes,
    const void* x, int incx, void* y, int incy) {
    return enter(calls::set_vector, handle, n, element_bytes, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t myblasSetVector_64(myblasHandle_t handle, int64_t n,
    int64_t element_bytes, const void* x, int64_t incx, void* y, int64_t incy) {
    return enter(calls::set_vector, handle, n, element_bytes, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t myblasGetVector(myblasHandle_t handle, int n, int element_bytes,
    const void* x, int incx, void* y, int incy) {
    return enter(calls::get_vector, handle, n, element_bytes, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t myblasGetVector_64(myblasHandle_t handle, int64_t n,
    int64_t element_bytes, const void* x, int64_t incx, void* y, int64_t incy) {
    return enter(calls::get_vector, handle, n, element_bytes, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t myblasSetMatrixAsync(myblasHandle_t handle, int rows, int cols,
    int element_bytes, const void* A, int lda, void* B, int ldb, myblasStream_t stream) {
    return enter(calls::set_matrix_async, handle, rows, cols, element_bytes, A, lda, B, ldb,
        stream);
}

[[gnu::flatten]] myblasStatus_t myblasSetMatrixAsync_64(myblasHandle_t handle, int64_t rows,
    int64_t cols, int64_t element_bytes, const void* A, int64_t lda, void* B, int64_t ldb,
    myblasStream_t stream) {
    return enter(calls::set_matrix_async, handle, rows, cols, element_bytes, A, lda, B, ldb,
        stream);
}

[[gnu::flatten]] myblasStatus_t myblasGetMatrixAsync(myblasHandle_t handle, int rows, int cols,
    int element_bytes, const void* A, int lda, void* B, int ldb, myblasStream_t stream) {
    return enter(calls::get_matrix_async, handle, rows, cols, element_bytes, A, lda, B, ldb,
        stream);
}

[[gnu::flatten]] myblasStatus_t myblasGetMatrixAsync_64(myblasHandle_t handle, int64_t rows,
    int64_t cols, int64_t element_bytes, const void* A, int64_t lda, void* B, int64_t ldb,
    myblasStream_t stream) {
    return enter(calls::get_matrix_async, handle, rows, cols, element_bytes, A, lda, B, ldb,
        stream);
}

[[gnu::flatten]] myblasStatus_t myblasSetVectorAsync(myblasHandle_t handle, int n,
    int element_bytes, const void* x, int incx, void* y, int incy, myblasStream_t stream) {
    return enter(calls::set_vector_async, handle, n, element_bytes, x, incx, y, incy, stream);
}

[[gnu::flatten]] myblasStatus_t myblasSetVectorAsync_64(myblasHandle_t handle, int64_t n,
    int64_t element_bytes, const void* x, int64_t incx, void* y, int64_t incy,
    myblasStream_t stream) {
    return enter(calls::set_vector_async, handle, n, element_bytes, x, incx, y, incy, stream);
}

[[gnu::flatten]] myblasStatus_t myblasGetVectorAsync(myblasHandle_t handle, int n,
    int element_bytes, const void* x, int incx, void* y, int incy, myblasStream_t stream) {
    return enter(calls::get_vector_async, handle, n, element_bytes, x, incx, y, incy, stream);
}

[[gnu::flatten]] myblasStatus_t myblasGetVectorAsync_64(myblasHandle_t handle, int64_t n,
    int64_t element_bytes, const void* x, int64_t incx, void* y, int64_t incy,
    myblasStream_t stream) {
    return enter(calls::get_vector_async, handle, n, element_bytes, x, incx, y, incy, stream);
}

[[gnu::flatten]] myblasStatus_t mysgemm(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int m, int n, int k, const float* alpha, const float* A, int lda,
    const float* B, int ldb, const float* beta, float* C, int ldc) {
    return enter(calls::sgemm, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C,
        ldc);
}

[[gnu::flatten]] myblasStatus_t mysgemm_64(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
    int64_t lda, const float* B, int64_t ldb, const float* beta, float* C, int64_t ldc) {
    return enter(calls::sgemm, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C,
        ldc);
}

[[gnu::flatten]] myblasStatus_t mysgemmHost(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int m, int n, int k, const float* alpha, const float* A, int lda,
    const float* B, int ldb, const float* beta, float* C, int ldc) {
    return enter(calls::sgemm_host, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C,
        ldc);
}

[[gnu::flatten]] myblasStatus_t mysgemmHost_64(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
    int64_t lda, const float* B, int64_t ldb, const float* beta, float* C, int64_t ldc) {
    return enter(calls::sgemm_host, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C,
        ldc);
}

[[gnu::flatten]] myblasStatus_t mysgemmStridedBatched(myblasHandle_t handle,
    myblasOperation_t transa, myblasOperation_t transb, int m, int n, int k, const float* alpha,
    const float* A, int lda, long long strideA, const float* B, int ldb, long long strideB,
    const float* beta, float* C, int ldc, long long strideC, int batch_count) {
    return enter(calls::sgemm_strided_batched, handle, transa, transb, m, n, k, alpha, A, lda,
        strideA, B, ldb, strideB, beta, C, ldc, strideC, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgemmStridedBatched_64(myblasHandle_t handle,
    myblasOperation_t transa, myblasOperation_t transb, int64_t m, int64_t n, int64_t k,
    const float* alpha, const float* A, int64_t lda, long long strideA, const float* B, int64_t ldb,
    long long strideB, const float* beta, float* C, int64_t ldc, long long strideC,
    int64_t batch_count) {
    return enter(calls::sgemm_strided_batched, handle, transa, transb, m, n, k, alpha, A, lda,
        strideA, B, ldb, strideB, beta, C, ldc, strideC, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgemmBatched(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int m, int n, int k, const float* alpha, const float* const Aarray[],
    int lda, const float* const Barray[], int ldb, const float* beta, float* const Carray[],
    int ldc, int batch_count) {
    return enter(calls::sgemm_batched, handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray,
        ldb, beta, Carray, ldc, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgemmBatched_64(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int64_t m, int64_t n, int64_t k, const float* alpha,
    const float* const Aarray[], int64_t lda, const float* const Barray[], int64_t ldb,
    const float* beta, float* const Carray[], int64_t ldc, int64_t batch_count) {
    return enter(calls::sgemm_batched, handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray,
        ldb, beta, Carray, ldc, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgemmFused(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int m, int n, int k, const float* alpha, const float* A, int lda,
    const float* B, int ldb, const float* beta, const float* C, int ldc, float* D, int ldd,
    const myblasEpilogue_t* epilogue) {
    return enter(calls::sgemm_fused, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta,
        C, ldc, D, ldd, epilogue);
}

[[gnu::flatten]] myblasStatus_t mysgemmFused_64(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
    int64_t lda, const float* B, int64_t ldb, const float* beta, const float* C, int64_t ldc,
    float* D, int64_t ldd, const myblasEpilogue_t* epilogue) {
    return enter(calls::sgemm_fused, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta,
        C, ldc, D, ldd, epilogue);
}

[[gnu::flatten]] myblasStatus_t mysgemmFusedStridedBatched(myblasHandle_t handle,
    myblasOperation_t transa, myblasOperation_t transb, int m, int n, int k, const float* alpha,
    const float* A, int lda, long long strideA, const float* B, int ldb, long long strideB,
    const float* beta, const float* C, int ldc, long long strideC, float* D, int ldd,
    long long strideD, const myblasEpilogue_t* epilogue, int batch_count) {
    return enter(calls::sgemm_fused_strided_batched, handle, transa, transb, m, n, k, alpha, A, lda,
        strideA, B, ldb, strideB, beta, C, ldc, strideC, D, ldd, strideD, epilogue, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgemmFusedStridedBatched_64(myblasHandle_t handle,
    myblasOperation_t transa, myblasOperation_t transb, int64_t m, int64_t n, int64_t k,
    const float* alpha, const float* A, int64_t lda, long long strideA, const float* B, int64_t ldb,
    long long strideB, const float* beta, const float* C, int64_t ldc, long long strideC, float* D,
    int64_t ldd, long long strideD, const myblasEpilogue_t* epilogue, int64_t batch_count) {
    return enter(calls::sgemm_fused_strided_batched, handle, transa, transb, m, n, k, alpha, A, lda,
        strideA, B, ldb, strideB, beta, C, ldc, strideC, D, ldd, strideD, epilogue, batch_count);
}

[[gnu::flatten]] myblasStatus_t myssyrk(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, int n, int k, const float* alpha, const float* A, int lda,
    const float* beta, float* C, int ldc) {
    return enter(calls::ssyrk, handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc);
}

[[gnu::flatten]] myblasStatus_t myssyrk_64(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda,
    const float* beta, float* C, int64_t ldc) {
    return enter(calls::ssyrk, handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc);
}

[[gnu::flatten]] myblasStatus_t myssyrkx(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, int n, int k, const float* alpha, const float* A, int lda,
    const float* B, int ldb, const float* beta, float* C, int ldc) {
    return enter(calls::ssyrkx, handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

[[gnu::flatten]] myblasStatus_t myssyrkx_64(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda,
    const float* B, int64_t ldb, const float* beta, float* C, int64_t ldc) {
    return enter(calls::ssyrkx, handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

[[gnu::flatten]] myblasStatus_t myssyr2k(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, int n, int k, const float* alpha, const float* A, int lda,
    const float* B, int ldb, const float* beta, float* C, int ldc) {
    return enter(calls::ssyr2k, handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

[[gnu::flatten]] myblasStatus_t myssyr2k_64(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda,
    const float* B, int64_t ldb, const float* beta, float* C, int64_t ldc) {
    return enter(calls::ssyr2k, handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

[[gnu::flatten]] myblasStatus_t mysgemmtr(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t transa, myblasOperation_t transb, int n, int k, const float* alpha,
    const float* A, int lda, const float* B, int ldb, const float* beta, float* C, int ldc) {
    return enter(calls::sgemmtr, handle, uplo, transa, transb, n, k, alpha, A, lda, B, ldb, beta, C,
        ldc);
}

[[gnu::flatten]] myblasStatus_t mysgemmtr_64(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t transa, myblasOperation_t transb, int64_t n, int64_t k, const float* alpha,
    const float* A, int64_t lda, const float* B, int64_t ldb, const float* beta, float* C,
    int64_t ldc) {
    return enter(calls::sgemmtr, handle, uplo, transa, transb, n, k, alpha, A, lda, B, ldb, beta, C,
        ldc);
}

[[gnu::flatten]] myblasStatus_t myssymm(myblasHandle_t handle, myblasSideMode_t side,
    myblasFillMode_t uplo, int m, int n, const float* alpha, const float* A, int lda,
    const float* B, int ldb, const float* beta, float* C, int ldc) {
    return enter(calls::ssymm, handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}

[[gnu::flatten]] myblasStatus_t myssymm_64(myblasHandle_t handle, myblasSideMode_t side,
    myblasFillMode_t uplo, int64_t m, int64_t n, const float* alpha, const float* A, int64_t lda,
    const float* B, int64_t ldb, const float* beta, float* C, int64_t ldc) {
    return enter(calls::ssymm, handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}

[[gnu::flatten]] myblasStatus_t mystrmm(myblasHandle_t handle, myblasSideMode_t side,
    myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag, int m, int n,
    const float* alpha, const float* A, int lda, const float* B, int ldb, float* C, int ldc) {
    return enter(calls::strmm, handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C,
        ldc);
}

[[gnu::flatten]] myblasStatus_t mystrmm_64(myblasHandle_t handle, myblasSideMode_t side,
    myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag, int64_t m, int64_t n,
    const float* alpha, const float* A, int64_t lda, const float* B, int64_t ldb, float* C,
    int64_t ldc) {
    return enter(calls::strmm, handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C,
        ldc);
}

[[gnu::flatten]] myblasStatus_t mystrsm(myblasHandle_t handle, myblasSideMode_t side,
    myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag, int m, int n,
    const float* alpha, const float* A, int lda, float* B, int ldb) {
    return enter(calls::strsm, handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t mystrsm_64(myblasHandle_t handle, myblasSideMode_t side,
    myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag, int64_t m, int64_t n,
    const float* alpha, const float* A, int64_t lda, float* B, int64_t ldb) {
    return enter(calls::strsm, handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t mystrsmBatched(myblasHandle_t handle, myblasSideMode_t side,
    myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag, int m, int n,
    const float* alpha, const float* const Aarray[], int lda, float* const Barray[], int ldb,
    int batch_count) {
    return enter(calls::strsm_batched, handle, side, uplo, trans, diag, m, n, alpha, Aarray, lda,
        Barray, ldb, batch_count);
}

[[gnu::flatten]] myblasStatus_t mystrsmBatched_64(myblasHandle_t handle, myblasSideMode_t side,
    myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag, int64_t m, int64_t n,
    const float* alpha, const float* const Aarray[], int64_t lda, float* const Barray[],
    int64_t ldb, int64_t batch_count) {
    return enter(calls::strsm_batched, handle, side, uplo, trans, diag, m, n, alpha, Aarray, lda,
        Barray, ldb, batch_count);
}

[[gnu::flatten]] myblasStatus_t mystrsmStridedBatched(myblasHandle_t handle, myblasSideMode_t side,
    myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag, int m, int n,
    const float* alpha, const float* A, int lda, long long strideA, float* B, int ldb,
    long long strideB, int batch_count) {
    return enter(calls::strsm_strided_batched, handle, side, uplo, trans, diag, m, n, alpha, A, lda,
        strideA, B, ldb, strideB, batch_count);
}

[[gnu::flatten]] myblasStatus_t mystrsmStridedBatched_64(myblasHandle_t handle,
    myblasSideMode_t side, myblasFillMode_t uplo, myblasOperation_t trans, myblasDiagType_t diag,
    int64_t m, int64_t n, const float* alpha, const float* A, int64_t lda, long long strideA,
    float* B, int64_t ldb, long long strideB, int64_t batch_count) {
    return enter(calls::strsm_strided_batched, handle, side, uplo, trans, diag, m, n, alpha, A, lda,
        strideA, B, ldb, strideB, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgemmGroupedBatched(myblasHandle_t handle,
    const myblasOperation_t transa_array[], const myblasOperation_t transb_array[],
    const int m_array[], const int n_array[], const int k_array[], const float alpha_array[],
    const float* const Aarray[], const int lda_array[], const float* const Barray[],
    const int ldb_array[], const float beta_array[], float* const Carray[], const int ldc_array[],
    int group_count, const int group_size[]) {
    return enter(calls::sgemm_grouped_batched, handle, transa_array, transb_array, m_array, n_array,
        k_array, alpha_array, Aarray, lda_array, Barray, ldb_array, beta_array, Carray, ldc_array,
        group_count, group_size);
}

[[gnu::flatten]] myblasStatus_t mysgemmGroupedBatched_64(myblasHandle_t handle,
    const myblasOperation_t transa_array[], const myblasOperation_t transb_array[],
    const int64_t m_array[], const int64_t n_array[], const int64_t k_array[],
    const float alpha_array[], const float* const Aarray[], const int64_t lda_array[],
    const float* const Barray[], const int64_t ldb_array[], const float beta_array[],
    float* const Carray[], const int64_t ldc_array[], int64_t group_count,
    const int64_t group_size[]) {
    return enter(calls::sgemm_grouped_batched, handle, transa_array, transb_array, m_array, n_array,
        k_array, alpha_array, Aarray, lda_array, Barray, ldb_array, beta_array, Carray, ldc_array,
        group_count, group_size);
}

[[gnu::flatten]] myblasStatus_t mytranspose(myblasHandle_t handle, int m, int n, const float* A,
    int lda, float* B, int ldb) {
    return enter(calls::transpose, handle, m, n, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t mytranspose_64(myblasHandle_t handle, int64_t m, int64_t n,
    const float* A, int64_t lda, float* B, int64_t ldb) {
    return enter(calls::transpose, handle, m, n, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t mytransposeEx(myblasHandle_t handle, int m, int n,
    int element_bytes, const void* A, int lda, void* B, int ldb) {
    return enter(calls::transpose_ex, handle, m, n, element_bytes, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t mytransposeEx_64(myblasHandle_t handle, int64_t m, int64_t n,
    int64_t element_bytes, const void* A, int64_t lda, void* B, int64_t ldb) {
    return enter(calls::transpose_ex, handle, m, n, element_bytes, A, lda, B, ldb);
}

[[gnu::flatten]] myblasStatus_t mytransposeStridedBatched(myblasHandle_t handle, int m, int n,
    const float* A, int lda, long long strideA, float* B, int ldb, long long strideB,
    int batch_count) {
    return enter(calls::transpose_strided_batched, handle, m, n, A, lda, strideA, B, ldb, strideB,
        batch_count);
}

[[gnu::flatten]] myblasStatus_t mytransposeStridedBatched_64(myblasHandle_t handle, int64_t m,
    int64_t n, const float* A, int64_t lda, long long strideA, float* B, int64_t ldb,
    long long strideB, int64_t batch_count) {
    return enter(calls::transpose_strided_batched, handle, m, n, A, lda, strideA, B, ldb, strideB,
        batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgeam(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int m, int n, const float* alpha, const float* A, int lda,
    const float* beta, const float* B, int ldb, float* C, int ldc) {
    return enter(calls::sgeam, handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);
}

[[gnu::flatten]] myblasStatus_t mysgeam_64(myblasHandle_t handle, myblasOperation_t transa,
    myblasOperation_t transb, int64_t m, int64_t n, const float* alpha, const float* A, int64_t lda,
    const float* beta, const float* B, int64_t ldb, float* C, int64_t ldc) {
    return enter(calls::sgeam, handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);
}

[[gnu::flatten]] myblasStatus_t mysum(myblasHandle_t handle, int n, const float* x, int incx,
    float* result) {
    return enter(calls::sum, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t mysum_64(myblasHandle_t handle, int64_t n, const float* x,
    int64_t incx, float* result) {
    return enter(calls::sum, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t mysasum(myblasHandle_t handle, int n, const float* x, int incx,
    float* result) {
    return enter(calls::sasum, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t mysasum_64(myblasHandle_t handle, int64_t n, const float* x,
    int64_t incx, float* result) {
    return enter(calls::sasum, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t mydsum(myblasHandle_t handle, int n, const double* x, int incx,
    double* result) {
    return enter(calls::dsum, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t mydsum_64(myblasHandle_t handle, int64_t n, const double* x,
    int64_t incx, double* result) {
    return enter(calls::dsum, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t mysgemsum(myblasHandle_t handle, myblasOperation_t op, int m, int n,
    const float* A, int lda, float* result) {
    return enter(calls::sgemsum, handle, op, m, n, A, lda, result);
}

[[gnu::flatten]] myblasStatus_t mysgemsum_64(myblasHandle_t handle, myblasOperation_t op, int64_t m,
    int64_t n, const float* A, int64_t lda, float* result) {
    return enter(calls::sgemsum, handle, op, m, n, A, lda, result);
}

[[gnu::flatten]] myblasStatus_t myhistogram256(myblasHandle_t handle, int n, const unsigned char* x,
    uint64_t* counts) {
    return enter(calls::histogram256, handle, n, x, counts);
}

[[gnu::flatten]] myblasStatus_t myhistogram256_64(myblasHandle_t handle, int64_t n,
    const unsigned char* x, uint64_t* counts) {
    return enter(calls::histogram256, handle, n, x, counts);
}

[[gnu::flatten]] myblasStatus_t mysaxpy(myblasHandle_t handle, int n, const float* alpha,
    const float* x, int incx, float* y, int incy) {
    return enter(calls::saxpy, handle, n, alpha, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t mysaxpy_64(myblasHandle_t handle, int64_t n, const float* alpha,
    const float* x, int64_t incx, float* y, int64_t incy) {
    return enter(calls::saxpy, handle, n, alpha, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t myscopy(myblasHandle_t handle, int n, const float* x, int incx,
    float* y, int incy) {
    return enter(calls::scopy, handle, n, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t myscopy_64(myblasHandle_t handle, int64_t n, const float* x,
    int64_t incx, float* y, int64_t incy) {
    return enter(calls::scopy, handle, n, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t mysdot(myblasHandle_t handle, int n, const float* x, int incx,
    const float* y, int incy, float* result) {
    return enter(calls::sdot, handle, n, x, incx, y, incy, result);
}

[[gnu::flatten]] myblasStatus_t mysdot_64(myblasHandle_t handle, int64_t n, const float* x,
    int64_t incx, const float* y, int64_t incy, float* result) {
    return enter(calls::sdot, handle, n, x, incx, y, incy, result);
}

[[gnu::flatten]] myblasStatus_t mysdsdot(myblasHandle_t handle, int n, const float* sb,
    const float* x, int incx, const float* y, int incy, float* result) {
    return enter(calls::sdsdot, handle, n, sb, x, incx, y, incy, result);
}

[[gnu::flatten]] myblasStatus_t mysdsdot_64(myblasHandle_t handle, int64_t n, const float* sb,
    const float* x, int64_t incx, const float* y, int64_t incy, float* result) {
    return enter(calls::sdsdot, handle, n, sb, x, incx, y, incy, result);
}

[[gnu::flatten]] myblasStatus_t mysnrm2(myblasHandle_t handle, int n, const float* x, int incx,
    float* result) {
    return enter(calls::snrm2, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t mysnrm2_64(myblasHandle_t handle, int64_t n, const float* x,
    int64_t incx, float* result) {
    return enter(calls::snrm2, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t myisamax(myblasHandle_t handle, int n, const float* x, int incx,
    int* result) {
    return enter(calls::isamax, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t myisamax_64(myblasHandle_t handle, int64_t n, const float* x,
    int64_t incx, int64_t* result) {
    return enter(calls::isamax, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t myisamin(myblasHandle_t handle, int n, const float* x, int incx,
    int* result) {
    return enter(calls::isamin, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t myisamin_64(myblasHandle_t handle, int64_t n, const float* x,
    int64_t incx, int64_t* result) {
    return enter(calls::isamin, handle, n, x, incx, result);
}

[[gnu::flatten]] myblasStatus_t mysscal(myblasHandle_t handle, int n, const float* alpha, float* x,
    int incx) {
    return enter(calls::sscal, handle, n, alpha, x, incx);
}

[[gnu::flatten]] myblasStatus_t mysscal_64(myblasHandle_t handle, int64_t n, const float* alpha,
    float* x, int64_t incx) {
    return enter(calls::sscal, handle, n, alpha, x, incx);
}

[[gnu::flatten]] myblasStatus_t mysswap(myblasHandle_t handle, int n, float* x, int incx, float* y,
    int incy) {
    return enter(calls::sswap, handle, n, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t mysswap_64(myblasHandle_t handle, int64_t n, float* x, int64_t incx,
    float* y, int64_t incy) {
    return enter(calls::sswap, handle, n, x, incx, y, incy);
}

[[gnu::flatten]] myblasStatus_t mysrot(myblasHandle_t handle, int n, float* x, int incx, float* y,
    int incy, const float* c, const float* s) {
    return enter(calls::srot, handle, n, x, incx, y, incy, c, s);
}

[[gnu::flatten]] myblasStatus_t mysrot_64(myblasHandle_t handle, int64_t n, float* x, int64_t incx,
    float* y, int64_t incy, const float* c, const float* s) {
    return enter(calls::srot, handle, n, x, incx, y, incy, c, s);
}

[[gnu::flatten]] myblasStatus_t mysrotm(myblasHandle_t handle, int n, float* x, int incx, float* y,
    int incy, const float* param) {
    return enter(calls::srotm, handle, n, x, incx, y, incy, param);
}

[[gnu::flatten]] myblasStatus_t mysrotm_64(myblasHandle_t handle, int64_t n, float* x, int64_t incx,
    float* y, int64_t incy, const float* param) {
    return enter(calls::srotm, handle, n, x, incx, y, incy, param);
}

[[gnu::flatten]] myblasStatus_t mysrotg(myblasHandle_t handle, float* a, float* b, float* c,
    float* s) {
    return enter(calls::srotg, handle, a, b, c, s);
}

[[gnu::flatten]] myblasStatus_t mysrotmg(myblasHandle_t handle, float* d1, float* d2, float* x1,
    const float* y1, float* param) {
    return enter(calls::srotmg, handle, d1, d2, x1, y1, param);
}

[[gnu::flatten]] myblasStatus_t mysgemv(myblasHandle_t handle, myblasOperation_t trans, int m,
    int n, const float* alpha, const float* A, int lda, const float* x, int incx, const float* beta,
    float* y, int incy) {
    return enter(calls::sgemv, handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy);
}

[[gnu::flatten]] myblasStatus_t mysgemv_64(myblasHandle_t handle, myblasOperation_t trans,
    int64_t m, int64_t n, const float* alpha, const float* A, int64_t lda, const float* x,
    int64_t incx, const float* beta, float* y, int64_t incy) {
    return enter(calls::sgemv, handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy);
}

[[gnu::flatten]] myblasStatus_t mysgemvStridedBatched(myblasHandle_t handle,
    myblasOperation_t trans, int m, int n, const float* alpha, const float* A, int lda,
    long long strideA, const float* x, int incx, long long stridex, const float* beta, float* y,
    int incy, long long stridey, int batch_count) {
    return enter(calls::sgemv_strided_batched, handle, trans, m, n, alpha, A, lda, strideA, x, incx,
        stridex, beta, y, incy, stridey, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgemvStridedBatched_64(myblasHandle_t handle,
    myblasOperation_t trans, int64_t m, int64_t n, const float* alpha, const float* A, int64_t lda,
    long long strideA, const float* x, int64_t incx, long long stridex, const float* beta, float* y,
    int64_t incy, long long stridey, int64_t batch_count) {
    return enter(calls::sgemv_strided_batched, handle, trans, m, n, alpha, A, lda, strideA, x, incx,
        stridex, beta, y, incy, stridey, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgemvBatched(myblasHandle_t handle, myblasOperation_t trans,
    int m, int n, const float* alpha, const float* const Aarray[], int lda,
    const float* const xarray[], int incx, const float* beta, float* const yarray[], int incy,
    int batch_count) {
    return enter(calls::sgemv_batched, handle, trans, m, n, alpha, Aarray, lda, xarray, incx, beta,
        yarray, incy, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysgemvBatched_64(myblasHandle_t handle, myblasOperation_t trans,
    int64_t m, int64_t n, const float* alpha, const float* const Aarray[], int64_t lda,
    const float* const xarray[], int64_t incx, const float* beta, float* const yarray[],
    int64_t incy, int64_t batch_count) {
    return enter(calls::sgemv_batched, handle, trans, m, n, alpha, Aarray, lda, xarray, incx, beta,
        yarray, incy, batch_count);
}

[[gnu::flatten]] myblasStatus_t mysger(myblasHandle_t handle, int m, int n, const float* alpha,
    const float* x, int incx, const float* y, int incy, float* A, int lda) {
    return enter(calls::sger, handle, m, n, alpha, x, incx, y, incy, A, lda);
}

[[gnu::flatten]] myblasStatus_t mysger_64(myblasHandle_t handle, int64_t m, int64_t n,
    const float* alpha, const float* x, int64_t incx, const float* y, int64_t incy, float* A,
    int64_t lda) {
    return enter(calls::sger, handle, m, n, alpha, x, incx, y, incy, A, lda);
}

[[gnu::flatten]] myblasStatus_t myssymv(myblasHandle_t handle, myblasFillMode_t uplo, int n,
    const float* alpha, const float* A, int lda, const float* x, int incx, const float* beta,
    float* y, int incy) {
    return enter(calls::ssymv, handle, uplo, n, alpha, A, lda, x, incx, beta, y, incy);
}

[[gnu::flatten]] myblasStatus_t myssymv_64(myblasHandle_t handle, myblasFillMode_t uplo, int64_t n,
    const float* alpha, const float* A, int64_t lda, const float* x, int64_t incx,
    const float* beta, float* y, int64_t incy) {
    return enter(calls::ssymv, handle, uplo, n, alpha, A, lda, x, incx, beta, y, incy);
}

[[gnu::flatten]] myblasStatus_t myssyr(myblasHandle_t handle, myblasFillMode_t uplo, int n,
    const float* alpha, const float* x, int incx, float* A, int lda) {
    return enter(calls::ssyr, handle, uplo, n, alpha, x, incx, A, lda);
}

[[gnu::flatten]] myblasStatus_t myssyr_64(myblasHandle_t handle, myblasFillMode_t uplo, int64_t n,
    const float* alpha, const float* x, int64_t incx, float* A, int64_t lda) {
    return enter(calls::ssyr, handle, uplo, n, alpha, x, incx, A, lda);
}

[[gnu::flatten]] myblasStatus_t myssyr2(myblasHandle_t handle, myblasFillMode_t uplo, int n,
    const float* alpha, const float* x, int incx, const float* y, int incy, float* A, int lda) {
    return enter(calls::ssyr2, handle, uplo, n, alpha, x, incx, y, incy, A, lda);
}

[[gnu::flatten]] myblasStatus_t myssyr2_64(myblasHandle_t handle, myblasFillMode_t uplo, int64_t n,
    const float* alpha, const float* x, int64_t incx, const float* y, int64_t incy, float* A,
    int64_t lda) {
    return enter(calls::ssyr2, handle, uplo, n, alpha, x, incx, y, incy, A, lda);
}

[[gnu::flatten]] myblasStatus_t mystrmv(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, myblasDiagType_t diag, int n, const float* A, int lda, float* x,
    int incx) {
    return enter(calls::strmv, handle, uplo, trans, diag, n, A, lda, x, incx);
}

[[gnu::flatten]] myblasStatus_t mystrmv_64(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, myblasDiagType_t diag, int64_t n, const float* A, int64_t lda,
    float* x, int64_t incx) {
    return enter(calls::strmv, handle, uplo, trans, diag, n, A, lda, x, incx);
}

[[gnu::flatten]] myblasStatus_t mystrsv(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, myblasDiagType_t diag, int n, const float* A, int lda, float* x,
    int incx) {
    return enter(calls::strsv, handle, uplo, trans, diag, n, A, lda, x, incx);
}

[[gnu::flatten]] myblasStatus_t mystrsv_64(myblasHandle_t handle, myblasFillMode_t uplo,
    myblasOperation_t trans, myblasDiagType_t diag, int64_t n, const float* A, int64_t lda,
    float* x, int64_t incx) {
    return enter(calls::strsv, handle, uplo, trans, diag, n, A, lda, x, incx);
}

} // extern "C"

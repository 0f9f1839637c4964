// Written by scripts/generate.py from myblas.h: the functions that take operands, as data.
// C++ has only the types: the tables and calls below are C.
// clang-format off
#include "myblas/myblas.h"
#include <stddef.h>
#include <stdint.h>

enum function {
    set_matrix, get_matrix, set_vector, get_vector, set_matrix_async, get_matrix_async,
    set_vector_async, get_vector_async, sgemm, sgemm_host, sgemm_strided_batched, sgemm_batched,
    sgemm_fused, sgemm_fused_strided_batched, ssyrk, ssyrkx, ssyr2k, sgemmtr, ssymm, strmm, strsm,
    strsm_batched, strsm_strided_batched, sgemm_grouped_batched, transpose, transpose_ex,
    transpose_strided_batched, sgeam, sum, sasum, dsum, sgemsum, histogram256, saxpy, scopy, sdot,
    sdsdot, snrm2, isamax, isamin, sscal, sswap, srot, srotm, srotg, srotmg, sgemv,
    sgemv_strided_batched, sgemv_batched, sger, ssymv, ssyr, ssyr2, strmv, strsv,
    function_count
};

// All their parameters, by name. Each has 8 bytes, so a value for any of them is an int64_t.
struct arguments {
    int64_t rows, cols, element_bytes, lda, ldb, n, incx, incy, transa, transb, m, k, ldc, strideA,
        strideB, strideC, batch_count, ldd, strideD, uplo, trans, side, diag, group_count, op,
        stridex, stridey;
    void *A, *B, *x, *y, *stream, *alpha, *beta, *C, *Aarray, *Barray, *Carray, *D, *epilogue,
        *transa_array, *transb_array, *m_array, *n_array, *k_array, *alpha_array, *lda_array,
        *ldb_array, *beta_array, *ldc_array, *group_size, *result, *counts, *sb, *c, *s, *param, *a,
        *b, *d1, *d2, *x1, *y1, *xarray, *yarray;
};

struct parameter {
    const char *type, *name;
    size_t offset; // in struct arguments
};

struct function_info {
    const char* name;
    struct parameter parameters[21 + 1]; // but the handle; the last one has no name
};

#ifndef __cplusplus
#define P(type, name) {#type, #name, offsetof(struct arguments, name)}
static const struct function_info functions[function_count] = {
    [set_matrix] = {"myblasSetMatrix", {P(int, rows), P(int, cols), P(int, element_bytes),
        P(const void*, A), P(int, lda), P(void*, B), P(int, ldb)}},
    [get_matrix] = {"myblasGetMatrix", {P(int, rows), P(int, cols), P(int, element_bytes),
        P(const void*, A), P(int, lda), P(void*, B), P(int, ldb)}},
    [set_vector] = {"myblasSetVector", {P(int, n), P(int, element_bytes), P(const void*, x),
        P(int, incx), P(void*, y), P(int, incy)}},
    [get_vector] = {"myblasGetVector", {P(int, n), P(int, element_bytes), P(const void*, x),
        P(int, incx), P(void*, y), P(int, incy)}},
    [set_matrix_async] = {"myblasSetMatrixAsync", {P(int, rows), P(int, cols),
        P(int, element_bytes), P(const void*, A), P(int, lda), P(void*, B), P(int, ldb),
        P(myblasStream_t, stream)}},
    [get_matrix_async] = {"myblasGetMatrixAsync", {P(int, rows), P(int, cols),
        P(int, element_bytes), P(const void*, A), P(int, lda), P(void*, B), P(int, ldb),
        P(myblasStream_t, stream)}},
    [set_vector_async] = {"myblasSetVectorAsync", {P(int, n), P(int, element_bytes),
        P(const void*, x), P(int, incx), P(void*, y), P(int, incy), P(myblasStream_t, stream)}},
    [get_vector_async] = {"myblasGetVectorAsync", {P(int, n), P(int, element_bytes),
        P(const void*, x), P(int, incx), P(void*, y), P(int, incy), P(myblasStream_t, stream)}},
    [sgemm] = {"mysgemm", {P(myblasOperation_t, transa), P(myblasOperation_t, transb), P(int, m),
        P(int, n), P(int, k), P(const float*, alpha), P(const float*, A), P(int, lda),
        P(const float*, B), P(int, ldb), P(const float*, beta), P(float*, C), P(int, ldc)}},
    [sgemm_host] = {"mysgemmHost", {P(myblasOperation_t, transa), P(myblasOperation_t, transb),
        P(int, m), P(int, n), P(int, k), P(const float*, alpha), P(const float*, A), P(int, lda),
        P(const float*, B), P(int, ldb), P(const float*, beta), P(float*, C), P(int, ldc)}},
    [sgemm_strided_batched] = {"mysgemmStridedBatched", {P(myblasOperation_t, transa),
        P(myblasOperation_t, transb), P(int, m), P(int, n), P(int, k), P(const float*, alpha),
        P(const float*, A), P(int, lda), P(long long, strideA), P(const float*, B), P(int, ldb),
        P(long long, strideB), P(const float*, beta), P(float*, C), P(int, ldc),
        P(long long, strideC), P(int, batch_count)}},
    [sgemm_batched] = {"mysgemmBatched", {P(myblasOperation_t, transa),
        P(myblasOperation_t, transb), P(int, m), P(int, n), P(int, k), P(const float*, alpha),
        P(const float* const[], Aarray), P(int, lda), P(const float* const[], Barray), P(int, ldb),
        P(const float*, beta), P(float* const[], Carray), P(int, ldc), P(int, batch_count)}},
    [sgemm_fused] = {"mysgemmFused", {P(myblasOperation_t, transa), P(myblasOperation_t, transb),
        P(int, m), P(int, n), P(int, k), P(const float*, alpha), P(const float*, A), P(int, lda),
        P(const float*, B), P(int, ldb), P(const float*, beta), P(const float*, C), P(int, ldc),
        P(float*, D), P(int, ldd), P(const myblasEpilogue_t*, epilogue)}},
    [sgemm_fused_strided_batched] = {"mysgemmFusedStridedBatched", {P(myblasOperation_t, transa),
        P(myblasOperation_t, transb), P(int, m), P(int, n), P(int, k), P(const float*, alpha),
        P(const float*, A), P(int, lda), P(long long, strideA), P(const float*, B), P(int, ldb),
        P(long long, strideB), P(const float*, beta), P(const float*, C), P(int, ldc),
        P(long long, strideC), P(float*, D), P(int, ldd), P(long long, strideD),
        P(const myblasEpilogue_t*, epilogue), P(int, batch_count)}},
    [ssyrk] = {"myssyrk", {P(myblasFillMode_t, uplo), P(myblasOperation_t, trans), P(int, n),
        P(int, k), P(const float*, alpha), P(const float*, A), P(int, lda), P(const float*, beta),
        P(float*, C), P(int, ldc)}},
    [ssyrkx] = {"myssyrkx", {P(myblasFillMode_t, uplo), P(myblasOperation_t, trans), P(int, n),
        P(int, k), P(const float*, alpha), P(const float*, A), P(int, lda), P(const float*, B),
        P(int, ldb), P(const float*, beta), P(float*, C), P(int, ldc)}},
    [ssyr2k] = {"myssyr2k", {P(myblasFillMode_t, uplo), P(myblasOperation_t, trans), P(int, n),
        P(int, k), P(const float*, alpha), P(const float*, A), P(int, lda), P(const float*, B),
        P(int, ldb), P(const float*, beta), P(float*, C), P(int, ldc)}},
    [sgemmtr] = {"mysgemmtr", {P(myblasFillMode_t, uplo), P(myblasOperation_t, transa),
        P(myblasOperation_t, transb), P(int, n), P(int, k), P(const float*, alpha),
        P(const float*, A), P(int, lda), P(const float*, B), P(int, ldb), P(const float*, beta),
        P(float*, C), P(int, ldc)}},
    [ssymm] = {"myssymm", {P(myblasSideMode_t, side), P(myblasFillMode_t, uplo), P(int, m),
        P(int, n), P(const float*, alpha), P(const float*, A), P(int, lda), P(const float*, B),
        P(int, ldb), P(const float*, beta), P(float*, C), P(int, ldc)}},
    [strmm] = {"mystrmm", {P(myblasSideMode_t, side), P(myblasFillMode_t, uplo),
        P(myblasOperation_t, trans), P(myblasDiagType_t, diag), P(int, m), P(int, n),
        P(const float*, alpha), P(const float*, A), P(int, lda), P(const float*, B), P(int, ldb),
        P(float*, C), P(int, ldc)}},
    [strsm] = {"mystrsm", {P(myblasSideMode_t, side), P(myblasFillMode_t, uplo),
        P(myblasOperation_t, trans), P(myblasDiagType_t, diag), P(int, m), P(int, n),
        P(const float*, alpha), P(const float*, A), P(int, lda), P(float*, B), P(int, ldb)}},
    [strsm_batched] = {"mystrsmBatched", {P(myblasSideMode_t, side), P(myblasFillMode_t, uplo),
        P(myblasOperation_t, trans), P(myblasDiagType_t, diag), P(int, m), P(int, n),
        P(const float*, alpha), P(const float* const[], Aarray), P(int, lda),
        P(float* const[], Barray), P(int, ldb), P(int, batch_count)}},
    [strsm_strided_batched] = {"mystrsmStridedBatched", {P(myblasSideMode_t, side),
        P(myblasFillMode_t, uplo), P(myblasOperation_t, trans), P(myblasDiagType_t, diag),
        P(int, m), P(int, n), P(const float*, alpha), P(const float*, A), P(int, lda),
        P(long long, strideA), P(float*, B), P(int, ldb), P(long long, strideB),
        P(int, batch_count)}},
    [sgemm_grouped_batched] = {"mysgemmGroupedBatched", {P(const myblasOperation_t[], transa_array),
        P(const myblasOperation_t[], transb_array), P(const int[], m_array),
        P(const int[], n_array), P(const int[], k_array), P(const float[], alpha_array),
        P(const float* const[], Aarray), P(const int[], lda_array), P(const float* const[], Barray),
        P(const int[], ldb_array), P(const float[], beta_array), P(float* const[], Carray),
        P(const int[], ldc_array), P(int, group_count), P(const int[], group_size)}},
    [transpose] = {"mytranspose", {P(int, m), P(int, n), P(const float*, A), P(int, lda),
        P(float*, B), P(int, ldb)}},
    [transpose_ex] = {"mytransposeEx", {P(int, m), P(int, n), P(int, element_bytes),
        P(const void*, A), P(int, lda), P(void*, B), P(int, ldb)}},
    [transpose_strided_batched] = {"mytransposeStridedBatched", {P(int, m), P(int, n),
        P(const float*, A), P(int, lda), P(long long, strideA), P(float*, B), P(int, ldb),
        P(long long, strideB), P(int, batch_count)}},
    [sgeam] = {"mysgeam", {P(myblasOperation_t, transa), P(myblasOperation_t, transb), P(int, m),
        P(int, n), P(const float*, alpha), P(const float*, A), P(int, lda), P(const float*, beta),
        P(const float*, B), P(int, ldb), P(float*, C), P(int, ldc)}},
    [sum] = {"mysum", {P(int, n), P(const float*, x), P(int, incx), P(float*, result)}},
    [sasum] = {"mysasum", {P(int, n), P(const float*, x), P(int, incx), P(float*, result)}},
    [dsum] = {"mydsum", {P(int, n), P(const double*, x), P(int, incx), P(double*, result)}},
    [sgemsum] = {"mysgemsum", {P(myblasOperation_t, op), P(int, m), P(int, n), P(const float*, A),
        P(int, lda), P(float*, result)}},
    [histogram256] = {"myhistogram256", {P(int, n), P(const unsigned char*, x),
        P(uint64_t*, counts)}},
    [saxpy] = {"mysaxpy", {P(int, n), P(const float*, alpha), P(const float*, x), P(int, incx),
        P(float*, y), P(int, incy)}},
    [scopy] = {"myscopy", {P(int, n), P(const float*, x), P(int, incx), P(float*, y),
        P(int, incy)}},
    [sdot] = {"mysdot", {P(int, n), P(const float*, x), P(int, incx), P(const float*, y),
        P(int, incy), P(float*, result)}},
    [sdsdot] = {"mysdsdot", {P(int, n), P(const float*, sb), P(const float*, x), P(int, incx),
        P(const float*, y), P(int, incy), P(float*, result)}},
    [snrm2] = {"mysnrm2", {P(int, n), P(const float*, x), P(int, incx), P(float*, result)}},
    [isamax] = {"myisamax", {P(int, n), P(const float*, x), P(int, incx), P(int*, result)}},
    [isamin] = {"myisamin", {P(int, n), P(const float*, x), P(int, incx), P(int*, result)}},
    [sscal] = {"mysscal", {P(int, n), P(const float*, alpha), P(float*, x), P(int, incx)}},
    [sswap] = {"mysswap", {P(int, n), P(float*, x), P(int, incx), P(float*, y), P(int, incy)}},
    [srot] = {"mysrot", {P(int, n), P(float*, x), P(int, incx), P(float*, y), P(int, incy),
        P(const float*, c), P(const float*, s)}},
    [srotm] = {"mysrotm", {P(int, n), P(float*, x), P(int, incx), P(float*, y), P(int, incy),
        P(const float*, param)}},
    [srotg] = {"mysrotg", {P(float*, a), P(float*, b), P(float*, c), P(float*, s)}},
    [srotmg] = {"mysrotmg", {P(float*, d1), P(float*, d2), P(float*, x1), P(const float*, y1),
        P(float*, param)}},
    [sgemv] = {"mysgemv", {P(myblasOperation_t, trans), P(int, m), P(int, n),
        P(const float*, alpha), P(const float*, A), P(int, lda), P(const float*, x), P(int, incx),
        P(const float*, beta), P(float*, y), P(int, incy)}},
    [sgemv_strided_batched] = {"mysgemvStridedBatched", {P(myblasOperation_t, trans), P(int, m),
        P(int, n), P(const float*, alpha), P(const float*, A), P(int, lda), P(long long, strideA),
        P(const float*, x), P(int, incx), P(long long, stridex), P(const float*, beta),
        P(float*, y), P(int, incy), P(long long, stridey), P(int, batch_count)}},
    [sgemv_batched] = {"mysgemvBatched", {P(myblasOperation_t, trans), P(int, m), P(int, n),
        P(const float*, alpha), P(const float* const[], Aarray), P(int, lda),
        P(const float* const[], xarray), P(int, incx), P(const float*, beta),
        P(float* const[], yarray), P(int, incy), P(int, batch_count)}},
    [sger] = {"mysger", {P(int, m), P(int, n), P(const float*, alpha), P(const float*, x),
        P(int, incx), P(const float*, y), P(int, incy), P(float*, A), P(int, lda)}},
    [ssymv] = {"myssymv", {P(myblasFillMode_t, uplo), P(int, n), P(const float*, alpha),
        P(const float*, A), P(int, lda), P(const float*, x), P(int, incx), P(const float*, beta),
        P(float*, y), P(int, incy)}},
    [ssyr] = {"myssyr", {P(myblasFillMode_t, uplo), P(int, n), P(const float*, alpha),
        P(const float*, x), P(int, incx), P(float*, A), P(int, lda)}},
    [ssyr2] = {"myssyr2", {P(myblasFillMode_t, uplo), P(int, n), P(const float*, alpha),
        P(const float*, x), P(int, incx), P(const float*, y), P(int, incy), P(float*, A),
        P(int, lda)}},
    [strmv] = {"mystrmv", {P(myblasFillMode_t, uplo), P(myblasOperation_t, trans),
        P(myblasDiagType_t, diag), P(int, n), P(const float*, A), P(int, lda), P(float*, x),
        P(int, incx)}},
    [strsv] = {"mystrsv", {P(myblasFillMode_t, uplo), P(myblasOperation_t, trans),
        P(myblasDiagType_t, diag), P(int, n), P(const float*, A), P(int, lda), P(float*, x),
        P(int, incx)}},
};
#undef P

static myblasStatus_t
call_narrow(enum function function, myblasHandle_t handle, const struct arguments* g) {
    switch (function) {
    case set_matrix: return myblasSetMatrix(handle, g->rows, g->cols, g->element_bytes, g->A,
        g->lda, g->B, g->ldb);
    case get_matrix: return myblasGetMatrix(handle, g->rows, g->cols, g->element_bytes, g->A,
        g->lda, g->B, g->ldb);
    case set_vector: return myblasSetVector(handle, g->n, g->element_bytes, g->x, g->incx, g->y,
        g->incy);
    case get_vector: return myblasGetVector(handle, g->n, g->element_bytes, g->x, g->incx, g->y,
        g->incy);
    case set_matrix_async: return myblasSetMatrixAsync(handle, g->rows, g->cols, g->element_bytes,
        g->A, g->lda, g->B, g->ldb, g->stream);
    case get_matrix_async: return myblasGetMatrixAsync(handle, g->rows, g->cols, g->element_bytes,
        g->A, g->lda, g->B, g->ldb, g->stream);
    case set_vector_async: return myblasSetVectorAsync(handle, g->n, g->element_bytes, g->x,
        g->incx, g->y, g->incy, g->stream);
    case get_vector_async: return myblasGetVectorAsync(handle, g->n, g->element_bytes, g->x,
        g->incx, g->y, g->incy, g->stream);
    case sgemm: return mysgemm(handle, g->transa, g->transb, g->m, g->n, g->k, g->alpha, g->A,
        g->lda, g->B, g->ldb, g->beta, g->C, g->ldc);
    case sgemm_host: return mysgemmHost(handle, g->transa, g->transb, g->m, g->n, g->k, g->alpha,
        g->A, g->lda, g->B, g->ldb, g->beta, g->C, g->ldc);
    case sgemm_strided_batched: return mysgemmStridedBatched(handle, g->transa, g->transb, g->m,
        g->n, g->k, g->alpha, g->A, g->lda, g->strideA, g->B, g->ldb, g->strideB, g->beta, g->C,
        g->ldc, g->strideC, g->batch_count);
    case sgemm_batched: return mysgemmBatched(handle, g->transa, g->transb, g->m, g->n, g->k,
        g->alpha, g->Aarray, g->lda, g->Barray, g->ldb, g->beta, g->Carray, g->ldc, g->batch_count);
    case sgemm_fused: return mysgemmFused(handle, g->transa, g->transb, g->m, g->n, g->k, g->alpha,
        g->A, g->lda, g->B, g->ldb, g->beta, g->C, g->ldc, g->D, g->ldd, g->epilogue);
    case sgemm_fused_strided_batched: return mysgemmFusedStridedBatched(handle, g->transa,
        g->transb, g->m, g->n, g->k, g->alpha, g->A, g->lda, g->strideA, g->B, g->ldb, g->strideB,
        g->beta, g->C, g->ldc, g->strideC, g->D, g->ldd, g->strideD, g->epilogue, g->batch_count);
    case ssyrk: return myssyrk(handle, g->uplo, g->trans, g->n, g->k, g->alpha, g->A, g->lda,
        g->beta, g->C, g->ldc);
    case ssyrkx: return myssyrkx(handle, g->uplo, g->trans, g->n, g->k, g->alpha, g->A, g->lda,
        g->B, g->ldb, g->beta, g->C, g->ldc);
    case ssyr2k: return myssyr2k(handle, g->uplo, g->trans, g->n, g->k, g->alpha, g->A, g->lda,
        g->B, g->ldb, g->beta, g->C, g->ldc);
    case sgemmtr: return mysgemmtr(handle, g->uplo, g->transa, g->transb, g->n, g->k, g->alpha,
        g->A, g->lda, g->B, g->ldb, g->beta, g->C, g->ldc);
    case ssymm: return myssymm(handle, g->side, g->uplo, g->m, g->n, g->alpha, g->A, g->lda, g->B,
        g->ldb, g->beta, g->C, g->ldc);
    case strmm: return mystrmm(handle, g->side, g->uplo, g->trans, g->diag, g->m, g->n, g->alpha,
        g->A, g->lda, g->B, g->ldb, g->C, g->ldc);
    case strsm: return mystrsm(handle, g->side, g->uplo, g->trans, g->diag, g->m, g->n, g->alpha,
        g->A, g->lda, g->B, g->ldb);
    case strsm_batched: return mystrsmBatched(handle, g->side, g->uplo, g->trans, g->diag, g->m,
        g->n, g->alpha, g->Aarray, g->lda, g->Barray, g->ldb, g->batch_count);
    case strsm_strided_batched: return mystrsmStridedBatched(handle, g->side, g->uplo, g->trans,
        g->diag, g->m, g->n, g->alpha, g->A, g->lda, g->strideA, g->B, g->ldb, g->strideB,
        g->batch_count);
    case sgemm_grouped_batched: return mysgemmGroupedBatched(handle, g->transa_array,
        g->transb_array, g->m_array, g->n_array, g->k_array, g->alpha_array, g->Aarray,
        g->lda_array, g->Barray, g->ldb_array, g->beta_array, g->Carray, g->ldc_array,
        g->group_count, g->group_size);
    case transpose: return mytranspose(handle, g->m, g->n, g->A, g->lda, g->B, g->ldb);
    case transpose_ex: return mytransposeEx(handle, g->m, g->n, g->element_bytes, g->A, g->lda,
        g->B, g->ldb);
    case transpose_strided_batched: return mytransposeStridedBatched(handle, g->m, g->n, g->A,
        g->lda, g->strideA, g->B, g->ldb, g->strideB, g->batch_count);
    case sgeam: return mysgeam(handle, g->transa, g->transb, g->m, g->n, g->alpha, g->A, g->lda,
        g->beta, g->B, g->ldb, g->C, g->ldc);
    case sum: return mysum(handle, g->n, g->x, g->incx, g->result);
    case sasum: return mysasum(handle, g->n, g->x, g->incx, g->result);
    case dsum: return mydsum(handle, g->n, g->x, g->incx, g->result);
    case sgemsum: return mysgemsum(handle, g->op, g->m, g->n, g->A, g->lda, g->result);
    case histogram256: return myhistogram256(handle, g->n, g->x, g->counts);
    case saxpy: return mysaxpy(handle, g->n, g->alpha, g->x, g->incx, g->y, g->incy);
    case scopy: return myscopy(handle, g->n, g->x, g->incx, g->y, g->incy);
    case sdot: return mysdot(handle, g->n, g->x, g->incx, g->y, g->incy, g->result);
    case sdsdot: return mysdsdot(handle, g->n, g->sb, g->x, g->incx, g->y, g->incy, g->result);
    case snrm2: return mysnrm2(handle, g->n, g->x, g->incx, g->result);
    case isamax: return myisamax(handle, g->n, g->x, g->incx, g->result);
    case isamin: return myisamin(handle, g->n, g->x, g->incx, g->result);
    case sscal: return mysscal(handle, g->n, g->alpha, g->x, g->incx);
    case sswap: return mysswap(handle, g->n, g->x, g->incx, g->y, g->incy);
    case srot: return mysrot(handle, g->n, g->x, g->incx, g->y, g->incy, g->c, g->s);
    case srotm: return mysrotm(handle, g->n, g->x, g->incx, g->y, g->incy, g->param);
    case srotg: return mysrotg(handle, g->a, g->b, g->c, g->s);
    case srotmg: return mysrotmg(handle, g->d1, g->d2, g->x1, g->y1, g->param);
    case sgemv: return mysgemv(handle, g->trans, g->m, g->n, g->alpha, g->A, g->lda, g->x, g->incx,
        g->beta, g->y, g->incy);
    case sgemv_strided_batched: return mysgemvStridedBatched(handle, g->trans, g->m, g->n, g->alpha,
        g->A, g->lda, g->strideA, g->x, g->incx, g->stridex, g->beta, g->y, g->incy, g->stridey,
        g->batch_count);
    case sgemv_batched: return mysgemvBatched(handle, g->trans, g->m, g->n, g->alpha, g->Aarray,
        g->lda, g->xarray, g->incx, g->beta, g->yarray, g->incy, g->batch_count);
    case sger: return mysger(handle, g->m, g->n, g->alpha, g->x, g->incx, g->y, g->incy, g->A,
        g->lda);
    case ssymv: return myssymv(handle, g->uplo, g->n, g->alpha, g->A, g->lda, g->x, g->incx,
        g->beta, g->y, g->incy);
    case ssyr: return myssyr(handle, g->uplo, g->n, g->alpha, g->x, g->incx, g->A, g->lda);
    case ssyr2: return myssyr2(handle, g->uplo, g->n, g->alpha, g->x, g->incx, g->y, g->incy, g->A,
        g->lda);
    case strmv: return mystrmv(handle, g->uplo, g->trans, g->diag, g->n, g->A, g->lda, g->x,
        g->incx);
    case strsv: return mystrsv(handle, g->uplo, g->trans, g->diag, g->n, g->A, g->lda, g->x,
        g->incx);
    default: return MYBLAS_STATUS_NOT_SUPPORTED;
    }
}

// The _64 forms. A function without sizes has none.
static myblasStatus_t
call_wide(enum function function, myblasHandle_t handle, const struct arguments* g) {
    switch (function) {
    case set_matrix: return myblasSetMatrix_64(handle, g->rows, g->cols, g->element_bytes, g->A,
        g->lda, g->B, g->ldb);
    case get_matrix: return myblasGetMatrix_64(handle, g->rows, g->cols, g->element_bytes, g->A,
        g->lda, g->B, g->ldb);
    case set_vector: return myblasSetVector_64(handle, g->n, g->element_bytes, g->x, g->incx, g->y,
        g->incy);
    case get_vector: return myblasGetVector_64(handle, g->n, g->element_bytes, g->x, g->incx, g->y,
        g->incy);
    case set_matrix_async: return myblasSetMatrixAsync_64(handle, g->rows, g->cols,
        g->element_bytes, g->A, g->lda, g->B, g->ldb, g->stream);
    case get_matrix_async: return myblasGetMatrixAsync_64(handle, g->rows, g->cols,
        g->element_bytes, g->A, g->lda, g->B, g->ldb, g->stream);
    case set_vector_async: return myblasSetVectorAsync_64(handle, g->n, g->element_bytes, g->x,
        g->incx, g->y, g->incy, g->stream);
    case get_vector_async: return myblasGetVectorAsync_64(handle, g->n, g->element_bytes, g->x,
        g->incx, g->y, g->incy, g->stream);
    case sgemm: return mysgemm_64(handle, g->transa, g->transb, g->m, g->n, g->k, g->alpha, g->A,
        g->lda, g->B, g->ldb, g->beta, g->C, g->ldc);
    case sgemm_host: return mysgemmHost_64(handle, g->transa, g->transb, g->m, g->n, g->k, g->alpha,
        g->A, g->lda, g->B, g->ldb, g->beta, g->C, g->ldc);
    case sgemm_strided_batched: return mysgemmStridedBatched_64(handle, g->transa, g->transb, g->m,
        g->n, g->k, g->alpha, g->A, g->lda, g->strideA, g->B, g->ldb, g->strideB, g->beta, g->C,
        g->ldc, g->strideC, g->batch_count);
    case sgemm_batched: return mysgemmBatched_64(handle, g->transa, g->transb, g->m, g->n, g->k,
        g->alpha, g->Aarray, g->lda, g->Barray, g->ldb, g->beta, g->Carray, g->ldc, g->batch_count);
    case sgemm_fused: return mysgemmFused_64(handle, g->transa, g->transb, g->m, g->n, g->k,
        g->alpha, g->A, g->lda, g->B, g->ldb, g->beta, g->C, g->ldc, g->D, g->ldd, g->epilogue);
    case sgemm_fused_strided_batched: return mysgemmFusedStridedBatched_64(handle, g->transa,
        g->transb, g->m, g->n, g->k, g->alpha, g->A, g->lda, g->strideA, g->B, g->ldb, g->strideB,
        g->beta, g->C, g->ldc, g->strideC, g->D, g->ldd, g->strideD, g->epilogue, g->batch_count);
    case ssyrk: return myssyrk_64(handle, g->uplo, g->trans, g->n, g->k, g->alpha, g->A, g->lda,
        g->beta, g->C, g->ldc);
    case ssyrkx: return myssyrkx_64(handle, g->uplo, g->trans, g->n, g->k, g->alpha, g->A, g->lda,
        g->B, g->ldb, g->beta, g->C, g->ldc);
    case ssyr2k: return myssyr2k_64(handle, g->uplo, g->trans, g->n, g->k, g->alpha, g->A, g->lda,
        g->B, g->ldb, g->beta, g->C, g->ldc);
    case sgemmtr: return mysgemmtr_64(handle, g->uplo, g->transa, g->transb, g->n, g->k, g->alpha,
        g->A, g->lda, g->B, g->ldb, g->beta, g->C, g->ldc);
    case ssymm: return myssymm_64(handle, g->side, g->uplo, g->m, g->n, g->alpha, g->A, g->lda,
        g->B, g->ldb, g->beta, g->C, g->ldc);
    case strmm: return mystrmm_64(handle, g->side, g->uplo, g->trans, g->diag, g->m, g->n, g->alpha,
        g->A, g->lda, g->B, g->ldb, g->C, g->ldc);
    case strsm: return mystrsm_64(handle, g->side, g->uplo, g->trans, g->diag, g->m, g->n, g->alpha,
        g->A, g->lda, g->B, g->ldb);
    case strsm_batched: return mystrsmBatched_64(handle, g->side, g->uplo, g->trans, g->diag, g->m,
        g->n, g->alpha, g->Aarray, g->lda, g->Barray, g->ldb, g->batch_count);
    case strsm_strided_batched: return mystrsmStridedBatched_64(handle, g->side, g->uplo, g->trans,
        g->diag, g->m, g->n, g->alpha, g->A, g->lda, g->strideA, g->B, g->ldb, g->strideB,
        g->batch_count);
    case sgemm_grouped_batched: return mysgemmGroupedBatched_64(handle, g->transa_array,
        g->transb_array, g->m_array, g->n_array, g->k_array, g->alpha_array, g->Aarray,
        g->lda_array, g->Barray, g->ldb_array, g->beta_array, g->Carray, g->ldc_array,
        g->group_count, g->group_size);
    case transpose: return mytranspose_64(handle, g->m, g->n, g->A, g->lda, g->B, g->ldb);
    case transpose_ex: return mytransposeEx_64(handle, g->m, g->n, g->element_bytes, g->A, g->lda,
        g->B, g->ldb);
    case transpose_strided_batched: return mytransposeStridedBatched_64(handle, g->m, g->n, g->A,
        g->lda, g->strideA, g->B, g->ldb, g->strideB, g->batch_count);
    case sgeam: return mysgeam_64(handle, g->transa, g->transb, g->m, g->n, g->alpha, g->A, g->lda,
        g->beta, g->B, g->ldb, g->C, g->ldc);
    case sum: return mysum_64(handle, g->n, g->x, g->incx, g->result);
    case sasum: return mysasum_64(handle, g->n, g->x, g->incx, g->result);
    case dsum: return mydsum_64(handle, g->n, g->x, g->incx, g->result);
    case sgemsum: return mysgemsum_64(handle, g->op, g->m, g->n, g->A, g->lda, g->result);
    case histogram256: return myhistogram256_64(handle, g->n, g->x, g->counts);
    case saxpy: return mysaxpy_64(handle, g->n, g->alpha, g->x, g->incx, g->y, g->incy);
    case scopy: return myscopy_64(handle, g->n, g->x, g->incx, g->y, g->incy);
    case sdot: return mysdot_64(handle, g->n, g->x, g->incx, g->y, g->incy, g->result);
    case sdsdot: return mysdsdot_64(handle, g->n, g->sb, g->x, g->incx, g->y, g->incy, g->result);
    case snrm2: return mysnrm2_64(handle, g->n, g->x, g->incx, g->result);
    case isamax: return myisamax_64(handle, g->n, g->x, g->incx, g->result);
    case isamin: return myisamin_64(handle, g->n, g->x, g->incx, g->result);
    case sscal: return mysscal_64(handle, g->n, g->alpha, g->x, g->incx);
    case sswap: return mysswap_64(handle, g->n, g->x, g->incx, g->y, g->incy);
    case srot: return mysrot_64(handle, g->n, g->x, g->incx, g->y, g->incy, g->c, g->s);
    case srotm: return mysrotm_64(handle, g->n, g->x, g->incx, g->y, g->incy, g->param);
    case srotg: return mysrotg(handle, g->a, g->b, g->c, g->s);
    case srotmg: return mysrotmg(handle, g->d1, g->d2, g->x1, g->y1, g->param);
    case sgemv: return mysgemv_64(handle, g->trans, g->m, g->n, g->alpha, g->A, g->lda, g->x,
        g->incx, g->beta, g->y, g->incy);
    case sgemv_strided_batched: return mysgemvStridedBatched_64(handle, g->trans, g->m, g->n,
        g->alpha, g->A, g->lda, g->strideA, g->x, g->incx, g->stridex, g->beta, g->y, g->incy,
        g->stridey, g->batch_count);
    case sgemv_batched: return mysgemvBatched_64(handle, g->trans, g->m, g->n, g->alpha, g->Aarray,
        g->lda, g->xarray, g->incx, g->beta, g->yarray, g->incy, g->batch_count);
    case sger: return mysger_64(handle, g->m, g->n, g->alpha, g->x, g->incx, g->y, g->incy, g->A,
        g->lda);
    case ssymv: return myssymv_64(handle, g->uplo, g->n, g->alpha, g->A, g->lda, g->x, g->incx,
        g->beta, g->y, g->incy);
    case ssyr: return myssyr_64(handle, g->uplo, g->n, g->alpha, g->x, g->incx, g->A, g->lda);
    case ssyr2: return myssyr2_64(handle, g->uplo, g->n, g->alpha, g->x, g->incx, g->y, g->incy,
        g->A, g->lda);
    case strmv: return mystrmv_64(handle, g->uplo, g->trans, g->diag, g->n, g->A, g->lda, g->x,
        g->incx);
    case strsv: return mystrsv_64(handle, g->uplo, g->trans, g->diag, g->n, g->A, g->lda, g->x,
        g->incx);
    default: return MYBLAS_STATUS_NOT_SUPPORTED;
    }
}
#endif // __cplusplus

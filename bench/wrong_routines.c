/* Preloaded into myblas-bench: its fused products and routines of levels 1 to 3 are wrong in one
 * element, or with WRONG=outside right but for an element that is not theirs. The damage is done by
 * the library's own calls, on either backend. */
#define _GNU_SOURCE
#include "myblas/myblas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int is_outside(void) {
    const char* kind = getenv("WRONG");
    return kind && strcmp(kind, "outside") == 0;
}

static void* next(const char* name) { return dlsym(RTLD_NEXT, name); }

static void spoil(myblasHandle_t h, float* element) {
    const float factor = 2;
    myblasPointerMode_t mode = MYBLAS_POINTER_MODE_HOST;
    myblasGetPointerMode(h, &mode);
    myblasSetPointerMode(h, MYBLAS_POINTER_MODE_HOST);
    ((myblasStatus_t(*)(myblasHandle_t, int64_t, const float*, float*, int64_t))next("mysscal_64"))(
        h, 1, &factor, element, 1);
    myblasSetPointerMode(h, mode);
}

static void overwrite(myblasHandle_t h, float* element, const float* other) {
    ((myblasStatus_t(*)(myblasHandle_t, int64_t, const float*, int64_t, float*, int64_t))next(
        "myscopy_64"))(h, 1, other, 1, element, 1);
}

static void spoil_vector(myblasHandle_t h, float* x, int64_t n, int64_t inc) {
    spoil(h, &x[(n - 1) * inc]);
}

/* An index becomes one that no vector has. */
static void spoil_index(myblasHandle_t h, int64_t* index, const float* x) {
    overwrite(h, (float*)index, x);
}

/* Below the last row there is padding; in a triangle there is the other one. */
static void spoil_matrix(myblasHandle_t h, float* c, int64_t m, int64_t n, int64_t ld) {
    float* const last = &c[m - 1 + (n - 1) * ld];
    if (is_outside())
        overwrite(h, last + 1, last);
    else
        spoil(h, last);
}

static void
spoil_triangle(myblasHandle_t h, float* c, myblasFillMode_t uplo, int64_t n, int64_t ld) {
    float* const last = &c[n - 1 + (n - 1) * ld];
    if (is_outside())
        overwrite(h, uplo == MYBLAS_FILL_MODE_LOWER ? &c[(n - 1) * ld] : &c[n - 1], last);
    else
        spoil(h, last);
}

/* A wrapper around the library's function: its parameters, and the same without their types. */
#define WRONG(name, parameters, arguments, damage)                                                 \
    myblasStatus_t name parameters {                                                               \
        myblasStatus_t(*const right) parameters = (myblasStatus_t(*) parameters)next(#name);       \
        const myblasStatus_t status = right arguments;                                             \
        damage;                                                                                    \
        return status;                                                                             \
    }

#define HANDLE myblasHandle_t h
#define UPLO myblasFillMode_t uplo
#define SIDE myblasSideMode_t side
#define OP myblasOperation_t op
#define DIAG myblasDiagType_t diag
#define N int64_t n
#define M int64_t m
#define SCALAR(name) const float* name
#define IN(x, inc) const float *x, int64_t inc
#define OUT(x, inc) float *x, int64_t inc

// clang-format off
WRONG(mysasum_64, (HANDLE, N, IN(x, incx), float* r), (h, n, x, incx, r), spoil(h, r))
WRONG(mysaxpy_64, (HANDLE, N, SCALAR(alpha), IN(x, incx), OUT(y, incy)),
      (h, n, alpha, x, incx, y, incy), spoil_vector(h, y, n, incy))
WRONG(myscopy_64, (HANDLE, N, IN(x, incx), OUT(y, incy)), (h, n, x, incx, y, incy),
      spoil_vector(h, y, n, incy))
WRONG(mysdot_64, (HANDLE, N, IN(x, incx), IN(y, incy), float* r), (h, n, x, incx, y, incy, r),
      spoil(h, r))
WRONG(mysnrm2_64, (HANDLE, N, IN(x, incx), float* r), (h, n, x, incx, r), spoil(h, r))
WRONG(myisamax_64, (HANDLE, N, IN(x, incx), int64_t* r), (h, n, x, incx, r), spoil_index(h, r, x))
WRONG(myisamin_64, (HANDLE, N, IN(x, incx), int64_t* r), (h, n, x, incx, r), spoil_index(h, r, x))
WRONG(mysscal_64, (HANDLE, N, SCALAR(alpha), OUT(x, incx)), (h, n, alpha, x, incx),
      spoil_vector(h, x, n, incx))
WRONG(mysswap_64, (HANDLE, N, OUT(x, incx), OUT(y, incy)), (h, n, x, incx, y, incy),
      spoil_vector(h, y, n, incy))
WRONG(mysrot_64, (HANDLE, N, OUT(x, incx), OUT(y, incy), SCALAR(c), SCALAR(s)),
      (h, n, x, incx, y, incy, c, s), spoil_vector(h, x, n, incx))
WRONG(mysrotm_64, (HANDLE, N, OUT(x, incx), OUT(y, incy), SCALAR(param)),
      (h, n, x, incx, y, incy, param), spoil_vector(h, y, n, incy))
WRONG(mysgemmFused_64, (HANDLE, OP, myblasOperation_t opb, M, N, int64_t k, SCALAR(alpha),
      IN(a, lda), IN(b, ldb), SCALAR(beta), IN(c, ldc), OUT(d, ldd), const myblasEpilogue_t* e),
      (h, op, opb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, d, ldd, e),
      spoil_matrix(h, d, m, n, ldd))
WRONG(mysgemv_64, (HANDLE, OP, M, N, SCALAR(alpha), IN(a, lda), IN(x, incx), SCALAR(beta),
      OUT(y, incy)), (h, op, m, n, alpha, a, lda, x, incx, beta, y, incy),
      spoil_vector(h, y, op == MYBLAS_OP_N ? m : n, incy))
WRONG(myssymv_64, (HANDLE, UPLO, N, SCALAR(alpha), IN(a, lda), IN(x, incx), SCALAR(beta),
      OUT(y, incy)), (h, uplo, n, alpha, a, lda, x, incx, beta, y, incy),
      spoil_vector(h, y, n, incy))
WRONG(myssyr_64, (HANDLE, UPLO, N, SCALAR(alpha), IN(x, incx), OUT(a, lda)),
      (h, uplo, n, alpha, x, incx, a, lda), spoil_triangle(h, a, uplo, n, lda))
WRONG(myssyr2_64, (HANDLE, UPLO, N, SCALAR(alpha), IN(x, incx), IN(y, incy), OUT(a, lda)),
      (h, uplo, n, alpha, x, incx, y, incy, a, lda), spoil_triangle(h, a, uplo, n, lda))
WRONG(mysger_64, (HANDLE, M, N, SCALAR(alpha), IN(x, incx), IN(y, incy), OUT(a, lda)),
      (h, m, n, alpha, x, incx, y, incy, a, lda), spoil_matrix(h, a, m, n, lda))
WRONG(mystrmv_64, (HANDLE, UPLO, OP, DIAG, N, IN(a, lda), OUT(x, incx)),
      (h, uplo, op, diag, n, a, lda, x, incx), spoil_vector(h, x, n, incx))
WRONG(mystrsv_64, (HANDLE, UPLO, OP, DIAG, N, IN(a, lda), OUT(x, incx)),
      (h, uplo, op, diag, n, a, lda, x, incx), spoil_vector(h, x, n, incx))
WRONG(myssyrk_64, (HANDLE, UPLO, OP, N, int64_t k, SCALAR(alpha), IN(a, lda), SCALAR(beta),
      OUT(c, ldc)),
      (h, uplo, op, n, k, alpha, a, lda, beta, c, ldc), spoil_triangle(h, c, uplo, n, ldc))
WRONG(myssyr2k_64, (HANDLE, UPLO, OP, N, int64_t k, SCALAR(alpha), IN(a, lda), IN(b, ldb),
      SCALAR(beta), OUT(c, ldc)),
      (h, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc), spoil_triangle(h, c, uplo, n, ldc))
WRONG(myssymm_64, (HANDLE, SIDE, UPLO, M, N, SCALAR(alpha), IN(a, lda), IN(b, ldb), SCALAR(beta),
      OUT(c, ldc)),
      (h, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc), spoil_matrix(h, c, m, n, ldc))
WRONG(mystrmm_64, (HANDLE, SIDE, UPLO, OP, DIAG, M, N, SCALAR(alpha), IN(a, lda), IN(b, ldb),
      OUT(c, ldc)),
      (h, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, c, ldc), spoil_matrix(h, c, m, n, ldc))
WRONG(mystrsm_64, (HANDLE, SIDE, UPLO, OP, DIAG, M, N, SCALAR(alpha), IN(a, lda), OUT(b, ldb)),
      (h, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb), spoil_matrix(h, b, m, n, ldb))

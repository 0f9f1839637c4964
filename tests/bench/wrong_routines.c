/* Preloaded into myblas-bench: its fused products and routines of levels 1 to 3 are wrong in one
 * element, or with WRONG=outside right but for an element that is not theirs. The damage is done by
 * the library's own calls, on either backend. */
#define _GNU_SOURCE
#include "common/cublas_parameters.h"
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

/* A wrapper around the library's function, with 64-bit sizes: PARAMETERS_ and ARGUMENTS_ are those
 * after the handle. */
#define SIZE int64_t
#define WITHOUT_PARENTHESES(...) __VA_ARGS__
#define EXPANDED(text) text
#define IN(list) EXPANDED(WITHOUT_PARENTHESES list)
#define WRONG(name, damage)                                                                        \
    myblasStatus_t name##_64(myblasHandle_t h, IN(PARAMETERS_##name)) {                            \
        myblasStatus_t (*const right)(myblasHandle_t, IN(PARAMETERS_##name)) =                     \
            (myblasStatus_t(*)(myblasHandle_t, IN(PARAMETERS_##name)))next(#name "_64");           \
        const myblasStatus_t status = right(h, IN(ARGUMENTS_##name));                              \
        damage;                                                                                    \
        return status;                                                                             \
    }

WRONG(mysasum, spoil(h, result))
WRONG(mysaxpy, spoil_vector(h, y, n, incy))
WRONG(myscopy, spoil_vector(h, y, n, incy))
WRONG(mysdot, spoil(h, result))
WRONG(mysnrm2, spoil(h, result))
WRONG(myisamax, spoil_index(h, result, x))
WRONG(myisamin, spoil_index(h, result, x))
WRONG(mysscal, spoil_vector(h, x, n, incx))
WRONG(mysswap, spoil_vector(h, y, n, incy))
WRONG(mysrot, spoil_vector(h, x, n, incx))
WRONG(mysrotm, spoil_vector(h, y, n, incy))
WRONG(mysgeam, spoil_matrix(h, C, m, n, ldc))
WRONG(mysgemv, spoil_vector(h, y, trans == MYBLAS_OP_N ? m : n, incy))
WRONG(myssymv, spoil_vector(h, y, n, incy))
WRONG(myssyr, spoil_triangle(h, A, uplo, n, lda))
WRONG(myssyr2, spoil_triangle(h, A, uplo, n, lda))
WRONG(mysger, spoil_matrix(h, A, m, n, lda))
WRONG(mystrmv, spoil_vector(h, x, n, incx))
WRONG(mystrsv, spoil_vector(h, x, n, incx))
WRONG(myssyrk, spoil_triangle(h, C, uplo, n, ldc))
WRONG(myssyr2k, spoil_triangle(h, C, uplo, n, ldc))
WRONG(myssymm, spoil_matrix(h, C, m, n, ldc))
WRONG(mystrmm, spoil_matrix(h, C, m, n, ldc))
WRONG(mystrsm, spoil_matrix(h, B, m, n, ldb))

/* cuBLAS has none of these. */
// clang-format off
#define PARAMETERS_mysgemmFused                                                                    \
    (myblasOperation_t transa, myblasOperation_t transb, SIZE m, SIZE n, SIZE k,                   \
     const float* alpha, const float* A, SIZE lda, const float* B, SIZE ldb, const float* beta,    \
     const float* C, SIZE ldc, float* D, SIZE ldd, const myblasEpilogue_t* epilogue)
#define PARAMETERS_mysgemsum                                                                       \
    (myblasOperation_t op, SIZE m, SIZE n, const float* A, SIZE lda, float* result)
#define PARAMETERS_mytransposeEx                                                                   \
    (SIZE m, SIZE n, SIZE element_bytes, const void* A, SIZE lda, void* B, SIZE ldb)
// clang-format on
#define ARGUMENTS_mysgemmFused                                                                     \
    (transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, D, ldd, epilogue)
#define ARGUMENTS_mysgemsum (op, m, n, A, lda, result)
#define ARGUMENTS_mytransposeEx (m, n, element_bytes, A, lda, B, ldb)
WRONG(mysgemmFused, spoil_matrix(h, D, m, n, ldd))
WRONG(mysgemsum, spoil(h, &result[(op == MYBLAS_OP_N ? m : n) - 1]))
WRONG(mytransposeEx, spoil_matrix(h, B, n, m, ldb))

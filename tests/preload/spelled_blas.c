// A BLAS of few routines that counts its calls; see spelled_blas.h.
#include "spelled_blas.h"

static int calls;
int calls_of_blas(void) { return calls; }

// Column-major, without transposition.
static void multiply(int64_t m,
                     int64_t n,
                     int64_t k,
                     float alpha,
                     const float* a,
                     int64_t lda,
                     const float* b,
                     int64_t ldb,
                     float beta,
                     float* c,
                     int64_t ldc) {
    ++calls;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
            float sum = 0;
            for (int64_t l = 0; l < k; ++l)
                sum += a[i + l * lda] * b[l + j * ldb];
            c[i + j * ldc] = alpha * sum + (beta == 0 ? 0 : beta * c[i + j * ldc]);
        }
}

static int64_t find_largest(int64_t n, const float* x, int64_t incx) {
    ++calls;
    int64_t largest = 0;
    for (int64_t i = 1; i < n; ++i)
        if (x[i * incx] * x[i * incx] > x[largest * incx] * x[largest * incx])
            largest = i;
    return largest;
}

static void add(int64_t n, float alpha, const float* x, int64_t incx, float* y, int64_t incy) {
    ++calls;
    for (int64_t i = 0; i < n; ++i)
        y[i * incy] += alpha * x[i * incx];
}

#define DEFINE_fortran(sgemm, isamax, saxpy, integer)                                              \
    FORTRAN_SGEMM(sgemm, integer) {                                                                \
        if (*transa == 'N' && *transb == 'N' && length_a == 1 && length_b == 1)                    \
            multiply(*m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);                        \
    }                                                                                              \
    FORTRAN_ISAMAX(isamax, integer) { return (integer)find_largest(*n, x, *incx) + 1; }            \
    FORTRAN_SAXPY(saxpy, integer) { add(*n, *alpha, x, *incx, y, *incy); }

#define DEFINE_cblas(sgemm, isamax, saxpy, integer)                                                \
    CBLAS_SGEMM(sgemm, integer) {                                                                  \
        if (order == 102 && transa == 111 && transb == 111)                                        \
            multiply(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                \
    }                                                                                              \
    CBLAS_ISAMAX(isamax, integer) { return (size_t)find_largest(n, x, incx); }                     \
    CBLAS_SAXPY(saxpy, integer) { add(n, alpha, x, incx, y, incy); }

#define DEFINE(name, id, used, integer, before, after)                                             \
    DEFINE_##used(before##sgemm##after, before##isamax##after, before##saxpy##after, integer)
BLAS_SPELLINGS(DEFINE, )

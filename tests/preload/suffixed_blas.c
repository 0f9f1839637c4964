// A BLAS with 64-bit integers and the suffix 64_, as Julia's OpenBLAS: a few functions.
// WITHOUT_DGEMM leaves dgemm_64_ out.
#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

int64_t isamax_64_(const int64_t* n, const float* x, const int64_t* incx) {
    int64_t largest = *n > 0;
    for (int64_t i = 0; i < *n; ++i)
        if (fabsf(x[i * *incx]) > fabsf(x[(largest - 1) * *incx]))
            largest = i + 1;
    return largest;
}

#define DOTC(dotc, complex_type)                                                                   \
    complex_type dotc(const int64_t* n,                                                            \
                      const complex_type* x,                                                       \
                      const int64_t* incx,                                                         \
                      const complex_type* y,                                                       \
                      const int64_t* incy) {                                                       \
        complex_type sum = 0;                                                                      \
        for (int64_t i = 0; i < *n; ++i)                                                           \
            sum += (complex_type)conj(x[i * *incx]) * y[i * *incy];                                \
        return sum;                                                                                \
    }
DOTC(cdotc_64_, float complex)
DOTC(zdotc_64_, double complex)

#define GEMM(gemm, real)                                                                           \
    void gemm(const char* transa,                                                                  \
              const char* transb,                                                                  \
              const int64_t* m,                                                                    \
              const int64_t* n,                                                                    \
              const int64_t* k,                                                                    \
              const real* alpha,                                                                   \
              const real* a,                                                                       \
              const int64_t* lda,                                                                  \
              const real* b,                                                                       \
              const int64_t* ldb,                                                                  \
              const real* beta,                                                                    \
              real* c,                                                                             \
              const int64_t* ldc) {                                                                \
        for (int64_t j = 0; j < *n; ++j)                                                           \
            for (int64_t i = 0; i < *m; ++i) {                                                     \
                real sum = 0;                                                                      \
                for (int64_t l = 0; l < *k; ++l)                                                   \
                    sum += a[*transa == 'N' ? i + l * *lda : l + i * *lda] *                       \
                           b[*transb == 'N' ? l + j * *ldb : j + l * *ldb];                        \
                real* const element = c + i + j * *ldc;                                            \
                *element = *alpha * sum + (*beta == 0 ? 0 : *beta * *element);                     \
            }                                                                                      \
    }
GEMM(sgemm_64_, float)
#ifndef WITHOUT_DGEMM
GEMM(dgemm_64_, double)
#endif

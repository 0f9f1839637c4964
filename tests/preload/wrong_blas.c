// A BLAS whose product is wrong in one element if the result is large enough, and whose saxpy is
// wrong: the testers must find it. One build is a program's BLAS (sgemm_, cblas_sgemm); another,
// under OpenBLAS's name, is the one that libmyblas loads.
#include <stdbool.h>
#include <stddef.h>

static bool is_no_trans(char c) { return c == 'N' || c == 'n'; }

static void product(bool transa,
                    bool transb,
                    int m,
                    int n,
                    int k,
                    float alpha,
                    const float* a,
                    int lda,
                    const float* b,
                    int ldb,
                    float beta,
                    float* c,
                    int ldc) {
    for (ptrdiff_t j = 0; j < n; ++j) {
        for (ptrdiff_t i = 0; i < m; ++i) {
            double sum = 0;
            for (ptrdiff_t l = 0; l < k; ++l)
                sum += (double)a[transa ? l + i * lda : i + l * lda] *
                       b[transb ? j + l * ldb : l + j * ldb];
            const double scaled = beta == 0 ? 0 : (double)beta * c[i + j * ldc];
            c[i + j * ldc] = (float)(alpha * sum + scaled);
        }
    }
    if (m > 2 && n > 2)
        c[1 + (ptrdiff_t)ldc] *= 1.01f;
}

void sgemm_(const char* transa,
            const char* transb,
            const int* m,
            const int* n,
            const int* k,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* b,
            const int* ldb,
            const float* beta,
            float* c,
            const int* ldc) {
    product(!is_no_trans(*transa),
            !is_no_trans(*transb),
            *m,
            *n,
            *k,
            *alpha,
            a,
            *lda,
            b,
            *ldb,
            *beta,
            c,
            *ldc);
}

// Column-major only.
void cblas_sgemm(int order,
                 int transa,
                 int transb,
                 int m,
                 int n,
                 int k,
                 float alpha,
                 const float* a,
                 int lda,
                 const float* b,
                 int ldb,
                 float beta,
                 float* c,
                 int ldc) {
    enum { no_trans = 111 };
    (void)order;
    product(transa != no_trans, transb != no_trans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void saxpy_(
    const int* n, const float* alpha, const float* x, const int* incx, float* y, const int* incy) {
    for (ptrdiff_t i = 0; i < *n; ++i)
        y[i * *incy] += *alpha * x[i * *incx] + 1;
}

const char* openblas_get_config(void) { return "wrong"; }
int openblas_get_parallel(void) { return 0; }

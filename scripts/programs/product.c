/* C: three products by CBLAS and a solve by LAPACK. */
#include <cblas.h>
#include <stdlib.h>

void sgesv_(const int* n,
            const int* nrhs,
            float* a,
            const int* lda,
            int* ipiv,
            float* b,
            const int* ldb,
            int* info);

static float a[500 * 500], b[500 * 500], c[500 * 500];

int main(void) {
    const int n = 500;
    static int pivots[500];
    int info = 1;
    for (int i = 0; i < n * n; ++i) {
        a[i] = (float)rand() / (float)RAND_MAX;
        b[i] = (float)rand() / (float)RAND_MAX;
    }
    for (int i = 0; i < 3; ++i)
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
    sgesv_(&n, &n, a, &n, pivots, c, &n, &info);
    return info;
}

/*
 * Two products at a time: each on a stream of its own, with one handle and one thread.
 *
 * The program includes no header of CUDA and needs none to be compiled. Memory, copies and streams
 * go through the library, so it runs unchanged without a GPU, where every call is finished when it
 * returns.
 *
 *     cc streams.c -o streams $(pkg-config --cflags --libs myblas)
 */
#include <myblas/myblas.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 300, pairs = 2 };

static void check(myblasStatus_t status, const char* what) {
    if (status != MYBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "%s: %s\n", what, myblasGetStatusString(status));
        exit(EXIT_FAILURE);
    }
}

/* A matrix of small integers, whose products floats hold exactly in any order of adding. */
static float element(int pair, int i, int j) { return (float)((i * 7 + j * 3 + pair) % 5 - 2); }

int main(void) {
    static float host_a[pairs][n * n], host_c[pairs][n * n];
    const float one = 1, zero = 0;
    const size_t bytes = sizeof host_a[0];
    void *a[pairs], *c[pairs];
    myblasStream_t streams[pairs];
    myblasHandle_t handle;

    check(myblasCreate(&handle), "myblasCreate");
    for (int pair = 0; pair < pairs; ++pair) {
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                host_a[pair][i + j * n] = element(pair, i, j);
        check(myblasStreamCreate(handle, &streams[pair]), "myblasStreamCreate");
        check(myblasMalloc(handle, &a[pair], bytes), "myblasMalloc");
        check(myblasMalloc(handle, &c[pair], bytes), "myblasMalloc");
    }

    /* Everything is enqueued before anything is waited for. The handle has a workspace for each
     * stream, so it may move on while earlier work still runs. */
    for (int pair = 0; pair < pairs; ++pair) {
        const myblasStream_t stream = streams[pair];
        check(myblasSetStream(handle, stream), "myblasSetStream");
        check(
            myblasSetMatrixAsync(handle, n, n, sizeof(float), host_a[pair], n, a[pair], n, stream),
            "myblasSetMatrixAsync");
        check(mysgemm(handle,
                      MYBLAS_OP_T,
                      MYBLAS_OP_N,
                      n,
                      n,
                      n,
                      &one,
                      a[pair],
                      n,
                      a[pair],
                      n,
                      &zero,
                      c[pair],
                      n),
              "mysgemm");
        check(
            myblasGetMatrixAsync(handle, n, n, sizeof(float), c[pair], n, host_c[pair], n, stream),
            "myblasGetMatrixAsync");
    }

    int wrong = 0;
    for (int pair = 0; pair < pairs; ++pair) {
        check(myblasStreamSynchronize(handle, streams[pair]), "myblasStreamSynchronize");
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                float sum = 0;
                for (int l = 0; l < n; ++l)
                    sum += element(pair, l, i) * element(pair, l, j);
                wrong += host_c[pair][i + j * n] != sum;
            }
        printf(
            "product %d: A^T A, %d x %d, its first element %g\n", pair + 1, n, n, host_c[pair][0]);
    }
    printf("%d elements are wrong\n", wrong);

    /* The stream that the handle works on goes last. */
    check(myblasSetStream(handle, NULL), "myblasSetStream");
    for (int pair = 0; pair < pairs; ++pair) {
        check(myblasStreamDestroy(handle, streams[pair]), "myblasStreamDestroy");
        check(myblasFree(handle, a[pair]), "myblasFree");
        check(myblasFree(handle, c[pair]), "myblasFree");
    }
    check(myblasDestroy(handle), "myblasDestroy");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

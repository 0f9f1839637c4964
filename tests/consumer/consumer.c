/* A program of someone who has the installed library: one product on the host backend. */
#include <myblas/myblas.h>
#include <myblas/myblas_kernels.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    const float a[4] = {1, 3, 2, 4}; /* [1 2; 3 4] */
    const float b[4] = {5, 7, 6, 8}; /* [5 6; 7 8] */
    float c[4] = {1, 1, 1, 1};
    const float expected[4] = {39, 87, 45, 101}; /* 2 A B + C */
    const float alpha = 2, beta = 1;
    const char* kernel = NULL;
    int version = 0;
    myblasHandle_t handle;

    if (myblasCreateOn(&handle, MYBLAS_BACKEND_HOST) != MYBLAS_STATUS_SUCCESS ||
        myblasGetVersion(handle, &version) != MYBLAS_STATUS_SUCCESS || version != MYBLAS_VERSION)
        return 1;
    if (mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_N, 2, 2, 2, &alpha, a, 2, b, 2, &beta, c, 2) !=
            MYBLAS_STATUS_SUCCESS ||
        memcmp(c, expected, sizeof c) != 0)
        return 2;
    if (myblasGetLastKernel(handle, MYBLAS_ROUTINE_SGEMM, &kernel) != MYBLAS_STATUS_SUCCESS ||
        kernel == NULL)
        return 3;
    printf("myblas %d, kernel %s\n", version, kernel);
    return myblasDestroy(handle) == MYBLAS_STATUS_SUCCESS ? 0 : 4;
}

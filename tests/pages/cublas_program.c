/*
 * A program for cuBLAS and CUDA, as users have them: least squares by conjugate gradients on the
 * normal equations. The test `ported_program` replaces one line of it, the first include.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK_CUDA(call)                                                                           \
    do {                                                                                           \
        const cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

#define CHECK_CUBLAS(call)                                                                         \
    do {                                                                                           \
        const cublasStatus_t status = (call);                                                      \
        if (status != CUBLAS_STATUS_SUCCESS) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cublasGetStatusString(status));     \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

enum { rows = 800, cols = 60, most_steps = 200 };

static float* device_floats(size_t count) {
    void* memory = NULL;
    CHECK_CUDA(cudaMalloc(&memory, count * sizeof(float)));
    return memory;
}

int main(void) {
    static float host_a[rows * cols], host_b[rows], host_x[cols];
    const size_t col_bytes = cols * sizeof(float);
    const float one = 1, zero = 0;
    cublasHandle_t handle;
    cudaStream_t stream;
    int version = 0;

    /* b = A x for x = 1, 2, 3, ... */
    for (int j = 0; j < cols; ++j)
        for (int i = 0; i < rows; ++i) {
            const float element =
                (float)((i * 37 + j * 101 + i * j) % 23 - 11) / 11 + (i % cols == j);
            host_a[i + j * rows] = element;
            host_b[i] += element * (float)(j + 1);
        }

    CHECK_CUBLAS(cublasCreate(&handle));
    CHECK_CUBLAS(cublasGetVersion(handle, &version));
    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUBLAS(cublasSetStream(handle, stream));
    CHECK_CUBLAS(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
    CHECK_CUBLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));

    float *a = device_floats(rows * cols), *b = device_floats(rows),
          *g = device_floats(cols * cols);
    float *x = device_floats(cols), *r = device_floats(cols), *p = device_floats(cols),
          *q = device_floats(cols);
    /* Copies as in the samples of CUDA: by helpers without a handle, and by the runtime. */
    CHECK_CUBLAS(cublasSetMatrix(rows, cols, sizeof(float), host_a, rows, a, rows));
    CHECK_CUBLAS(cublasSetVectorAsync(rows, sizeof(float), host_b, 1, b, 1, stream));
    CHECK_CUDA(cudaMemcpyAsync(x, host_x, col_bytes, cudaMemcpyHostToDevice, stream));

    /* G = A^T A, r = A^T b, as x is zero. */
    CHECK_CUBLAS(cublasSsyrk(
        handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, cols, rows, &one, a, rows, &zero, g, cols));
    CHECK_CUBLAS(cublasSgemv(handle, CUBLAS_OP_T, rows, cols, &one, a, rows, b, 1, &zero, r, 1));
    CHECK_CUBLAS(cublasScopy(handle, cols, r, 1, p, 1));

    float rho = 0, first = 0, norm = 0;
    CHECK_CUBLAS(cublasSdot(handle, cols, r, 1, r, 1, &rho));
    CHECK_CUBLAS(cublasSnrm2(handle, cols, r, 1, &first));
    int step = 0;
    for (norm = first; step < most_steps && norm > 1e-6f * first; ++step) {
        float curvature = 0, next = 0;
        CHECK_CUBLAS(
            cublasSsymv(handle, CUBLAS_FILL_MODE_LOWER, cols, &one, g, cols, p, 1, &zero, q, 1));
        CHECK_CUBLAS(cublasSdot(handle, cols, p, 1, q, 1, &curvature));
        const float length = rho / curvature, back = -length;
        CHECK_CUBLAS(cublasSaxpy(handle, cols, &length, p, 1, x, 1));
        CHECK_CUBLAS(cublasSaxpy(handle, cols, &back, q, 1, r, 1));
        CHECK_CUBLAS(cublasSdot(handle, cols, r, 1, r, 1, &next));
        const float turn = next / rho;
        CHECK_CUBLAS(cublasSscal(handle, cols, &turn, p, 1));
        CHECK_CUBLAS(cublasSaxpy(handle, cols, &one, r, 1, p, 1));
        CHECK_CUBLAS(cublasSnrm2(handle, cols, r, 1, &norm));
        rho = next;
    }

    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_CUBLAS(cublasGetVector(cols, sizeof(float), x, 1, host_x, 1));
    if (cublasSetVector(-1, sizeof(float), host_x, 1, x, 1) != CUBLAS_STATUS_INVALID_VALUE)
        return EXIT_FAILURE;
    float error = 0;
    for (int j = 0; j < cols; ++j)
        error = fmaxf(error, fabsf(host_x[j] / (float)(j + 1) - 1));
    printf("version %d: %d steps, largest relative error of x %.1e\n", version, step, error);

    CHECK_CUDA(cudaFree(a));
    CHECK_CUDA(cudaFree(b));
    CHECK_CUDA(cudaFree(g));
    CHECK_CUDA(cudaFree(x));
    CHECK_CUDA(cudaFree(r));
    CHECK_CUDA(cudaFree(p));
    CHECK_CUDA(cudaFree(q));
    CHECK_CUBLAS(cublasDestroy(handle));
    CHECK_CUDA(cudaStreamDestroy(stream));
    return error < 1e-3f ? EXIT_SUCCESS : EXIT_FAILURE;
}

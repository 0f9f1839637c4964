// cublas_calls [LIBMYBLAS]: the time in nanoseconds that the host spends on a call of cuBLAS until
// it returns or, with the path of libmyblas, on the same call of libmyblas. Calls with nothing to
// compute show the cost of a call without a launch; cublasLt has no such calls. One line of JSON.
#define _GNU_SOURCE
#include "clock.h"

#include "myblas/myblas.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 64, calls = 200, batches = 200 };

static cublasHandle_t cublas;
static cublasLtHandle_t cublas_lt;
static cublasLtMatmulDesc_t product;
static cublasLtMatrixLayout_t square;
static myblasHandle_t myblas;
static float *a, *b, *c;
static const float alpha = 1.5f, beta = 0.5f;
static __typeof__(&mysgemm) sgemm;
static __typeof__(&mysaxpy) saxpy;
static __typeof__(&myblasCreate) create;

static void cublas_sgemm(void* rows) {
    cublasSgemm(
        cublas, CUBLAS_OP_N, CUBLAS_OP_N, *(int*)rows, n, n, &alpha, a, n, b, n, &beta, c, n);
}
static void cublas_saxpy(void* length) { cublasSaxpy(cublas, *(int*)length, &alpha, a, 1, c, 1); }
static void cublas_matmul(void* unused) {
    (void)unused;
    // clang-format off
    cublasLtMatmul(cublas_lt, product, &alpha, a, square, b, square, &beta, c, square, c, square,
                   NULL, NULL, 0, NULL);
    // clang-format on
}
static void my_sgemm(void* rows) {
    sgemm(myblas, MYBLAS_OP_N, MYBLAS_OP_N, *(int*)rows, n, n, &alpha, a, n, b, n, &beta, c, n);
}
static void my_saxpy(void* length) { saxpy(myblas, *(int*)length, &alpha, a, 1, c, 1); }

static void drain(void) { cudaDeviceSynchronize(); }

int main(int argc, char** argv) {
    const size_t bytes = sizeof(float) * n * n;
    if (cublasCreate(&cublas) != CUBLAS_STATUS_SUCCESS ||
        cublasLtCreate(&cublas_lt) != CUBLAS_STATUS_SUCCESS ||
        cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F) !=
            CUBLAS_STATUS_SUCCESS ||
        cublasLtMatrixLayoutCreate(&square, CUDA_R_32F, n, n, n) != CUBLAS_STATUS_SUCCESS ||
        cudaMalloc((void**)&a, bytes) != cudaSuccess ||
        cudaMalloc((void**)&b, bytes) != cudaSuccess ||
        cudaMalloc((void**)&c, bytes) != cudaSuccess)
        return 1;
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    cudaMemset(c, 0, bytes);
    if (argc > 1) {
        void* library = dlopen(argv[1], RTLD_NOW);
        if (!library)
            return 1;
        *(void**)&sgemm = dlsym(library, "mysgemm");
        *(void**)&saxpy = dlsym(library, "mysaxpy");
        *(void**)&create = dlsym(library, "myblasCreate");
        if (create(&myblas) != MYBLAS_STATUS_SUCCESS)
            return 1;
    }
    int none = 0, some = n;
    const struct {
        const char* name;
        void (*cublas)(void*);
        void (*myblas)(void*);
        int* size;
    } cases[] = {{"sgemm_nothing", cublas_sgemm, my_sgemm, &none},
                 {"sgemm_64", cublas_sgemm, my_sgemm, &some},
                 {"matmul_64", cublas_matmul, my_sgemm, &some},
                 {"saxpy_nothing", cublas_saxpy, my_saxpy, &none},
                 {"saxpy_64", cublas_saxpy, my_saxpy, &some}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        void (*call)(void*) = argc > 1 ? cases[i].myblas : cases[i].cublas;
        quickest(call, drain, cases[i].size, calls, 5);
        printf("%s\"%s\": %.1f",
               i ? ", " : "{",
               cases[i].name,
               1e9 * quickest(call, drain, cases[i].size, calls, batches));
    }
    puts("}");
    return 0;
}

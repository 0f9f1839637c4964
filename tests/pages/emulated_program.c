/*
 * A program that asks cuBLAS for emulated FP32 by each of its names. The test `ported_program`
 * replaces one line of it, the first include.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#if !defined(CUBLAS_VERSION) || CUBLAS_VERSION >= 130100 /* the first with all of these names */

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

enum { n = 33, batch = 2, count = n * n * batch };

static const float alpha = 2, beta = 0;
static float host_a[count], host_b[count], host_c[count], expected[count];
static float *a, *b, *c;

static float* device_floats(void) {
    void* memory = NULL;
    CHECK(cudaMalloc(&memory, count * sizeof(float)) == cudaSuccess);
    return memory;
}

/* The products of a call, which are integers. They are cleared for the next call. */
static void check_products(cublasStatus_t status, int products) {
    CHECK(status == CUBLAS_STATUS_SUCCESS);
    CHECK(cudaMemcpy(host_c, c, sizeof host_c, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < products * n * n; ++i)
        CHECK(host_c[i] == expected[i]);
    CHECK(cudaMemcpy(c, host_a, sizeof host_a, cudaMemcpyHostToDevice) == cudaSuccess);
}

static cublasStatus_t gemm_ex(cublasHandle_t handle, cublasComputeType_t compute, int type) {
    return cublasGemmEx(handle,
                        CUBLAS_OP_N,
                        CUBLAS_OP_N,
                        n,
                        n,
                        n,
                        &alpha,
                        a,
                        (cudaDataType)type,
                        n,
                        b,
                        CUDA_R_32F,
                        n,
                        &beta,
                        c,
                        CUDA_R_32F,
                        n,
                        compute,
                        CUBLAS_GEMM_DEFAULT);
}

static cublasStatus_t gemm_strided_batched_ex(cublasHandle_t handle, cublasComputeType_t compute) {
    return cublasGemmStridedBatchedEx_64(handle,
                                         CUBLAS_OP_N,
                                         CUBLAS_OP_N,
                                         n,
                                         n,
                                         n,
                                         &alpha,
                                         a,
                                         CUDA_R_32F,
                                         n,
                                         n * n,
                                         b,
                                         CUDA_R_32F,
                                         n,
                                         n * n,
                                         &beta,
                                         c,
                                         CUDA_R_32F,
                                         n,
                                         n * n,
                                         batch,
                                         compute,
                                         CUBLAS_GEMM_DEFAULT);
}

int main(void) {
    const cublasComputeType_t computes[] = {
        CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F_EMULATED_16BFX9};
    cublasHandle_t handle;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
    cudaEmulationSpecialValuesSupport mask = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NONE;

    for (int i = 0; i < count; ++i) {
        host_a[i] = (float)(i * 7 % 11 - 5);
        host_b[i] = (float)(i * 5 % 13 - 6);
    }
    for (int p = 0; p < batch; ++p)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                for (int k = 0; k < n; ++k)
                    expected[p * n * n + i + j * n] +=
                        alpha * host_a[p * n * n + i + k * n] * host_b[p * n * n + k + j * n];
    a = device_floats();
    b = device_floats();
    c = device_floats();
    CHECK(cudaMemcpy(a, host_a, sizeof host_a, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(b, host_b, sizeof host_b, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);

    for (int i = 0; i < 3; ++i) {
        check_products(gemm_ex(handle, computes[i], CUDA_R_32F), 1);
        check_products(gemm_strided_batched_ex(handle, computes[i]), batch);
    }
    CHECK(gemm_ex(handle, CUBLAS_COMPUTE_32F, CUDA_R_64F) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(gemm_ex(handle, (cublasComputeType_t)0, CUDA_R_32F) != CUBLAS_STATUS_SUCCESS);
    CHECK(gemm_ex(NULL, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_NOT_INITIALIZED);
    /* A compute type does not change the handle. */
    CHECK(cublasGetMathMode(handle, &math) == CUBLAS_STATUS_SUCCESS && math == CUBLAS_DEFAULT_MATH);

    CHECK(cublasSetMathMode(handle, CUBLAS_FP32_EMULATED_BF16X9_MATH) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_EAGER) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetEmulationStrategy(handle, (cublasEmulationStrategy_t)3) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSetEmulationStrategy(NULL, CUBLAS_EMULATION_STRATEGY_EAGER) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasGetEmulationStrategy(handle, &strategy) == CUBLAS_STATUS_SUCCESS &&
          strategy != CUBLAS_EMULATION_STRATEGY_DEFAULT);
    CHECK(cublasSetEmulationSpecialValuesSupport(
              handle, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasGetEmulationSpecialValuesSupport(handle, &mask) == CUBLAS_STATUS_SUCCESS &&
          (mask & CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN));
    CHECK(cublasGetEmulationSpecialValuesSupport(handle, NULL) == CUBLAS_STATUS_INVALID_VALUE);
    check_products(
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, b, n, &beta, c, n), 1);
    check_products(gemm_ex(handle, CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_32F), 1);
    CHECK(cublasGetMathMode(handle, &math) == CUBLAS_STATUS_SUCCESS &&
          math == CUBLAS_FP32_EMULATED_BF16X9_MATH);

    CHECK(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return EXIT_SUCCESS;
}

#else

int main(void) { return EXIT_SUCCESS; }

#endif

// emulation_calls N: products of N x N matrices by each name with which a program asks cuBLAS for
// emulated FP32, and by cublasSgemm in FP32. One line of JSON: for each name the microseconds of a
// product and its error, or the status with which cuBLAS refused it.
#define _GNU_SOURCE
#include "clock.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { check_n = 768, repetitions = 3, batches = 3 };
static const size_t workspace_bytes = (size_t)32 << 20;

static cublasHandle_t cublas;
static cublasLtHandle_t cublas_lt;
static cublasLtEmulationDesc_t emulation;
static void* workspace;
static float *a, *b, *c;
static const float alpha = 1, beta = 0;

// Every product is C = A B.
static cublasStatus_t sgemm(int n) {
    return cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, b, n, &beta, c, n);
}

static cublasStatus_t by_math_mode(int n) {
    cublasSetMathMode(cublas, CUBLAS_FP32_EMULATED_BF16X9_MATH);
    const cublasStatus_t status = sgemm(n);
    cublasSetMathMode(cublas, CUBLAS_DEFAULT_MATH);
    return status;
}

static cublasStatus_t by_compute_type(int n) {
    // clang-format off
    return cublasGemmEx(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, CUDA_R_32F, n,
                        b, CUDA_R_32F, n, &beta, c, CUDA_R_32F, n,
                        CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUBLAS_GEMM_DEFAULT);
    // clang-format on
}

static cublasStatus_t by_emulation_descriptor(int n) {
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t square;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F);
    cublasLtMatmulDescSetAttribute(
        product, CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, &emulation, sizeof emulation);
    cublasLtMatrixLayoutCreate(&square, CUDA_R_32F, n, n, n);
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference,
                                         CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &workspace_bytes,
                                         sizeof workspace_bytes);
    cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        cublas_lt, product, square, square, square, square, preference, 1, &found, &count);
    if (status == CUBLAS_STATUS_SUCCESS && count == 0)
        status = CUBLAS_STATUS_NOT_SUPPORTED;
    if (status == CUBLAS_STATUS_SUCCESS)
        // clang-format off
        status = cublasLtMatmul(cublas_lt, product, &alpha, a, square, b, square, &beta, c, square,
                                c, square, &found.algo, workspace, workspace_bytes, NULL);
    // clang-format on
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(square);
    cublasLtMatmulDescDestroy(product);
    return status;
}

static uint64_t state = 1;
static float random_value(void) { // in [-1, 1)
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)((int64_t)state >> 40) * 0x1p-23f;
}

static void* device_copy(const void* host, size_t bytes) {
    void* device = NULL;
    if (cudaMalloc(&device, bytes) != cudaSuccess ||
        cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
        fprintf(stderr, "emulation_calls: no %zu bytes on the GPU\n", bytes);
        exit(1);
    }
    return device;
}

// The first elements of a, as doubles.
static double* in_double(const float* values, size_t count) {
    double* const copy = malloc(count * sizeof *copy);
    for (size_t i = 0; i < count; ++i)
        copy[i] = values[i];
    double* const device = device_copy(copy, count * sizeof *copy);
    free(copy);
    return device;
}

// |C - A B| relative to |A B|, by the Frobenius norm, for the matrices at the starts of a and b.
static double error_of(cublasStatus_t (*product)(int), const double* exact) {
    static float result[check_n * check_n];
    memset(result, 0xff, sizeof result); // NaN
    cudaMemcpy(c, result, sizeof result, cudaMemcpyHostToDevice);
    if (product(check_n) != CUBLAS_STATUS_SUCCESS)
        return NAN;
    cudaMemcpy(result, c, sizeof result, cudaMemcpyDeviceToHost);
    double lost = 0, whole = 0;
    for (size_t i = 0; i < (size_t)check_n * check_n; ++i) {
        lost += (result[i] - exact[i]) * (result[i] - exact[i]);
        whole += exact[i] * exact[i];
    }
    return sqrt(lost / whole);
}

static double microseconds_of(cublasStatus_t (*product)(int), int n) {
    double least = INFINITY;
    for (int batch = 0; batch <= batches; ++batch) {
        cudaDeviceSynchronize();
        const double begin = now_seconds();
        for (int i = 0; i < repetitions; ++i)
            product(n);
        cudaDeviceSynchronize();
        const double each = 1e6 * (now_seconds() - begin) / repetitions;
        if (batch > 0 && each < least) // the first one warms up
            least = each;
    }
    return least;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 0;
    const cublasLtEmulationDescAttributes_t attribute = CUBLASLT_EMULATION_DESC_STRATEGY;
    const cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_PERFORMANT;
    if (n < check_n) {
        fprintf(stderr, "usage: emulation_calls N, at least %d\n", check_n);
        return 2;
    }
    if (cublasCreate(&cublas) != CUBLAS_STATUS_SUCCESS ||
        cublasSetEmulationStrategy(cublas, strategy) != CUBLAS_STATUS_SUCCESS ||
        cublasLtCreate(&cublas_lt) != CUBLAS_STATUS_SUCCESS ||
        cublasLtEmulationDescCreate(&emulation) != CUBLAS_STATUS_SUCCESS ||
        cublasLtEmulationDescSetAttribute(emulation, attribute, &strategy, sizeof strategy) !=
            CUBLAS_STATUS_SUCCESS ||
        cudaMalloc(&workspace, workspace_bytes) != cudaSuccess) {
        fprintf(stderr, "emulation_calls: cuBLAS cannot be used here\n");
        return 1;
    }
    const size_t elements = (size_t)n * n;
    float* const values = malloc(elements * sizeof *values);
    for (size_t i = 0; i < elements; ++i)
        values[i] = random_value();
    a = device_copy(values, elements * sizeof *values);
    const size_t checked = (size_t)check_n * check_n;
    double* const exact_a = in_double(values, checked);
    for (size_t i = 0; i < elements; ++i)
        values[i] = random_value();
    b = device_copy(values, elements * sizeof *values);
    c = device_copy(values, elements * sizeof *values);
    double* const exact_b = in_double(values, checked);
    double* const exact_c = in_double(values, checked);
    free(values);
    const double one = 1, zero = 0;
    static double exact[check_n * check_n];
    // clang-format off
    cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, check_n, check_n, check_n, &one, exact_a, check_n,
                exact_b, check_n, &zero, exact_c, check_n);
    // clang-format on
    cudaMemcpy(exact, exact_c, sizeof exact, cudaMemcpyDeviceToHost);

    static const struct {
        const char* name;
        cublasStatus_t (*product)(int);
    } requests[] = {{"FP32", sgemm},
                    {"CUBLAS_FP32_EMULATED_BF16X9_MATH", by_math_mode},
                    {"CUBLAS_COMPUTE_32F_EMULATED_16BFX9", by_compute_type},
                    {"cublasLtEmulationDesc", by_emulation_descriptor}};
    const int count = sizeof requests / sizeof requests[0];
    for (int i = 0; i < count; ++i) {
        const cublasStatus_t status = requests[i].product(n);
        printf("%s\"%s\": {\"status\": %d", i ? ", " : "{", requests[i].name, (int)status);
        if (status == CUBLAS_STATUS_SUCCESS)
            printf(", \"us\": %.2f, \"error\": %.3g",
                   microseconds_of(requests[i].product, n),
                   error_of(requests[i].product, exact));
        printf("}%s", i == count - 1 ? "}\n" : "");
    }
    return 0;
}

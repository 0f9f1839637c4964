// cublas_sample COMMAND [RESULTS]: a program like those in cuBLAS's documentation, which knows
// nothing of myblas. It checks its results against double precision, and writes the bits of all
// results to a file, so that two runs can be compared. Commands:
//   all        every routine that the cuBLAS preload library serves, and some that it does not
//   products   the products alone
//   large      a product that emulated and fast kernels are made for, with a small workspace
//   captured   the same in a graph of a new stream, run after the handle was destroyed
//   emulated   a product by each name by which programs ask for emulated FP32
//   tf32       a product for which the program allows TF32
//   full       a product when the memory of the GPU is full
//   fork       a product, and another one by a child, which cannot use the GPU any more
// Status 0: all results were right; 77: there is no usable GPU.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Not multiples of anything.
enum { m = 301, n = 203, k = 255, batch = 3, length = 100003 };

static const float alpha = 1.5f, beta = -0.5f;
static cublasHandle_t handle;
static cudaStream_t stream;
static float *host_a, *host_b, *host_c, *host_x, *result; // with matrices of `batch` products
static float *a, *b, *c, *x, *y;                          // on the device
static float *device_alpha, *device_beta;
static FILE* results;
static bool is_wrong;

static void expect(bool condition, const char* what) {
    if (condition)
        return;
    fprintf(stderr, "cublas_sample: %s: wrong\n", what);
    is_wrong = true;
}

static void save(const void* data, size_t bytes) {
    if (results)
        fwrite(data, 1, bytes, results);
}

// The status that cuBLAS returns; libmyblas has to return the same.
static bool succeeds(cublasStatus_t status) {
    save(&status, sizeof status);
    return status == CUBLAS_STATUS_SUCCESS;
}

// ---- Data ---------------------------------------------------------------------------------------

static float* random_floats(size_t count) {
    static uint32_t state = 12345;
    float* values = malloc(count * sizeof *values);
    for (size_t i = 0; values && i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / (1 << 23) - 1;
    }
    return values;
}

static void* on_device(const void* values, size_t bytes) {
    void* copy = NULL;
    if (cudaMalloc(&copy, bytes) != cudaSuccess ||
        cudaMemcpy(copy, values, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
        fprintf(stderr, "cublas_sample: no memory on the device\n");
        exit(1);
    }
    return copy;
}

static void set_up(void) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 ||
        cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
        printf("no GPU\n");
        exit(77);
    }
    host_a = random_floats((size_t)batch * m * k);
    host_b = random_floats((size_t)batch * k * n);
    host_c = random_floats((size_t)batch * m * n);
    host_x = random_floats(length);
    result = random_floats(length + (size_t)batch * m * n);
    a = on_device(host_a, batch * m * k * sizeof *a);
    b = on_device(host_b, batch * k * n * sizeof *b);
    c = on_device(host_c, batch * m * n * sizeof *c);
    x = on_device(host_x, length * sizeof *x);
    y = on_device(host_x, length * sizeof *y);
    device_alpha = on_device(&alpha, sizeof alpha);
    device_beta = on_device(&beta, sizeof beta);
}

static void restore(void) {
    cudaMemcpyAsync(c, host_c, (size_t)batch * m * n * sizeof *c, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(y, host_x, length * sizeof *y, cudaMemcpyHostToDevice, stream);
}

static void fetch(const float* from, size_t count) {
    cudaStreamSynchronize(stream);
    memset(result, 0xff, count * sizeof *result);
    cudaMemcpy(result, from, count * sizeof *result, cudaMemcpyDeviceToHost);
    save(result, count * sizeof *result);
}

// Whether a value is within FP32's bound for a sum of `terms` products with this sum of magnitudes.
static bool is_close(float value, double exact, double magnitude, int terms) {
    return fabs(value - exact) <= (terms + 3) * (FLT_EPSILON / 2) * magnitude;
}

// ---- Products -----------------------------------------------------------------------------------

// Products of the first `count` matrices are in c; the others are unchanged.
static void expect_products(bool ta, bool tb, int count, const char* what) {
    fetch(c, (size_t)batch * m * n);
    bool is_right = true;
    for (int p = 0; p < batch; ++p)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
                const size_t at = (size_t)p * m * n + i + (size_t)j * m;
                double sum = 0, magnitude = 0;
                for (int l = 0; l < k && p < count; ++l) {
                    const double term = (double)host_a[p * m * k + (ta ? l + i * k : i + l * m)] *
                                        host_b[p * k * n + (tb ? j + l * n : l + j * k)];
                    sum += term;
                    magnitude += fabs(term);
                }
                const double old = host_c[at];
                is_right =
                    is_right && (p < count ? is_close(result[at],
                                                      alpha * sum + beta * old,
                                                      fabs(alpha) * magnitude + fabs(beta * old),
                                                      k)
                                           : result[at] == host_c[at]);
            }
    expect(is_right, what);
    restore();
}

static cublasStatus_t multiply(bool ta, bool tb, const float* by, const float* keep) {
    return cublasSgemm(handle,
                       ta ? CUBLAS_OP_T : CUBLAS_OP_N,
                       tb ? CUBLAS_OP_T : CUBLAS_OP_N,
                       m,
                       n,
                       k,
                       by,
                       a,
                       ta ? k : m,
                       b,
                       tb ? n : k,
                       keep,
                       c,
                       m);
}

static void products(void) {
    for (int form = 0; form < 4; ++form) {
        const bool ta = form & 1, tb = form & 2;
        expect(succeeds(multiply(ta, tb, &alpha, &beta)), "status of Sgemm");
        expect_products(ta, tb, 1, "Sgemm");
    }
    expect(succeeds(cublasSgemm_64(
               handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, a, m, b, k, &beta, c, m)),
           "status of Sgemm_64");
    expect_products(false, false, 1, "Sgemm_64");
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    expect(succeeds(multiply(false, true, device_alpha, device_beta)),
           "status with device scalars");
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    expect_products(false, true, 1, "Sgemm with device scalars");
    expect(succeeds(cublasGemmEx(handle,
                                 CUBLAS_OP_N,
                                 CUBLAS_OP_N,
                                 m,
                                 n,
                                 k,
                                 &alpha,
                                 a,
                                 CUDA_R_32F,
                                 m,
                                 b,
                                 CUDA_R_32F,
                                 k,
                                 &beta,
                                 c,
                                 CUDA_R_32F,
                                 m,
                                 CUBLAS_COMPUTE_32F,
                                 CUBLAS_GEMM_DEFAULT)),
           "status of GemmEx");
    expect_products(false, false, 1, "GemmEx");
    const long long stride_a = m * k, stride_b = k * n, stride_c = m * n;
    expect(succeeds(cublasSgemmStridedBatched(handle,
                                              CUBLAS_OP_N,
                                              CUBLAS_OP_N,
                                              m,
                                              n,
                                              k,
                                              &alpha,
                                              a,
                                              m,
                                              stride_a,
                                              b,
                                              k,
                                              stride_b,
                                              &beta,
                                              c,
                                              m,
                                              stride_c,
                                              batch)),
           "status of SgemmStridedBatched");
    expect_products(false, false, batch, "SgemmStridedBatched");
    expect(succeeds(cublasGemmStridedBatchedEx(handle,
                                               CUBLAS_OP_T,
                                               CUBLAS_OP_N,
                                               m,
                                               n,
                                               k,
                                               &alpha,
                                               a,
                                               CUDA_R_32F,
                                               k,
                                               stride_a,
                                               b,
                                               CUDA_R_32F,
                                               k,
                                               stride_b,
                                               &beta,
                                               c,
                                               CUDA_R_32F,
                                               m,
                                               stride_c,
                                               batch - 1,
                                               CUBLAS_COMPUTE_32F,
                                               CUBLAS_GEMM_DEFAULT)),
           "status of GemmStridedBatchedEx");
    expect_products(true, false, batch - 1, "GemmStridedBatchedEx");
    const float* as[batch];
    const float* bs[batch];
    float* cs[batch];
    for (int p = 0; p < batch; ++p) {
        as[p] = a + p * stride_a;
        bs[p] = b + p * stride_b;
        cs[p] = c + p * stride_c;
    }
    const float** device_as = on_device(as, sizeof as);
    const float** device_bs = on_device(bs, sizeof bs);
    float** device_cs = on_device(cs, sizeof cs);
    expect(succeeds(cublasSgemmBatched(handle,
                                       CUBLAS_OP_N,
                                       CUBLAS_OP_T,
                                       m,
                                       n,
                                       k,
                                       &alpha,
                                       device_as,
                                       m,
                                       device_bs,
                                       n,
                                       &beta,
                                       device_cs,
                                       m,
                                       batch)),
           "status of SgemmBatched");
    expect_products(false, true, batch, "SgemmBatched");
}

// On a stream of the program, in its workspace, and captured in a graph that is run twice.
static void streams(void) {
    void* workspace = NULL;
    const size_t workspace_bytes = 8 << 20;
    cudaStream_t own;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaMalloc(&workspace, workspace_bytes);
    cudaDeviceSynchronize();
    stream = own;
    cublasSetStream(handle, own);
    cublasSetWorkspace(handle, workspace, workspace_bytes);
    restore();
    expect(succeeds(multiply(false, false, &alpha, &beta)), "status on a stream");
    expect_products(false, false, 1, "Sgemm on a stream");

    expect(cudaStreamBeginCapture(own, cudaStreamCaptureModeGlobal) == cudaSuccess, "capture");
    expect(succeeds(multiply(true, false, &alpha, &beta)), "status in a capture");
    expect(cudaStreamEndCapture(own, &graph) == cudaSuccess, "end of the capture");
    expect(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess, "the graph");
    for (int run = 0; run < 2; ++run) {
        cudaGraphLaunch(executable, own);
        expect_products(true, false, 1, "Sgemm in a graph");
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cublasSetStream(handle, NULL);
    cudaStreamSynchronize(own);
    stream = NULL;
    cudaStreamDestroy(own);
    cudaFree(workspace);
}

// ---- Vectors and copies -------------------------------------------------------------------------

static void matrix_vector(void) {
    for (int trans = 0; trans < 2; ++trans) {
        const int inner = trans ? m : k, outer = trans ? k : m;
        expect(
            succeeds(cublasSgemv(
                handle, trans ? CUBLAS_OP_T : CUBLAS_OP_N, m, k, &alpha, a, m, x, 2, &beta, y, 3)),
            "status of Sgemv");
        fetch(y, 3 * outer);
        bool is_right = true;
        for (int i = 0; i < outer; ++i) {
            double sum = 0, magnitude = 0;
            for (int l = 0; l < inner; ++l) {
                const double term = (double)host_a[trans ? l + i * m : i + l * m] * host_x[2 * l];
                sum += term;
                magnitude += fabs(term);
            }
            const double old = beta * host_x[3 * i];
            is_right = is_right && is_close(result[3 * i],
                                            alpha * sum + old,
                                            fabs(alpha) * magnitude + fabs(old),
                                            inner);
        }
        expect(is_right, "Sgemv");
        restore();
    }
}

static void vectors(void) {
    double sum = 0, dot = 0, square = 0;
    for (int i = 0; i < length; ++i) {
        sum += fabs(host_x[i]);
        square += (double)host_x[i] * host_x[i];
    }
    for (int i = 0; i < length / 2; ++i)
        dot += (double)host_x[2 * i] * host_x[i];
    float value = -1;
    expect(succeeds(cublasSasum(handle, length, x, 1, &value)) && fabs(value / sum - 1) < 1e-5,
           "Sasum");
    save(&value, sizeof value);
    expect(succeeds(cublasSnrm2(handle, length, x, 1, &value)) &&
               fabs(value / sqrt(square) - 1) < 1e-5,
           "Snrm2");
    save(&value, sizeof value);
    expect(succeeds(cublasSdot(handle, length / 2, x, 2, x, 1, &value)) &&
               is_close(value, dot, square, 1000),
           "Sdot");
    save(&value, sizeof value);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    expect(succeeds(cublasSdot(handle, length, x, 1, x, 1, y)), "status of Sdot");
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    fetch(y, 1);
    expect(is_close(result[0], square, square, 1000), "Sdot with a device result");
    restore();

    expect(succeeds(cublasSaxpy(handle, length / 2, &alpha, x, 1, y, 2)), "status of Saxpy");
    fetch(y, length);
    bool is_right = true;
    for (int i = 0; i < length / 2; ++i)
        is_right = is_right && is_close(result[2 * i],
                                        host_x[2 * i] + (double)alpha * host_x[i],
                                        fabs(host_x[2 * i]) + fabs(alpha * host_x[i]),
                                        1);
    expect(is_right, "Saxpy");
    expect(succeeds(cublasScopy(handle, length, x, 1, y, -1)), "status of Scopy");
    fetch(y, length);
    is_right = true;
    for (int i = 0; i < length; ++i)
        is_right = is_right && result[i] == host_x[length - 1 - i];
    expect(is_right, "Scopy");
    restore();

    expect(succeeds(cublasSgeam(
               handle, CUBLAS_OP_T, CUBLAS_OP_N, n, k, &alpha, b, k, &beta, x, n, c, n)),
           "status of Sgeam");
    fetch(c, n * k);
    is_right = true;
    for (int j = 0; j < k; ++j)
        for (int i = 0; i < n; ++i)
            is_right = is_right && is_close(result[i + j * n],
                                            (double)alpha * host_b[j + i * k] +
                                                (double)beta * host_x[i + j * n],
                                            fabs(alpha) + fabs(beta),
                                            1);
    expect(is_right, "Sgeam");
    restore();
}

// The statuses that cuBLAS returns; libmyblas has to return the same.
static void expect_status(cublasStatus_t status, cublasStatus_t expected, const char* what) {
    save(&status, sizeof status);
    expect(status == expected, what);
}

static void errors(void) {
    const cublasStatus_t good = CUBLAS_STATUS_SUCCESS, wrong = CUBLAS_STATUS_INVALID_VALUE;
    const float none = 0;
    expect_status(cublasSgemm(NULL, 0, 0, m, n, k, &alpha, a, m, b, k, &beta, c, m),
                  CUBLAS_STATUS_NOT_INITIALIZED,
                  "no handle");
    expect_status(cublasSgemm(handle, 7, 0, m, n, k, &alpha, a, m, b, k, &beta, c, m), wrong, "op");
    expect_status(cublasSgemm(handle, 0, 0, -1, n, k, &alpha, a, m, b, k, &beta, c, m), wrong, "m");
    expect_status(cublasSgemm(handle, 0, 0, m, -1, k, &alpha, a, m, b, k, &beta, c, m), wrong, "n");
    expect_status(cublasSgemm(handle, 0, 0, m, n, -1, &alpha, a, m, b, k, &beta, c, m), wrong, "k");
    expect_status(
        cublasSgemm(handle, 0, 0, m, n, k, &alpha, a, m - 1, b, k, &beta, c, m), wrong, "lda");
    expect_status(
        cublasSgemm(handle, 0, 0, m, n, k, &alpha, a, m, b, k - 1, &beta, c, m), wrong, "ldb");
    expect_status(
        cublasSgemm(handle, 0, 0, m, n, k, &alpha, a, m, b, k, &beta, c, m - 1), wrong, "ldc");
    expect_status(
        cublasSgemm(handle, 0, 0, 0, n, k, &alpha, a, 0, b, k, &beta, c, m), wrong, "m = lda = 0");
    expect_status(
        cublasSgemm(handle, 0, 0, 0, n, k, NULL, a, m, b, k, &beta, c, m), good, "m = 0, no alpha");
    expect_status(
        cublasSgemm(handle, 0, 0, m, n, k, NULL, a, m, b, k, &beta, c, m), wrong, "no alpha");
    expect_status(
        cublasSgemm(handle, 0, 0, m, n, k, &alpha, a, m, b, k, NULL, c, m), wrong, "no beta");
    expect_status(cublasSgemm(handle, 0, 0, m, n, 0, &alpha, NULL, m, NULL, k, &beta, c, m),
                  good,
                  "k = 0, no A and B");
    expect_status(cublasSgemm(handle, 0, 0, m, n, k, &none, NULL, m, NULL, k, &beta, c, m),
                  good,
                  "alpha = 0, no A and B");
    for (int count = -1; count <= 0; ++count)
        expect_status(
            cublasSgemmStridedBatched(
                handle, 0, 0, m, n, k, &alpha, a, m, m * k, b, k, k * n, &beta, c, m, m * n, count),
            count < 0 ? wrong : good,
            "batches");
    expect_status(cublasSasum(handle, 4, x, 1, NULL), wrong, "no result");
    float sum = -1;
    expect_status(cublasSasum(handle, 0, x, 1, &sum), good, "a sum of nothing");
    expect(sum == 0, "a sum of nothing is 0");
    sum = -1;
    expect_status(cublasSasum(handle, 4, x, 0, &sum), good, "a sum without an increment");
    expect(sum == 0, "a sum without an increment is 0");
    expect_status(
        cublasSgeam(handle, 0, 0, -1, n, &alpha, a, m, &beta, b, m, c, m), wrong, "m of geam");
    expect_status(cublasSgeam(handle, 1, 0, n, n, &alpha, c, n, &beta, b, n, c, n),
                  wrong,
                  "geam in place, transposed");
    expect_status(cublasSgeam(handle, 0, 0, m, n, &alpha, a, m, &none, NULL, m, c, m),
                  good,
                  "geam without B");
    expect_status(cublasDestroy(NULL), CUBLAS_STATUS_NOT_INITIALIZED, "the end of no handle");
    expect_status(cublasCreate(NULL), wrong, "no place for a handle");
    restore();
}

static void tf32(void) {
    expect(succeeds(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH)), "the math mode");
    expect(succeeds(multiply(false, false, &alpha, &beta)), "status with TF32");
    fetch(c, m * n);
}

// The handle is destroyed, and freed memory is overwritten, before the captured work runs. The
// program continues with another handle.
static void run_without_handle(cudaStream_t captured) {
    enum { pieces = 16, piece_bytes = 32 << 20 };
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    expect(cudaStreamEndCapture(captured, &graph) == cudaSuccess, "end of the capture");
    expect(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess, "the graph");
    expect(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS, "the end of a handle");
    for (int i = 0; i < pieces; ++i) {
        void* piece;
        cudaMalloc(&piece, piece_bytes);
        cudaMemset(piece, 0xff, piece_bytes);
    }
    cudaDeviceSynchronize();
    cudaGraphLaunch(executable, captured);
    expect(cudaStreamSynchronize(captured) == cudaSuccess, "the graph's work");
    expect(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "another handle");
}

// The functions that compute a product of square matrices.
typedef cublasStatus_t
large_product(int size, const float* one, const float* zero, float* left, float* right, float* c);

static cublasStatus_t
by_sgemm(int size, const float* one, const float* zero, float* left, float* right, float* c) {
    return cublasSgemm(handle,
                       CUBLAS_OP_N,
                       CUBLAS_OP_N,
                       size,
                       size,
                       size,
                       one,
                       left,
                       size,
                       right,
                       size,
                       zero,
                       c,
                       size);
}

static void multiply_large(bool in_graph, large_product* multiply_by) {
    enum { size = 2600, step = 127 };
    void* workspace = NULL;
    const size_t workspace_bytes = 4 << 20, bytes = sizeof(float) * size * size;
    float* left = random_floats(size * size);
    float* right = random_floats(size * size);
    float* product = malloc(bytes);
    float* device_left = on_device(left, bytes);
    float* device_right = on_device(right, bytes);
    float* device_product = on_device(right, bytes);
    cudaMalloc(&workspace, workspace_bytes);
    cudaStream_t captured = NULL;
    if (in_graph) {
        cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking);
        cudaDeviceSynchronize();
        cublasSetStream(handle, captured);
    }
    cublasSetWorkspace(handle, workspace, workspace_bytes);
    if (in_graph)
        expect(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal) == cudaSuccess,
               "capture");
    const float one = 1, zero = 0;
    expect(succeeds(multiply_by(size, &one, &zero, device_left, device_right, device_product)),
           "status of a large product");
    if (in_graph)
        run_without_handle(captured);
    cudaMemcpy(product, device_product, bytes, cudaMemcpyDeviceToHost);
    bool is_right = true;
    for (size_t j = 0; j < size; j += step)
        for (size_t i = 0; i < size; i += step) {
            double sum = 0, magnitude = 0;
            for (size_t l = 0; l < size; ++l) {
                const double term = (double)left[i + l * size] * right[l + j * size];
                sum += term;
                magnitude += fabs(term);
            }
            is_right = is_right && is_close(product[i + j * size], sum, magnitude, size);
        }
    expect(is_right, "a large product");
    free(left);
    free(right);
    free(product);
}

static void large(void) { multiply_large(false, by_sgemm); }
static void captured(void) { multiply_large(true, by_sgemm); }

#if CUBLAS_VERSION >= 130100 // the first with all of these names
static cublasStatus_t
by_gemm_ex(int size, const float* one, const float* zero, float* left, float* right, float* c) {
    return cublasGemmEx(handle,
                        CUBLAS_OP_N,
                        CUBLAS_OP_N,
                        size,
                        size,
                        size,
                        one,
                        left,
                        CUDA_R_32F,
                        size,
                        right,
                        CUDA_R_32F,
                        size,
                        zero,
                        c,
                        CUDA_R_32F,
                        size,
                        CUBLAS_COMPUTE_32F_EMULATED_16BFX9,
                        CUBLAS_GEMM_DEFAULT);
}

static cublasStatus_t
by_lt_matmul(int size, const float* one, const float* zero, float* left, float* right, float* c) {
    const uint64_t extent = (uint64_t)size;
    const int32_t strategy = CUBLAS_EMULATION_STRATEGY_EAGER;
    cublasLtHandle_t lt;
    cublasLtEmulationDesc_t emulation;
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t layout;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t chosen;
    int count = 0;
    bool is_right =
        cublasLtCreate(&lt) == CUBLAS_STATUS_SUCCESS &&
        cublasLtEmulationDescCreate(&emulation) == CUBLAS_STATUS_SUCCESS &&
        cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F) ==
            CUBLAS_STATUS_SUCCESS &&
        cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, extent, extent, size) ==
            CUBLAS_STATUS_SUCCESS &&
        cublasLtMatmulPreferenceCreate(&preference) == CUBLAS_STATUS_SUCCESS;
    is_right = is_right &&
               cublasLtEmulationDescSetAttribute(
                   emulation, CUBLASLT_EMULATION_DESC_STRATEGY, &strategy, sizeof strategy) ==
                   CUBLAS_STATUS_SUCCESS &&
               cublasLtMatmulDescSetAttribute(operation,
                                              CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR,
                                              &emulation,
                                              sizeof emulation) == CUBLAS_STATUS_SUCCESS;
    is_right = is_right &&
               cublasLtMatmulAlgoGetHeuristic(
                   lt, operation, layout, layout, layout, layout, preference, 1, &chosen, &count) ==
                   CUBLAS_STATUS_SUCCESS &&
               count == 1;
    expect(is_right, "descriptors and heuristic of an emulated product");
    const cublasStatus_t status = is_right ? cublasLtMatmul(lt,
                                                            operation,
                                                            one,
                                                            left,
                                                            layout,
                                                            right,
                                                            layout,
                                                            zero,
                                                            c,
                                                            layout,
                                                            c,
                                                            layout,
                                                            &chosen.algo,
                                                            NULL,
                                                            0,
                                                            stream)
                                           : CUBLAS_STATUS_NOT_SUPPORTED;
    cudaStreamSynchronize(stream);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(operation);
    cublasLtEmulationDescDestroy(emulation);
    cublasLtDestroy(lt);
    return status;
}

static void emulated(void) {
    multiply_large(false, by_gemm_ex);
    multiply_large(false, by_lt_matmul);
    cublasSetMathMode(handle, CUBLAS_FP32_EMULATED_BF16X9_MATH);
    cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_EAGER);
    multiply_large(false, by_sgemm);
    cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
    expect(cublasGetEmulationStrategy(handle, &strategy) == CUBLAS_STATUS_SUCCESS &&
               strategy == CUBLAS_EMULATION_STRATEGY_EAGER,
           "the strategy");
}
#else
static void emulated(void) {
    printf("cuBLAS's header has no FP32 emulation\n");
    exit(77);
}
#endif

// ---- Faults -------------------------------------------------------------------------------------

static void full(void) {
    void* piece;
    for (size_t bytes = (size_t)1 << 34; bytes >= 1024; bytes /= 2)
        while (cudaMalloc(&piece, bytes) == cudaSuccess) {
        }
    cudaGetLastError();
    expect(succeeds(multiply(false, false, &alpha, &beta)), "status with full memory");
    expect_products(false, false, 1, "Sgemm with full memory");
}

static void forked(void) {
    expect(succeeds(multiply(false, false, &alpha, &beta)), "status before a fork");
    expect_products(false, false, 1, "Sgemm before a fork");
    const pid_t child = fork();
    if (child == 0)
        _exit(multiply(false, false, &alpha, &beta) == CUBLAS_STATUS_SUCCESS);
    int status = -1;
    waitpid(child, &status, 0);
    expect(child > 0 && status == 0, "the child gets an error");
    expect(succeeds(multiply(true, true, &alpha, &beta)), "status after a fork");
    expect_products(true, true, 1, "Sgemm after a fork");
}

static void all(void) {
    products();
    streams();
    matrix_vector();
    vectors();
    errors();
}

static int run(void (*command)(void)) {
    set_up();
    command();
    expect(cudaDeviceSynchronize() == cudaSuccess, "the device");
    expect(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS, "the end");
    return !is_wrong;
}

// For host.c. 1: all results are right.
int plugin_sample(void) { return run(products); }

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*command)(void);
    } commands[] = {{"all", all},
                    {"products", products},
                    {"large", large},
                    {"captured", captured},
                    {"emulated", emulated},
                    {"tf32", tf32},
                    {"full", full},
                    {"fork", forked}};
    if (argc > 2 && !(results = fopen(argv[2], "wb"))) {
        perror(argv[2]);
        return 1;
    }
    int status = 2;
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; ++i)
        if (strcmp(argv[1], commands[i].name) == 0)
            status = !run(commands[i].command);
    if (results && fclose(results) != 0)
        status = 1;
    return status;
}

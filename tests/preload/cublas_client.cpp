// A program's use of cuBLAS, as a library that host.c loads. It calls every routine that the cuBLAS
// preload library serves, with both types of sizes. The data are small integers, so every order of
// summation is exact.
#include "cublas/entries.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

extern "C" {
int toy_calls();
int cublasCreate_v2(void**);
int cublasDestroy_v2(void*);
int cublasSetStream_v2(void*, void*);
int cublasSetWorkspace_v2(void*, void*, size_t);
int cublasSetSmCountTarget(void*, int);
int cublasSetPointerMode_v2(void*, int);
int cublasSetMathMode(void*, int);
int cublasSetEmulationStrategy(void*, int);
int cublasGetEmulationStrategy(void*, int*);
int cublasSetEmulationSpecialValuesSupport(void*, int);
int cublasGetEmulationSpecialValuesSupport(void*, int*);
int cublasDnrm2_v2(void*, int, const double*, int, double*);
}

using namespace myblas::preload;

namespace {

constexpr operation plain = MYBLAS_OP_N, transposed = MYBLAS_OP_T;
constexpr int m = 7, n = 5, k = 6, batch = 3;
float a[batch * m * k], b[batch * k * n], c[batch * m * n], before[batch * m * n];
void* handle;
int wrong;

void expect(bool condition, const char* what) {
    if (condition)
        return;
    std::fprintf(stderr, "%s: wrong\n", what);
    ++wrong;
}

void fill() {
    if (!handle)
        cublasCreate_v2(&handle);
    int state = 1;
    const auto next = [&] { return static_cast<float>((state = state * 75 % 65537) % 7 - 3); };
    std::generate_n(a, batch * m * k, next);
    std::generate_n(b, batch * k * n, next);
    std::generate_n(c, batch * m * n, next);
    std::copy_n(c, batch * m * n, before);
}

constexpr float alpha = 2, beta = -1, one = 1;

// Checks the batch of products in c after a call that returned `status`.
void expect_products(int status, int count, const char* what) {
    bool is_right = status == 0;
    for (int p = 0; p < batch; ++p)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
                float sum = 0;
                for (int l = 0; l < k; ++l)
                    sum += a[p * m * k + i + l * m] * b[p * k * n + l + j * k];
                const int at = p * m * n + i + j * m;
                const float product = alpha * sum + beta * before[at];
                is_right = is_right && c[at] == (p < count ? product : before[at]);
            }
    expect(is_right, what);
    fill();
}

#define CLIENT_CALLS(suffix, size)                                                                 \
    void call_all##suffix() {                                                                      \
        constexpr auto real = data_type::real_32f;                                                 \
        constexpr auto compute = compute_type::float_32;                                           \
        constexpr algorithm_type algorithm{-1};                                                    \
        fill();                                                                                    \
        expect_products(cublasSgemm_v2##suffix(                                                    \
                            handle, plain, plain, m, n, k, &alpha, a, m, b, k, &beta, c, m),       \
                        1,                                                                         \
                        "Sgemm" #suffix);                                                          \
        expect_products(cublasGemmEx##suffix(handle,                                               \
                                             plain,                                                \
                                             plain,                                                \
                                             m,                                                    \
                                             n,                                                    \
                                             k,                                                    \
                                             &alpha,                                               \
                                             a,                                                    \
                                             real,                                                 \
                                             m,                                                    \
                                             b,                                                    \
                                             real,                                                 \
                                             k,                                                    \
                                             &beta,                                                \
                                             c,                                                    \
                                             real,                                                 \
                                             m,                                                    \
                                             compute,                                              \
                                             algorithm),                                           \
                        1,                                                                         \
                        "GemmEx" #suffix);                                                         \
        expect_products(cublasSgemmStridedBatched##suffix(handle,                                  \
                                                          plain,                                   \
                                                          plain,                                   \
                                                          m,                                       \
                                                          n,                                       \
                                                          k,                                       \
                                                          &alpha,                                  \
                                                          a,                                       \
                                                          m,                                       \
                                                          m* k,                                    \
                                                          b,                                       \
                                                          k,                                       \
                                                          k* n,                                    \
                                                          &beta,                                   \
                                                          c,                                       \
                                                          m,                                       \
                                                          m* n,                                    \
                                                          batch),                                  \
                        batch,                                                                     \
                        "SgemmStridedBatched" #suffix);                                            \
        expect_products(cublasGemmStridedBatchedEx##suffix(handle,                                 \
                                                           plain,                                  \
                                                           plain,                                  \
                                                           m,                                      \
                                                           n,                                      \
                                                           k,                                      \
                                                           &alpha,                                 \
                                                           a,                                      \
                                                           real,                                   \
                                                           m,                                      \
                                                           m* k,                                   \
                                                           b,                                      \
                                                           real,                                   \
                                                           k,                                      \
                                                           k* n,                                   \
                                                           &beta,                                  \
                                                           c,                                      \
                                                           real,                                   \
                                                           m,                                      \
                                                           m* n,                                   \
                                                           batch,                                  \
                                                           compute,                                \
                                                           algorithm),                             \
                        batch,                                                                     \
                        "GemmStridedBatchedEx" #suffix);                                           \
        const float* const as[] = {a, a + m * k, a + 2 * m * k};                                   \
        const float* const bs[] = {b, b + k * n, b + 2 * k * n};                                   \
        float* const cs[] = {c, c + m * n, c + 2 * m * n};                                         \
        expect_products(                                                                           \
            cublasSgemmBatched##suffix(                                                            \
                handle, plain, plain, m, n, k, &alpha, as, m, bs, k, &beta, cs, m, batch),         \
            batch,                                                                                 \
            "SgemmBatched" #suffix);                                                               \
        for (int step = 1; step <= 2; ++step)                                                      \
            for (int trans = 0; trans < 2; ++trans) {                                              \
                const int lx = trans ? m : k, ly = trans ? k : m;                                  \
                bool is_right = cublasSgemv_v2##suffix(handle,                                     \
                                                       trans ? transposed : plain,                 \
                                                       m,                                          \
                                                       k,                                          \
                                                       &alpha,                                     \
                                                       a,                                          \
                                                       m,                                          \
                                                       b,                                          \
                                                       step,                                       \
                                                       &beta,                                      \
                                                       c,                                          \
                                                       step) == 0;                                 \
                for (int i = 0; i < ly; ++i) {                                                     \
                    float sum = 0;                                                                 \
                    for (int l = 0; l < lx; ++l)                                                   \
                        sum += a[trans ? l + i * m : i + l * m] * b[l * step];                     \
                    is_right = is_right && c[i * step] == alpha * sum + beta * before[i * step];   \
                }                                                                                  \
                expect(is_right, "Sgemv" #suffix);                                                 \
                fill();                                                                            \
            }                                                                                      \
        bool is_right =                                                                            \
            cublasSgeam##suffix(                                                                   \
                handle, transposed, plain, m, n, &alpha, a, n, &beta, b, m, c, m) == 0;            \
        for (int j = 0; j < n; ++j)                                                                \
            for (int i = 0; i < m; ++i)                                                            \
                is_right = is_right && c[i + j * m] == alpha * a[j + i * n] + beta * b[i + j * m]; \
        expect(is_right, "Sgeam" #suffix);                                                         \
        fill();                                                                                    \
        float result = -1, sum = 0, dot = 0;                                                       \
        for (int i = 0; i < m; ++i) {                                                              \
            sum += a[i] < 0 ? -a[i] : a[i];                                                        \
            dot += a[i] * b[i];                                                                    \
        }                                                                                          \
        expect(cublasSasum_v2##suffix(handle, m, a, 1, &result) == 0 && result == sum,             \
               "Sasum" #suffix);                                                                   \
        cublasSetPointerMode_v2(handle, 1);                                                        \
        expect(cublasSdot_v2##suffix(handle, m, a, 1, b, 1, &result) == 0 && result == dot,        \
               "Sdot" #suffix);                                                                    \
        cublasSetPointerMode_v2(handle, 0);                                                        \
        is_right = cublasSaxpy_v2##suffix(handle, m, &alpha, a, 1, c, 1) == 0;                     \
        for (int i = 0; i < m; ++i)                                                                \
            is_right = is_right && c[i] == before[i] + alpha * a[i];                               \
        is_right = is_right && cublasScopy_v2##suffix(handle, m, a, 1, c, -1) == 0;                \
        for (int i = 0; i < m; ++i)                                                                \
            is_right = is_right && c[i] == a[m - 1 - i];                                           \
        expect(is_right, "Saxpy, Scopy" #suffix);                                                  \
    }
CLIENT_CALLS(, int)
CLIENT_CALLS(_64, int64_t)

int multiply() {
    fill();
    const int before_calls = toy_calls();
    expect_products(
        cublasSgemm_v2(handle, plain, plain, m, n, k, &alpha, a, m, b, k, &beta, c, m), 1, "Sgemm");
    return toy_calls() - before_calls;
}

} // namespace

// 1: all results are right.
extern "C" {

int plugin_product() {
    multiply();
    return wrong == 0;
}
int plugin_all() {
    call_all();
    call_all_64();
    return wrong == 0;
}
int plugin_served() { return multiply() == 0 && wrong == 0; }
int plugin_forwarded() { return multiply() == 1 && wrong == 0; }

// Whether the call did not reach the toy library, regardless of the result.
int plugin_interposed() {
    fill();
    const int before_calls = toy_calls();
    cublasSgemm_v2(handle, plain, plain, m, n, k, &alpha, a, m, b, k, &beta, c, m);
    return toy_calls() == before_calls;
}

int plugin_untouched() {
    fill();
    double result = 0;
    const double x[] = {3, 4};
    return cublasDnrm2_v2(handle, 2, x, 1, &result) == 0 && result == 5;
}

int plugin_tf32() {
    fill();
    return cublasSetMathMode(handle, 3) == 0;
}
int plugin_fp32() {
    fill();
    return cublasSetMathMode(handle, 0) == 0;
}

// Emulated FP32 by its math mode, with every strategy and mask of special values.
int plugin_emulated() {
    fill();
    constexpr int emulated = 4, strategies = 3, masks[] = {0xFFFF, 0, 1, 2, 3};
    bool is_right = cublasSetMathMode(handle, emulated) == 0;
    for (int strategy = 0; strategy < strategies; ++strategy)
        for (const int mask : masks) {
            int got_strategy = -1, got_mask = -1;
            is_right = is_right && cublasSetEmulationStrategy(handle, strategy) == 0 &&
                       cublasSetEmulationSpecialValuesSupport(handle, mask) == 0 &&
                       multiply() == 0 && cublasGetEmulationStrategy(handle, &got_strategy) == 0 &&
                       cublasGetEmulationSpecialValuesSupport(handle, &got_mask) == 0 &&
                       got_strategy == strategy && got_mask == mask;
        }
    return is_right && wrong == 0;
}

int plugin_stream() {
    fill();
    alignas(256) static char workspace[1024];
    static char stream;
    return cublasSetStream_v2(handle, &stream) == 0 &&
           cublasSetWorkspace_v2(handle, workspace, sizeof workspace) == 0 && multiply() >= 0 &&
           cublasSetSmCountTarget(handle, 1) == 0 && multiply() >= 0 &&
           cublasSetSmCountTarget(handle, -1) != 0 && multiply() >= 0 &&
           cublasSetStream_v2(handle, nullptr) == 0;
}

// Handles are created and destroyed, also at the address of an earlier one, more than the preload
// library remembers.
int plugin_handles() {
    for (int i = 0; i < 200; ++i) {
        multiply();
        if (cublasDestroy_v2(handle) != 0)
            return 0;
        handle = nullptr;
    }
    void* others[100];
    for (void*& other : others) {
        cublasCreate_v2(&handle);
        other = handle;
        multiply();
    }
    for (void* other : others)
        cublasDestroy_v2(other);
    handle = nullptr;
    return wrong == 0;
}

int plugin_errors() {
    fill();
    return cublasSgemm_v2(nullptr, plain, plain, m, n, k, &alpha, a, m, b, k, &beta, c, m) == 1 &&
           cublasSgemm_v2(handle, plain, plain, -1, n, k, &alpha, a, m, b, k, &beta, c, m) == 7 &&
           cublasDestroy_v2(nullptr) == 1;
}
}

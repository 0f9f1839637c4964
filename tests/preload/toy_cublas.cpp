// A cuBLAS that computes on ordinary memory in plain loops, under the symbol versions of the real one: what
// the cuBLAS preload library forwards to in tests. TOY_MAJOR is its version. toy_calls counts the calls that
// reached it.
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace {

constexpr int success = 0, not_initialized = 1, invalid_value = 7;

struct toy_handle {
    int major = TOY_MAJOR;
    void* stream = nullptr;
    int pointer_mode = 0, math_mode = 0;
};

int calls = 0;

// Null for no handle, and for a handle of another version.
toy_handle* own(void* handle) {
    toy_handle* h = static_cast<toy_handle*>(handle);
    return h && h->major == TOY_MAJOR ? h : nullptr;
}

template <class Size>
int product(void* handle,
            int transa,
            int transb,
            Size m,
            Size n,
            Size k,
            float alpha,
            const float* a,
            Size lda,
            const float* b,
            Size ldb,
            float beta,
            float* c,
            Size ldc) {
    ++calls;
    if (!own(handle))
        return not_initialized;
    if (m < 0 || n < 0 || k < 0 || ldc < m)
        return invalid_value;
    for (Size j = 0; j < n; ++j)
        for (Size i = 0; i < m; ++i) {
            float sum = 0;
            for (Size l = 0; l < k; ++l)
                sum +=
                    a[transa ? l + i * lda : i + l * lda] * b[transb ? j + l * ldb : l + j * ldb];
            c[i + j * ldc] = alpha * sum + (beta == 0 ? 0 : beta * c[i + j * ldc]);
        }
    return success;
}

// Element i of n, as BLAS counts.
template <class Size>
Size at(Size i, Size n, Size inc) {
    return inc > 0 ? i * inc : (i + 1 - n) * inc;
}

} // namespace

extern "C" {

int toy_calls() { return calls; }

int cublasCreate_v2(void** handle) {
    *handle = new toy_handle;
    return success;
}
int cublasDestroy_v2(void* handle) {
    if (!own(handle))
        return not_initialized;
    delete own(handle);
    return success;
}
int cublasGetProperty(int type, int* value) {
    *value = type == 0 ? TOY_MAJOR : 0;
    return success;
}
int cublasSetStream_v2(void* handle, void* stream) {
    if (!own(handle))
        return not_initialized;
    own(handle)->stream = stream;
    return success;
}
int cublasGetStream_v2(void* handle, void** stream) {
    if (!own(handle))
        return not_initialized;
    *stream = own(handle)->stream;
    return success;
}
int cublasSetWorkspace_v2(void*, void*, size_t) { return success; }
int cublasSetPointerMode_v2(void* handle, int mode) {
    if (!own(handle))
        return not_initialized;
    own(handle)->pointer_mode = mode;
    return success;
}
int cublasGetPointerMode_v2(void* handle, int* mode) {
    if (!own(handle))
        return not_initialized;
    *mode = own(handle)->pointer_mode;
    return success;
}
int cublasSetMathMode(void* handle, int mode) {
    if (!own(handle))
        return not_initialized;
    own(handle)->math_mode = mode;
    return success;
}
int cublasGetMathMode(void* handle, int* mode) {
    if (!own(handle))
        return not_initialized;
    *mode = own(handle)->math_mode;
    return success;
}

// A routine that no preload library touches.
int cublasDnrm2_v2(void*, int n, const double* x, int incx, double* result) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += x[i * incx] * x[i * incx];
    *result = std::sqrt(sum);
    return success;
}

// The routines for both types of sizes.
#define TOY_ROUTINES(suffix, size)                                                                 \
    int cublasSgemm_v2##suffix(void* h,                                                            \
                               int ta,                                                             \
                               int tb,                                                             \
                               size m,                                                             \
                               size n,                                                             \
                               size k,                                                             \
                               const float* alpha,                                                 \
                               const float* a,                                                     \
                               size lda,                                                           \
                               const float* b,                                                     \
                               size ldb,                                                           \
                               const float* beta,                                                  \
                               float* c,                                                           \
                               size ldc) {                                                         \
        return product<size>(h, ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);           \
    }                                                                                              \
    int cublasGemmEx##suffix(void* h,                                                              \
                             int ta,                                                               \
                             int tb,                                                               \
                             size m,                                                               \
                             size n,                                                               \
                             size k,                                                               \
                             const void* alpha,                                                    \
                             const void* a,                                                        \
                             int,                                                                  \
                             size lda,                                                             \
                             const void* b,                                                        \
                             int,                                                                  \
                             size ldb,                                                             \
                             const void* beta,                                                     \
                             void* c,                                                              \
                             int,                                                                  \
                             size ldc,                                                             \
                             int,                                                                  \
                             int) {                                                                \
        return product<size>(h,                                                                    \
                             ta,                                                                   \
                             tb,                                                                   \
                             m,                                                                    \
                             n,                                                                    \
                             k,                                                                    \
                             *static_cast<const float*>(alpha),                                    \
                             static_cast<const float*>(a),                                         \
                             lda,                                                                  \
                             static_cast<const float*>(b),                                         \
                             ldb,                                                                  \
                             *static_cast<const float*>(beta),                                     \
                             static_cast<float*>(c),                                               \
                             ldc);                                                                 \
    }                                                                                              \
    int cublasSgemmStridedBatched##suffix(void* h,                                                 \
                                          int ta,                                                  \
                                          int tb,                                                  \
                                          size m,                                                  \
                                          size n,                                                  \
                                          size k,                                                  \
                                          const float* alpha,                                      \
                                          const float* a,                                          \
                                          size lda,                                                \
                                          long long sa,                                            \
                                          const float* b,                                          \
                                          size ldb,                                                \
                                          long long sb,                                            \
                                          const float* beta,                                       \
                                          float* c,                                                \
                                          size ldc,                                                \
                                          long long sc,                                            \
                                          size count) {                                            \
        for (size i = 0; i < count; ++i)                                                           \
            product<size>(h,                                                                       \
                          ta,                                                                      \
                          tb,                                                                      \
                          m,                                                                       \
                          n,                                                                       \
                          k,                                                                       \
                          *alpha,                                                                  \
                          a + i * sa,                                                              \
                          lda,                                                                     \
                          b + i * sb,                                                              \
                          ldb,                                                                     \
                          *beta,                                                                   \
                          c + i * sc,                                                              \
                          ldc);                                                                    \
        return success;                                                                            \
    }                                                                                              \
    int cublasGemmStridedBatchedEx##suffix(void* h,                                                \
                                           int ta,                                                 \
                                           int tb,                                                 \
                                           size m,                                                 \
                                           size n,                                                 \
                                           size k,                                                 \
                                           const void* alpha,                                      \
                                           const void* a,                                          \
                                           int,                                                    \
                                           size lda,                                               \
                                           long long sa,                                           \
                                           const void* b,                                          \
                                           int,                                                    \
                                           size ldb,                                               \
                                           long long sb,                                           \
                                           const void* beta,                                       \
                                           void* c,                                                \
                                           int,                                                    \
                                           size ldc,                                               \
                                           long long sc,                                           \
                                           size count,                                             \
                                           int,                                                    \
                                           int) {                                                  \
        return cublasSgemmStridedBatched##suffix(h,                                                \
                                                 ta,                                               \
                                                 tb,                                               \
                                                 m,                                                \
                                                 n,                                                \
                                                 k,                                                \
                                                 static_cast<const float*>(alpha),                 \
                                                 static_cast<const float*>(a),                     \
                                                 lda,                                              \
                                                 sa,                                               \
                                                 static_cast<const float*>(b),                     \
                                                 ldb,                                              \
                                                 sb,                                               \
                                                 static_cast<const float*>(beta),                  \
                                                 static_cast<float*>(c),                           \
                                                 ldc,                                              \
                                                 sc,                                               \
                                                 count);                                           \
    }                                                                                              \
    int cublasSgemmBatched##suffix(void* h,                                                        \
                                   int ta,                                                         \
                                   int tb,                                                         \
                                   size m,                                                         \
                                   size n,                                                         \
                                   size k,                                                         \
                                   const float* alpha,                                             \
                                   const float* const a[],                                         \
                                   size lda,                                                       \
                                   const float* const b[],                                         \
                                   size ldb,                                                       \
                                   const float* beta,                                              \
                                   float* const c[],                                               \
                                   size ldc,                                                       \
                                   size count) {                                                   \
        for (size i = 0; i < count; ++i)                                                           \
            product<size>(h, ta, tb, m, n, k, *alpha, a[i], lda, b[i], ldb, *beta, c[i], ldc);     \
        return success;                                                                            \
    }                                                                                              \
    int cublasSgemv_v2##suffix(void*,                                                              \
                               int t,                                                              \
                               size m,                                                             \
                               size n,                                                             \
                               const float* alpha,                                                 \
                               const float* a,                                                     \
                               size lda,                                                           \
                               const float* x,                                                     \
                               size incx,                                                          \
                               const float* beta,                                                  \
                               float* y,                                                           \
                               size incy) {                                                        \
        ++calls;                                                                                   \
        const size lx = t ? m : n, ly = t ? n : m;                                                 \
        for (size i = 0; i < ly; ++i) {                                                            \
            float sum = 0;                                                                         \
            for (size l = 0; l < lx; ++l)                                                          \
                sum += a[t ? l + i * lda : i + l * lda] * x[at(l, lx, incx)];                      \
            float& target = y[at(i, ly, incy)];                                                    \
            target = *alpha * sum + (*beta == 0 ? 0 : *beta * target);                             \
        }                                                                                          \
        return success;                                                                            \
    }                                                                                              \
    int cublasSgeam##suffix(void*,                                                                 \
                            int ta,                                                                \
                            int tb,                                                                \
                            size m,                                                                \
                            size n,                                                                \
                            const float* alpha,                                                    \
                            const float* a,                                                        \
                            size lda,                                                              \
                            const float* beta,                                                     \
                            const float* b,                                                        \
                            size ldb,                                                              \
                            float* c,                                                              \
                            size ldc) {                                                            \
        ++calls;                                                                                   \
        for (size j = 0; j < n; ++j)                                                               \
            for (size i = 0; i < m; ++i)                                                           \
                c[i + j * ldc] = *alpha * a[ta ? j + i * lda : i + j * lda] +                      \
                                 *beta * b[tb ? j + i * ldb : i + j * ldb];                        \
        return success;                                                                            \
    }                                                                                              \
    int cublasSasum_v2##suffix(void*, size n, const float* x, size incx, float* result) {          \
        ++calls;                                                                                   \
        *result = 0;                                                                               \
        for (size i = 0; i < n; ++i)                                                               \
            *result += std::fabs(x[i * incx]);                                                     \
        return success;                                                                            \
    }                                                                                              \
    int cublasSdot_v2##suffix(                                                                     \
        void*, size n, const float* x, size incx, const float* y, size incy, float* result) {      \
        ++calls;                                                                                   \
        *result = 0;                                                                               \
        for (size i = 0; i < n; ++i)                                                               \
            *result += x[at(i, n, incx)] * y[at(i, n, incy)];                                      \
        return success;                                                                            \
    }                                                                                              \
    int cublasSaxpy_v2##suffix(                                                                    \
        void*, size n, const float* alpha, const float* x, size incx, float* y, size incy) {       \
        ++calls;                                                                                   \
        for (size i = 0; i < n; ++i)                                                               \
            y[at(i, n, incy)] += *alpha * x[at(i, n, incx)];                                       \
        return success;                                                                            \
    }                                                                                              \
    int cublasScopy_v2##suffix(void*, size n, const float* x, size incx, float* y, size incy) {    \
        ++calls;                                                                                   \
        for (size i = 0; i < n; ++i)                                                               \
            y[at(i, n, incy)] = x[at(i, n, incx)];                                                 \
        return success;                                                                            \
    }

TOY_ROUTINES(, int)
TOY_ROUTINES(_64, int64_t)

} // extern "C"

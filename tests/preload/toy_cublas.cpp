// A cuBLAS with all functions of the table, under the symbol versions of the real one: the cuBLAS
// preload library forwards to it in tests. Some functions compute on ordinary memory in plain
// loops. TOY_MAJOR is its version. toy_calls counts the calls that reached it.
#include "cublas/entries.h"

#include <cmath>

namespace myblas::preload {
namespace {

constexpr int success = 0, not_initialized = 1, invalid_value = 7, not_supported = 15;

struct toy_handle {
    int major = TOY_MAJOR;
    void* stream = nullptr;
    int pointer_mode = 0, math_mode = 0;
    int emulation_strategy = 0, special_values = 0xFFFF;
};

int calls = 0;

// Null for a pointer that is no handle, and for a handle of another version.
toy_handle* own(void* handle) {
    toy_handle* h = static_cast<toy_handle*>(handle);
    return h && h->major == TOY_MAJOR ? h : nullptr;
}

// ---- Routines: others return NOT_SUPPORTED ------------------------------------------------------

template <entry>
struct tag {};

template <entry e, class... Arguments>
int carry_out(tag<e>, Arguments...) {
    return not_supported;
}

template <class Size>
int carry_out(tag<entry::cublasSgemm_v2>,
              operation transa,
              operation transb,
              Size m,
              Size n,
              Size k,
              const float* alpha,
              const float* a,
              Size lda,
              const float* b,
              Size ldb,
              const float* beta,
              float* c,
              Size ldc) {
    if (m < 0 || n < 0 || k < 0 || ldc < m)
        return invalid_value;
    for (Size j = 0; j < n; ++j)
        for (Size i = 0; i < m; ++i) {
            float sum = 0;
            for (Size l = 0; l < k; ++l)
                sum +=
                    a[transa ? l + i * lda : i + l * lda] * b[transb ? j + l * ldb : l + j * ldb];
            c[i + j * ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * ldc]);
        }
    return success;
}

template <class Size>
int carry_out(tag<entry::cublasSaxpy_v2>,
              Size n,
              const float* alpha,
              const float* x,
              Size incx,
              float* y,
              Size incy) {
    for (Size i = 0; i < n; ++i)
        y[i * incy] += *alpha * x[i * incx];
    return success;
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
int cublasSetSmCountTarget(void*, int count) { return count < 0 ? invalid_value : success; }
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

int cublasSetEmulationStrategy(void* handle, int strategy) {
    if (!own(handle))
        return not_initialized;
    own(handle)->emulation_strategy = strategy;
    return success;
}
int cublasGetEmulationStrategy(void* handle, int* strategy) {
    if (!own(handle))
        return not_initialized;
    *strategy = own(handle)->emulation_strategy;
    return success;
}
int cublasSetEmulationSpecialValuesSupport(void* handle, int mask) {
    if (!own(handle))
        return not_initialized;
    own(handle)->special_values = mask;
    return success;
}
int cublasGetEmulationSpecialValuesSupport(void* handle, int* mask) {
    if (!own(handle))
        return not_initialized;
    *mask = own(handle)->special_values;
    return success;
}

// A routine that the preload libraries do not serve.
int cublasDnrm2_v2(void*, int n, const double* x, int incx, double* result) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += x[i * incx] * x[i * incx];
    *result = std::sqrt(sum);
    return success;
}

#define UNPACK(...) __VA_ARGS__
#define CUBLAS_ENTRY(name, routine, function, call, against, parameters, arguments, mapped)        \
    int SIZED(name)(void* handle, UNPACK parameters) {                                             \
        ++calls;                                                                                   \
        return own(handle) ? carry_out(tag<entry::name>{}, UNPACK arguments) : not_initialized;    \
    }
#include "common/entries.inc"
#define MYBLAS_ENTRIES_64
#include "common/entries.inc"

} // extern "C"
} // namespace myblas::preload

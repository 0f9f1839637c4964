// cuBLAS and cublasLt as functions that look up the library's functions by name when they are first
// called. XLA links such functions for JAX. CUBLAS and CUBLASLT are the names of the libraries.
#include "cublas/entries.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace {

template <class Function>
Function* look_up(const char* library, const char* name) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void* function = handle ? dlsym(handle, name) : nullptr;
    if (!function) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::abort();
    }
    return reinterpret_cast<Function*>(function);
}

} // namespace

#define BY_NAME(library, type, name, parameters, ...)                                              \
    type name parameters {                                                                         \
        static auto* const function = look_up<type parameters>(library, #name);                    \
        return function(__VA_ARGS__);                                                              \
    }
#define UNPACK(...) __VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__

extern "C" {

BY_NAME(CUBLAS, int, toy_calls, ())
BY_NAME(CUBLAS, int, cublasCreate_v2, (void** handle), handle)
BY_NAME(CUBLAS, int, cublasDestroy_v2, (void* handle), handle)
BY_NAME(CUBLAS, int, cublasSetStream_v2, (void* handle, void* stream), handle, stream)
BY_NAME(CUBLAS,
        int,
        cublasSetWorkspace_v2,
        (void* handle, void* workspace, size_t bytes),
        handle,
        workspace,
        bytes)
BY_NAME(CUBLAS, int, cublasSetSmCountTarget, (void* handle, int count), handle, count)
BY_NAME(CUBLAS, int, cublasSetPointerMode_v2, (void* handle, int mode), handle, mode)
BY_NAME(CUBLAS, int, cublasSetMathMode, (void* handle, int mode), handle, mode)
BY_NAME(CUBLAS, int, cublasSetEmulationStrategy, (void* handle, int strategy), handle, strategy)
BY_NAME(CUBLAS, int, cublasGetEmulationStrategy, (void* handle, int* strategy), handle, strategy)
BY_NAME(CUBLAS, int, cublasSetEmulationSpecialValuesSupport, (void* handle, int mask), handle, mask)
BY_NAME(
    CUBLAS, int, cublasGetEmulationSpecialValuesSupport, (void* handle, int* mask), handle, mask)
BY_NAME(CUBLAS,
        int,
        cublasDnrm2_v2,
        (void* handle, int n, const double* x, int inc, double* result),
        handle,
        n,
        x,
        inc,
        result)

namespace myblas::preload {
#define CUBLAS_ENTRY(NAME, ROUTINE, FUNCTION, CALL, AGAINST, PARAMETERS, ARGUMENTS, MAPPED)        \
    int SIZED(NAME)(void* handle, UNPACK PARAMETERS) {                                             \
        static auto* const function =                                                              \
            look_up<int(void*, UNPACK PARAMETERS)>(CUBLAS, TEXT(SIZED(NAME)));                     \
        return function(handle, UNPACK ARGUMENTS);                                                 \
    }
#include "common/entries.inc"
#define MYBLAS_ENTRIES_64
#include "common/entries.inc"
} // namespace myblas::preload

BY_NAME(CUBLASLT, int, toy_lt_calls, ())
BY_NAME(CUBLASLT, int, cublasLtDestroy, (void* handle), handle)
BY_NAME(CUBLASLT,
        int,
        cublasLtMatmulAlgoGetHeuristic,
        (void* handle,
         const void* operation,
         const void* layout_a,
         const void* layout_b,
         const void* layout_c,
         const void* layout_d,
         const void* preference,
         int most,
         void* results,
         int* count),
        handle,
        operation,
        layout_a,
        layout_b,
        layout_c,
        layout_d,
        preference,
        most,
        results,
        count)
BY_NAME(CUBLASLT,
        int,
        cublasLtMatmul,
        (void* handle,
         const void* operation,
         const void* alpha,
         const void* a,
         const void* layout_a,
         const void* b,
         const void* layout_b,
         const void* beta,
         const void* c,
         const void* layout_c,
         void* d,
         const void* layout_d,
         const void* algorithm,
         void* workspace,
         size_t bytes,
         void* stream),
        handle,
        operation,
        alpha,
        a,
        layout_a,
        b,
        layout_b,
        beta,
        c,
        layout_c,
        d,
        layout_d,
        algorithm,
        workspace,
        bytes,
        stream)

} // extern "C"

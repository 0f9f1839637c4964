// A cublasLt under the symbol versions of the real one, for products of one element: the cuBLAS
// preload library forwards to it in tests. Descriptors are arrays. Attribute i is word i, except in
// an operation's descriptor, which begins with the number of its format.
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

constexpr int success = 0, invalid_value = 7, not_supported = 15;
int calls = 0;

int get(const uint64_t* words, int first, int attribute, int count, void* value, size_t bytes) {
    if (attribute >= count)
        return invalid_value;
    std::memcpy(value, words + first + attribute, bytes);
    return success;
}

} // namespace

extern "C" {

int toy_lt_calls() { return calls; }

size_t cublasLtGetVersion() { return TOY_MAJOR * 10000; }
int cublasLtDestroy(void*) { return success; }

int cublasLtMatmulDescGetAttribute(
    const uint64_t* descriptor, int attribute, void* value, size_t bytes, size_t*) {
    return get(descriptor, 1, attribute, 31, value, bytes);
}
int cublasLtMatmulDescSetAttribute(uint64_t* descriptor,
                                   int attribute,
                                   const void* value,
                                   size_t bytes) {
    std::memcpy(descriptor + 1 + attribute, value, bytes);
    return success;
}
int cublasLtMatrixLayoutGetAttribute(
    const uint64_t* layout, int attribute, void* value, size_t bytes, size_t*) {
    return get(layout, 0, attribute, 7, value, bytes);
}

// It has no algorithms for emulation.
int cublasLtMatmulAlgoGetHeuristic(void*,
                                   const uint64_t* descriptor,
                                   const void*,
                                   const void*,
                                   const void*,
                                   const void*,
                                   const void*,
                                   int,
                                   void*,
                                   int* count) {
    constexpr uint64_t emulated = 78;
    *count = descriptor[1] != emulated;
    return *count ? success : not_supported;
}

int cublasLtMatmul(void*,
                   const void*,
                   const float* alpha,
                   const float* a,
                   const void*,
                   const float* b,
                   const void*,
                   const float*,
                   const float*,
                   const void*,
                   float* d,
                   const void*,
                   const void*,
                   void*,
                   size_t,
                   void*) {
    ++calls;
    *d = *alpha * *a * *b;
    return success;
}
}

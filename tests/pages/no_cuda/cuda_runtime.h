/* Replaces CUDA's header for a program on the host backend: device memory is ordinary memory. */
#ifndef NO_CUDA_CUDA_RUNTIME_H
#define NO_CUDA_CUDA_RUNTIME_H

#include <stdlib.h>
#include <string.h>

typedef enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 } cudaError_t;
typedef struct CUstream_st* cudaStream_t;
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
typedef enum { CUDA_R_32F = 0, CUDA_R_64F = 1 } cudaDataType;
typedef enum {
    CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NONE = 0,
    CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN = 2,
    CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT = 0xFFFF
} cudaEmulationSpecialValuesSupport;

static inline cudaError_t cudaMalloc(void** memory, size_t bytes) {
    *memory = malloc(bytes);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t cudaFree(void* memory) {
    free(memory);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, int kind) {
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}
static inline cudaError_t
cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, cudaStream_t stream) {
    (void)kind, (void)stream;
    memcpy(to, from, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    *stream = NULL;
    return cudaSuccess;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    (void)stream;
    return cudaSuccess;
}
static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    (void)stream;
    return cudaSuccess;
}
static inline const char* cudaGetErrorString(cudaError_t error) {
    return error ? "out of memory" : "no error";
}

#endif

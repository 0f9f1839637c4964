// Addresses in shared memory as PTX needs them, and the order of accesses.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

__device__ __forceinline__ uint32_t smem_address(const void* smem) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(smem));
}

// Volatile reads of shared memory: each call reads again, where it stands in the code, as there are
// few registers to keep the values. PTX ISA, "Data Movement and Conversion Instructions: ld".
__device__ __forceinline__ float read_float(const char* x) {
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(smem_address(x)) : "memory");
    return value;
}
__device__ __forceinline__ void read_quad(float* quad, const char* x) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(quad[0]), "=f"(quad[1]), "=f"(quad[2]), "=f"(quad[3])
                 : "r"(smem_address(x))
                 : "memory");
}

// Orders this thread's accesses of shared memory before later accesses by tensor cores and tensor
// copies, which use another proxy than threads. "Later" includes accesses after a barrier that
// follows. PTX ISA, "membar/fence", fence.proxy.async.
__device__ __forceinline__ void fence_async_shared() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

} // namespace myblas::cuda

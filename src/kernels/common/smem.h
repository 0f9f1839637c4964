// Addresses in shared memory, as PTX wants them, and the order of accesses there.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

__device__ __forceinline__ uint32_t smem_address(const void* smem) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(smem));
}

// Orders this thread's accesses of shared memory before those of tensor cores and tensor copies that come behind
// it, or behind a barrier behind it; they are of another proxy than threads. PTX ISA, "membar/fence",
// fence.proxy.async.
__device__ __forceinline__ void fence_async_shared() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

} // namespace myblas::cuda

// Reading the shared memory of the other blocks of a cluster, sm_90 and later.
#pragma once

#include <cstdint>

namespace myblas::cuda {

// All threads of the cluster meet; what they wrote before is visible to all of them after.
// PTX ISA, "Parallel Synchronization and Communication Instructions: barrier.cluster".
__device__ __forceinline__ void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

// Reads the shared memory of block `rank` of the cluster, where this block has `source`.
// PTX ISA, "Data Movement and Conversion Instructions: mapa" and "ld".
__device__ __forceinline__ float load_from_block(const float* source, unsigned rank) {
    float value = 0;
#if __CUDA_ARCH__ >= 900
    const uint32_t local = static_cast<uint32_t>(__cvta_generic_to_shared(source));
    uint32_t remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(remote) : "memory");
#endif
    return value;
}

} // namespace myblas::cuda

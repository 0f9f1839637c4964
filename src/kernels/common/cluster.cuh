// Clusters of blocks, sm_90 and later. On older devices no kernel is launched in clusters.
#pragma once

#include "kernels/common/smem.cuh"

#include <cstdint>

namespace myblas::cuda {

inline constexpr int largest_cluster = 8; // blocks, on every device that has clusters

// The block's rank in its cluster, and the cluster's index along x of the grid. PTX ISA,
// "%cluster_ctarank" and "%clusterid".
__device__ __forceinline__ unsigned cluster_rank() {
    unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

__device__ __forceinline__ unsigned cluster_x() {
    unsigned x = blockIdx.x;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
#endif
    return x;
}

// The two halves of a cluster barrier: all threads of the cluster arrive, then wait. Threads of a
// warp need not call them together. The barrier orders no memory except what expect_bytes fences.
// PTX ISA, "Parallel Synchronization and Communication Instructions: barrier.cluster".
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
#endif
}

__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

// Initialises a barrier in shared memory that opens when `bytes` have been received. All threads of
// the block call it, before cluster_arrive. PTX ISA, "mbarrier.init", "fence" and
// "mbarrier.arrive".
__device__ __forceinline__ void expect_bytes(uint64_t* barrier, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    const uint32_t at = smem_address(barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp(); // ptxas lets the whole warp initialise the barrier
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
                     : "memory");
#endif
}

// Waits until the bytes have been received. PTX ISA, "mbarrier.try_wait".
__device__ __forceinline__ void wait_for_bytes(uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
    const uint32_t at = smem_address(barrier);
    uint32_t done;
    do {
        asm volatile("{\n"
                     ".reg .pred done;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, done;\n"
                     "}"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    } while (!done);
#endif
}

// Address, in block `rank` of the cluster, of the variable that lies at `smem` in this block. PTX
// ISA, "mapa".
__device__ __forceinline__ uint32_t address_in_block(const void* smem, unsigned rank) {
    uint32_t remote = smem_address(smem);
#if __CUDA_ARCH__ >= 900
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(remote) : "r"(rank));
#endif
    return remote;
}

// Sends 16 bytes to `target` in the shared memory of block `rank` of the cluster, and reports them
// to `barrier` there. Both pointers are this block's addresses. PTX ISA, "st.async".
__device__ __forceinline__ void
send_to_block(float4* target, uint64_t* barrier, unsigned rank, float4 value) {
#if __CUDA_ARCH__ >= 900
    const uint32_t at = address_in_block(target, rank);
    const uint32_t barrier_at = address_in_block(barrier, rank);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 "
                 "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(at),
                 "f"(value.x),
                 "f"(value.y),
                 "f"(value.z),
                 "f"(value.w),
                 "r"(barrier_at)
                 : "memory");
#endif
}

// Sends 8 bytes. Both addresses come from address_in_block.
__device__ __forceinline__ void send_to_place(uint32_t target, uint32_t barrier, uint64_t value) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(target),
        "l"(value),
        "r"(barrier)
        : "memory");
#endif
}

// All threads of the cluster meet. Writes before the barrier are visible to all of them after it.
// PTX ISA, "Parallel Synchronization and Communication Instructions: barrier.cluster".
__device__ __forceinline__ void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

// Reads `source`, an address of this block, in the shared memory of block `rank` of the cluster.
// PTX ISA, "Data Movement and Conversion Instructions: ld".
__device__ __forceinline__ float load_from_block(const float* source, unsigned rank) {
    float value = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.f32 %0, [%1];"
                 : "=f"(value)
                 : "r"(address_in_block(source, rank))
                 : "memory");
#endif
    return value;
}

// Reads four neighbouring floats, aligned to 16 bytes.
__device__ __forceinline__ float4 load_quad_from_block(const float* source, unsigned rank) {
    float4 value{};
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "r"(address_in_block(source, rank))
                 : "memory");
#endif
    return value;
}

} // namespace myblas::cuda

// Clusters of blocks, and kernels that start early: sm_90 and later. On older devices no kernel is
// launched in clusters, and there is nothing to wait for.
#pragma once

#include <cstdint>

namespace myblas::cuda {

// All threads of the cluster arrive, then wait. This orders no memory beyond what expect_bytes fences.
// PTX ISA, "Parallel Synchronization and Communication Instructions: barrier.cluster".
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// A barrier in shared memory that opens when `bytes` have been received. One thread calls this, before
// cluster_arrive. PTX ISA, "mbarrier.init", "fence" and "mbarrier.arrive".
__device__ __forceinline__ void expect_bytes(uint64_t* barrier, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
                 : "memory");
#endif
}

// Waits until the bytes have been received. PTX ISA, "mbarrier.try_wait".
__device__ __forceinline__ void wait_for_bytes(uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
    const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
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

// Sends 16 bytes to the shared memory of block `rank` of the cluster, where this block has `target`,
// and reports them to the barrier there. PTX ISA, "mapa" and "st.async".
__device__ __forceinline__ void
send_to_block(float4* target, uint64_t* barrier, unsigned rank, float4 value) {
#if __CUDA_ARCH__ >= 900
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(target));
    uint32_t barrier_at = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(at) : "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(barrier_at) : "r"(rank));
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

// Lets the next kernel of the stream start, if it was launched with leave to start early: once all blocks
// of this one have called it or ended.
// PTX ISA, "Parallel Synchronization and Communication Instructions: griddepcontrol".
__device__ __forceinline__ void launch_dependents() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Waits until all that came before this kernel in the stream has finished, and is visible. Whatever starts
// early calls it before it touches memory that others write or read.
__device__ __forceinline__ void wait_for_dependencies() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

} // namespace myblas::cuda

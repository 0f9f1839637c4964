// Thread block clusters (compute capability 9.0): sending a value from each block to the first.
//
// PTX wrappers name their section of the PTX ISA. Before 9.0 they are empty, and no kernel that uses
// them is launched.
#pragma once

#include "core/kernel_entry.h"
#include "kernels/common/launch.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace myblas::cuda {

inline constexpr int largest_cluster = 8; // blocks, on every device that has clusters

__device__ inline unsigned smem_address(const void* smem) {
    return static_cast<unsigned>(__cvta_generic_to_shared(smem));
}

// In the shared memory of every block of a cluster; the first block's is the one in use. Filled once.
template <class Value>
class inbox {
    static_assert(sizeof(Value) % 8 == 0);

public:
    // All threads of all blocks call open(), then is_open(), and may work in between.
    // Parallel Synchronization and Communication Instructions: mbarrier.init,
    // mbarrier.arrive.expect_tx, barrier.cluster.
    __device__ void open(int rank, int blocks) {
#if __CUDA_ARCH__ >= 900
        if (rank == 0 && threadIdx.x == 0) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(smem_address(&barrier_))
                         : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile(
                "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(smem_address(&barrier_)),
                "r"((blocks - 1) * static_cast<int>(sizeof(Value)))
                : "memory");
        }
        asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
#endif
    }

    __device__ void is_open() {
#if __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
    }

    // One thread of a block other than the first; the block may end at once.
    // Data Movement and Conversion Instructions: mapa, st.async.
    __device__ void send(int rank, const Value& value) {
#if __CUDA_ARCH__ >= 900
        constexpr int words = sizeof(Value) / 8;
        uint64_t word[words];
        std::memcpy(word, &value, sizeof(Value));
        unsigned barrier, target;
        asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(barrier) : "r"(smem_address(&barrier_)));
        asm("mapa.shared::cluster.u32 %0, %1, 0;"
            : "=r"(target)
            : "r"(smem_address(value_ + rank)));
#pragma unroll
        for (int w = 0; w < words; ++w)
            asm volatile(
                "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                    target + 8 * w),
                "l"(word[w]),
                "r"(barrier)
                : "memory");
#endif
    }

    // In the first block: waits for all values; that of block `rank` > 0.
    // Parallel Synchronization and Communication Instructions: mbarrier.try_wait.
    __device__ void wait() {
#if __CUDA_ARCH__ >= 900
        unsigned is_complete = 0;
        while (!is_complete)
            asm volatile("{\n"
                         ".reg .pred complete;\n"
                         "mbarrier.try_wait.parity.shared.b64 complete, [%1], 0;\n"
                         "selp.u32 %0, 1, 0, complete;\n"
                         "}"
                         : "=r"(is_complete)
                         : "r"(smem_address(&barrier_))
                         : "memory");
#endif
    }
    __device__ Value operator[](int rank) const { return value_[rank]; }

private:
    alignas(8) uint64_t barrier_;
    alignas(8) Value value_[largest_cluster];
};

// One cluster of so many blocks, overlapping the kernel before (overlap.h).
template <class... Parameters, class... Arguments>
[[nodiscard]] myblasStatus_t launch_cluster(void (*kernel)(Parameters...),
                                            int blocks,
                                            int threads,
                                            const launch_context& context,
                                            Arguments&&... arguments) {
    cudaLaunchAttribute attribute[2]{};
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    attribute[1].id = cudaLaunchAttributeClusterDimension;
    attribute[1].val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(threads);
    config.stream = context.stream;
    config.attrs = attribute;
    config.numAttrs = 2;
    return to_status(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

} // namespace myblas::cuda

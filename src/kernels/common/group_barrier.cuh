// Barriers of groups of warps in a block.
#pragma once

#include "kernels/common/tma.cuh"

namespace myblas::cuda {

// One thread's view of its group's barrier. A block has `groups` groups of `threads` threads. The
// barrier orders the group's accesses of shared memory. On sm_90 it is an mbarrier: named barriers
// would work too, but after them compute-sanitizer's racecheck reports hazards between accesses
// that __syncthreads() separates.
template <int threads, int groups>
class group_barrier {
public:
    static constexpr bool is_of_block = groups == 1, is_of_warp = threads == 32;

    // All threads of the block construct it together. `barriers` is shared memory, one for each
    // group.
    __device__ __forceinline__ group_barrier(mbarrier* barriers, int group) : group_(group) {
#if __CUDA_ARCH__ >= 900
        if constexpr (!is_of_block && !is_of_warp) {
            barrier_ = barriers + group;
            if (threadIdx.x == 0) {
                for (int i = 0; i < groups; ++i)
                    barriers[i].init(threads);
                mbarrier::publish_inits();
            }
            __syncthreads(); // the barriers are initialised before any thread arrives
        }
#endif
    }

    __device__ __forceinline__ void synchronize() {
        if constexpr (is_of_warp) {
            __syncwarp();
        } else if constexpr (is_of_block) {
            __syncthreads();
        } else {
#if __CUDA_ARCH__ >= 900
            barrier_->arrive();
            barrier_->wait(parity_);
            parity_ ^= 1;
#else // barrier 0 is __syncthreads; PTX ISA, "bar.sync"
            asm volatile("bar.sync %0, %1;" ::"r"(group_ + 1), "n"(threads) : "memory");
#endif
        }
    }

private:
    mbarrier* barrier_;
    int group_, parity_ = 0;
};

} // namespace myblas::cuda

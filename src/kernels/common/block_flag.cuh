// Flags in global memory. Some warps of one block announce to as many warps of another block that
// results have been written. A flag is zero before and after use.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// Used by `threads` threads of a block, whole warps. The flag counts the warps that have announced,
// and then the warps that have waited. PTX ISA, "red" and "ld.acquire".
template <int threads>
struct block_flag {
    static constexpr unsigned warps = threads / 32;

    // All `threads` threads call it after they have written their results to global memory.
    static __device__ void announce(unsigned* flag) {
        __threadfence();
        __syncwarp(); // orders the results of the warp before the flag
        if (threadIdx.x % 32 == 0)
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(flag) : "memory");
    }

    // All `threads` threads call it. Waits until another block has announced; the last warp resets
    // the flag.
    static __device__ void await(unsigned* flag) {
        unsigned value;
        do // as a whole warp, which the compiler then knows to be converged
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(value)
                         : "l"(flag)
                         : "memory");
        while (!__all_sync(~0u, value >= warps));
        if (threadIdx.x % 32 == 0)
            atomicInc(flag, 2 * warps - 1);
    }
};

} // namespace myblas::cuda

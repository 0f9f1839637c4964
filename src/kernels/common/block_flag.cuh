// Flags in global memory by which some threads of a block tell those of another that results are there. A flag is
// zero before and after.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// The first `threads` threads of a block, with a barrier of their own. PTX ISA, "bar.sync", "st.release" and
// "ld.acquire".
template <int threads, int barrier>
struct block_flag {
    // Called by all of them: tells that what they have written to global memory is there.
    static __device__ void announce(unsigned* flag) {
        __threadfence();
        synchronize(); // all threads' results are visible before the flag is
        if (threadIdx.x == 0)
            asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    }

    // Called by all of them: waits until another block has told so, and leaves the flag as it was before.
    static __device__ void await(unsigned* flag) {
        if (threadIdx.x == 0) {
            unsigned value;
            do {
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                             : "=r"(value)
                             : "l"(flag)
                             : "memory");
            } while (value == 0);
            *flag = 0;
        }
        synchronize(); // nobody reads the results before thread 0 has seen the flag
    }

private:
    static __device__ __forceinline__ void synchronize() {
        asm volatile("bar.sync %0, %1;" ::"n"(barrier), "n"(threads) : "memory");
    }
};

} // namespace myblas::cuda

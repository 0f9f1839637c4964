// Flags in global memory. Some threads of one block announce to threads of another block that
// results have been written. A flag is zero before and after use.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// Used by the first `threads` threads of a block, which synchronise at named barrier `barrier`. PTX
// ISA, "bar.sync", "st.release" and "ld.acquire".
template <int threads, int barrier>
struct block_flag {
    // All `threads` threads call it after they have written their results to global memory.
    static __device__ void announce(unsigned* flag) {
        __threadfence();
        synchronize(); // orders the results of all threads before the flag
        if (threadIdx.x == 0)
            asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    }

    // All `threads` threads call it. Waits until another block has announced, and resets the flag.
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
        synchronize(); // no thread reads the results before thread 0 has seen the flag
    }

private:
    static __device__ __forceinline__ void synchronize() {
        asm volatile("bar.sync %0, %1;" ::"n"(barrier), "n"(threads) : "memory");
    }
};

} // namespace myblas::cuda

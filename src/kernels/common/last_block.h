// One launch in two levels: blocks leave partial results in memory, and the block that comes last
// combines them.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// Called by all threads of `count` blocks after they have written their partial results: true in the
// block that comes last, which may then read those of all blocks. The counter is zero before, and
// wraps to zero there, so that no launch has to prepare the next.
__device__ inline bool is_last_block(unsigned* counter, unsigned count) {
    __shared__ bool is_last;
    __syncthreads(); // the block has written its partial results
    if (threadIdx.x == 0) {
        __threadfence(); // they are visible before the number is taken
        is_last = atomicInc(counter, count - 1) == count - 1;
    }
    __syncthreads(); // thread 0 has told whether the block is the last
    if (is_last)
        __threadfence(); // all numbers are taken: what is read from here on is written
    return is_last;
}

} // namespace myblas::cuda

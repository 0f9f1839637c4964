// Reductions of two levels in one launch: every block writes a partial result to memory, and the
// last block to arrive combines them.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// Counts an arrival and returns whether it is the last of `count`. The counter is zero before and
// wraps to zero at the last arrival, so that no launch has to reset it for the next. Orders no
// memory.
__device__ inline bool is_last_arrival(unsigned* counter, unsigned count) {
    return atomicInc(counter, count - 1) == count - 1;
}

// All threads of `count` blocks call it after they have written their partial results. Returns true
// in the last block, which may then read the partial results of all blocks.
__device__ inline bool is_last_block(unsigned* counter, unsigned count) {
    __shared__ bool is_last;
    __syncthreads(); // the whole block has written its partial results
    if (threadIdx.x == 0) {
        __threadfence(); // the partial results are visible before the counter is incremented
        is_last = is_last_arrival(counter, count);
    }
    __syncthreads(); // thread 0 has stored whether the block is the last
    if (is_last)
        __threadfence(); // all blocks have counted, so their results are visible from here on
    return is_last;
}

} // namespace myblas::cuda

// Sums that the blocks of a cluster have stored in their shared memory, each at the same place. A
// block may be alone.
#pragma once

#include "kernels/common/cluster.cuh"

namespace myblas::cuda {

// `copies`: sums of one element in a block, `copy_floats` apart.
template <int copies>
struct cluster_sum {
    const float* smem;
    int copy_floats;
    int blocks; // of the cluster

    // The sums of all blocks are complete.
    __device__ __forceinline__ void meet() const {
        if (blocks > 1)
            cluster_barrier();
        else
            __syncthreads();
    }

    // own(): the sum of an element over the copies of this block. all(): over the copies of all
    // blocks. The order is fixed.
    __device__ __forceinline__ float own(int element) const {
        float sum = smem[element];
#pragma unroll
        for (int copy = 1; copy < copies; ++copy)
            sum += smem[element + copy * copy_floats];
        return sum;
    }
    __device__ __forceinline__ float all(int element) const {
        float sum = 0;
#pragma unroll 8
        for (int rank = 0; rank < blocks; ++rank)
#pragma unroll
            for (int copy = 0; copy < copies; ++copy)
                sum += load_from_block(smem + element + copy * copy_floats, rank);
        return sum;
    }

    // No block reads the others' memory any more.
    __device__ __forceinline__ void leave() const {
        if (blocks > 1)
            cluster_barrier();
    }
};

} // namespace myblas::cuda

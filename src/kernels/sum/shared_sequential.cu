// result = sum of x_i: a tree over halves in shared memory.
//
// Adds to `shared_strided`: the far half is added to the near half, so that consecutive threads
// access consecutive values, without bank conflicts.
//
//      stride 4:  0+4   1+5   2+6   3+7      threads 0, 1, 2, 3
//      stride 2:  0+2   1+3                  threads 0, 1
//
// Bound: n elements read.  Block: 1024 threads, one element each, 4 KiB of shared memory.
// Accepts: everything.  Not deterministic.

#include "kernels/sum/ladder.cuh"
#include "kernels/sum/registry.h"

namespace myblas::cuda {
namespace {

__device__ float sequential(float value) {
    __shared__ float smem[ladder_threads];
    const int t = threadIdx.x;
    smem[t] = value;
    __syncthreads(); // the values are complete
    for (int stride = ladder_threads / 2; stride > 0; stride /= 2) {
        if (t < stride)
            smem[t] += smem[t + stride];
        __syncthreads(); // the step is complete; after the last one only thread 0 reads
    }
    return smem[0];
}

myblasStatus_t launch_shared_sequential(const sum_problem<float>& p,
                                        const launch_context& context) {
    return launch_ladder(add_by_block<float, sequential>, p, context);
}

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_shared_sequential = {
    .name = "shared_sequential",
    .description = "tree in shared memory, halves first, without conflicts",
    .threads = ladder_threads,
    .stages = 1,
    .smem_bytes = ladder_threads * sizeof(float),
    .deterministic = false,
    .launch = launch_shared_sequential,
};

} // namespace myblas::cuda

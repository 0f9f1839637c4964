// result = sum of x_i: a tree over neighbours in shared memory.
//
// Adds to `shared_serial`: the threads add in log2(1024) steps. In the step of stride s, every
// thread whose number is a multiple of 2 s adds the value s places on: neighbours first. Active
// threads are spread over all warps, so that each warp runs every step, with fewer and fewer active
// lanes (divergence).
//
//      stride 1:  0+1   2+3   4+5   6+7      threads 0, 2, 4, 6
//      stride 2:  0+2         4+6            threads 0, 4
//
// Bound: n elements read.  Block: 1024 threads, one element each, 4 KiB of shared memory.
// Accepts: everything.  Not deterministic.

#include "kernels/sum/ladder.cuh"
#include "kernels/sum/registry.h"

namespace myblas::cuda {
namespace {

__device__ float interleaved(float value) {
    __shared__ float smem[ladder_threads];
    const int t = threadIdx.x;
    smem[t] = value;
    __syncthreads(); // the values are complete
    for (int stride = 1; stride < ladder_threads; stride *= 2) {
        if (t % (2 * stride) == 0)
            smem[t] += smem[t + stride];
        __syncthreads(); // the step is complete; after the last one only thread 0 reads
    }
    return smem[0];
}

myblasStatus_t launch_shared_interleaved(const sum_problem<float>& p,
                                         const launch_context& context) {
    return launch_ladder(add_by_block<float, interleaved>, p, context);
}

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_shared_interleaved = {
    .name = "shared_interleaved",
    .description = "tree in shared memory, neighbours first, with divergent warps",
    .threads = ladder_threads,
    .stages = 1,
    .smem_bytes = ladder_threads * sizeof(float),
    .deterministic = false,
    .launch = launch_shared_interleaved,
};

} // namespace myblas::cuda

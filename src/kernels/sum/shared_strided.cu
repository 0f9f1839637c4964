// result = sum of x_i: a tree over neighbours in shared memory, added by the first threads.
//
// Adds to `shared_interleaved`: consecutive threads make the same additions, so that whole warps
// work or rest. The threads of a warp now access values 2 s apart: bank conflicts of 2 s ways, up
// to 32.
//
//      stride 1:  0+1   2+3   4+5   6+7      threads 0, 1, 2, 3
//      stride 2:  0+2         4+6            threads 0, 1
//
// Bound: n elements read.  Block: 1024 threads, one element each, 4 KiB of shared memory.
// Accepts: everything.  Not deterministic.

#include "kernels/sum/ladder.cuh"
#include "kernels/sum/registry.h"

namespace myblas::cuda {
namespace {

__device__ float strided(float value) {
    __shared__ float smem[ladder_threads];
    const int t = threadIdx.x;
    smem[t] = value;
    __syncthreads(); // the values are complete
    for (int stride = 1; stride < ladder_threads; stride *= 2) {
        const int target = 2 * stride * t;
        if (target < ladder_threads)
            smem[target] += smem[target + stride];
        __syncthreads(); // the step is complete; after the last one only thread 0 reads
    }
    return smem[0];
}

myblasStatus_t launch_shared_strided(const sum_problem<float>& p, const launch_context& context) {
    return launch_ladder(add_by_block<float, strided>, p, context);
}

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_shared_strided = {
    .name = "shared_strided",
    .description = "tree in shared memory, neighbours first, with bank conflicts",
    .threads = ladder_threads,
    .stages = 1,
    .smem_bytes = ladder_threads * sizeof(float),
    .deterministic = false,
    .launch = launch_shared_strided,
};

} // namespace myblas::cuda

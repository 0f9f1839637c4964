// result = sum of x_i: thread 0 adds the values of its block.
//
// Adds to `atomic`: a block collects its values in shared memory, and one thread adds them: 1024
// elements cost one atomic, but 1023 threads wait meanwhile.
//
// Bound: n elements read.  Block: 1024 threads, one element each, 4 KiB of shared memory.
// Accepts: everything.  Not deterministic.

#include "kernels/sum/ladder.cuh"
#include "kernels/sum/registry.h"

namespace myblas::cuda {
namespace {

__device__ float serial(float value) {
    __shared__ float smem[ladder_threads];
    smem[threadIdx.x] = value;
    __syncthreads(); // the values are complete
    float total = 0;
    if (threadIdx.x == 0)
        for (int t = 0; t < ladder_threads; ++t)
            total += smem[t];
    __syncthreads(); // the values are free for the next call
    return total;
}

myblasStatus_t launch_shared_serial(const sum_problem<float>& p, const launch_context& context) {
    return launch_ladder(add_by_block<float, serial>, p, context);
}

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_shared_serial = {
    .name = "shared_serial",
    .description = "one thread adds the values of its block in shared memory",
    .threads = ladder_threads,
    .stages = 1,
    .smem_bytes = ladder_threads * sizeof(float),
    .deterministic = false,
    .launch = launch_shared_serial,
};

} // namespace myblas::cuda

// counts_v = number of bytes of x that equal v. Each block counts in shared memory.
//
// Adds to `global_atomics`: each block has its own counts, and adds them to the result once at its
// end. Equal bytes of a warp still queue at one address.
//
// Bound: n bytes read.  Block: 1024 threads, one byte each at a time, 1 KiB of shared memory.
// Grid: two blocks on each multiprocessor.  Accepts: everything.

#include "kernels/histogram/bins.cuh"
#include "kernels/histogram/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 1024;
constexpr int blocks_per_sm = 2;
// Bytes that a block counts before its 32-bit counts might overflow.
constexpr int64_t most_bytes = int64_t{1} << 31;

__global__ void __launch_bounds__(threads) shared_atomics(histogram_problem p) {
    __shared__ unsigned smem_count[bins];
    if (threadIdx.x < bins)
        smem_count[threadIdx.x] = 0;
    __syncthreads(); // the counts are zero
    const int64_t step = int64_t{gridDim.x} * threads;
    for (int64_t i = int64_t{blockIdx.x} * threads + threadIdx.x; i < p.n; i += step)
        atomicAdd(&smem_count[p.x[i]], 1u);
    __syncthreads(); // the counts are complete
    if (threadIdx.x < bins && smem_count[threadIdx.x] != 0)
        add_count(&p.counts[threadIdx.x], smem_count[threadIdx.x]);
}

myblasStatus_t launch_shared_atomics(const histogram_problem& p, const launch_context& context) {
    if (const myblasStatus_t failure = clear_counts(p.counts, context); failure || p.n == 0)
        return failure;
    const int64_t resident = int64_t{blocks_per_sm} * context.device->sm_count;
    const int64_t blocks =
        std::min(ceil_div<int64_t>(p.n, threads), std::max(resident, ceil_div(p.n, most_bytes)));
    return launch(shared_atomics, dim3(static_cast<unsigned>(blocks)), threads, 0, context, p);
}

} // namespace

constinit const kernel_entry<histogram_problem> histogram_shared_atomics = {
    .name = "shared_atomics",
    .description = "counts of each block in shared memory",
    .threads = threads,
    .stages = 1,
    .smem_bytes = bins * sizeof(unsigned),
    .launch = launch_shared_atomics,
};

} // namespace myblas::cuda

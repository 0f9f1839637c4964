// counts_v = number of bytes of x that equal v. Each byte adds one to its count in global memory by
// an atomic.
//
// The simplest kernel: all additions queue at 256 addresses, or at one if x is constant.
//
// Bound: n bytes read.  Block: 1024 threads, one byte each.  Accepts: everything.

#include "kernels/histogram/bins.cuh"
#include "kernels/histogram/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 1024;

__global__ void __launch_bounds__(threads) global_atomics(histogram_problem p) {
    const int64_t step = int64_t{gridDim.x} * threads;
    for (int64_t i = int64_t{blockIdx.x} * threads + threadIdx.x; i < p.n; i += step)
        add_count(&p.counts[p.x[i]], 1);
}

myblasStatus_t launch_global_atomics(const histogram_problem& p, const launch_context& context) {
    if (const myblasStatus_t failure = clear_counts(p.counts, context); failure || p.n == 0)
        return failure;
    const int64_t blocks = std::min(ceil_div<int64_t>(p.n, threads), max_grid_x);
    return launch(global_atomics, dim3(static_cast<unsigned>(blocks)), threads, 0, context, p);
}

} // namespace

constinit const kernel_entry<histogram_problem> histogram_global_atomics = {
    .name = "global_atomics",
    .description = "one atomic addition in global memory for each byte",
    .threads = threads,
    .launch = launch_global_atomics,
};

} // namespace myblas::cuda

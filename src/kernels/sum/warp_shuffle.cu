// result = sum of x_i: trees in registers.
//
// Adds to `shared_sequential`: the lanes of a warp exchange registers, and only the sums of the
// warps pass through shared memory. A sum takes one barrier instead of ten.
//
// Bound: n elements read.  Block: 1024 threads, one element each, one value a warp in shared
// memory. Accepts: everything.  Not deterministic.

#include "kernels/common/reduce.cuh"
#include "kernels/sum/ladder.cuh"
#include "kernels/sum/registry.h"

namespace myblas::cuda {
namespace {

template <class T>
__device__ T shuffled(T value) {
    const T total = block_sum<ladder_threads>(value);
    __syncthreads(); // block_sum is free for its next call
    return total;
}

template <class T>
myblasStatus_t launch_warp_shuffle(const sum_problem<T>& p, const launch_context& context) {
    return launch_ladder(add_by_block<T, shuffled<T>>, p, context);
}

template <class T>
constexpr kernel_entry<sum_problem<T>> entry{
    .name = "warp_shuffle",
    .description = "trees in registers by warp shuffles, one atomic for each block",
    .threads = ladder_threads,
    .stages = 1,
    .smem_bytes = ladder_threads / warp_size * sizeof(T),
    .alignment_bytes = sizeof(T),
    .deterministic = false,
    .launch = launch_warp_shuffle<T>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_warp_shuffle = entry<float>;
constinit const kernel_entry<sum_problem<double>> dsum_warp_shuffle = entry<double>;

} // namespace myblas::cuda

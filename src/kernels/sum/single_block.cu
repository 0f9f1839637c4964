// result = sum of x_i by one block, the same bits on every run.
//
// `vectorised_two_level` with one large block: it needs neither workspace nor counter. The kernel
// is fastest if the block can read x in a batch or two. Beyond that, one multiprocessor reads
// alone.
//
// Accuracy: as `vectorised_two_level`.  Bound: latency; for large n one multiprocessor's bandwidth.
// Block: 1024 threads, batches of 64 KiB.  Accepts: everything.

#include "kernels/common/launch.h"
#include "kernels/common/reduce.cuh"
#include "kernels/sum/batch.cuh"
#include "kernels/sum/registry.h"

namespace myblas::cuda {
namespace {

constexpr int threads = 1024;

template <class T, bool contiguous, bool absolute>
__global__ void __launch_bounds__(threads) single_block(sum_problem<T> p) {
    const carrier<T> total =
        block_sum<threads>(thread_sum<T, threads, contiguous, absolute>(p, 0, 1));
    if (threadIdx.x == 0)
        *p.result = total.rounded();
}

template <class T>
myblasStatus_t launch_single_block(const sum_problem<T>& p, const launch_context& context) {
    const auto kernel =
        is_contiguous(p)
            ? (p.absolute ? single_block<T, true, true> : single_block<T, true, false>)
            : (p.absolute ? single_block<T, false, true> : single_block<T, false, false>);
    return launch(kernel, dim3(1), threads, 0, context, p);
}

template <class T>
constexpr kernel_entry<sum_problem<T>> entry{
    .name = "single_block",
    .description = "one block, 16-byte loads, fixed order; needs no workspace",
    .threads = threads,
    .stages = 1,
    .smem_bytes = threads / warp_size * sizeof(carrier<T>),
    .alignment_bytes = sizeof(T),
    .launch = launch_single_block<T>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_single_block = entry<float>;
constinit const kernel_entry<sum_problem<double>> dsum_single_block = entry<double>;

} // namespace myblas::cuda

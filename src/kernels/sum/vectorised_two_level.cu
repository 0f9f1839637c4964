// result = sum of x_i, the same bits on every run, in one launch.
//
// Adds to `warp_shuffle`: a thread reads many elements, 16 bytes at a time with four loads in
// flight (batch.cuh). No atomic decides the order of additions: each block writes its sum to its
// slot in the workspace and takes a number from a counter. The block that takes the last number
// knows that all slots are written, and adds them in order. The counter then wraps to zero, so that
// the next launch needs no preparation. A single block needs neither slots nor counter.
//
// Accuracy: 4 roundings in float (3 in double) in a thread's tree, then a carrier of twice the
// precision, and the rounding of the result: |error| <= 6 u sum |x_i| for all sizes that fit in a
// GPU.
// Bound: n elements read.  Block: 256 threads, batches of 16 KiB.  Grid: a function of n and the
// number of multiprocessors alone, at most 8 blocks on each.
// Accepts: everything. If x is strided or unaligned, each vector is read by four (double: two)
// scalar loads.

#include "kernels/common/last_block.cuh"
#include "kernels/common/launch.h"
#include "kernels/common/reduce.cuh"
#include "kernels/sum/batch.cuh"
#include "kernels/sum/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int blocks_per_sm = 8;

template <class T>
int64_t blocks_of(const sum_problem<T>& p, const device_info& device) {
    const int64_t batches = ceil_div(p.n, batch_elements<T, threads>);
    return std::clamp<int64_t>(batches, 1, int64_t{blocks_per_sm} * device.sm_count);
}

// The sum of all slots, in thread 0 of the block.
template <class T>
__device__ carrier<T> add_slots(const carrier<T>* slots, int count) {
    carrier<T> total{};
    for (int slot = threadIdx.x; slot < count; slot += threads)
        total.add(slots[slot]);
    return block_sum<threads>(total);
}

template <class T, bool contiguous, bool absolute>
__global__ void __launch_bounds__(threads, blocks_per_sm)
    two_level(sum_problem<T> p, carrier<T>* slots, unsigned* counter) {
    carrier<T> total =
        block_sum<threads>(thread_sum<T, threads, contiguous, absolute>(p, blockIdx.x, gridDim.x));
    if (gridDim.x > 1) {
        __shared__ bool is_last;
        if (threadIdx.x == 0) {
            slots[blockIdx.x] = total;
            __threadfence(); // the slot is visible before the number is taken
            is_last = is_last_arrival(counter, gridDim.x);
        }
        __syncthreads(); // is_last is written
        if (!is_last)
            return;
        __threadfence(); // all numbers are taken: all slots are written
        total = add_slots<T>(slots, gridDim.x);
    }
    if (threadIdx.x == 0)
        *p.result = total.rounded();
}

template <class T>
size_t slot_bytes(const sum_problem<T>& p, const device_info& device) {
    const int64_t blocks = blocks_of(p, device);
    return blocks > 1 ? blocks * sizeof(carrier<T>) : 0;
}

template <class T>
myblasStatus_t launch_two_level(const sum_problem<T>& p, const launch_context& context) {
    const auto kernel = is_contiguous(p)
                            ? (p.absolute ? two_level<T, true, true> : two_level<T, true, false>)
                            : (p.absolute ? two_level<T, false, true> : two_level<T, false, false>);
    const dim3 grid(static_cast<unsigned>(blocks_of(p, *context.device)));
    carrier<T>* slots = static_cast<carrier<T>*>(context.workspace);
    return launch(kernel, grid, threads, 0, context, p, slots, context.counters);
}

template <class T>
constexpr kernel_entry<sum_problem<T>> entry{
    .name = "vectorised_two_level",
    .description = "16-byte loads, fixed order: the last block adds the blocks' sums",
    .threads = threads,
    .stages = 1,
    .smem_bytes = threads / warp_size * sizeof(carrier<T>) + 1,
    .alignment_bytes = sizeof(T),
    .uses_counters = true,
    .workspace_bytes = slot_bytes<T>,
    .launch = launch_two_level<T>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_vectorised_two_level = entry<float>;
constinit const kernel_entry<sum_problem<double>> dsum_vectorised_two_level = entry<double>;

} // namespace myblas::cuda

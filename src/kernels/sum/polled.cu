// result = sum of x_i, the same bits on every run, in one launch and one step between blocks.
//
// Adds to `vectorised_two_level`: rows of the vector are dealt to blocks one by one (rows.h), so that
// all have the same number of them but one; the blocks put their sums into slots that are their own
// signal (mailbox.h), in place of a fence, an atomic and a second reading; the last block waits for
// them, and adds them in their order, while the others end; the launch overlaps the kernel before.
//
//   bytes of x    threads x loads    blocks on a multiprocessor    rows are dealt    L1 cache
//      32 MiB         256 x 4                  2 at most               singly          keeps
//     384 MiB         512 x 4                  4 (double: 3)           in batches      is passed by
//       beyond        512 x 4                  4 (double: 3)           in batches      keeps
//
// What passes the L1 cache by is the first to leave the L2 cache as well: good for an x of which a part
// stays there from call to call. Much larger ones are read at the speed of DRAM only if they drive out
// what kernels before have left in the L2 cache.
//
// The last block waits while the others still run, never they for it; a device that can hold two
// blocks is enough.
//
// Accuracy: 4 roundings in float (3 in double) in a thread's tree, a carrier of twice the precision
// from there on, and the rounding of the result: |error| <= 6 u sum |x_i| for all sizes a GPU holds.
// Bound: n elements read.  Grid: a function of n and the number of multiprocessors alone.
// Accepts: everything. Of a misaligned x, block 0 adds the elements before the first whole vector one by one. An
// increment makes each vector four (two) single loads; then two blocks a multiprocessor read all sizes, of 512 threads
// beyond 8 MiB.

#include "kernels/common/mailbox.h"
#include "kernels/common/overlap.h"
#include "kernels/common/reduce.h"
#include "kernels/sum/registry.h"
#include "kernels/sum/rows.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int rows_per_block = 2; // at least: fewer are not worth a slot

template <class T>
constexpr int most_slots = counter_count * sizeof(unsigned) / sizeof(carrier<T>);

constexpr int slots_at_once = 2; // that a thread of the waiting block asks for

// Blocks on a multiprocessor, by their registers, where all sizes of them fit.
template <class T>
constexpr int residents = sizeof(T) == 4 ? 4 : 3;

template <class T, int threads, int loads, layout where, dealing order, caching policy>
__global__ void __launch_bounds__(threads, order == dealing::in_batches ? residents<T> : 0)
    polled(sum_problem<T> p, int head, uint64_t* slots) {
    wait_for_earlier_work();
    carrier<T> total = add_rows<T, threads, loads, where, order, policy>(p, blockIdx.x, gridDim.x);
    if (where == layout::vectors && blockIdx.x == 0 && static_cast<int>(threadIdx.x) < head) {
        const T value = p.x[static_cast<int>(threadIdx.x) - head];
        total.add(p.absolute ? fabs(value) : value);
    }
    total = block_sum_by_warp<threads>(total);
    const int others = static_cast<int>(gridDim.x) - 1;
    if (others > 0) {
        const int block = static_cast<int>(blockIdx.x);
        if (block < others) {
            if (threadIdx.x == 0)
                put_sum(slots, others, block, total);
            return;
        }
        const carrier<T> rest = take_sums<T, threads, slots_at_once>(slots, others);
        __syncthreads(); // the sum over the block is free for its next call
        total.add(block_sum_by_warp<threads>(rest));
    }
    if (threadIdx.x == 0)
        *p.result = total.rounded();
}

// head: elements before p.x that belong to the sum.
template <class T, int threads, int loads, layout where, dealing order, caching policy>
myblasStatus_t
launch_blocks(const sum_problem<T>& p, int head, const launch_context& context, int blocks_per_sm) {
    const int64_t rows = ceil_div<int64_t>(p.n, row_elements<T, threads>);
    const int64_t most_blocks =
        std::min<int64_t>(int64_t{blocks_per_sm} * context.device->sm_count, most_slots<T>);
    const int64_t blocks =
        std::clamp<int64_t>(ceil_div<int64_t>(rows, rows_per_block), 1, most_blocks);
    return launch_overlapped(polled<T, threads, loads, where, order, policy>,
                             dim3(static_cast<unsigned>(blocks)),
                             threads,
                             context,
                             p,
                             head,
                             reinterpret_cast<uint64_t*>(context.counters));
}

template <class T>
myblasStatus_t launch_polled(const sum_problem<T>& problem, const launch_context& context) {
    using enum layout;
    using enum dealing;
    using enum caching;
    const int64_t elements_per_mib = (1 << 20) / sizeof(T);
    if (problem.incx != 1) {
        if (problem.n <= 8 * elements_per_mib)
            return launch_blocks<T, 256, 4, elements, singly, keep>(problem, 0, context, 2);
        return launch_blocks<T, 512, 4, elements, singly, keep>(problem, 0, context, 2);
    }
    sum_problem<T> p = problem; // from the first whole vector on
    const auto place = reinterpret_cast<uintptr_t>(p.x) / sizeof(T);
    const int head = static_cast<int>(std::min<int64_t>((0 - place) % vector_elements<T>, p.n));
    p.x += head;
    p.n -= head;
    if (p.n <= 32 * elements_per_mib)
        return launch_blocks<T, 256, 4, vectors, singly, keep>(p, head, context, 2);
    if (p.n <= 384 * elements_per_mib)
        return launch_blocks<T, 512, 4, vectors, in_batches, pass>(p, head, context, residents<T>);
    return launch_blocks<T, 512, 4, vectors, in_batches, keep>(p, head, context, residents<T>);
}

template <class T>
constexpr kernel_entry<sum_problem<T>> entry{
    .name = "polled",
    .description = "16-byte loads, fixed order: the last block waits for the others' sums",
    .threads = 512,
    .stages = 1,
    .smem_bytes = 512 * sizeof(carrier<T>),
    .alignment_bytes = sizeof(T),
    .launch = launch_polled<T>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_polled = entry<float>;
constinit const kernel_entry<sum_problem<double>> dsum_polled = entry<double>;

} // namespace myblas::cuda

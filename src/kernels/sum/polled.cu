// result = sum of x_i, or another reduction (reductions.cuh), the same bits on every run, in one
// launch and with one step between blocks.
//
// Adds to `vectorised_two_level`: rows of the vector are dealt to blocks one by one (rows.cuh), so
// that blocks differ by at most one row. Blocks put their sums into slots that signal their own
// arrival (mailbox.cuh), instead of a fence, an atomic and a second read. The last block waits for
// the sums and adds them in a fixed order, while the other blocks end. The launch overlaps the
// previous kernel.
//
//   bytes up to    threads x loads    blocks on a multiprocessor    rows are dealt    L1 cache
//      32 MiB         256 x 4                  2 at most               singly         used
//     384 MiB         512 x 4                  4 (in double: 3)        in batches     of the first
//      beyond         512 x 4                  4 (in double: 3)        in batches     used
//
// "Of the first": of vectors up to 384 MiB, a first part as large as 0.6 of the L2 cache stays
// there, and a later call finds it. Loads of the rest bypass the L1 cache, and are the first to
// leave the L2 cache. Much larger vectors are read at the speed of DRAM only if they evict from the
// L2 cache what earlier kernels have left there.
//
// The last block waits while others still run, and no block waits for it: a device that can hold
// two blocks is enough.
//
// If a reduction has two vectors, they share a thread's four loads.
//
// Accuracy of sums: 4 roundings in float (3 in double) in a thread's tree, then a carrier of twice
// the precision, and the rounding of the result: |error| <= 6 u sum |x_i| for all sizes that fit in
// a GPU.
// Bound: n elements read.  Grid: a function of n and the number of multiprocessors alone.
// Accepts: everything. Block 0 adds the elements before the first aligned vector one by one, except
// for an extremum and for two vectors that are not equally misaligned. If vectors are strided, or
// still unaligned, four (double: two) scalar loads replace each load of 16 bytes. In strided
// vectors, neighbouring threads read neighbours. Then two blocks on a multiprocessor read all
// sizes, with 512 threads beyond 8 MiB.

#include "kernels/common/mailbox.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/sum/registry.h"
#include "kernels/sum/rows.cuh"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int rows_per_block = 2; // at least: fewer are not worth a slot

template <class Carrier>
constexpr int most_slots = counter_count * sizeof(unsigned) / sizeof(Carrier);

// How much of the L2 cache the first elements take with `keep_first` (docs/experiments/sum.md).
constexpr double kept_share = 0.6;

constexpr int slots_at_once = 2; // slots that a thread of the waiting block reads at once

template <class Reduction, int threads, int loads, layout where, dealing order, caching policy>
__global__ void __launch_bounds__(threads, order == dealing::in_batches ? Reduction::residents : 0)
    polled(typename Reduction::problem p, int head, int64_t kept, uint64_t* slots) {
    using carrier = typename Reduction::carrier;
    grid_dependency_sync();
    carrier total =
        add_rows<Reduction, threads, loads, where, order, policy>(p, blockIdx.x, gridDim.x, kept);
    if constexpr (Reduction::takes_head && where == layout::vectors)
        if (blockIdx.x == 0 && static_cast<int>(threadIdx.x) < head) {
            typename Reduction::element value[Reduction::operands][1][1];
#pragma unroll
            for (int o = 0; o < Reduction::operands; ++o)
                value[o][0][0] =
                    Reduction::vector_of(p, o).element_0[static_cast<int>(threadIdx.x) - head];
            Reduction::add(total, value, p, 0, 0, 0);
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
        const carrier rest = take_sums<carrier, threads, slots_at_once>(slots, others);
        __syncthreads(); // block_sum's shared memory is free for its next call
        total += block_sum_by_warp<threads>(rest);
    }
    if (threadIdx.x == 0)
        Reduction::finish(p, total);
}

// head: elements before p's first one that belong to the vector too.
template <class Reduction, int threads, layout where, dealing order, caching policy>
myblasStatus_t launch_blocks(const typename Reduction::problem& p,
                             int head,
                             const launch_context& context,
                             int blocks_per_sm) {
    using T = typename Reduction::element;
    constexpr int loads = 4 / Reduction::operands; // of each vector
    constexpr double element_bytes = Reduction::operands * sizeof(T);
    const auto kept = static_cast<int64_t>(
        kept_share * static_cast<double>(context.device->l2_bytes) / element_bytes);
    const int64_t rows = ceil_div<int64_t>(p.n, row_elements<T, threads>);
    const int64_t most_blocks = std::min<int64_t>(int64_t{blocks_per_sm} * context.device->sm_count,
                                                  most_slots<typename Reduction::carrier>);
    const int64_t blocks =
        std::clamp<int64_t>(ceil_div<int64_t>(rows, rows_per_block), 1, most_blocks);
    return launch_overlapped(polled<Reduction, threads, loads, where, order, policy>,
                             dim3(static_cast<unsigned>(blocks)),
                             threads,
                             context,
                             p,
                             head,
                             kept,
                             reinterpret_cast<uint64_t*>(context.counters));
}

template <class Reduction>
myblasStatus_t launch_polled(const typename Reduction::problem& p, const launch_context& context) {
    using enum layout;
    using enum dealing;
    using enum caching;
    using R = Reduction;
    constexpr int64_t element_bytes = R::operands * sizeof(typename R::element);
    const int64_t elements_per_mib = (1 << 20) / element_bytes;
    typename R::problem behind = p; // from the first aligned vector on
    int head = 0;
    if constexpr (R::takes_head)
        if (p.incx == 1) {
            using T = typename R::element;
            const auto place = reinterpret_cast<uintptr_t>(p.x) / sizeof(T);
            head = static_cast<int>(std::min<int64_t>((0 - place) % vector_elements<T>, p.n));
            R::skip(behind, head);
        }
    if (layout_of<R>(behind) == elements) {
        if (p.n <= 8 * elements_per_mib)
            return launch_blocks<R, 256, elements, singly, keep>(p, 0, context, 2);
        return launch_blocks<R, 512, elements, singly, keep>(p, 0, context, 2);
    }
    if (p.n <= 32 * elements_per_mib)
        return launch_blocks<R, 256, vectors, singly, keep>(behind, head, context, 2);
    if (p.n <= 384 * elements_per_mib)
        return launch_blocks<R, 512, vectors, in_batches, keep_first>(
            behind, head, context, R::residents);
    return launch_blocks<R, 512, vectors, in_batches, keep>(behind, head, context, R::residents);
}

template <class Reduction>
constexpr kernel_entry<typename Reduction::problem> entry{
    .name = "polled",
    .description = "16-byte loads, fixed order: the last block waits for the others' results",
    .threads = 512,
    .stages = 1,
    .smem_bytes = 512 * sizeof(typename Reduction::carrier),
    .alignment_bytes = sizeof(typename Reduction::element),
    .uses_counters = true,
    .launch = launch_polled<Reduction>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_polled = entry<summation<float>>;
constinit const kernel_entry<sum_problem<double>> dsum_polled = entry<summation<double>>;
constinit const kernel_entry<dot_problem> dot_polled = entry<dot_product>;
constinit const kernel_entry<nrm2_problem> nrm2_polled = entry<euclidean_norm>;
constinit const kernel_entry<extremum_problem> extremum_polled = entry<extremum>;

} // namespace myblas::cuda

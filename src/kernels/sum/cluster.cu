// result = sum of x_i, or another reduction (reductions.cuh), by one cluster of blocks. The same
// bits on every run.
//
// Adds to `single_block`: up to eight multiprocessors read. The blocks of a cluster send their sums
// to the shared memory of the first block, not through global memory. The launch overlaps the
// previous kernel, and the next kernel may start at once.
//
//   bytes up to     blocks x threads
//        2 KiB           1 x  32         vectors of a thread in flight: 4
//       16 KiB           1 x 256                                        4
//       32 KiB           1 x 512                                        4
//      128 KiB           8 x 128                                        8
//       beyond           8 x 256                                        8
//
// A single block reads aligned vectors in one round, by code without a loop: at this size, fetching
// instructions takes a noticeable part of the time.
//
// If a reduction has two vectors, they share a thread's loads.
//
// Accuracy of sums: 5 roundings in float (4 in double) in a thread's tree, then a carrier of twice
// the precision, and the rounding of the result: |error| <= 7 u sum |x_i|.
// Bound: latency; for large n the bandwidth of eight multiprocessors.
// Accepts: everything, from compute capability 9.0 on.

#include "kernels/common/inbox.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/sum/registry.h"
#include "kernels/sum/rows.cuh"

#include <type_traits>

namespace myblas::cuda {
namespace {

template <class Reduction, int threads, int loads, layout where>
__global__ void __launch_bounds__(threads) cluster(typename Reduction::problem p) {
    using carrier = typename Reduction::carrier;
    __shared__ inbox<carrier> sums;
    const int rank = blockIdx.x, blocks = gridDim.x;
    launch_dependents();
    if (blocks > 1)
        sums.open(rank, blocks);
    grid_dependency_sync();
    carrier total = block_sum_by_warp<threads>(
        add_rows<Reduction, threads, loads, where, dealing::singly, caching::keep>(
            p, rank, blocks));
    if (blocks > 1) {
        sums.is_open();
        if (rank > 0) {
            if (threadIdx.x == 0)
                sums.send(rank, total);
            return;
        }
        if (threadIdx.x >= warp_size)
            return;
        sums.wait();
        if (threadIdx.x > 0)
            total = static_cast<int>(threadIdx.x) < blocks ? sums[threadIdx.x] : carrier{};
        total = warp_sum<largest_cluster>(total);
    }
    if (threadIdx.x == 0)
        Reduction::finish(p, total);
}

// For aligned vectors of at most threads * loads * 16 bytes each. Elements are mapped to threads as
// in add_rows (rows.cuh).
template <class Reduction, int threads, int loads>
__global__ void __launch_bounds__(threads) one_round(typename Reduction::problem p) {
    using T = typename Reduction::element;
    constexpr int operands = Reduction::operands;
    constexpr int v = vector_elements<T>, row = row_elements<T, threads>;
    launch_dependents();
    const int n = static_cast<int>(p.n), first = threadIdx.x * v;
    grid_dependency_sync();
    round_values<Reduction, loads> value;
    clear<Reduction, loads>(value);
#pragma unroll
    for (int k = 0; k < loads; ++k)
#pragma unroll
        for (int o = 0; o < operands; ++o)
            if (first + k * row + v <= n)
                load_vector<caching::keep>(value[o][k],
                                           Reduction::vector_of(p, o).element_0 + first + k * row);
    if (n % v != 0) { // one thread has the vector that n cuts
#pragma unroll
        for (int k = 0; k < loads; ++k)
            if (first + k * row < n && first + k * row + v > n)
#pragma unroll
                for (int o = 0; o < operands; ++o)
#pragma unroll
                    for (int c = 0; c < v - 1; ++c)
                        if (first + k * row + c < n)
                            value[o][k][c] =
                                Reduction::vector_of(p, o).element_0[first + k * row + c];
    }
    typename Reduction::carrier total{};
    Reduction::add(total, value, p, first, row, 1);
    total = block_sum_by_warp<threads>(total);
    if (threadIdx.x == 0)
        Reduction::finish(p, total);
}

template <class Reduction, int threads, int loads>
myblasStatus_t
launch_blocks(const typename Reduction::problem& p, const launch_context& context, int blocks) {
    const auto kernel = layout_of<Reduction>(p) == layout::vectors
                            ? cluster<Reduction, threads, loads, layout::vectors>
                            : cluster<Reduction, threads, loads, layout::elements>;
    return launch_clusters(
        kernel, dim3(static_cast<unsigned>(blocks)), blocks, true, threads, 0, context, p);
}

template <class Reduction, int threads, int loads>
myblasStatus_t launch_one_block(const typename Reduction::problem& p,
                                const launch_context& context) {
    if (layout_of<Reduction>(p) == layout::vectors)
        return launch_overlapped(
            one_round<Reduction, threads, loads>, dim3(1), threads, context, p);
    return launch_blocks<Reduction, threads, loads>(p, context, 1);
}

template <class Reduction>
myblasStatus_t launch_cluster(const typename Reduction::problem& p, const launch_context& context) {
    using R = Reduction;
    if constexpr (std::is_same_v<R, dot_product>)
        if (!p.has_sb)
            return launch_cluster<dot_without_sb>(p, context);
    constexpr int64_t element_bytes = R::operands * sizeof(typename R::element);
    constexpr int few = 4 / R::operands, many = 8 / R::operands; // loads of each vector
    const int64_t elements_per_kib = 1024 / element_bytes;
    if (p.n <= 2 * elements_per_kib)
        return launch_one_block<R, 32, few>(p, context);
    if (p.n <= 16 * elements_per_kib)
        return launch_one_block<R, 256, few>(p, context);
    if (p.n <= 32 * elements_per_kib)
        return launch_one_block<R, 512, few>(p, context);
    if (p.n <= 128 * elements_per_kib)
        return launch_blocks<R, 128, many>(p, context, largest_cluster);
    return launch_blocks<R, 256, many>(p, context, largest_cluster);
}

template <class Reduction>
constexpr kernel_entry<typename Reduction::problem> entry{
    .name = "cluster",
    .description = "one cluster of blocks that send their results through shared memory",
    .min_arch = 90,
    .threads = 512,
    .stages = 1,
    .smem_bytes =
        sizeof(inbox<typename Reduction::carrier>) + 512 * sizeof(typename Reduction::carrier),
    .alignment_bytes = sizeof(typename Reduction::element),
    .launch = launch_cluster<Reduction>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_cluster = entry<summation<float>>;
constinit const kernel_entry<sum_problem<double>> dsum_cluster = entry<summation<double>>;
constinit const kernel_entry<dot_problem> dot_cluster = entry<dot_product>;
constinit const kernel_entry<nrm2_problem> nrm2_cluster = entry<euclidean_norm>;
constinit const kernel_entry<extremum_problem> extremum_cluster = entry<extremum>;

} // namespace myblas::cuda

// result = sum of x_i by one cluster of blocks, the same bits on every run.
//
// `single_block` with up to eight multiprocessors reading: the blocks of a cluster send their sums to
// the shared memory of the first, with no way through global memory. The launch overlaps the kernel
// before, and the next one may come onto the device at once.
//
//   bytes of x      blocks x threads
//        2 KiB           1 x  32         vectors of a thread in flight: 4
//       16 KiB           1 x 256                                        4
//       32 KiB           1 x 512                                        4
//      128 KiB           8 x 128                                        8
//       beyond           8 x 256                                        8
//
// One block reads aligned vectors in one round, by code without a loop: at this size instructions that have
// to be fetched count.
//
// Accuracy: 5 roundings in float (4 in double) in a thread's tree, a carrier of twice the precision
// from there on, and the rounding of the result: |error| <= 7 u sum |x_i|.
// Bound: latency; for large n the bandwidth of eight multiprocessors.
// Accepts: everything, from compute capability 9.0 on.

#include "kernels/common/inbox.h"
#include "kernels/common/overlap.h"
#include "kernels/common/reduce.h"
#include "kernels/sum/registry.h"
#include "kernels/sum/rows.h"

namespace myblas::cuda {
namespace {

template <class T, int threads, int loads, layout where>
__global__ void __launch_bounds__(threads) cluster(sum_problem<T> p) {
    __shared__ inbox<carrier<T>> sums;
    const int rank = blockIdx.x, blocks = gridDim.x;
    let_next_kernel_come();
    if (blocks > 1)
        sums.open(rank, blocks);
    wait_for_earlier_work();
    carrier<T> total = block_sum_by_warp<threads>(
        add_rows<T, threads, loads, where, dealing::singly, caching::keep>(p, rank, blocks));
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
            total = static_cast<int>(threadIdx.x) < blocks ? sums[threadIdx.x] : carrier<T>{};
        total = warp_sum<largest_cluster>(total);
    }
    if (threadIdx.x == 0)
        *p.result = total.rounded();
}

// x is vectors, threads * loads of them at most. The same map as that of add_rows (rows.h).
template <class T, int threads, int loads>
__global__ void __launch_bounds__(threads) one_round(sum_problem<T> p) {
    constexpr int v = vector_elements<T>, row = row_elements<T, threads>;
    let_next_kernel_come();
    const int n = static_cast<int>(p.n), first = threadIdx.x * v;
    wait_for_earlier_work();
    T value[loads][v]{};
#pragma unroll
    for (int k = 0; k < loads; ++k)
        if (first + k * row + v <= n)
            load_vector<caching::keep>(value[k], p.x + first + k * row);
    if (n % v != 0) { // the vector that n cuts is one thread's
#pragma unroll
        for (int k = 0; k < loads; ++k)
            if (first + k * row < n && first + k * row + v > n)
#pragma unroll
                for (int c = 0; c < v - 1; ++c)
                    if (first + k * row + c < n)
                        value[k][c] = p.x[first + k * row + c];
    }
    carrier<T> total{};
    total.add(tree_sum(value, p.absolute));
    total = block_sum_by_warp<threads>(total);
    if (threadIdx.x == 0)
        *p.result = total.rounded();
}

template <class T, int threads, int loads>
myblasStatus_t launch_blocks(const sum_problem<T>& p, const launch_context& context, int blocks) {
    const auto kernel = layout_of(p) == layout::vectors
                            ? cluster<T, threads, loads, layout::vectors>
                            : cluster<T, threads, loads, layout::elements>;
    return launch_clusters(
        kernel, dim3(static_cast<unsigned>(blocks)), blocks, true, threads, 0, context, p);
}

template <class T, int threads, int loads>
myblasStatus_t launch_one_block(const sum_problem<T>& p, const launch_context& context) {
    if (layout_of(p) == layout::vectors)
        return launch_overlapped(one_round<T, threads, loads>, dim3(1), threads, context, p);
    return launch_blocks<T, threads, loads>(p, context, 1);
}

template <class T>
myblasStatus_t launch_cluster_sum(const sum_problem<T>& p, const launch_context& context) {
    const int64_t elements_per_kib = 1024 / sizeof(T);
    if (p.n <= 2 * elements_per_kib)
        return launch_one_block<T, 32, 4>(p, context);
    if (p.n <= 16 * elements_per_kib)
        return launch_one_block<T, 256, 4>(p, context);
    if (p.n <= 32 * elements_per_kib)
        return launch_one_block<T, 512, 4>(p, context);
    if (p.n <= 128 * elements_per_kib)
        return launch_blocks<T, 128, 8>(p, context, largest_cluster);
    return launch_blocks<T, 256, 8>(p, context, largest_cluster);
}

template <class T>
constexpr kernel_entry<sum_problem<T>> entry{
    .name = "cluster",
    .description = "one cluster of blocks that send their sums through shared memory",
    .min_arch = 90,
    .threads = 512,
    .stages = 1,
    .smem_bytes = sizeof(inbox<carrier<T>>) + 512 * sizeof(carrier<T>),
    .alignment_bytes = sizeof(T),
    .launch = launch_cluster_sum<T>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_cluster = entry<float>;
constinit const kernel_entry<sum_problem<double>> dsum_cluster = entry<double>;

} // namespace myblas::cuda

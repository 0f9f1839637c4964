// trmv and trsv row by row, in the order in which x may be overwritten. One block sums each row.
//
// Bound: the latency of n dependent rows.  Launch: one block of 256 threads.  Accepts: everything.

#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/level2/registry.h"
#include "kernels/level2/row_blocks.cuh"

namespace myblas::cuda {
namespace {

constexpr int threads = 256, warps = threads / warp_size;

template <bool solve>
__global__ void __launch_bounds__(threads) single_block(lower_view t) {
    grid_dependency_sync();
    for (int64_t step = 0; step < t.n; ++step) {
        const int64_t u = solve ? step : t.n - 1 - step;
        const float* const row = t.a + u * t.row_step;
        carrier<float> total{};
        for (int64_t v = threadIdx.x; v < u; v += threads)
            total.sum += double{row[v * t.column_step]} * double{t.x[v * t.incx]};
        total = block_sum<threads>(total);
        if (threadIdx.x == 0) {
            float& x = t.x[u * t.incx];
            const double diagonal = t.unit ? 1 : row[u * t.column_step];
            x = static_cast<float>(solve ? (x - total.sum) / diagonal : diagonal * x + total.sum);
        }
        __syncthreads(); // x_u is written, and block_sum's shared memory is free for its next call
    }
}

template <bool solve>
myblasStatus_t launch_single_block(const triangular_problem<solve>& p,
                                   const launch_context& context) {
    return launch_overlapped(single_block<solve>, dim3(1), threads, context, view_of(p));
}

template <bool solve>
constexpr kernel_entry<triangular_problem<solve>> single_block_entry{
    .name = "single_block",
    .description = "row by row, one block",
    .threads = threads,
    .stages = 1,
    .smem_bytes = warps * sizeof(carrier<float>),
    .launch = launch_single_block<solve>,
};

} // namespace

constinit const kernel_entry<trmv_problem> trmv_single_block = single_block_entry<false>;
constinit const kernel_entry<trsv_problem> trsv_single_block = single_block_entry<true>;

} // namespace myblas::cuda

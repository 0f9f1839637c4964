// symv without workspace. All n^2 elements of the symmetric matrix are read from the triangle.
//
//   warps   for small n: a warp for each row. Its lanes read neighbouring columns, which on one
//           side of the diagonal lie in different cache lines
//   rows    a block for each 32 rows. Left of the diagonal, it reads the stored rows. Right
//           of the diagonal, it reads their mirror image, the stored columns
//
// Bound: n^2 floats read, twice the stored ones.  Launch: 256 threads.  Accepts: everything.

#include "kernels/common/overlap.cuh"
#include "kernels/level2/registry.h"
#include "kernels/level2/row_blocks.cuh"

namespace myblas::cuda {
namespace {

constexpr int rows = 32, width = 128, threads = 256, warps = threads / warp_size;

__global__ void __launch_bounds__(threads) multiply_by_warps(symmetric_view t) {
    grid_dependency_sync();
    const int lane = threadIdx.x % warp_size;
    const int64_t u = int64_t{blockIdx.x} * warps + threadIdx.x / warp_size;
    if (u >= t.n)
        return;
    float sum = 0;
    if (resolve(t.alpha) != 0)
#pragma unroll 8
        for (int64_t v = lane; v < t.n; v += warp_size)
            sum = fmaf(t.at(u, v), t.x[v * t.incx], sum);
    sum = warp_sum(sum);
    if (lane == 0)
        t.store(u, sum);
}

myblasStatus_t launch_warps(const symv_problem& p, const launch_context& context) {
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.n, warps)));
    return launch_overlapped(multiply_by_warps, grid, threads, context, view_of(p));
}

__global__ void __launch_bounds__(threads, 4) multiply_rows(symmetric_view t) {
    using left = row_block<rows, width, false>; // up to the diagonal: lanes have neighbouring rows
    // Beyond it, in the mirror image: lanes have neighbouring columns.
    using right = row_block<rows, width, true>;
    __shared__ typename left::parts left_part;
    __shared__ typename right::parts right_part;
    grid_dependency_sync();
    const bool counts = resolve(t.alpha) != 0;
    const int64_t first_row = int64_t{blockIdx.x} * rows;
    const int count = static_cast<int>(min(int64_t{rows}, t.n - first_row));
    const float* const x = t.x;
    const auto x_at = [&](int64_t v) { return x[v * t.incx]; };
    typename left::sums left_sum{};
    typename right::sums right_sum{};
    if (counts) {
        int64_t v = 0;
        for (; v + width <= first_row; v += width)
            left::multiply_all(left_sum,
                               t.a + first_row * t.row_step + v * t.column_step,
                               t.row_step,
                               t.column_step,
                               count,
                               x + v * t.incx,
                               t.incx);
        for (; v < first_row + count; v += width)
            left::multiply_some(
                left_sum,
                first_row,
                v,
                [&](int64_t row, int64_t column) {
                    return t.a[row * t.row_step + column * t.column_step];
                },
                x_at,
                [&](int64_t row, int64_t column) { return row < t.n && column <= row; });
        // Element (u, v) right of the diagonal is stored as (v, u).
        const auto mirrored = [&](int64_t row, int64_t column) {
            return t.a[column * t.row_step + row * t.column_step];
        };
        const auto is_right = [&](int64_t row, int64_t column) {
            return column < t.n && row < column;
        };
        v = first_row;
        right::multiply_some(right_sum, first_row, v, mirrored, x_at, is_right);
        for (v += width; v + width <= t.n; v += width)
            right::multiply_all(right_sum,
                                t.a + first_row * t.column_step + v * t.row_step,
                                t.column_step,
                                t.row_step,
                                count,
                                x + v * t.incx,
                                t.incx);
        if (v < t.n)
            right::multiply_some(right_sum, first_row, v, mirrored, x_at, is_right);
    }
    left::leave(left_part, left_sum);
    right::leave(right_part, right_sum);
    __syncthreads(); // left_part and right_part are complete
    const int own = threadIdx.x;
    if (own >= count)
        return;
    const double sum = double{left::total(left_part, own)} + right::total(right_part, own);
    t.store(first_row + own, sum);
}

myblasStatus_t launch_rows(const symv_problem& p, const launch_context& context) {
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.n, rows)));
    return launch_overlapped(multiply_rows, grid, threads, context, view_of(p));
}

} // namespace

constinit const kernel_entry<symv_problem> symv_warps = {
    .name = "warps",
    .description = "a warp for each row; needs no workspace",
    .threads = threads,
    .launch = launch_warps,
};

constinit const kernel_entry<symv_problem> symv_rows = {
    .name = "rows",
    .description = "blocks of 32 rows, A read twice; needs no workspace",
    .block_m = rows,
    .block_n = width,
    .threads = threads,
    .stages = 1,
    .smem_bytes = (threads / warp_size + 1) * rows * sizeof(float),
    .launch = launch_rows,
};

} // namespace myblas::cuda

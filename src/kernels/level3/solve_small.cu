// Y = L^-1 * alpha * X for batches of triangles L of up to 32 rows (level3/steps.h). One warp
// solves 32 lines, where solve.cu has ten warps for 16 or 32 lines.
//
// Bound: the latency of loads, of dependent rows and of stores, hidden by many warps on a
// multiprocessor.
// Shared memory: 14 or 38 KiB.
// Launch: 128 threads, four independent warps; a warp for each tile of 32 lines of each triangle.

#include "kernels/common/overlap.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/level3/batch.cuh"
#include "kernels/level3/registry.h"
#include "kernels/level3/solve_panel.cuh"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int warps = 4;
constexpr int threads = warps * warp;
constexpr int lines = warp; // of a tile

template <int rows>
struct storage {
    static constexpr int solved_rows = rows;

    float triangle[1][rows][rows + vector]; // (column, row)
    float x[rows][lines + vector];          // (row, line)
    float diagonal[1][rows];
    float reciprocal[1][rows];
};

// How a warp traverses a matrix in the order of memory; one stride is 1 or -1. A lane has `count`
// elements, at row(step) and col(step).
template <int rows, int cols>
struct walk {
    static constexpr int count = rows * cols / warp;
    const bool along_rows;
    const int lane = threadIdx.x % warp;

    __device__ int row(int step) const {
        return along_rows ? lane % rows : (lane + step * warp) / cols;
    }
    __device__ int col(int step) const {
        return along_rows ? (lane + step * warp) / rows : lane % cols;
    }
};

template <int rows>
__global__ void __launch_bounds__(threads)
    solve_tiles(triangle_step p, int64_t tiles, int64_t all_tiles) {
    static_assert(warp % rows == 0);
    __shared__ storage<rows> of_warps[warps];
    storage<rows>& smem = of_warps[threadIdx.x / warp];
    grid_dependency_sync();
    const int64_t tile = int64_t{blockIdx.x} * warps + threadIdx.x / warp;
    if (tile >= all_tiles)
        return;
    const int64_t index = tile / tiles, first_line = tile % tiles * lines;
    const int size = static_cast<int>(p.n), lane = threadIdx.x % warp;
    const int lines_here = static_cast<int>(min(int64_t{lines}, p.lines - first_line));
    const float alpha = resolve(p.gate) == 0 ? 0 : resolve(p.alpha);

    if (alpha != 0) {
        const float* const a = base_of(p.a, index);
        const float* const x = base_of(p.x, index) + first_line * p.x_across;
        const walk<rows, rows> of_l{is_along(p.a_row)};
        const walk<rows, lines> of_x{is_along(p.x_along)};
        float l[of_l.count], value[of_x.count];
#pragma unroll
        for (int k = 0; k < of_l.count; ++k) {
            const int i = of_l.row(k), j = of_l.col(k);
            l[k] = i < size && j < i ? a[i * p.a_row + j * p.a_col] : 0;
        }
#pragma unroll
        for (int k = 0; k < of_x.count; ++k) {
            const int i = of_x.row(k), line = of_x.col(k);
            value[k] = i < size && line < lines_here ? x[i * p.x_along + line * p.x_across] : 0;
        }
        if (lane < rows)
            write_reciprocal(
                smem, 0, lane, p.unit || lane >= size ? 1 : a[lane * (p.a_row + p.a_col)]);
#pragma unroll
        for (int k = 0; k < of_l.count; ++k)
            smem.triangle[0][of_l.col(k)][of_l.row(k)] = l[k];
#pragma unroll
        for (int k = 0; k < of_x.count; ++k)
            smem.x[of_x.row(k)][of_x.col(k)] = alpha * value[k];
        __syncwarp(); // L and X are complete
        solve_panel<lines>(smem, 0, 0);
        __syncwarp(); // X is solved
    }

    float* const y = base_of(p.y, index) + first_line * p.y_across;
    const walk<rows, lines> of_y{is_along(p.y_along)};
#pragma unroll
    for (int k = 0; k < of_y.count; ++k) {
        const int i = of_y.row(k), line = of_y.col(k);
        if (i < size && line < lines_here)
            y[i * p.y_along + line * p.y_across] = alpha == 0 ? 0 : smem.x[i][line];
    }
}

template <int rows>
myblasStatus_t launch_tiles(const triangle_step& p, const launch_context& context) {
    const int64_t tiles = ceil_div<int64_t>(p.lines, lines), all_tiles = tiles * p.batch_count;
    const int64_t blocks = ceil_div<int64_t>(all_tiles, warps);
    if (blocks > max_grid_x)
        return MYBLAS_STATUS_NOT_SUPPORTED; // more lines than fit in a GPU's memory
    return launch_overlapped(solve_tiles<rows>,
                             dim3(static_cast<unsigned>(blocks)),
                             threads,
                             context,
                             p,
                             tiles,
                             all_tiles);
}

} // namespace

myblasStatus_t solve_small(const triangle_step& p, const launch_context& context) {
    return p.n <= 16 ? launch_tiles<16>(p, context) : launch_tiles<32>(p, context);
}

} // namespace myblas::cuda

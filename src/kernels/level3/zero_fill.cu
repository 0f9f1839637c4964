// Two steps of a trmm that is computed as one product (level3/steps.h).
//
// zero_fill copies the triangle, with zeros in place of its other half, and looks for an Inf or a
// NaN in B.
// Launch: 256 threads, tiles of 256 x 8 elements of A and of B; lanes have neighbouring rows.
// Bound: bytes. Half of A and all of B are read. A copy of A is written, and one of B if wanted.
//
// fix_nonfinite exits immediately if B is finite. Otherwise the zeros may have made NaNs that trmm
// does not have, and all of C is computed again, from the elements of the triangle alone.
// Launch: 256 threads, tiles of 64 x 64 of C, 4 x 4 for each thread, slabs of 16 k in shared
// memory.
// Bound: FP32 arithmetic, at about a fifth of its rate.

#include "kernels/common/launch.h"
#include "kernels/common/overlap.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/level3/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int tile_cols = 8;

// Calls write(row, col, value) for each element of the tile at (row, col) of a matrix of rows x
// cols. The value is 0, and x is not read, unless is_read(row, col).
template <class IsRead, class Write>
__device__ void copy_tile(int64_t row,
                          int64_t col,
                          int64_t rows,
                          int64_t cols,
                          const float* x,
                          int64_t ld,
                          IsRead&& is_read,
                          Write&& write) {
    row += threadIdx.x;
    if (row >= rows)
        return;
    float value[tile_cols];
#pragma unroll
    for (int j = 0; j < tile_cols; ++j)
        value[j] = col + j < cols && is_read(row, col + j) ? x[row + (col + j) * ld] : 0;
#pragma unroll
    for (int j = 0; j < tile_cols; ++j)
        if (col + j < cols)
            write(row, col + j, value[j]);
}

int64_t tile_count(int64_t rows, int64_t cols) {
    return ceil_div<int64_t>(rows, threads) * ceil_div<int64_t>(cols, tile_cols);
}

__global__ void __launch_bounds__(threads) zero_fill_tiles(zero_fill_step p, int64_t tiles) {
    grid_dependency_sync();
    const int64_t tiles_a = ceil_div<int64_t>(p.n, threads),
                  tiles_b = ceil_div<int64_t>(p.rows, threads);
    const int64_t all_a = tiles_a * ceil_div<int64_t>(p.n, tile_cols);
    bool is_special = false;
    if (resolve(p.gate) == 0)
        tiles = 0;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (tile < all_a) {
            copy_tile(
                tile % tiles_a * threads,
                tile / tiles_a * tile_cols,
                p.n,
                p.n,
                p.a,
                p.lda,
                [&](int64_t i, int64_t j) {
                    return (p.upper ? i < j : i > j) || (i == j && !p.unit);
                },
                [&](int64_t i, int64_t j, float value) {
                    p.w[i + j * p.ldw] = i == j && p.unit ? 1 : value;
                });
            continue;
        }
        const int64_t of_b = tile - all_a;
        copy_tile(
            of_b % tiles_b * threads,
            of_b / tiles_b * tile_cols,
            p.rows,
            p.cols,
            p.b,
            p.ldb,
            [](int64_t, int64_t) { return true; },
            [&](int64_t i, int64_t j, float value) {
                is_special = is_special || !isfinite(value);
                if (p.copy)
                    p.copy[i + j * p.ld_copy] = value;
            });
    }
    const int is_any = __syncthreads_or(is_special);
    if (threadIdx.x == 0)
        p.found[blockIdx.x] = is_any;
}

// ---- Exact --------------------------------------------------------------------------------------

constexpr int side = 64, slab = 16, per_thread = 4, step = side / per_thread;

__global__ void __launch_bounds__(threads) fix_tiles(nonfinite_fixup e) {
    __shared__ float smem_l[slab][side + 1], smem_x[slab][side + 1]; // (k, row), (k, line)
    grid_dependency_sync();
    bool is_special = false;
    for (int i = threadIdx.x; i < e.found_count; i += threads)
        is_special = is_special || e.found[i];
    if (!__syncthreads_or(is_special))
        return;
    const triangle_step& p = e.product;
    const float alpha = resolve(p.alpha);
    const float* const a = p.a.base;
    const float* const x = p.x.base;
    const int own_row = threadIdx.x % step, own_line = threadIdx.x / step;
    const int64_t tiles_n = ceil_div<int64_t>(p.n, side),
                  tiles = tiles_n * ceil_div<int64_t>(p.lines, side);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t row = tile % tiles_n * side, line = tile / tiles_n * side;
        float sum[per_thread][per_thread] = {}; // (line, row)
        for (int64_t k = 0; k < min(row + side, p.n); k += slab) {
            for (int i = threadIdx.x; i < side * slab; i += threads) {
                const int lane = i % side, kk = i / side;
                const int64_t r = row + lane, l = line + lane, at = k + kk;
                const bool is_one = p.unit && r == at, is_read = r < p.n && at <= r && !is_one;
                smem_l[kk][lane] = is_read ? a[r * p.a_row + at * p.a_col] : is_one ? 1 : 0;
                smem_x[kk][lane] = l < p.lines && at < p.n ? x[at * p.x_along + l * p.x_across] : 0;
            }
            __syncthreads(); // the slab is complete
            for (int kk = 0; kk < slab; ++kk)
#pragma unroll
                for (int i = 0; i < per_thread; ++i) {
                    const int r = own_row + i * step;
                    if (k + kk > row + r)
                        continue;
#pragma unroll
                    for (int j = 0; j < per_thread; ++j)
                        sum[j][i] = fmaf(smem_l[kk][r], smem_x[kk][own_line + j * step], sum[j][i]);
                }
            __syncthreads(); // the slab may be overwritten
        }
#pragma unroll
        for (int j = 0; j < per_thread; ++j)
#pragma unroll
            for (int i = 0; i < per_thread; ++i) {
                const int64_t r = row + own_row + i * step, l = line + own_line + j * step;
                if (r < p.n && l < p.lines)
                    p.y.base[r * p.y_along + l * p.y_across] = alpha * sum[j][i];
            }
    }
}

} // namespace

myblasStatus_t zero_fill(const zero_fill_step& p, const launch_context& context) {
    const int64_t tiles = tile_count(p.n, p.n) + tile_count(p.rows, p.cols);
    const dim3 grid(static_cast<unsigned>(p.found_count));
    return launch_overlapped(zero_fill_tiles, grid, threads, context, p, tiles);
}

myblasStatus_t fix_nonfinite(const nonfinite_fixup& p, const launch_context& context) {
    const int64_t tiles =
        ceil_div<int64_t>(p.product.n, side) * ceil_div<int64_t>(p.product.lines, side);
    const dim3 grid(static_cast<unsigned>(std::min<int64_t>(tiles, 4 * context.device->sm_count)));
    return launch_overlapped(fix_tiles, grid, threads, context, p);
}

} // namespace myblas::cuda

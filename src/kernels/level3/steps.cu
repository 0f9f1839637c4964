// The small steps of level 3's plans: mirroring a symmetric operand, joining operands, storing the
// triangles of diagonal blocks, and writing scalars and pointers that only the device knows.
//
// Bound: bytes moved.  Launch: 256 threads for tiles of 32 x 32; a grid-stride loop.
// Shared memory: mirror and store transpose a tile in 4 KiB, with padded rows.

#include "kernels/common/launch.h"
#include "kernels/common/overlap.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/level3/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int side = 32;
constexpr int threads = 256;
constexpr int step = threads / side;    // columns that a block covers at once
constexpr int per_thread = side / step; // elements of a thread

struct position {
    int row, col; // the thread has columns col, col + step, ...
};

__device__ position place() {
    return {static_cast<int>(threadIdx.x) % side, static_cast<int>(threadIdx.x) / side};
}

using transposed_tile = float[side][side + 1]; // (column, row) of the transposed tile

// Reads a tile of rows x cols: its element (i, j) goes to transposed[i][j]. The caller puts a
// barrier before and after the call.
__device__ void
load_transposed(transposed_tile& transposed, const float* gmem, int64_t ld, int rows, int cols) {
    const position at = place();
    float value[per_thread];
#pragma unroll
    for (int k = 0; k < per_thread; ++k)
        value[k] =
            at.row < rows && at.col + k * step < cols ? gmem[at.row + (at.col + k * step) * ld] : 0;
#pragma unroll
    for (int k = 0; k < per_thread; ++k)
        if (at.row < rows && at.col + k * step < cols)
            transposed[at.row][at.col + k * step] = value[k];
}

__device__ int extent(int64_t n, int64_t first) {
    return static_cast<int>(min(int64_t{side}, n - first));
}

// ---- Mirror -------------------------------------------------------------------------------------

// A block reads a tile of the stored triangle, and writes the tile and its transposed mirror image.
__global__ void __launch_bounds__(threads) mirror_tiles(mirror_step p) {
    __shared__ transposed_tile transposed;
    grid_dependency_sync();
    if (resolve(p.gate) == 0)
        return;
    const position at = place();
    const int64_t tiles = ceil_div<int64_t>(p.n, side);
    for (int64_t tile = blockIdx.x; tile < tiles * tiles; tile += gridDim.x) {
        const int64_t i0 = tile % tiles * side, j0 = tile / tiles * side;
        if (p.upper ? i0 > j0 : i0 < j0)
            continue;
        const int rows = extent(p.n, i0), cols = extent(p.n, j0);
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            const int col = at.col + k * step;
            const bool is_stored = i0 != j0 || (p.upper ? at.row <= col : at.row >= col);
            if (at.row >= rows || col >= cols || !is_stored)
                continue;
            const float value = p.a[i0 + at.row + (j0 + col) * p.lda];
            p.w[i0 + at.row + (j0 + col) * p.ldw] = value;
            transposed[at.row][col] = value;
        }
        __syncthreads(); // the tile is complete
#pragma unroll
        for (int k = 0; k < per_thread; ++k) { // element (at.row, col) of the mirror image
            const int col = at.col + k * step;
            const bool is_image = i0 != j0 || (p.upper ? col < at.row : col > at.row);
            if (at.row < cols && col < rows && is_image)
                p.w[j0 + at.row + (i0 + col) * p.ldw] = transposed[col][at.row];
        }
        __syncthreads(); // the tile may be overwritten
    }
}

// ---- Join ---------------------------------------------------------------------------------------

// blockIdx.y: which of the three copies.
__global__ void __launch_bounds__(threads) join_tiles(join_step p) {
    grid_dependency_sync();
    const position at = place();
    const int copy = static_cast<int>(blockIdx.y);
    const float* const source = copy == 1 ? p.b : p.a;
    const int64_t ld = copy == 1 ? p.ldb : p.lda;
    float* const target = p.w + copy * (p.below ? p.padded_rows : p.cols * p.ldw);
    const int64_t tiles_m = ceil_div<int64_t>(p.padded_rows, side),
                  tiles_n = ceil_div<int64_t>(p.cols, side);
    for (int64_t tile = blockIdx.x; tile < tiles_m * tiles_n; tile += gridDim.x) {
        const int64_t i = tile % tiles_m * side + at.row, j = tile / tiles_m * side + at.col;
        float value[per_thread];
#pragma unroll
        for (int k = 0; k < per_thread; ++k)
            value[k] = i < p.rows && j + k * step < p.cols ? source[i + (j + k * step) * ld] : 0;
#pragma unroll
        for (int k = 0; k < per_thread; ++k)
            if (i < p.padded_rows && j + k * step < p.cols)
                target[i + (j + k * step) * p.ldw] = value[k];
    }
}

// ---- Store --------------------------------------------------------------------------------------

__global__ void __launch_bounds__(threads) store_tiles(store_step p) {
    __shared__ transposed_tile transposed;
    grid_dependency_sync();
    const float beta = resolve(p.beta);
    const position at = place();
    const int64_t tiles = ceil_div<int64_t>(p.block, side),
                  blocks = ceil_div<int64_t>(p.n, p.block);
    for (int64_t tile = blockIdx.x; tile < tiles * tiles * blocks; tile += gridDim.x) {
        const int64_t block = tile / (tiles * tiles), in_block = tile % (tiles * tiles);
        const int64_t i0 = in_block % tiles * side, j0 = in_block / tiles * side;
        const int64_t size = min(p.block, p.n - block * p.block);
        if ((p.upper ? i0 > j0 : i0 < j0) || i0 >= size || j0 >= size)
            continue;
        const int rows = extent(size, i0), cols = extent(size, j0);
        const float* const t = p.t + block * p.stride_t;
        float* const c = p.c + block * p.block * (1 + p.ldc);
        const auto is_stored = [&](int col) {
            const bool is_in = i0 != j0 || (p.upper ? at.row <= col : at.row >= col);
            return at.row < rows && col < cols && is_in;
        };
        const auto place_in_c = [&](int col) { return i0 + at.row + (j0 + col) * p.ldc; };
        // All loads are issued before the first value is used.
        float sum[per_thread], old[per_thread];
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            const int col = at.col + k * step;
            const bool is_read = is_stored(col);
            sum[k] = is_read && p.t ? t[i0 + at.row + (j0 + col) * p.ldt] : 0;
            old[k] = is_read && beta != 0 ? c[place_in_c(col)] : 0;
        }
        if (p.twice) {
            load_transposed(transposed, t + j0 + i0 * p.ldt, p.ldt, cols, rows);
            __syncthreads(); // the mirror image is complete
        }
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            const int col = at.col + k * step;
            if (!is_stored(col))
                continue;
            if (p.twice)
                sum[k] += transposed[col][at.row];
            c[place_in_c(col)] = beta == 0 ? sum[k] : fmaf(beta, old[k], sum[k]);
        }
        if (p.twice)
            __syncthreads(); // the mirror image may be overwritten
    }
}

dim3 grid_of_tiles(int64_t tiles) {
    return dim3(static_cast<unsigned>(std::min(tiles, max_grid_x)));
}

// ---- Scalars and pointers -----------------------------------------------------------------------

__global__ void write_gate(zero_if_alpha_zero p) { *p.result = *p.alpha == 0 ? 0.0f : -1.0f; }

// blockIdx.y: which operand.
__global__ void __launch_bounds__(threads) write_pointers(pointers_step p) {
    const auto of_operand = [](const auto& x) {
        return blockIdx.y == 0 ? x[0] : blockIdx.y == 1 ? x[1] : x[2];
    };
    const float* const* const array = of_operand(p.arrays);
    const ptrdiff_t offset = of_operand(p.offsets);
    const int64_t first = int64_t{blockIdx.x} * threads + threadIdx.x;
    for (int64_t i = first; i < p.count; i += int64_t{gridDim.x} * threads)
        p.targets[blockIdx.y * p.count + i] = array[i] + offset;
}

} // namespace

myblasStatus_t mirror(const mirror_step& p, const launch_context& context) {
    const int64_t tiles = ceil_div<int64_t>(p.n, side);
    return launch_overlapped(mirror_tiles, grid_of_tiles(tiles * tiles), threads, context, p);
}

myblasStatus_t store(const store_step& p, const launch_context& context) {
    const int64_t tiles = ceil_div<int64_t>(p.block, side);
    const int64_t all = tiles * tiles * ceil_div<int64_t>(p.n, p.block);
    return launch_overlapped(store_tiles, grid_of_tiles(all), threads, context, p);
}

myblasStatus_t join(const join_step& p, const launch_context& context) {
    dim3 grid =
        grid_of_tiles(ceil_div<int64_t>(p.padded_rows, side) * ceil_div<int64_t>(p.cols, side));
    grid.y = 3;
    return launch_overlapped(join_tiles, grid, threads, context, p);
}

myblasStatus_t gate(const zero_if_alpha_zero& p, const launch_context& context) {
    return launch(write_gate, dim3(1), 1, 0, context, p);
}

myblasStatus_t pointers(const pointers_step& p, const launch_context& context) {
    dim3 grid = grid_of_tiles(ceil_div<int64_t>(p.count, threads));
    grid.y = 3;
    return launch(write_pointers, grid, threads, 0, context, p);
}

} // namespace myblas::cuda

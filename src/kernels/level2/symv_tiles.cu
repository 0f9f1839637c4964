// symv by tiles: A is read once, though each element off the diagonal counts twice.
//
// A tile at block row I and block column J of the stored triangle gives a piece of the result for the rows of I, from its rows,
// and one for the rows of J, from its columns. Each piece has a slot of its own in the workspace: slot J of the rows of
// I, slot I of the rows of J; on the diagonal the two are added. The block that leaves the last piece for some rows
// adds their slots in order: a counter for each block row tells which it is.
//
// A warp has some columns of the tile, its lanes all rows of them, with all elements in flight at once.
// Sums down columns take 16 shuffles for 16 columns (scatter_sums), those along rows meet in shared memory.
//
//   warp        0       1       2   ...   7
//   lane 0    | row 0, 32, 64, 96 of 16 columns each
//   lane 1    | row 1, 33, 65, 97
//
// Tiles come down the block columns, one behind the other in memory.
//
// Bound: n (n + 1) / 2 floats read; slots add a 32nd part of it, mostly in the L2 cache.
// Launch: 256 threads; tiles of 128 x 128, of 64 x 64 where n is small.
// Accepts: what there is workspace and what there are counters for.

#include "kernels/common/overlap.h"
#include "kernels/common/reduce.h"
#include "kernels/common/scalar.h"
#include "kernels/level2/registry.h"
#include "kernels/level2/triangle_tiles.cuh"

namespace myblas::cuda {
namespace {

constexpr int large_tile = 128, small_tile = 64, threads = 256, warps = threads / warp_size;

constexpr int64_t small_n = 1536; // below it tiles of 128 leave multiprocessors idle

int tile_of(const symv_problem& p) { return p.n < small_n ? small_tile : large_tile; }

__device__ inline void store_y(const symv_problem& p, int64_t i, double sum) {
    const double alpha = resolve(p.alpha), beta = resolve(p.beta);
    float& y = p.y[i * p.incy];
    const double result = alpha == 0 ? 0 : alpha * sum;
    y = static_cast<float>(beta == 0 ? result : result + beta * y);
}

// The rows of a block from their slots, which are complete.
template <int tile>
__device__ void finish_rows(const symv_problem& p, const float* slots, int block, int blocks) {
    constexpr int groups = threads / tile;
    __shared__ double sums[groups][tile];
    const int row = threadIdx.x % tile, group = threadIdx.x / tile;
    const int64_t i = int64_t{block} * tile + row;
    double sum = 0;
    if (i < p.n)
#pragma unroll 16
        for (int s = group; s < blocks; s += groups)
            sum += __ldcg(slots + s * p.n + i);
    __syncthreads(); // the sums are free: another block row may have been finished before
    sums[group][row] = sum;
    __syncthreads(); // they are there
    if (group > 0 || i >= p.n)
        return;
#pragma unroll
    for (int g = 1; g < groups; ++g)
        sum += sums[g][row];
    store_y(p, i, sum);
}

template <int tile, int residents>
__global__ void __launch_bounds__(threads, residents)
    multiply_tiles(symv_problem p, float* slots, unsigned* counters, int blocks) {
    constexpr int row_count = tile / warp_size, column_count = tile / warps; // of a thread
    __shared__ float row_sums[warps][tile], column_sums[tile];
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const tile_place place = place_of(blockIdx.x, blocks, p.upper);
    const bool on_diagonal = place.row == place.column;
    const int64_t first_i = int64_t{place.row} * tile, first_j = int64_t{place.column} * tile;
    const int64_t i = first_i + lane, j = first_j + warp * column_count;
    wait_for_earlier_work();
    if (resolve(p.alpha) == 0) {
        if (on_diagonal && threadIdx.x < tile && first_i + threadIdx.x < p.n)
            store_y(p, first_i + threadIdx.x, 0);
        return;
    }

    float row_sum[row_count] = {}, column_sum[column_count] = {}, x_i[row_count];
#pragma unroll
    for (int r = 0; r < row_count; ++r)
        x_i[r] = i + r * warp_size < p.n ? p.x[(i + r * warp_size) * p.incx] : 0;
    // A lane has the element of x for one of the warp's columns.
    const int64_t own_j = j + lane % column_count;
    const float own_x = own_j < p.n ? p.x[own_j * p.incx] : 0;
    const float* const a = p.a + i + j * p.lda;
    if (!on_diagonal && first_i + tile <= p.n && first_j + tile <= p.n) {
        float value[column_count][row_count];
#pragma unroll
        for (int c = 0; c < column_count; ++c)
#pragma unroll
            for (int r = 0; r < row_count; ++r)
                value[c][r] = a[c * p.lda + r * warp_size];
#pragma unroll
        for (int c = 0; c < column_count; ++c) {
            const float x_j = __shfl_sync(full_warp, own_x, c);
#pragma unroll
            for (int r = 0; r < row_count; ++r) {
                row_sum[r] = fmaf(value[c][r], x_j, row_sum[r]);
                column_sum[c] = fmaf(value[c][r], x_i[r], column_sum[c]);
            }
        }
    } else {
#pragma unroll
        for (int c = 0; c < column_count; ++c) {
            const float x_j = __shfl_sync(full_warp, own_x, c);
#pragma unroll
            for (int r = 0; r < row_count; ++r) {
                const int64_t row = i + r * warp_size, column = j + c;
                const bool is_stored = p.upper ? row <= column : row >= column;
                if (!is_stored || row >= p.n || column >= p.n)
                    continue;
                const float value = a[c * p.lda + r * warp_size];
                row_sum[r] = fmaf(value, x_j, row_sum[r]);
                if (row != column) // the diagonal counts once, for its row
                    column_sum[c] = fmaf(value, x_i[r], column_sum[c]);
            }
        }
    }
    const int kept = scatter_sums<column_count, warp_size / 2, 1>(column_sum);
    if (lane % (warp_size / column_count) == 0) // the lanes beside have the same
        column_sums[warp * column_count + kept] = column_sum[0];
#pragma unroll
    for (int r = 0; r < row_count; ++r)
        row_sums[warp][lane + r * warp_size] = row_sum[r];
    __syncthreads(); // the sums of all warps are there

    const int own = threadIdx.x;
    if (own < tile) {
        float by_rows = 0;
#pragma unroll
        for (int w = 0; w < warps; ++w)
            by_rows += row_sums[w][own];
        const float by_columns = column_sums[own];
        if (on_diagonal) {
            const float sum = by_rows + by_columns;
            if (first_i + own < p.n) {
                if (blocks == 1)
                    store_y(p, own, sum);
                else
                    slots[place.row * p.n + first_i + own] = sum;
            }
        } else {
            if (first_i + own < p.n)
                slots[place.column * p.n + first_i + own] = by_rows;
            if (first_j + own < p.n)
                slots[place.row * p.n + first_j + own] = by_columns;
        }
    }
    if (blocks == 1)
        return;

    // A block row has as many pieces as there are block rows.
    __shared__ bool is_complete[2];
    __syncthreads(); // the block has left its pieces
    if (threadIdx.x < 2) {
        const int block = threadIdx.x == 0 ? place.row : place.column;
        __threadfence(); // they are visible before they are counted
        is_complete[threadIdx.x] =
            !(on_diagonal && threadIdx.x == 1) &&
            atomicInc(counters + block, blocks - 1) == static_cast<unsigned>(blocks) - 1;
    }
    __syncthreads(); // it is known which rows are complete
    if (!is_complete[0] && !is_complete[1])
        return;
    __threadfence(); // all pieces are counted: what is read from here on is written
    if (is_complete[0])
        finish_rows<tile>(p, slots, place.row, blocks);
    if (is_complete[1])
        finish_rows<tile>(p, slots, place.column, blocks);
}

int64_t block_count(const symv_problem& p) { return ceil_div<int64_t>(p.n, tile_of(p)); }

size_t slot_bytes(const symv_problem& p, const device_info&) {
    return block_count(p) == 1 ? 0 : static_cast<size_t>(block_count(p) * p.n) * sizeof(float);
}

bool accepts(const symv_problem& p, const device_info&) { return block_count(p) <= counter_count; }

myblasStatus_t launch_tiles(const symv_problem& p, const launch_context& context) {
    const int64_t blocks = block_count(p);
    return launch_overlapped(tile_of(p) == large_tile ? multiply_tiles<large_tile, 2>
                                                      : multiply_tiles<small_tile, 4>,
                             dim3(static_cast<unsigned>(triangle_tiles(blocks))),
                             threads,
                             context,
                             p,
                             static_cast<float*>(context.workspace),
                             context.counters,
                             static_cast<int>(blocks));
}

} // namespace

constinit const kernel_entry<symv_problem> symv_tiles = {
    .name = "tiles",
    .description = "tiles of 128 x 128 read once, their pieces added in a fixed order",
    .block_m = large_tile,
    .block_n = large_tile,
    .threads = threads,
    .stages = 1,
    .smem_bytes = (warps + 1) * large_tile * sizeof(float),
    .accepts = accepts,
    .workspace_bytes = slot_bytes,
    .launch = launch_tiles,
};

} // namespace myblas::cuda

// symv that reads only the stored triangle: A is read once, and elements off the diagonal are used
// twice.
//
// A block computes a tile or a strip of the triangle. Its partial sums of y are called pieces: sums
// along rows for its rows, and sums down columns for its columns. Each piece has its own slot in
// the workspace. A counter for each block row counts the pieces; the block that stores the last
// piece adds the slots in a fixed order. Tiles on the diagonal are read as whole squares and give
// row pieces only. Upper triangles are indexed from their last row (row_blocks.cuh).
//
//   tiles    64 x 64 elements for each block
//   strips   128 columns and up to 256 rows for each block, 64 rows at a time; the next 64 rows are
//            loaded meanwhile. Sums down columns stay in registers: fewer pieces and counters
//
// A warp has 8 or 16 columns, and its lanes have neighbouring rows. Sums down 16 columns take 16
// shuffles (scatter_sums); sums along rows are added through shared memory.
//
// Bound: n (n + 1) / 2 floats read. The slots add n^2 / 64 floats (strips: less than n^2 / 128),
// mostly in the L2 cache.
// Launch: 256 threads.
// Accepts: n up to 64 counter_count (strips: 128 counter_count), given the workspace.

#include "kernels/common/last_block.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/level2/registry.h"
#include "kernels/level2/row_blocks.cuh"
#include "kernels/level2/triangle_tiles.cuh"

namespace myblas::cuda {
namespace {

constexpr int threads = 256, warps = threads / warp_size;
constexpr int height = 64, row_count = height / warp_size; // rows at a time; rows of a thread

// A thread's elements in `height` rows and its warp's columns, and x of these rows.
template <int width>
struct elements {
    static constexpr int column_count = width / warps; // of a thread
    float value[column_count][row_count], x[row_count];

    static __device__ __forceinline__ int column(int c) {
        return threadIdx.x / warp_size * column_count + c;
    }
    static __device__ __forceinline__ int row(int r) {
        return threadIdx.x % warp_size + r * warp_size;
    }

    // On the diagonal the whole square is loaded. Elements outside the matrix are zero.
    __device__ __forceinline__ void
    load(const symmetric_view& t, int64_t first_u, int64_t first_v, bool on_diagonal) {
#pragma unroll
        for (int r = 0; r < row_count; ++r) {
            const int64_t u = first_u + row(r);
            x[r] = u < t.n ? t.x[u * t.incx] : 0;
        }
        if (!on_diagonal && first_u + height <= t.n) { // then the columns are inside too
            const float* const a =
                t.a + (first_u + row(0)) * t.row_step + (first_v + column(0)) * t.column_step;
#pragma unroll
            for (int c = 0; c < column_count; ++c)
#pragma unroll
                for (int r = 0; r < row_count; ++r)
                    value[c][r] = a[c * t.column_step + r * warp_size * t.row_step];
            return;
        }
#pragma unroll
        for (int c = 0; c < column_count; ++c)
#pragma unroll
            for (int r = 0; r < row_count; ++r) {
                const int64_t u = first_u + row(r), v = first_v + column(c);
                value[c][r] = u < t.n && v < t.n ? t.at(u, v) : 0;
            }
    }

    // x_v: x of the tile's columns.
    __device__ __forceinline__ void multiply(float (&row_sum)[row_count],
                                             float (&column_sum)[column_count],
                                             const float* x_v,
                                             bool on_diagonal) const {
#pragma unroll
        for (int c = 0; c < column_count; ++c)
#pragma unroll
            for (int r = 0; r < row_count; ++r)
                row_sum[r] = fmaf(value[c][r], x_v[column(c)], row_sum[r]);
        if (!on_diagonal)
#pragma unroll
            for (int c = 0; c < column_count; ++c)
#pragma unroll
                for (int r = 0; r < row_count; ++r)
                    column_sum[c] = fmaf(value[c][r], x[r], column_sum[c]);
    }
};

using row_parts = float[warps][height];

__device__ __forceinline__ void leave(row_parts& parts, const float (&row_sum)[row_count]) {
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
#pragma unroll
    for (int r = 0; r < row_count; ++r)
        parts[warp][lane + r * warp_size] = row_sum[r];
}

__device__ __forceinline__ float add(const row_parts& parts, int row) {
    float sum = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w)
        sum += parts[w][row];
    return sum;
}

// Stores the sums down columns in their slot.
template <int width>
__device__ __forceinline__ void
leave_columns(float* slot, float (&column_sum)[width / warps], int64_t first_v, int64_t n) {
    constexpr int count = width / warps;
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const int kept = scatter_sums<count, warp_size / 2, 1>(column_sum);
    const int64_t v = first_v + warp * count + kept;
    if (lane % (warp_size / count) == 0 && v < n) // neighbouring lanes hold the same sum
        slot[v] = column_sum[0];
}

// The pieces of `block_rows` rows, `count` in all: the first `first_count` lie in consecutive slots
// from `first` on, the others in consecutive slots from `second` on.
struct pieces {
    const float *first, *second;
    int first_count, count;
};

template <int block_rows>
__device__ void finish_rows(const symmetric_view& t, int block, const pieces& of_rows) {
    constexpr int groups = threads / block_rows;
    __shared__ double sums[groups][block_rows];
    const int row = threadIdx.x % block_rows, group = threadIdx.x / block_rows;
    const int64_t u = int64_t{block} * block_rows + row;
    double sum = 0;
    if (u < t.n)
#pragma unroll 8
        for (int s = group; s < of_rows.count; s += groups)
            sum += __ldcg((s < of_rows.first_count
                               ? of_rows.first + s * t.n
                               : of_rows.second + (s - of_rows.first_count) * t.n) +
                          u);
    __syncthreads(); // sums may be overwritten: an earlier call may have read them
    sums[group][row] = sum;
    __syncthreads(); // sums are written
    if (group > 0 || u >= t.n)
        return;
#pragma unroll
    for (int g = 1; g < groups; ++g)
        sum += sums[g][row];
    t.store(u, sum);
}

// Counts one of `count` pieces for some rows. True if it was the last one.
__device__ __forceinline__ bool count_piece(unsigned* counter, int count) {
    __threadfence(); // the block's pieces are visible before they are counted
    return is_last_arrival(counter, count);
}

// ---- Tiles --------------------------------------------------------------------------------------

constexpr int tile = 64;

// Tile (I, J) fills slot J of the rows of I, and slot I of the rows of J.
__global__ void __launch_bounds__(threads, 4)
    multiply_tiles(symmetric_view t, float* slots, unsigned* counters, int blocks) {
    __shared__ row_parts parts;
    __shared__ float x_v[tile];
    __shared__ bool is_complete[2];
    const tile_place place = place_of(blockIdx.x, blocks, false);
    const bool on_diagonal = place.row == place.column;
    const int64_t first_u = int64_t{place.row} * tile, first_v = int64_t{place.column} * tile;
    const int own = threadIdx.x;
    grid_dependency_sync();
    if (resolve(t.alpha) == 0) {
        if (on_diagonal && own < tile && first_u + own < t.n)
            t.store(first_u + own, 0);
        return;
    }
    if (own < tile)
        x_v[own] = first_v + own < t.n ? t.x[(first_v + own) * t.incx] : 0;
    elements<tile> e;
    e.load(t, first_u, first_v, on_diagonal);
    __syncthreads(); // x_v is written
    float row_sum[row_count] = {}, column_sum[tile / warps] = {};
    e.multiply(row_sum, column_sum, x_v, on_diagonal);
    leave(parts, row_sum);
    if (!on_diagonal)
        leave_columns<tile>(slots + place.row * t.n, column_sum, first_v, t.n);
    __syncthreads(); // the sums of all warps are in `parts`
    if (own < tile && first_u + own < t.n) {
        const float sum = add(parts, own);
        if (blocks == 1)
            t.store(own, sum);
        else
            slots[place.column * t.n + first_u + own] = sum;
    }
    if (blocks == 1)
        return;
    __syncthreads(); // the block's pieces are written
    if (own < 2)
        is_complete[own] = !(on_diagonal && own == 1) &&
                           count_piece(counters + (own == 0 ? place.row : place.column), blocks);
    __syncthreads(); // is_complete is written
    for (int side = 0; side < 2; ++side)
        if (is_complete[side]) {
            // All pieces are counted: their reads come after the counts.
            __threadfence();
            finish_rows<tile>(
                t, side == 0 ? place.row : place.column, {slots, nullptr, blocks, blocks});
        }
}

int64_t tile_rows(const symv_problem& p) { return ceil_div<int64_t>(p.n, tile); }

size_t tile_bytes(const symv_problem& p, const device_info&) {
    return tile_rows(p) == 1 ? 0 : static_cast<size_t>(tile_rows(p) * p.n) * sizeof(float);
}

bool accepts_tiles(const symv_problem& p, const device_info&) {
    return tile_rows(p) <= counter_count;
}

myblasStatus_t launch_tiles(const symv_problem& p, const launch_context& context) {
    const int64_t blocks = tile_rows(p);
    return launch_overlapped(multiply_tiles,
                             dim3(static_cast<unsigned>(triangle_tiles(blocks))),
                             threads,
                             context,
                             view_of(p),
                             static_cast<float*>(context.workspace),
                             context.counters,
                             static_cast<int>(blocks));
}

// ---- Strips -------------------------------------------------------------------------------------

constexpr int width = 128;      // columns of a strip, and rows of a block row
constexpr int strip_blocks = 2; // block rows of a strip

// Strip s of block column J has the block rows s * strip_blocks to (s + 1) * strip_blocks - 1,
// except rows above J. Its row pieces lie in slot J of their rows, its column pieces in slot s of
// the second group of slots (column_slots).
__global__ void __launch_bounds__(threads, 2)
    multiply_strips(symmetric_view t, float* slots, unsigned* counters, int blocks) {
    __shared__ row_parts parts[2];
    __shared__ float x_v[width];
    __shared__ bool is_complete[strip_blocks + 1];
    const int strips = (blocks + strip_blocks - 1) / strip_blocks, own = threadIdx.x;
    // Strip s = 0, 1, ... has blocks for (s + 1) * strip_blocks block columns.
    const auto group = static_cast<int>(blockIdx.x) / strip_blocks;
    const int s = place_of(group, strips, true).column;
    const int column = static_cast<int>(blockIdx.x) - strip_blocks * (s * (s + 1) / 2);
    grid_dependency_sync();
    if (column >= blocks)
        return;
    const int first_block = max(column, s * strip_blocks);
    const int end_block = min((s + 1) * strip_blocks, blocks);
    const int64_t first_v = int64_t{column} * width;
    const int64_t first_u = int64_t{first_block} * width;
    const int64_t end_u = min(int64_t{end_block} * width, t.n);
    if (resolve(t.alpha) == 0) {
        if (first_block == column && own < width && first_v + own < t.n)
            t.store(first_v + own, 0);
        return;
    }
    if (own < width)
        x_v[own] = first_v + own < t.n ? t.x[(first_v + own) * t.incx] : 0;
    elements<width> now, next;
    float column_sum[width / warps] = {};
    now.load(t, first_u, first_v, first_block == column);
    __syncthreads(); // x_v is written
    int turn = 0;
    for (int64_t u = first_u; u < end_u; u += height, turn ^= 1) {
        if (u + height < end_u)
            next.load(t, u + height, first_v, u + height < first_v + width);
        float row_sum[row_count] = {};
        now.multiply(row_sum, column_sum, x_v, u < first_v + width);
        leave(parts[turn], row_sum);
        __syncthreads(); // parts[turn] is written, and parts[turn ^ 1] is no longer read
        if (own < height && u + own < t.n)
            slots[column * t.n + u + own] = add(parts[turn], own);
        now = next;
    }
    float* const column_slots = slots + blocks * t.n;
    leave_columns<width>(column_slots + s * t.n, column_sum, first_v, t.n);

    // The rows of block R have pieces from columns 0 ... R, and from each strip of column R. The
    // block of that column's first strip gives two of them, and counts once for both.
    const auto first_strip = [&](int block) { return block / strip_blocks; };
    const int row_blocks = end_block - first_block;
    const bool has_more = column < first_block; // the strip's columns are not among its rows
    __syncthreads();                            // the block's pieces are written
    if (own < row_blocks + has_more) {
        const int block = own < row_blocks ? first_block + own : column;
        is_complete[own] = count_piece(counters + block, block + strips - first_strip(block));
    }
    __syncthreads(); // is_complete is written
    for (int i = 0; i < row_blocks + has_more; ++i)
        if (is_complete[i]) {
            const int block = i < row_blocks ? first_block + i : column;
            // All pieces are counted: their reads come after the counts.
            __threadfence();
            finish_rows<width>(t,
                               block,
                               {slots,
                                column_slots + first_strip(block) * t.n,
                                block + 1,
                                block + 1 + strips - first_strip(block)});
        }
}

int64_t strip_rows(const symv_problem& p) { return ceil_div<int64_t>(p.n, width); }
int64_t strip_count(const symv_problem& p) {
    return ceil_div<int64_t>(strip_rows(p), strip_blocks);
}

size_t strip_bytes(const symv_problem& p, const device_info&) {
    return static_cast<size_t>((strip_rows(p) + strip_count(p)) * p.n) * sizeof(float);
}

bool accepts_strips(const symv_problem& p, const device_info&) {
    return strip_rows(p) <= counter_count;
}

myblasStatus_t launch_strips(const symv_problem& p, const launch_context& context) {
    return launch_overlapped(
        multiply_strips,
        dim3(static_cast<unsigned>(strip_blocks * triangle_tiles(strip_count(p)))),
        threads,
        context,
        view_of(p),
        static_cast<float*>(context.workspace),
        context.counters,
        static_cast<int>(strip_rows(p)));
}

} // namespace

constinit const kernel_entry<symv_problem> symv_tiles = {
    .name = "tiles",
    .description = "tiles of 64 x 64 read once, their pieces added in a fixed order",
    .block_m = tile,
    .block_n = tile,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(row_parts),
    .uses_counters = true,
    .accepts = accepts_tiles,
    .workspace_bytes = tile_bytes,
    .launch = launch_tiles,
};

constinit const kernel_entry<symv_problem> symv_strips = {
    .name = "strips",
    .description = "strips of 128 columns read once, their pieces added in a fixed order",
    .block_m = height,
    .block_n = width,
    .threads = threads,
    .stages = 2,
    .smem_bytes = 2 * sizeof(row_parts),
    .uses_counters = true,
    .accepts = accepts_strips,
    .workspace_bytes = strip_bytes,
    .launch = launch_strips,
};

} // namespace myblas::cuda

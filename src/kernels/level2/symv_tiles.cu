// symv that reads only the stored triangle: A is read once, and elements off the diagonal are used
// twice.
//
// A block computes a tile or a strip of the triangle. Its partial sums of y are called pieces: sums
// along rows for its rows, and sums down columns for its columns. Each piece has its own slot in
// the workspace, and the slots are added in a fixed order. Squares on the diagonal are read whole
// and give row pieces only. Upper triangles are indexed from their last row (row_blocks.cuh).
//
//   tiles    64 x 64 elements for each block. A counter for each block row counts the pieces; the
//            block that stores the last piece adds them
//   strips   strips of 128 columns, 64 rows at a time; the next 64 rows are loaded meanwhile. As
//            many blocks as run at the same time have equal shares of all strips. Sums down columns
//            stay in registers until the block or the strip ends. A second kernel adds the pieces
//
// A warp has 8 or 16 columns, and its lanes have neighbouring rows. Sums down 16 columns take 16
// shuffles (scatter_sums); sums along rows are added through shared memory.
//
// Bound: n (n + 1) / 2 floats read. The slots add n^2 / 64 floats (strips: n^2 / 256). They stay in
// the L2 cache, since elements of A are the first to leave it.
// Launch: 256 threads.
// Accepts: n up to 64 counter_count (strips: all n), given the workspace.

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
// once: elements are the first to leave the L2 cache.
template <int width, bool once>
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
                    value[c][r] = read(a + c * t.column_step + r * warp_size * t.row_step);
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

    static __device__ __forceinline__ float read(const float* a) { return once ? __ldcs(a) : *a; }

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

// The rows whose pieces a block adds. Threads of a row take its pieces in turns.
template <int rows>
struct piece_sums {
    static constexpr int groups = threads / rows; // threads of a row

    static __device__ __forceinline__ int row() { return threadIdx.x % rows; }
    static __device__ __forceinline__ int group() { return threadIdx.x / rows; }

    // Adds element u of slots 0 ... count - 1 to the sum.
    static __device__ __forceinline__ void
    add_slots(double& sum, const float* slots, int count, int64_t u, int64_t n) {
#pragma unroll 8
        for (int s = group(); s < count; s += groups)
            sum += __ldcg(slots + s * n + u);
    }

    // Adds the sums of a row's threads and stores row u of y.
    static __device__ void store(const symmetric_view& t, int64_t u, double sum) {
        __shared__ double sums[groups][rows];
        __syncthreads(); // sums may be overwritten: an earlier call may have read them
        sums[group()][row()] = sum;
        __syncthreads(); // sums are written
        if (group() > 0 || u >= t.n)
            return;
#pragma unroll
        for (int g = 1; g < groups; ++g)
            sum += sums[g][row()];
        t.store(u, sum);
    }
};

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
    elements<tile, false> e;
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
            using pieces = piece_sums<tile>;
            const int64_t u = (side == 0 ? first_u : first_v) + pieces::row();
            double sum = 0;
            if (u < t.n)
                pieces::add_slots(sum, slots, blocks, u, t.n);
            pieces::store(t, u, sum);
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

constexpr int width = 128;             // columns of a strip
constexpr int strip_blocks_per_sm = 2; // registers suffice for these

// The turns of all strips, strip by strip, and each strip from its diagonal down: `height` rows by
// `width` columns. Every block has `share` turns, the last one perhaps fewer.
struct turn_order {
    static constexpr int on_diagonal = width / height; // turns of a strip
    int chunks;                                        // of `height` rows
    int share;

    __host__ __device__ int64_t first_turn(int64_t strip) const {
        return strip * chunks - strip * (strip - 1) / 2 * on_diagonal;
    }
    // The block that has the first turn of a strip, and the number of blocks that share the strip.
    __host__ __device__ int first_block(int strip) const {
        return static_cast<int>(first_turn(strip) / share);
    }
    __host__ __device__ int block_count(int strip) const {
        return static_cast<int>((first_turn(strip + 1) - 1) / share) - first_block(strip) + 1;
    }
    // The strip of a turn.
    __device__ int strip_of(int64_t turn, int strips) const {
        const float b = static_cast<float>(chunks) + on_diagonal / 2.0f;
        const float root = sqrtf(fmaxf(b * b - 2.0f * on_diagonal * static_cast<float>(turn), 0));
        int strip = min(max(static_cast<int>((b - root) / on_diagonal), 0), strips - 1);
        while (first_turn(strip) > turn) // corrects the root's rounding
            --strip;
        while (first_turn(strip + 1) <= turn)
            ++strip;
        return strip;
    }
};

// The row pieces of strip s lie in slot s of its rows; the column pieces of its blocks in slots
// `strips`, strips + 1, ... of its columns.
__global__ void __launch_bounds__(threads, strip_blocks_per_sm)
    multiply_strips(symmetric_view t, float* slots, int strips, turn_order order) {
    __shared__ row_parts parts[2];
    __shared__ float x_v[2][width];
    const int own = threadIdx.x;
    grid_dependency_sync();
    launch_dependents(); // all blocks run at the same time: there is room for the next kernel
    const int64_t all_turns = order.first_turn(strips);
    int64_t turn = int64_t{blockIdx.x} * order.share;
    const int64_t end = min(turn + order.share, all_turns);
    if (turn >= end || resolve(t.alpha) == 0)
        return;
    int strip = order.strip_of(turn, strips);
    int chunk = static_cast<int>(turn - order.first_turn(strip)) + strip * order.on_diagonal;
    const auto is_on_diagonal = [&](int strip, int chunk) {
        return chunk < (strip + 1) * order.on_diagonal;
    };
    const auto load = [&](elements<width, true>& e, int strip, int chunk) {
        e.load(t, int64_t{chunk} * height, int64_t{strip} * width, is_on_diagonal(strip, chunk));
    };
    const auto own_x = [&](int strip) {
        const int64_t v = int64_t{strip} * width + own;
        return own < width && v < t.n ? t.x[v * t.incx] : 0;
    };
    elements<width, true> now, next;
    float column_sum[width / warps] = {};
    if (own < width)
        x_v[0][own] = own_x(strip);
    load(now, strip, chunk);
    __syncthreads(); // x_v[0] is written
    for (int stage = 0, x_stage = 0; turn < end; ++turn, stage ^= 1) {
        const bool ends_strip = chunk + 1 == order.chunks, is_last = turn + 1 == end;
        const int next_strip = strip + ends_strip;
        const int next_chunk = ends_strip ? next_strip * order.on_diagonal : chunk + 1;
        float next_x = 0;
        if (!is_last) {
            load(next, next_strip, next_chunk);
            if (ends_strip)
                next_x = own_x(next_strip);
        }
        float row_sum[row_count] = {};
        now.multiply(row_sum, column_sum, x_v[x_stage], is_on_diagonal(strip, chunk));
        leave(parts[stage], row_sum);
        if (ends_strip && own < width)
            x_v[x_stage ^ 1][own] = next_x;
        // parts[stage] and the next x_v are written, and parts[stage ^ 1] is no longer read.
        __syncthreads();
        const int64_t u = int64_t{chunk} * height + own;
        if (own < height && u < t.n)
            slots[strip * t.n + u] = add(parts[stage], own);
        if (ends_strip || is_last) {
            const int slot = strips + static_cast<int>(blockIdx.x) - order.first_block(strip);
            leave_columns<width>(slots + slot * t.n, column_sum, int64_t{strip} * width, t.n);
#pragma unroll
            for (float& sum : column_sum)
                sum = 0;
        }
        x_stage ^= static_cast<int>(ends_strip);
        strip = next_strip, chunk = next_chunk;
        now = next;
    }
}

constexpr int sum_rows = 32; // of a block

// Adds the pieces of each row.
__global__ void __launch_bounds__(threads)
    add_pieces(symmetric_view t, const float* slots, int strips, turn_order order) {
    using pieces = piece_sums<sum_rows>;
    const int64_t u = int64_t{blockIdx.x} * sum_rows + pieces::row();
    const int strip = static_cast<int>(blockIdx.x) / (width / sum_rows);
    const int column_pieces = order.block_count(strip);
    grid_dependency_sync();
    launch_dependents();
    double sum = 0;
    if (u < t.n && resolve(t.alpha) != 0) {
        pieces::add_slots(sum, slots, strip + 1, u, t.n);
        pieces::add_slots(sum, slots + strips * t.n, column_pieces, u, t.n);
    }
    pieces::store(t, u, sum);
}

int64_t strip_count(const symv_problem& p) { return ceil_div<int64_t>(p.n, width); }

turn_order order_of(const symv_problem& p, const device_info& device) {
    turn_order order{static_cast<int>(ceil_div<int64_t>(p.n, height)), 1};
    order.share = static_cast<int>(
        ceil_div<int64_t>(order.first_turn(strip_count(p)), strip_blocks_per_sm * device.sm_count));
    return order;
}

size_t strip_bytes(const symv_problem& p, const device_info& device) {
    // No other strip has more turns than the first, but their blocks may begin within a share.
    const int64_t most_blocks = order_of(p, device).block_count(0) + 1;
    return static_cast<size_t>((strip_count(p) + most_blocks) * p.n) * sizeof(float);
}

myblasStatus_t launch_strips(const symv_problem& p, const launch_context& context) {
    const turn_order order = order_of(p, *context.device);
    const auto strips = static_cast<int>(strip_count(p));
    const int64_t blocks = ceil_div<int64_t>(order.first_turn(strips), order.share);
    auto* const slots = static_cast<float*>(context.workspace);
    const auto start = [&](auto kernel, int64_t count) {
        return launch_overlapped(kernel,
                                 dim3(static_cast<unsigned>(count)),
                                 threads,
                                 context,
                                 view_of(p),
                                 slots,
                                 strips,
                                 order);
    };
    const myblasStatus_t status = start(multiply_strips, blocks);
    return status == MYBLAS_STATUS_SUCCESS ? start(add_pieces, ceil_div<int64_t>(p.n, sum_rows))
                                           : status;
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
    .description = "strips of 128 columns read once, in equal shares, added by a second kernel",
    .block_m = height,
    .block_n = width,
    .threads = threads,
    .stages = 2,
    .smem_bytes = 2 * sizeof(row_parts),
    .workspace_bytes = strip_bytes,
    .launch = launch_strips,
};

} // namespace myblas::cuda

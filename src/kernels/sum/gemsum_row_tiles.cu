// result = the sums of the rows of A (op N): tiles of rows, cut into chunks of columns.
//
// Adds to `naive`: a block's threads cover a tile of rows, four rows for each thread, and several
// columns. The reads of a warp are then whole cache lines for thin matrices, too. Eight 16-byte
// loads of a thread are in flight. If the tiles do not fill the device, several blocks share a
// tile, each with a chunk of the columns. Their partial sums go to slots in the workspace. The last
// block of a tile to finish adds them in a fixed order.
//
//             chunk 0      chunk 1                    in a block: thread (x, y)
//          +------------+------------+
//   tile 0 |  block 0   |  block 2   |     rows     4 x ... 4 x + 3 of the tile
//          +------------+------------+     columns  y, y + height, ... of the chunk
//   tile 1 |  block 1   |  block 3   |
//          +------------+------------+
//
// Accuracy: 3 roundings in float in a tree over the loads, then a carrier of twice the precision,
// and the rounding of the result: 5 u sum |A_ij|.
// Bound: m n elements read.  Block: 256 threads, width x height, 8 KiB of shared memory.
// Grid: a function of m, n, the alignment and the number of multiprocessors; one chunk if the
// workspace is too small.
// Accepts: op N. An unaligned matrix is read by scalar loads.

#include "kernels/common/last_block.cuh"
#include "kernels/common/launch.h"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/sum/matrix.cuh"
#include "kernels/sum/registry.h"
#include "kernels/sum/tree.cuh"

#include <algorithm>
#include <bit>

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int loads = 8;

constexpr int blocks_per_sm(int vector) { return vector == 4 ? 2 : 8; }

// How the matrix is cut. `vector` is the number of rows of a thread.
struct cut {
    int width_log2;  // of the number of threads along the rows; other threads have other columns
    int64_t tiles;   // of width * vector rows
    int64_t columns; // of a chunk
    int chunks;
};

cut make_cut(const gemsum_problem& p, int vector, const device_info& device) {
    const int least_width = vector == 4 ? 32 : 64;
    const auto covers = [&](int width) { return int64_t{width} * vector >= p.m; };
    const auto reach = [](int width) { return int64_t{threads / width} * loads; };
    cut c{};
    int width = 1;
    // The smallest width that covers the rows, but at most least_width. Beyond that the width grows
    // only while the block would reach past the last column.
    while (width < threads && !covers(width) && (width < least_width || reach(width) > p.n))
        width *= 2;
    c.width_log2 = std::countr_zero(static_cast<unsigned>(width));
    c.tiles = ceil_div<int64_t>(p.m, int64_t{width} * vector);
    const int64_t blocks = int64_t{blocks_per_sm(vector)} * device.sm_count;
    const int64_t most_chunks = std::max<int64_t>(p.n / (2 * reach(width)), 1);
    c.columns =
        ceil_div(p.n, std::clamp<int64_t>(blocks / std::max<int64_t>(c.tiles, 1), 1, most_chunks));
    c.chunks = p.n > 0 ? static_cast<int>(ceil_div(p.n, c.columns)) : 1;
    return c;
}

// Adds the totals of all threads with the same x. Threads with y = 0 get the sum.
template <int vector>
__device__ void add_columns(carrier<float> (&total)[vector], int width) {
    __shared__ carrier<float> smem[threads][vector];
    const int t = threadIdx.x;
#pragma unroll
    for (int c = 0; c < vector; ++c)
        smem[t][c] = total[c];
    for (int half = threads / 2; half >= width; half /= 2) {
        __syncthreads(); // the sums are complete
        if (t < half)
#pragma unroll
            for (int c = 0; c < vector; ++c)
                smem[t][c].add(smem[t + half][c]);
    }
#pragma unroll
    for (int c = 0; c < vector; ++c)
        total[c] = smem[t][c];
    __syncthreads(); // smem is free for the next call
}

template <int vector>
__global__ void __launch_bounds__(threads, blocks_per_sm(vector))
    row_tiles(gemsum_problem p, cut c, carrier<float>* slots, unsigned* counters) {
    grid_dependency_sync();
    const int width = 1 << c.width_log2, height = threads >> c.width_log2;
    const int x = threadIdx.x & (width - 1), y = threadIdx.x >> c.width_log2;
    const int64_t tile = blockIdx.x, chunk = blockIdx.y;
    const int64_t row = (tile * width + x) * vector, rows = p.m - row; // rows: left from here on
    const int64_t end = min((chunk + 1) * c.columns, p.n);
    int64_t j = chunk * c.columns + y;
    const float* a = p.a + row + j * p.lda;
    const int64_t step = height * p.lda;
    float value[loads][vector];
    carrier<float> total[vector]{};

#pragma unroll 1
    for (; j + (loads - 1) * height < end; j += loads * height) {
#pragma unroll
        for (int k = 0; k < loads; ++k, a += step)
            load_part(value[k], a, rows);
        add_loads(value);
#pragma unroll
        for (int v = 0; v < vector; ++v)
            total[v].add(value[0][v]);
    }
    if (j < end) {
#pragma unroll
        for (int k = 0; k < loads; ++k, a += step)
            load_part(value[k], a, j + k * height < end ? rows : 0);
        add_loads(value);
#pragma unroll
        for (int v = 0; v < vector; ++v)
            total[v].add(value[0][v]);
    }
    add_columns(total, width);

    if (c.chunks > 1) {
        if (y == 0)
#pragma unroll
            for (int v = 0; v < vector; ++v)
                if (v < rows)
                    slots[chunk * p.m + row + v] = total[v];
        if (!is_last_block(counters + tile, c.chunks))
            return;
#pragma unroll
        for (int v = 0; v < vector; ++v)
            total[v] = {};
#pragma unroll 4
        for (int64_t s = y; s < c.chunks; s += height)
#pragma unroll
            for (int v = 0; v < vector; ++v)
                if (v < rows)
                    total[v].add(slots[s * p.m + row + v]);
        add_columns(total, width);
    }
    if (y == 0)
#pragma unroll
        for (int v = 0; v < vector; ++v)
            if (v < rows)
                p.result[row + v] = total[v].rounded();
}

int vector_of(const gemsum_problem& p) { return has_aligned_columns(p) ? 4 : 1; }

size_t slot_bytes(const gemsum_problem& p, const device_info& device) {
    const cut c = make_cut(p, vector_of(p), device);
    return c.chunks > 1 ? c.chunks * p.m * sizeof(carrier<float>) : 0;
}

myblasStatus_t launch_row_tiles(const gemsum_problem& p, const launch_context& context) {
    const int vector = vector_of(p);
    cut c = make_cut(p, vector, *context.device);
    // All columns are one chunk if there are no slots for the sums of chunks.
    if (slot_bytes(p, *context.device) > context.workspace_bytes) {
        c.columns = p.n;
        c.chunks = 1;
    }
    const dim3 grid(static_cast<unsigned>(c.tiles), c.chunks);
    return launch_overlapped(vector == 4 ? row_tiles<4> : row_tiles<1>,
                             grid,
                             threads,
                             context,
                             p,
                             c,
                             static_cast<carrier<float>*>(context.workspace),
                             context.counters);
}

bool accepts_row_tiles(const gemsum_problem& p, const device_info& device) {
    return !p.trans && make_cut(p, vector_of(p), device).tiles <= max_grid_x;
}

} // namespace

constinit const kernel_entry<gemsum_problem> gemsum_row_tiles = {
    .name = "row_tiles",
    .description = "tiles of rows, 16-byte loads, chunks of columns added in a fixed order",
    .threads = threads,
    .stages = 1,
    .smem_bytes = threads * 4 * sizeof(carrier<float>) + 1,
    .uses_counters = true,
    .accepts = accepts_row_tiles,
    .best_workspace_bytes = slot_bytes,
    .launch = launch_row_tiles,
};

} // namespace myblas::cuda

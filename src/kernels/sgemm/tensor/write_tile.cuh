// Computes C from the sums that the tensor core left in registers: adds the splits of a tile,
// scales lines, and writes C.
//
// If few blocks share a tile and all clusters run at the same time, the blocks form a cluster. Each
// block adds and writes its share of the columns, from the shared memory of all blocks. Otherwise
// blocks store their sums in the workspace, and the last block adds them. Splits are always added
// in ascending order of k, so the bits are the same on every run.
#pragma once

#include "kernels/common/cluster.cuh"
#include "kernels/common/lanes.cuh"
#include "kernels/common/last_block.cuh"
#include "kernels/common/named_barrier.cuh"
#include "kernels/sgemm/components/epilogue.cuh"
#include "kernels/sgemm/tensor/limbs.cuh"

namespace myblas::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Named barriers: for all threads that multiply; for the warpgroup that copies; two for turns.
enum block_barrier { math_barrier = 1, copy_barrier, first_turn_barrier };

// A barrier for all threads of the block that multiply.
template <class Shape>
__device__ __forceinline__ void sync_math() {
    sync_at<math_barrier, Shape::math_threads>();
}

// Adds the splits of a tile through the workspace, if there are several and they are no cluster.
// Returns whether this block has the whole sum, and so writes C.
template <class Shape>
__device__ __forceinline__ bool add_splits(const tile_schedule& schedule,
                                           unsigned tile,
                                           int split_index,
                                           float (&acc)[Shape::halves][64]) {
    constexpr int math_threads = Shape::math_threads;
    if (schedule.splits == 1)
        return true;
    __shared__ bool is_last;
    const int thread = static_cast<int>(rematerialised_tid()) - 128;
    float* sums = schedule.sums + int64_t{tile} * schedule.splits * Shape::sum_floats + thread;
    float* mine = sums + int64_t{split_index} * Shape::sum_floats;
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
        for (int i = 0; i < 64; ++i)
            mine[(half * 64 + i) * math_threads] = acc[half][i];
    __threadfence();    // the sums are visible before the split is counted
    sync_math<Shape>(); // the sums of all threads are visible
    if (thread == 0)
        is_last = is_last_arrival(&schedule.counters[tile], schedule.splits);
    sync_math<Shape>(); // thread 0 has stored whether the block is the last
    if (!is_last)
        return false;
    __threadfence(); // all splits are counted, so their sums are visible from here on
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
        for (int i = 0; i < 64; ++i)
            acc[half][i] = sums[(half * 64 + i) * math_threads];
    for (int other = 1; other < schedule.splits; ++other) {
        sums += Shape::sum_floats;
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int i = 0; i < 64; ++i)
                acc[half][i] += sums[(half * 64 + i) * math_threads];
    }
    return true;
}

// The place of a tile in C.
struct tile_target {
    const float *scales_a, *scales_b; // of the tile's lines; null if there are none
    float* c;
    int64_t ldc, rows, cols; // rows and columns that are left
    float alpha, beta;
    diagonal_mask mask;
    epilogue_op epilogue; // its places count from the tile's first element

    __device__ __forceinline__ tile_target(const pass_job& job, const pass_tile& at)
        : tile_target(job, at, resolve_operands(job.p, job.pass.first_batch + at.batch)) {}

private:
    __device__ __forceinline__ tile_target(const pass_job& job,
                                           const pass_tile& at,
                                           const sgemm_operands& o)
        : mask(job.pass.triangle,
               int64_t{at.panel_a} * panel_lines,
               int64_t{at.panel_b} * panel_lines),
          epilogue(job.p,
                   o,
                   job.pass.first_batch + at.batch,
                   job.pass.first_k == 0,
                   job.pass.first_k + job.pass.k >= job.p.k) {
        const limb_pass& pass = job.pass;
        const int64_t row = int64_t{at.panel_a} * panel_lines;
        const int64_t col = int64_t{at.panel_b} * panel_lines;
        const int64_t line_a = int64_t{at.batch} * pass.panels_a * panel_lines + row;
        const int64_t line_b = int64_t{at.batch} * pass.packed_panels_b() * panel_lines + col;
        const bool has_scales = o.k != 0; // otherwise no scales were written
        scales_a = has_scales ? job.packed.a.line_scales + line_a : nullptr;
        scales_b = has_scales ? job.packed.b.line_scales + line_b : nullptr;
        c = o.c + pass.row + row + (pass.col + col) * job.p.ldc;
        ldc = job.p.ldc;
        rows = pass.rows - row;
        cols = pass.cols - col;
        alpha = o.alpha;
        beta = pass.first_k == 0 ? o.beta : 1;
        epilogue.begin_at(pass.row + row, pass.col + col);
    }
};

// Multiplies a thread's elements of a tile by the scales of the lines. (row, col) is the thread's
// first element.
template <class Shape>
__device__ __forceinline__ void
scale_lines(const tile_target& tile, int row, int col, float (&acc)[Shape::halves][64]) {
    // All scales are loaded before anything is written, as the compiler does not move loads before
    // stores.
    float scales_a[Shape::halves][2], scales_b[32];
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
        for (int r = 0; r < 2; ++r)
            scales_a[half][r] = tile.scales_a[row + half * 64 + r * 8];
#pragma unroll
    for (int i = 0; i < 32; ++i)
        scales_b[i] = tile.scales_b[col + i / 2 * 8 + i % 2];
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
        for (int e = 0; e < 64; ++e)
            acc[half][e] = acc[half][e] * scales_a[half][e / 2 % 2] * scales_b[e / 4 * 2 + e % 2];
}

// acc = alpha * acc + bias, in the layout of write_tile.
template <class Shape>
__device__ __forceinline__ void add_bias(const tile_target& tile,
                                         int row,
                                         int col,
                                         int rows_left,
                                         int cols_left,
                                         float (&acc)[Shape::halves][64]) {
    if (tile.epilogue.has_bias_of_columns()) {
        float bias[32];
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            const int l = i / 2 * 8 + i % 2;
            bias[i] = tile.epilogue.bias_of_col(col + l, l < cols_left);
        }
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int e = 0; e < 64; ++e)
                acc[half][e] = fmaf(tile.alpha, acc[half][e], bias[e / 4 * 2 + e % 2]);
    } else {
        float bias[Shape::halves][2];
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const int i = half * 64 + r * 8;
                bias[half][r] = tile.epilogue.bias_of_row(row + i, i < rows_left);
            }
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int e = 0; e < 64; ++e)
                acc[half][e] = fmaf(tile.alpha, acc[half][e], bias[half][e / 2 % 2]);
    }
}

constexpr int elements_at_once = 16;
constexpr int cols_at_once = elements_at_once / 4 * 8; // distance from one batch to the next

// Calls f(half, first column) for a thread's elements of a tile, elements_at_once at a time; they
// are acc[0][0] and the following ones. The loop moves the elements up after each step. Unrolled,
// it would have thousands of instructions, which would miss the instruction cache for every tile.
template <class Shape, class F>
__device__ __forceinline__ void for_each_batch(float (&acc)[Shape::halves][64], F&& f) {
    static_assert(Shape::halves <= 2 && Shape::block_n == 128);
#pragma unroll 1
    for (int half = 0; half < Shape::halves; ++half) {
#pragma unroll 1
        for (int first = 0; first < 128; first += cols_at_once) {
            f(half, first);
#pragma unroll
            for (int e = 0; e < 64 - elements_at_once; ++e)
                acc[0][e] = acc[0][e + elements_at_once];
        }
#pragma unroll
        for (int e = 0; e < 64; ++e)
            acc[0][e] = acc[Shape::halves - 1][e];
    }
}

// Epilogue of a thread's elements of a tile, in the layout of write_tile.
template <class Shape>
__device__ __forceinline__ void
write_tile_epilogue(const tile_target& tile, int row, int col, float (&acc)[Shape::halves][64]) {
    int rows_left = static_cast<int>(min(tile.rows, int64_t{Shape::block_m})) - row;
    const int cols_left = static_cast<int>(min(tile.cols, int64_t{Shape::block_n})) - col;
    add_bias<Shape>(tile, row, col, rows_left, cols_left, acc);
    epilogue_op epilogue = tile.epilogue;
    epilogue.begin_at(row, col);
    for_each_batch<Shape>(acc, [&](int, int first) {
        float value[elements_at_once][1];
#pragma unroll
        for (int e = 0; e < elements_at_once; ++e)
            value[e][0] = acc[0][e];
        epilogue(value, [&](int e) {
            const int i = e / 2 % 2 * 8, l = e / 4 * 8 + e % 2;
            return epilogue_place{i, l, i < rows_left && first + l < cols_left};
        });
        const bool is_last = first + cols_at_once == 128; // of the half
        epilogue.begin_at(is_last ? 64 : 0, is_last ? cols_at_once - 128 : cols_at_once);
        rows_left -= is_last ? 64 : 0;
    });
}

// store_c for a batch: element e is at place(e) from c, and is written if is_computed(e). All
// elements are read before the first is written, as the compiler does not move loads before stores:
// separately, each would wait for memory.
template <class Place, class IsComputed>
__device__ __forceinline__ void store_elements(float* c,
                                               float alpha,
                                               const float* product,
                                               float beta,
                                               Place&& place,
                                               IsComputed&& is_computed) {
    float old[elements_at_once] = {};
    if (beta != 0) {
#pragma unroll
        for (int e = 0; e < elements_at_once; ++e)
            if (is_computed(e))
                old[e] = c[place(e)];
    }
#pragma unroll
    for (int e = 0; e < elements_at_once; ++e)
        if (is_computed(e)) {
            const float scaled = alpha * product[e];
            c[place(e)] = beta == 0 ? scaled : fmaf(beta, old[e], scaled);
        }
}

// Writes a thread's elements of a tile. Element e of acc[half] is half * 64 + e / 2 % 2 * 8 rows
// and e / 4 * 8 + e % 2 columns after the thread's first element.
template <class Shape>
__device__ __forceinline__ void write_tile(const tile_target& tile,
                                           float (&acc)[Shape::halves][64]) {
    // Values derived from it are not kept in registers while the tile is multiplied.
    const int thread = rematerialised_tid();
    const int lane = thread % 32, warp = thread / 32 % 4;
    const int group = thread / 128 - 1;
    const int row = group * Shape::halves * 64 + warp * 16 + lane / 4, col = lane % 4 * 2;
    if (tile.scales_a)
        scale_lines<Shape>(tile, row, col, acc);
    if constexpr (Shape::has_epilogue)
        return write_tile_epilogue<Shape>(tile, row, col, acc);
    const int rows = static_cast<int>(min(tile.rows, int64_t{Shape::block_m}));
    const int cols = static_cast<int>(min(tile.cols, int64_t{Shape::block_n}));
    const auto write = [&](auto&& has) {
        for_each_batch<Shape>(acc, [&](int half, int first) {
            const int first_row = row + half * 64, first_col = col + first;
            const auto row_of = [](int e) { return e / 2 % 2 * 8; };
            const auto col_of = [](int e) { return e / 4 * 8 + e % 2; };
            store_elements(
                tile.c + first_row + first_col * tile.ldc,
                tile.alpha,
                acc[0],
                tile.beta,
                [&](int e) { return row_of(e) + col_of(e) * tile.ldc; },
                [&](int e) {
                    return first_row + row_of(e) < rows && first_col + col_of(e) < cols &&
                           has(first_row + row_of(e), first_col + col_of(e));
                });
        });
    };
    if (tile.mask.has_all(Shape::block_m, Shape::block_n))
        write([](int, int) { return true; });
    else
        write([&](int r, int c) { return tile.mask.has(r, c); });
}

// Adds and writes a tile that the blocks of a cluster share, or that one block has alone. The sums
// meet in shared memory, column by column, and each block writes every splits-th group of columns.
// The pointer `smem` is the memory of the stages, which no copy uses any more.
template <class Shape>
__device__ __forceinline__ void write_shared_tile(const tile_target& tile,
                                                  int splits,
                                                  int split_index,
                                                  float* smem,
                                                  const float (&acc)[Shape::halves][64]) {
    constexpr int column = Shape::shared_column;
    constexpr int quads = Shape::block_m / 4;                      // of a column
    constexpr int group_cols = Shape::math_threads / quads;        // a quad for each thread
    constexpr int groups = Shape::block_n / group_cols, batch = 4; // groups in flight
    // Values derived from it are not kept in registers while the tile is multiplied.
    const int thread = static_cast<int>(rematerialised_tid()) - 128;
    const int lane = thread % 32, warp = thread / 32 % 4;
    float* const smem_scales = smem + Shape::block_n * column; // of the columns
    sync_math<Shape>();                                        // all products have read the stages
    {
        const int row = thread / 128 * Shape::halves * 64 + warp * 16 + lane / 4;
        float* mine = smem + lane % 4 * 2 * column + row;
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int e = 0; e < 64; ++e)
                mine[(e / 4 * 8 + e % 2) * column + half * 64 + e / 2 % 2 * 8] = acc[half][e];
    }
    const int row = thread % quads * 4;
    float4 scales_a = make_float4(1, 1, 1, 1);
    if (thread < Shape::block_n)
        smem_scales[thread] = tile.scales_b ? tile.scales_b[thread] : 1;
    if (tile.scales_a)
        scales_a = *reinterpret_cast<const float4*>(tile.scales_a + row);
    float row_bias[4] = {};
    float* const smem_bias = smem_scales + Shape::block_n; // of the columns
    if constexpr (Shape::has_epilogue) {
        static_assert(Shape::block_n * (column + 2) * sizeof(float) <= Shape::scales_at);
        if (thread < Shape::block_n)
            smem_bias[thread] = tile.epilogue.bias_of_col(thread, thread < tile.cols);
#pragma unroll
        for (int r = 0; r < 4; ++r)
            row_bias[r] = tile.epilogue.bias_of_row(row + r, row + r < tile.rows);
    }
    const bool vector = aligned16(tile.c, tile.ldc);
    const auto meet = [&] {
        if (splits > 1)
            cluster_barrier();
        else
            sync_math<Shape>();
    };
    meet(); // the sums of all blocks are complete
    for (int first = split_index; first < groups; first += batch * splits) {
        float4 sums[batch] = {};
        for (int other = 0; other < splits; ++other) {
            float4 quad[batch];
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                const int group = min(first + i * splits, groups - 1);
                quad[i] = load_quad_from_block(
                    smem + (group * group_cols + thread / quads) * column + row, other);
            }
#pragma unroll
            for (int i = 0; i < batch; ++i)
                add_quad(sums[i], quad[i]);
        }
        if constexpr (Shape::has_epilogue) {
            float value[batch][4];
            const auto place_of = [&](int i) {
                const int col = (first + i * splits) * group_cols + thread / quads;
                const bool is_inside = col < Shape::block_n && col < tile.cols;
                return epilogue_place{row, col, is_inside ? tile.rows - row : 0};
            };
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                const int col = static_cast<int>(place_of(i).col) % Shape::block_n;
                const float scale_b = smem_scales[col], bias = smem_bias[col];
                const float sum[4] = {sums[i].x * scales_a.x,
                                      sums[i].y * scales_a.y,
                                      sums[i].z * scales_a.z,
                                      sums[i].w * scales_a.w};
#pragma unroll
                for (int r = 0; r < 4; ++r)
                    value[i][r] = fmaf(tile.alpha, sum[r] * scale_b, row_bias[r] + bias);
            }
            tile.epilogue(value, place_of);
        } else {
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                const int group = first + i * splits, col = group * group_cols + thread / quads;
                if (group >= groups || col >= tile.cols || row >= tile.rows)
                    continue;
                const float scale_b = smem_scales[col];
                const float product[4] = {sums[i].x * scales_a.x * scale_b,
                                          sums[i].y * scales_a.y * scale_b,
                                          sums[i].z * scales_a.z * scale_b,
                                          sums[i].w * scales_a.w * scale_b};
                float* const target = tile.c + row + col * tile.ldc;
                store_c4(target,
                         tile.alpha,
                         product,
                         tile.beta,
                         min(tile.rows - row, int64_t{tile.mask.quad_end(row, col)}),
                         vector,
                         tile.mask.quad_first(row, col));
            }
        }
    }
    meet(); // the sums of this block have been read
}

#endif

} // namespace myblas::cuda

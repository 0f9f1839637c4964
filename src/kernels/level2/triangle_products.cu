// symv and trmv by tiles: A is read once, whatever its two halves mean.
//
// A tile of 128 x 128 elements at block row I and block column J of the stored triangle gives a piece of the
// result for the rows of I, from its rows (symv, trmv N), and one for the rows of J, from its columns (symv, trmv T).
// Each piece has a slot of its own in the workspace: slot J of the rows of I, slot I of the rows of J. So the n rows
// have as many slots as there are block columns, and none is written twice but on the diagonal, where the two
// pieces are added. A second kernel adds the slots of each row in their order.
//
// In a tile a warp has 32 rows and 64 columns, a lane a row. Sums along rows stay in a lane; sums down columns
// take 16 shuffles for 16 columns (scatter_sums).
//
//              columns 0 ... 63   64 ... 127
//   rows   0      warp 0            warp 4
//         32      warp 1            warp 5
//         64      warp 2            warp 6
//         96      warp 3            warp 7
//
// Bound: n (n + 1) / 2 floats read; slots add a 32nd part of it.  Accepts: what there is workspace for.

#include "kernels/common/overlap.h"
#include "kernels/common/reduce.h"
#include "kernels/common/scalar.h"
#include "kernels/level2/registry.h"

namespace myblas::cuda {
namespace {

constexpr int tile = 128, threads = 256, warp_columns = 64, chunk = 16;
constexpr int column_groups = tile / warp_columns, row_groups = tile / warp_size;

// What a tile's elements are to the result: a triangle, of which x is multiplied by one half or by both.
struct triangle {
    bool upper, unit;
    bool by_rows, by_columns; // which pieces a tile gives
    int64_t n;
    const float* a;
    int64_t lda;
    const float* x;
    int64_t incx;
};

triangle triangle_of(const symv_problem& p) {
    return {p.upper, false, true, true, p.n, p.a, p.lda, p.x, p.incx};
}

triangle triangle_of(const trmv_problem& p) {
    return {p.upper, p.unit, !p.trans, p.trans, p.n, p.a, p.lda, p.x, p.incx};
}

__global__ void __launch_bounds__(threads, 2)
    multiply_tiles(triangle t, scalar alpha, float* slots) {
    __shared__ float row_sums[column_groups][tile], column_sums[row_groups][tile];
    wait_for_earlier_work();
    const int64_t block_i = blockIdx.x, block_j = blockIdx.y;
    if ((t.upper ? block_i > block_j : block_i < block_j) || resolve(alpha) == 0)
        return;
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const int row_group = warp % row_groups, column_group = warp / row_groups;
    const int row = row_group * warp_size + lane; // in the tile
    const int64_t i = block_i * tile + row;
    const float x_i = t.by_columns && i < t.n ? t.x[i * t.incx] : 0;
    const bool is_symmetric = t.by_rows && t.by_columns;

    float row_sum = 0;
#pragma unroll 1
    for (int first = 0; first < warp_columns; first += chunk) {
        const int column = column_group * warp_columns + first; // in the tile
        const int64_t j = block_j * tile + column;
        float value[chunk];
#pragma unroll
        for (int c = 0; c < chunk; ++c) {
            const bool is_strict = t.upper ? i < j + c : i > j + c;
            const bool is_read = i < t.n && j + c < t.n && (is_strict || (i == j + c && !t.unit));
            value[c] = is_read ? t.a[i + (j + c) * t.lda] : 0;
            if (t.unit && i == j + c && i < t.n)
                value[c] = 1;
        }
        if (t.by_rows) {
#pragma unroll
            for (int c = 0; c < chunk; ++c)
                if (j + c < t.n && (t.upper ? i <= j + c : i >= j + c))
                    row_sum = fmaf(value[c], t.x[(j + c) * t.incx], row_sum);
        }
        if (t.by_columns) {
            // In a symmetric matrix the diagonal counts once, for its row.
#pragma unroll
            for (int c = 0; c < chunk; ++c) {
                const bool counts = t.upper ? i <= j + c : i >= j + c;
                value[c] = counts && !(is_symmetric && i == j + c) ? value[c] * x_i : 0;
            }
            const int kept = scatter_sums<chunk, warp_size / 2, 1>(value);
            if (lane % (warp_size / chunk) == 0) // the others have the same
                column_sums[row_group][column + kept] = value[0];
        }
    }
    row_sums[column_group][row] = row_sum;
    __syncthreads(); // the sums of all warps are there

    if (threadIdx.x >= tile)
        return;
    const int own = threadIdx.x;
    float by_rows = 0, by_columns = 0;
#pragma unroll
    for (int g = 0; g < column_groups; ++g)
        by_rows += row_sums[g][own];
    if (t.by_columns)
#pragma unroll
        for (int g = 0; g < row_groups; ++g)
            by_columns += column_sums[g][own];
    const int64_t own_i = block_i * tile + own, own_j = block_j * tile + own;
    if (block_i == block_j) {
        if (own_i < t.n)
            slots[block_i * t.n + own_i] = by_rows + by_columns;
        return;
    }
    if (t.by_rows && own_i < t.n)
        slots[block_j * t.n + own_i] = by_rows;
    if (t.by_columns && own_j < t.n)
        slots[block_i * t.n + own_j] = by_columns;
}

// The sum of slots begin ... end - 1 of a row.
__device__ double
add_slots(const float* slots, int64_t n, int64_t row, int64_t begin, int64_t end) {
    double sum = 0;
#pragma unroll 8
    for (int64_t s = begin; s < end; ++s)
        sum += slots[s * n + row];
    return sum;
}

__global__ void __launch_bounds__(threads) finish_symv(symv_problem p, const float* slots) {
    wait_for_earlier_work();
    const int64_t i = int64_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= p.n)
        return;
    const double alpha = resolve(p.alpha), beta = resolve(p.beta);
    double result = 0;
    if (alpha != 0)
        result = alpha * add_slots(slots, p.n, i, 0, ceil_div<int64_t>(p.n, tile));
    float& y = p.y[i * p.incy];
    y = static_cast<float>(beta == 0 ? result : result + beta * y);
}

__global__ void __launch_bounds__(threads)
    finish_trmv(trmv_problem p, bool op_is_lower, const float* slots) {
    wait_for_earlier_work();
    const int64_t i = int64_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= p.n)
        return;
    const int64_t own = i / tile, blocks = ceil_div<int64_t>(p.n, tile);
    const double sum =
        op_is_lower ? add_slots(slots, p.n, i, 0, own + 1) : add_slots(slots, p.n, i, own, blocks);
    p.x[i * p.incx] = static_cast<float>(sum);
}

template <class Problem>
size_t slot_bytes(const Problem& p, const device_info&) {
    return static_cast<size_t>(ceil_div<int64_t>(p.n, tile) * p.n) * sizeof(float);
}

template <class Problem>
bool accepts(const Problem& p, const device_info&) {
    return ceil_div<int64_t>(p.n, tile) <= max_grid_y;
}

template <class Problem>
myblasStatus_t launch_tiles(const Problem& p, const scalar& alpha, const launch_context& context) {
    const unsigned blocks = static_cast<unsigned>(ceil_div<int64_t>(p.n, tile));
    return launch_overlapped(multiply_tiles,
                             dim3(blocks, blocks),
                             threads,
                             context,
                             triangle_of(p),
                             alpha,
                             static_cast<float*>(context.workspace));
}

myblasStatus_t launch_symv(const symv_problem& p, const launch_context& context) {
    if (const myblasStatus_t failure = launch_tiles(p, p.alpha, context))
        return failure;
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.n, threads)));
    return launch_overlapped(
        finish_symv, grid, threads, context, p, static_cast<const float*>(context.workspace));
}

myblasStatus_t launch_trmv(const trmv_problem& p, const launch_context& context) {
    if (const myblasStatus_t failure = launch_tiles(p, scalar{1}, context))
        return failure;
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.n, threads)));
    return launch_overlapped(finish_trmv,
                             grid,
                             threads,
                             context,
                             p,
                             p.op_is_lower(),
                             static_cast<const float*>(context.workspace));
}

// One thread for each row, which it reads across the triangle and down it.
__global__ void __launch_bounds__(threads) naive(symv_problem p) {
    wait_for_earlier_work();
    const int64_t i = int64_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= p.n)
        return;
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    float sum = 0;
    for (int64_t j = 0; alpha != 0 && j < p.n; ++j) {
        const bool is_stored = p.upper ? i <= j : i >= j;
        sum = fmaf(p.a[is_stored ? i + j * p.lda : j + i * p.lda], p.x[j * p.incx], sum);
    }
    float& y = p.y[i * p.incy];
    y = beta == 0 ? alpha * sum : fmaf(beta, y, alpha * sum);
}

myblasStatus_t launch_naive(const symv_problem& p, const launch_context& context) {
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.n, threads)));
    return launch_overlapped(naive, grid, threads, context, p);
}

template <class Problem>
constexpr kernel_entry<Problem> entry(myblasStatus_t (*launch)(const Problem&,
                                                               const launch_context&)) {
    return {.name = "tiles",
            .description = "tiles of 128 x 128 read once, their pieces added in a fixed order",
            .block_m = tile,
            .block_n = tile,
            .threads = threads,
            .stages = 1,
            .smem_bytes = (column_groups + row_groups) * tile * sizeof(float),
            .accepts = accepts<Problem>,
            .workspace_bytes = slot_bytes<Problem>,
            .launch = launch};
}

} // namespace

constinit const kernel_entry<symv_problem> symv_naive = {
    .name = "naive",
    .description = "one thread for each row; needs no workspace",
    .threads = threads,
    .launch = launch_naive,
};
constinit const kernel_entry<symv_problem> symv_tiles = entry<symv_problem>(launch_symv);
constinit const kernel_entry<trmv_problem> trmv_tiles = entry<trmv_problem>(launch_trmv);

} // namespace myblas::cuda

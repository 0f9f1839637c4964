// trmv in one launch, in place and without workspace.
//
// With up to 128 rows, one block computes everything, and the next kernel may come beside it. If A
// is transposed and has more than 64 rows, each warp of this block sums whole rows. With more rows,
// each block has 32 rows of op(A). Blocks take their rows in the order in which they start,
// beginning with the rows that read most of x. A block that has read x sets a bit in the stream's
// counters. The block writes its results when all blocks before it have set their bits. Later
// blocks do not read the elements that it overwrites.
//
//   counters   0: number of the next block   1: number of blocks that no longer need the bits
//              2 ...: the bits, 32 in each
//
// The triangle as lower_view presents it:
//
//   block 3 . . .           number 3
//         2 . . . .                2     reads x up to its own rows
//         1 . . . . .              1
//         0 . . . . . .            0
//
// Bound: n (n + 1) / 2 floats read.
// Launch: 256 threads (1024 for at most 128 transposed rows).
// Accepts: n up to 1024 (counter_count - 2), a bit for each 32 rows.

#include "kernels/common/counter.cuh"
#include "kernels/common/last_block.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/level2/registry.h"
#include "kernels/level2/row_blocks.cuh"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int few_rows = 128, few_width = 32, few_threads = 1024; // for one block
constexpr int rows = 32, width = 128;
constexpr int fewest_rows = 32; // one block has 32, 64 or 128 rows
constexpr int first_bits = 2;   // index of the first counter with bits

template <int rows, int width, bool across>
__global__ void __launch_bounds__(threads, rows == width ? 2 : 3)
    multiply_rows(lower_view t, unsigned* counters) {
    using block = row_block<rows, width, across>;
    __shared__ typename block::parts part;
    grid_dependency_sync();
    const bool is_alone = gridDim.x == 1;
    if (is_alone)
        launch_dependents();
    const unsigned number = is_alone ? 0 : take_number(counters);
    const int64_t first_row = int64_t{gridDim.x - 1 - number} * rows;
    const int count = static_cast<int>(min(int64_t{rows}, t.n - first_row));
    const int lane = threadIdx.x % warp_size;
    typename block::sums sum{};
    const float* a = t.a + first_row * t.row_step;
    int64_t v = 0;
    for (; v + width <= first_row; v += width)
        block::multiply_all(
            sum, a + v * t.column_step, t.row_step, t.column_step, count, t.x + v * t.incx, t.incx);
    // The columns up to the end of the diagonal block. Elements outside the triangle are neither
    // read nor multiplied.
    for (; v < first_row + count; v += width)
        block::multiply_some(
            sum,
            first_row,
            v,
            [&](int64_t row, int64_t column) {
                return t.a[row * t.row_step + column * t.column_step];
            },
            [&](int64_t column) { return t.x[column * t.incx]; },
            [&](int64_t row, int64_t column) {
                return row < t.n && (column < row || (column == row && !t.unit));
            });
    block::leave(part, sum);
    __syncthreads(); // the sums are written, and the block has read all of x that it needs
    const int own = threadIdx.x;
    float* const x = t.x + (first_row + own) * t.incx;
    float result = 0;
    if (own < count)
        result = block::total(part, own) + (t.unit ? *x : 0);

    if (is_alone) {
        if (own < count)
            *x = result;
        return;
    }
    unsigned* const bits = counters + first_bits;
    if (threadIdx.x == 0) {
        fence_device(); // the block's reads of x come before its bit
        atomicOr(bits + number / 32, 1u << number % 32);
    }
    if (threadIdx.x < warp_size) // the warp that writes x
        for (unsigned word = lane; word <= number / 32; word += warp_size) {
            const unsigned wanted = word < number / 32 ? ~0u : (1u << number % 32) - 1;
            while ((load_counter_and_acquire(bits + word) & wanted) != wanted) {
            }
        }
    __syncwarp();
    if (own < count)
        *x = result;
    __shared__ bool is_last;
    if (threadIdx.x == 0)
        is_last = is_last_arrival(counters + 1, gridDim.x);
    __syncthreads(); // the writing warp has seen its bits, and is_last is written
    if (is_last) {
        for (unsigned word = threadIdx.x; word <= (gridDim.x - 1) / 32; word += threads)
            bits[word] = 0;
        if (threadIdx.x == 0)
            counters[0] = 0;
    }
}

// At most 128 rows, each contiguous in memory.
__global__ void __launch_bounds__(few_threads) multiply_few(lower_view t) {
    constexpr int warps = few_threads / warp_size, count = few_rows / warps;
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    grid_dependency_sync();
    launch_dependents();
    float sum[count] = {};
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int u = warp + i * warps;
#pragma unroll
        for (int v = lane; v < (i + 1) * warps; v += warp_size)
            if (u < t.n && (v < u || (v == u && !t.unit)))
                sum[i] = fmaf(t.a[u * t.row_step + v * t.column_step], t.x[v * t.incx], sum[i]);
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        sum[i] = warp_sum(sum[i]);
        if (t.unit && warp + i * warps < t.n)
            sum[i] += t.x[(warp + i * warps) * t.incx];
    }
    __syncthreads(); // x is no longer read
    if (lane == 0)
#pragma unroll
        for (int i = 0; i < count; ++i)
            if (warp + i * warps < t.n)
                t.x[(warp + i * warps) * t.incx] = sum[i];
}

bool accepts(const trmv_problem& p, const device_info&) {
    return ceil_div<int64_t>(p.n, rows) <= 32 * int64_t{counter_count - first_bits};
}

// All rows in one block of `count`, as many columns at a time.
template <int count>
myblasStatus_t launch_alone(const trmv_problem& p, const launch_context& context) {
    return launch_overlapped(p.trans ? multiply_rows<count, count, true>
                                     : multiply_rows<count, count, false>,
                             dim3(1),
                             threads,
                             context,
                             view_of(p),
                             context.counters);
}

myblasStatus_t launch_rows(const trmv_problem& p, const launch_context& context) {
    if (p.n <= fewest_rows)
        return launch_alone<fewest_rows>(p, context);
    if (p.n <= 2 * fewest_rows)
        return launch_alone<2 * fewest_rows>(p, context);
    const bool is_few = p.n <= few_rows;
    if (is_few && p.trans)
        return launch_overlapped(multiply_few, dim3(1), few_threads, context, view_of(p));
    return launch_overlapped(is_few    ? multiply_rows<few_rows, few_width, false>
                             : p.trans ? multiply_rows<rows, width, true>
                                       : multiply_rows<rows, width, false>,
                             dim3(static_cast<unsigned>(is_few ? 1 : ceil_div<int64_t>(p.n, rows))),
                             threads,
                             context,
                             view_of(p),
                             context.counters);
}

} // namespace

constinit const kernel_entry<trmv_problem> trmv_rows = {
    .name = "rows",
    .description = "blocks of 32 rows; each writes x after earlier blocks have read it",
    .block_m = rows,
    .block_n = width,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(row_block<few_rows, few_width, false>::parts),
    .uses_counters = true,
    .accepts = accepts,
    .launch = launch_rows,
};

} // namespace myblas::cuda

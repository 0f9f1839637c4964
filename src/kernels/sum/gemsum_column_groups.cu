// result = the sums of the columns of A (op T), by a group of threads for each column.
//
// Adds to `naive`: the threads of a group read down their column side by side, four elements for
// each thread. The group depends on the length of the columns:
//
//   short_columns     m <= 128 (unaligned: 32)   1 to 32 lanes, one load of each of eight columns
//                                                in flight
//   long_columns 32   longer                     a warp
//   long_columns 256  8192 and longer, or few    a block; if the columns do not fill the device,
//                     columns                    several blocks, each with a chunk of rows
//
// Partial sums of chunks go to slots in the workspace. The last block of a column to finish adds
// them in a fixed order.
//
// Accuracy: 8 u sum |A_ij|. Short columns take at most 7 roundings in float. Long columns take 5,
// and their sums are then carried in twice the precision. The result is rounded once more.
// Bound: m n elements read.  Block: 256 threads.
// Grid: a function of m, n and the number of multiprocessors; one chunk if the workspace is too
// small.
// Accepts: op T. An unaligned matrix is read by scalar loads.

#include "kernels/common/last_block.cuh"
#include "kernels/common/launch.h"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/sum/matrix.cuh"
#include "kernels/sum/registry.h"
#include "kernels/sum/tree.cuh"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int loads = 8;
constexpr int blocks_per_sm = 4;
constexpr int64_t long_column = 8192; // elements: one round of all loads of a block
constexpr int64_t fair_column = 1024; // elements that are worth a block if there are few columns

// Blocks whose registers fit a multiprocessor.
constexpr int residents(int vector) { return vector == 4 ? 4 : 6; }

template <int vector>
__global__ void __launch_bounds__(threads, residents(vector))
    short_columns(gemsum_problem p, int width_log2) {
    grid_dependency_sync();
    const int width = 1 << width_log2, height = threads >> width_log2;
    const int x = threadIdx.x & (width - 1), y = threadIdx.x >> width_log2;
    const int64_t j = int64_t{blockIdx.x} * height * loads + y;
    const int64_t rows = p.m - x * vector; // rows left from here on
    const float* a = p.a + x * vector + j * p.lda;
    float value[loads][vector];
    float total[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k, a += height * p.lda)
        load_part(value[k], a, j + k * height < p.n ? rows : 0);
#pragma unroll
    for (int k = 0; k < loads; ++k)
        total[k] = add_elements(value[k]);
    for (int half = width / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < loads; ++k)
            total[k] += __shfl_xor_sync(full_warp, total[k], half);
    if (x == 0)
#pragma unroll
        for (int k = 0; k < loads; ++k)
            if (j + k * height < p.n)
                p.result[j + k * height] = total[k];
}

// How long columns are cut into chunks.
struct cut {
    int64_t rows; // of a chunk, a multiple of 4
    int chunks;
};

// group: threads for a column or chunk, one warp or the block. A warp has the whole column.
template <int vector, int group>
__global__ void __launch_bounds__(threads, residents(vector))
    long_columns(gemsum_problem p, cut c, carrier<float>* slots, unsigned* counters) {
    static_assert(group == warp_size || group == threads);
    grid_dependency_sync();
    const int t = threadIdx.x % group;
    const int64_t j = int64_t{blockIdx.x} * (threads / group) + threadIdx.x / group;
    const int64_t chunk = blockIdx.y;
    if (j >= p.n)
        return;
    const int64_t end = min((chunk + 1) * c.rows, p.m);
    int64_t i = chunk * c.rows + t * vector;
    const float* a = p.a + i + j * p.lda;
    constexpr int step = group * vector;
    float value[loads][vector];
    carrier<float> total{};

#pragma unroll 1
    for (; i + (loads - 1) * step + vector <= end; i += loads * step) {
#pragma unroll
        for (int k = 0; k < loads; ++k, a += step)
            load_part(value[k], a, vector);
        add_loads(value);
        total.add(add_elements(value[0]));
    }
    if (i < end) {
#pragma unroll
        for (int k = 0; k < loads; ++k, a += step)
            load_part(value[k], a, end - (i + k * step));
        add_loads(value);
        total.add(add_elements(value[0]));
    }

    if constexpr (group == warp_size) {
        total = warp_sum(total);
    } else {
        total = block_sum_by_warp<threads>(total);
        if (c.chunks > 1) {
            if (t == 0)
                slots[j * c.chunks + chunk] = total;
            if (!is_last_block(counters + j, c.chunks))
                return;
            total = {};
            for (int s = t; s < c.chunks; s += threads)
                total.add(slots[j * c.chunks + s]);
            total = block_sum_by_warp<threads>(total);
        }
    }
    if (t == 0)
        p.result[j] = total.rounded();
}

int vector_of(const gemsum_problem& p) { return has_aligned_columns(p) ? 4 : 1; }

bool is_short(const gemsum_problem& p) { return p.m <= warp_size * vector_of(p); }

// Whether a block, not a warp, adds a column or a chunk of it.
bool takes_blocks(const gemsum_problem& p, const device_info& device) {
    return p.m >= long_column || (p.m >= fair_column && p.n < int64_t{2} * device.sm_count);
}

cut make_cut(const gemsum_problem& p, const device_info& device) {
    if (!takes_blocks(p, device))
        return {.rows = p.m, .chunks = 1};
    const int64_t blocks = int64_t{blocks_per_sm} * device.sm_count;
    const int64_t chunks =
        std::clamp<int64_t>(blocks / std::max<int64_t>(p.n, 1), 1, ceil_div(p.m, long_column));
    const int64_t rows = ceil_div<int64_t>(ceil_div(p.m, chunks), 4) * 4;
    return {.rows = rows, .chunks = static_cast<int>(ceil_div(p.m, rows))};
}

size_t slot_bytes(const gemsum_problem& p, const device_info& device) {
    if (is_short(p))
        return 0;
    const cut c = make_cut(p, device);
    return c.chunks > 1 ? c.chunks * p.n * sizeof(carrier<float>) : 0;
}

template <int vector>
myblasStatus_t launch_short(const gemsum_problem& p, const launch_context& context) {
    int width_log2 = 0;
    while ((vector << width_log2) < p.m)
        ++width_log2;
    const int64_t blocks = ceil_div<int64_t>(p.n, int64_t{threads >> width_log2} * loads);
    return launch_overlapped(short_columns<vector>,
                             dim3(static_cast<unsigned>(blocks)),
                             threads,
                             context,
                             p,
                             width_log2);
}

template <int vector>
myblasStatus_t launch_long(const gemsum_problem& p, const launch_context& context) {
    const device_info& device = *context.device;
    // A column is one chunk if there are no slots for the sums of chunks.
    const bool has_slots = slot_bytes(p, device) <= context.workspace_bytes;
    const cut c = has_slots ? make_cut(p, device) : cut{.rows = p.m, .chunks = 1};
    const bool by_blocks = takes_blocks(p, device);
    const int64_t blocks = by_blocks ? p.n : ceil_div<int64_t>(p.n, threads / warp_size);
    return launch_overlapped(by_blocks ? long_columns<vector, threads>
                                       : long_columns<vector, warp_size>,
                             dim3(static_cast<unsigned>(blocks), c.chunks),
                             threads,
                             context,
                             p,
                             c,
                             static_cast<carrier<float>*>(context.workspace),
                             context.counters);
}

myblasStatus_t launch_column_groups(const gemsum_problem& p, const launch_context& context) {
    if (vector_of(p) == 4)
        return is_short(p) ? launch_short<4>(p, context) : launch_long<4>(p, context);
    return is_short(p) ? launch_short<1>(p, context) : launch_long<1>(p, context);
}

bool accepts_column_groups(const gemsum_problem& p, const device_info&) {
    return p.trans && p.n <= max_grid_x;
}

} // namespace

constinit const kernel_entry<gemsum_problem> gemsum_column_groups = {
    .name = "column_groups",
    .description = "lanes, a warp or blocks for each column, 16-byte loads, fixed order",
    .threads = threads,
    .stages = 1,
    .smem_bytes = 2 * threads * sizeof(carrier<float>) + 1,
    .uses_counters = true,
    .accepts = accepts_column_groups,
    .best_workspace_bytes = slot_bytes,
    .launch = launch_column_groups,
};

} // namespace myblas::cuda

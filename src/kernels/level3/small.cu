// trmm and symm with a triangular or symmetric operand of order at most 64, in one launch, in place
// and without workspace; trmm up to order 128, and out of place up to 192.
//
// A block computes C = alpha * W * X + beta * C for some lines X of B: columns, or rows if A is on
// the right. Lines do not depend on each other. W has up to 64 rows of A: transposed if necessary,
// and with its mirror image if symmetric. W and X are in shared memory, and a thread computes 4
// rows of a line:
//
//      W (rows x depth)    X (depth x lines)
//      +-----------+       +-------+        one column j of W and row j of X after another
//      | 4 rows    |   *   | | line|        across = false  lanes have neighbouring rows, which are
//      |           |       |       |                        contiguous in memory (A on the left)
//      +-----------+       +-------+        across = true   lanes have neighbouring lines
//
// Beyond 128 columns, W comes in parts of 64 x 128, one after the other (multiply_parts). In place
// beyond 64, a block computes all rows of its lines, since it overwrites X, and W comes in parts of
// 128 x 64 (multiply_in_place).
//
// Elements outside a triangle are neither read nor multiplied: an Inf or a NaN of B meets no zero.
//
// Bound: latency: one wait for memory, then for each element of W a multiply-add and a quarter of a
// load from shared memory.
// Shared memory: 9, 22, 43 or 47 KiB; in place beyond 64 42 KiB.
// Launch: 256 threads for each tile of lines and, out of place, each 64 rows.
// Accepts: orders up to 64; of trmm up to 128, and out of place up to 192.

#include "kernels/common/fragment.cuh"
#include "kernels/common/launch.h"
#include "kernels/common/overlap.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/level3/registry.h"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int thread_rows = 4;
constexpr int most_rows = 64;             // of W at a time
constexpr int most_depth = 2 * most_rows; // columns of W at a time
constexpr int largest_order = 3 * most_rows;

enum class shape_of_w { symmetric, lower, upper };

// The problem in terms of lines. Element i of a line is at i * along + line * across.
struct small_product {
    shape_of_w shape;
    bool is_unit;
    bool stored_upper; // the triangle of A that is read
    bool transposed;   // W is A^T
    int order;
    int64_t lines;
    scalar alpha, beta;
    const float* a;
    int64_t lda;
    const float* x;
    int64_t x_along, x_across;
    float* y;
    int64_t y_along, y_across;
};

// x_rows: the largest order. thread_lines: the number of lines of a thread.
template <int rows, int depth, int x_rows = depth, int thread_lines = 1>
struct tile {
    static constexpr int row_groups = rows / thread_rows;
    static constexpr int line_groups = threads / row_groups;
    static constexpr int lines = line_groups * thread_lines;
    static constexpr int pitch = rows + 4; // columns of W are read four rows at a time
    float w[depth][pitch];                 // (column, row)
    float x[x_rows][lines + 1];            // (row, line)
};

// All of W.
template <int rows>
__device__ __forceinline__ void load_w(tile<rows, rows>& smem, const small_product& p) {
    constexpr int count = rows * rows / threads, columns = threads / rows;
    const int row = threadIdx.x % rows, first = threadIdx.x / rows;
    float value[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int col = first + i * columns;
        const bool is_stored = p.stored_upper ? row <= col : row >= col;
        const bool is_one = p.is_unit && row == col;
        value[i] = is_one ? 1 : 0;
        if (is_stored && !is_one && row < p.order && col < p.order)
            value[i] = p.a[row + col * p.lda];
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int col = first + i * columns;
        const bool is_stored = p.stored_upper ? row <= col : row >= col;
        if (!is_stored)
            continue;
        if (!p.transposed)
            smem.w[col][row] = value[i];
        if (p.transposed || p.shape == shape_of_w::symmetric)
            smem.w[row][col] = value[i];
    }
}

// `rows` rows of a triangular W, from row `first` on.
template <int rows, int depth, bool transposed>
__device__ __forceinline__ void
load_rows(tile<rows, depth>& smem, const small_product& p, int first) {
    constexpr int along = transposed ? depth : rows; // elements along memory
    constexpr int count = rows * depth / threads, columns = threads / along;
    const int row = (transposed ? 0 : first) + static_cast<int>(threadIdx.x) % along;
    const int first_col = (transposed ? first : 0) + static_cast<int>(threadIdx.x) / along;
    float value[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int col = first_col + i * columns;
        const bool is_stored = p.stored_upper ? row <= col : row >= col;
        const bool is_one = p.is_unit && row == col;
        value[i] = is_one ? 1 : 0;
        if (is_stored && !is_one && row < p.order && col < p.order)
            value[i] = p.a[row + col * p.lda];
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int col = first_col + i * columns;
        if (p.stored_upper ? row <= col : row >= col)
            (transposed ? smem.w[row][col - first] : smem.w[col][row - first]) = value[i];
    }
}

template <int x_rows, bool across, class Tile>
__device__ __forceinline__ void
load_x(Tile& smem, const small_product& p, int64_t first_line, int lines_here) {
    constexpr int lines = Tile::lines, count = x_rows * lines / threads;
    float value[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int e = static_cast<int>(threadIdx.x) + i * threads;
        const int row = across ? e / lines : e % x_rows, line = across ? e % lines : e / x_rows;
        const bool is_inside = row < p.order && line < lines_here;
        value[i] = is_inside ? p.x[row * p.x_along + (first_line + line) * p.x_across] : 0;
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int e = static_cast<int>(threadIdx.x) + i * threads;
        smem.x[across ? e / lines : e % x_rows][across ? e % lines : e / x_rows] = value[i];
    }
}

// Rows of a line of Y, from `row` on: alpha * sum + beta * Y.
__device__ __forceinline__ void store(const small_product& p,
                                      int64_t line,
                                      int row,
                                      float alpha,
                                      const float (&sum)[thread_rows],
                                      float beta) {
    float* const y = p.y + line * p.y_across + row * p.y_along;
#pragma unroll
    for (int r = 0; r < thread_rows; ++r)
        if (row + r < p.order) {
            float& result = y[r * p.y_along];
            const float scaled = alpha == 0 ? 0 : alpha * sum[r];
            result = beta == 0 ? scaled : fmaf(beta, result, scaled);
        }
}

template <int rows, int depth, bool across>
__global__ void __launch_bounds__(threads) multiply_small(small_product p) {
    using shape = tile<rows, depth>;
    __shared__ __align__(16) shape smem;
    const int64_t first_line = int64_t{blockIdx.x} * shape::lines;
    const int lines_here = static_cast<int>(min(int64_t{shape::lines}, p.lines - first_line));
    const int own = threadIdx.x;
    const int line = across ? own % shape::lines : own / shape::row_groups;
    const int own_row = (across ? own / shape::lines : own % shape::row_groups) * thread_rows;
    const int first = rows == depth ? 0 : static_cast<int>(blockIdx.y) * rows;
    const int row = first + own_row;
    grid_dependency_sync();
    launch_dependents();
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    float sum[thread_rows] = {};
    if (alpha != 0) {
        if constexpr (rows == depth)
            load_w(smem, p);
        else if (p.transposed)
            load_rows<rows, depth, true>(smem, p, first);
        else
            load_rows<rows, depth, false>(smem, p, first);
        load_x<depth, across>(smem, p, first_line, lines_here);
        __syncthreads(); // W and X are complete, and the lines may be overwritten
        const int begin = p.shape == shape_of_w::upper ? row : 0;
        const int end = p.shape == shape_of_w::lower ? min(row + thread_rows, p.order) : p.order;
#pragma unroll 4
        for (int j = begin; j < end; ++j) {
            float w[thread_rows];
            load_quad(w, &smem.w[j][own_row]);
            const float x = smem.x[j][line];
#pragma unroll
            for (int r = 0; r < thread_rows; ++r) {
                const bool is_there = p.shape == shape_of_w::lower   ? j <= row + r
                                      : p.shape == shape_of_w::upper ? j >= row + r
                                                                     : true;
                sum[r] = is_there ? fmaf(w[r], x, sum[r]) : sum[r];
            }
        }
    }
    if (line >= lines_here)
        return;
    store(p, first_line + line, row, alpha, sum, beta);
}

template <class Tile, class Kernel>
myblasStatus_t
launch_lines(Kernel kernel, const small_product& p, int row_blocks, const launch_context& context) {
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.lines, Tile::lines)),
                    static_cast<unsigned>(row_blocks));
    return launch_overlapped(kernel, grid, threads, context, p);
}

template <int rows, int depth>
myblasStatus_t launch_tiles(const small_product& p, bool across, const launch_context& context) {
    return launch_lines<tile<rows, depth>>(across ? multiply_small<rows, depth, true>
                                                  : multiply_small<rows, depth, false>,
                                           p,
                                           ceil_div(p.order, rows),
                                           context);
}

// A part of a triangular W, whose first element is at (first, first_j).
template <int rows, int columns, bool transposed, class Tile>
__device__ __forceinline__ void
load_part(Tile& smem, const small_product& p, int first, int first_j) {
    constexpr int along = transposed ? columns : rows; // elements along memory
    constexpr int count = rows * columns / threads, step = threads / along;
    const int own_row = static_cast<int>(threadIdx.x) % along;
    const int own_col = static_cast<int>(threadIdx.x) / along;
    const int row = (transposed ? first_j : first) + own_row;
    float value[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int col = (transposed ? first : first_j) + own_col + i * step;
        const bool is_stored = p.stored_upper ? row <= col : row >= col;
        const bool is_one = p.is_unit && row == col;
        value[i] = is_one ? 1 : 0;
        if (is_stored && !is_one && row < p.order && col < p.order)
            value[i] = p.a[row + col * p.lda];
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int col = own_col + i * step;
        (transposed ? smem.w[own_row][col] : smem.w[col][own_row]) = value[i];
    }
}

template <int rows, int columns, class Tile>
__device__ __forceinline__ void
load_part(Tile& smem, const small_product& p, int first, int first_j) {
    if (p.transposed)
        load_part<rows, columns, true>(smem, p, first, first_j);
    else
        load_part<rows, columns, false>(smem, p, first, first_j);
}

using part_tile = tile<most_rows, most_depth, largest_order>;

template <bool across>
__global__ void __launch_bounds__(threads) multiply_parts(small_product p) {
    using shape = part_tile;
    __shared__ __align__(16) shape smem;
    const int64_t first_line = int64_t{blockIdx.x} * shape::lines;
    const int lines_here = static_cast<int>(min(int64_t{shape::lines}, p.lines - first_line));
    const int own = threadIdx.x;
    const int line = across ? own % shape::lines : own / shape::row_groups;
    const int own_row = (across ? own / shape::lines : own % shape::row_groups) * thread_rows;
    const int first = static_cast<int>(blockIdx.y) * most_rows, row = first + own_row;
    const bool is_lower = p.shape == shape_of_w::lower;
    grid_dependency_sync();
    launch_dependents();
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    float sum[thread_rows] = {};
    if (alpha != 0) {
        load_x<largest_order, across>(smem, p, first_line, lines_here);
        const int end_j = is_lower ? min(first + most_rows, p.order) : p.order;
        for (int first_j = is_lower ? 0 : first; first_j < end_j; first_j += most_depth) {
            load_part<most_rows, most_depth>(smem, p, first, first_j);
            __syncthreads(); // X and the part of W are complete
            const int begin = is_lower ? first_j : max(first_j, row);
            const int end =
                min(is_lower ? min(row + thread_rows, p.order) : p.order, first_j + most_depth);
#pragma unroll 4
            for (int j = begin; j < end; ++j) {
                float w[thread_rows];
                load_quad(w, &smem.w[j - first_j][own_row]);
                const float x = smem.x[j][line];
#pragma unroll
                for (int r = 0; r < thread_rows; ++r) {
                    const bool is_there = is_lower ? j <= row + r : j >= row + r;
                    sum[r] = is_there ? fmaf(w[r], x, sum[r]) : sum[r];
                }
            }
            __syncthreads(); // the part of W may be overwritten
        }
    }
    if (line < lines_here)
        store(p, first_line + line, row, alpha, sum, beta);
}

constexpr int lines_in_place = 2; // of a thread
using whole_tile = tile<most_depth, most_rows, most_depth, lines_in_place>;

// A warp has four groups of rows, so that warps without rows are idle. A thread's lines are
// line_groups apart.
template <bool across>
__global__ void __launch_bounds__(threads) multiply_in_place(small_product p) {
    using shape = whole_tile;
    constexpr int lines = lines_in_place, few_columns = 16;
    __shared__ __align__(16) shape smem;
    const int64_t first_line = int64_t{blockIdx.x} * shape::lines;
    const int lines_here = static_cast<int>(min(int64_t{shape::lines}, p.lines - first_line));
    const int line = static_cast<int>(threadIdx.x) % shape::line_groups;
    const int row = static_cast<int>(threadIdx.x) / shape::line_groups * thread_rows;
    grid_dependency_sync();
    launch_dependents();
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    float sum[lines][thread_rows] = {};
    if (alpha != 0) {
        load_x<most_depth, across>(smem, p, first_line, lines_here);
        for (int first_j = 0; first_j < p.order; first_j += most_rows) {
            if (p.order - first_j <= few_columns)
                load_part<most_depth, few_columns>(smem, p, 0, first_j);
            else
                load_part<most_depth, most_rows>(smem, p, 0, first_j);
            __syncthreads(); // X and the part of W are complete: B may be overwritten
            const int end_j = min(first_j + most_rows, p.order);
            const auto multiply = [&](int j, auto is_there) {
                float w[thread_rows];
                load_quad(w, &smem.w[j - first_j][row]);
#pragma unroll
                for (int l = 0; l < lines; ++l) {
                    const float x = smem.x[j][line + l * shape::line_groups];
#pragma unroll
                    for (int r = 0; r < thread_rows; ++r)
                        sum[l][r] = is_there(r) ? fmaf(w[r], x, sum[l][r]) : sum[l][r];
                }
            };
            const auto multiply_whole = [&](int begin, int end) {
#pragma unroll 4
                for (int j = begin; j < end; ++j)
                    multiply(j, [](int) { return true; });
            };
            const bool is_lower = p.shape == shape_of_w::lower, has_rows = row < p.order;
            if (has_rows && is_lower)
                multiply_whole(first_j, min(row, end_j));
            if (row >= first_j) // the diagonal
                for (int j = row; j < min(row + thread_rows, end_j); ++j)
                    multiply(j, [&](int r) { return is_lower ? j <= row + r : j >= row + r; });
            if (has_rows && !is_lower)
                multiply_whole(max(row + thread_rows, first_j), end_j);
            __syncthreads(); // the part of W may be overwritten
        }
    }
#pragma unroll
    for (int l = 0; l < lines; ++l)
        if (const int own = line + l * shape::line_groups; own < lines_here)
            store(p, first_line + own, row, alpha, sum[l], beta);
}

myblasStatus_t launch_parts(const small_product& p, bool across, const launch_context& context) {
    if (p.x == p.y)
        return launch_lines<whole_tile>(
            across ? multiply_in_place<true> : multiply_in_place<false>, p, 1, context);
    return launch_lines<part_tile>(across ? multiply_parts<true> : multiply_parts<false>,
                                   p,
                                   ceil_div(p.order, most_rows),
                                   context);
}

// The members that trmm and symm have in common.
template <class Problem>
small_product by_lines(const Problem& p) {
    small_product s{};
    s.stored_upper = p.upper;
    s.order = static_cast<int>(p.order());
    s.lines = p.right ? p.m : p.n;
    s.alpha = p.alpha;
    s.a = p.a;
    s.lda = p.lda;
    s.x = p.b;
    s.x_along = p.right ? p.ldb : 1;
    s.x_across = p.right ? 1 : p.ldb;
    s.y = p.c;
    s.y_along = p.right ? p.ldc : 1;
    s.y_across = p.right ? 1 : p.ldc;
    return s;
}

myblasStatus_t launch_small(const small_product& s, bool right, const launch_context& context) {
    if (s.order <= 32)
        return launch_tiles<32, 32>(s, right, context);
    if (s.order <= most_rows)
        return launch_tiles<most_rows, most_rows>(s, right, context);
    if (s.order > most_depth)
        return launch_parts(s, right, context);
    return s.x == s.y ? launch_parts(s, right, context)
                      : launch_tiles<most_rows, most_depth>(s, right, context);
}

int64_t most_order(const symm_problem&) { return most_rows; }
int64_t most_order(const trmm_problem& p) { return p.in_place() ? most_depth : largest_order; }

template <class Problem>
bool is_small(const Problem& p, const device_info&) {
    return p.order() <= most_order(p) && (p.right ? p.m : p.n) <= max_grid_x;
}

myblasStatus_t launch_trmm(const trmm_problem& p, const launch_context& context) {
    small_product s = by_lines(p);
    s.is_unit = p.unit;
    s.transposed = p.trans != p.right;
    s.shape = p.upper == s.transposed ? shape_of_w::lower : shape_of_w::upper;
    return launch_small(s, p.right, context);
}

myblasStatus_t launch_symm(const symm_problem& p, const launch_context& context) {
    small_product s = by_lines(p);
    s.beta = p.beta;
    return launch_small(s, p.right, context);
}

template <class Problem>
constexpr kernel_entry<Problem> describe_small(myblasStatus_t (*launch)(const Problem&,
                                                                        const launch_context&)) {
    return {.name = "small",
            .description = "one launch for small orders, A and some lines in shared memory",
            .block_m = most_rows,
            .block_n = tile<most_rows, most_rows>::lines,
            .threads = threads,
            .stages = 1,
            .smem_bytes = sizeof(part_tile),
            .accepts = is_small<Problem>,
            .accepts_what = "it accepts orders up to 64, of trmm up to 128, or 192 out of place",
            .launch = launch};
}

} // namespace

constinit const kernel_entry<symm_problem> symm_small = describe_small(launch_symm);
constinit const kernel_entry<trmm_problem> trmm_small = describe_small(launch_trmm);

} // namespace myblas::cuda

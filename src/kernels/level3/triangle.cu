// Y_i = alpha * L_i * X_i, or Y_i = L_i^-1 * alpha * X_i, on the diagonal blocks of a triangle (level3/parts.h).
//
// A thread has one line, so that no two threads depend on each other: 64 lines of a block are a tile in shared memory.
// A diagonal block is taken 32 rows at a time, whose results are registers; the rows' panel of L is in shared memory and
// read by all threads at once, four floats at a time.
//
//      panel of L                    X          solve, downwards:
//      +-------+---+              +-------+       acc  = the rows of X
//      |       |\  |              | done  |       acc -= panel * done       32 multiply-adds for 9 loads
//      | panel | \ | 32 rows  *   +-------+       substitution in the 32 x 32 triangle
//      |       |  \|              | acc   |     multiply, upwards: the same with sums, so that Y may be X
//      +-------+---+              +-------+
//
// Bound: FP32 arithmetic for many lines, latency (n multiply-adds and divisions one after another) for few.
// Shared memory: 24 or 48 KiB, one stage.  Block: 64 threads.  Grid: tiles of lines, diagonal blocks, batch.
// Substitution divides; no reciprocal is formed, so nothing overflows that the quotient itself does not.

#include "kernels/common/launch.h"
#include "kernels/common/scalar.h"
#include "kernels/level3/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int lines = 64;      // of a tile; threads of a block
constexpr int panel_rows = 32; // of a panel of L
constexpr int vector = 4;      // floats of a 16-byte load
static_assert(panel_rows % vector == 0);

template <int block>
struct tile {
    float panel[block][panel_rows]; // (column of L, row)
    float x[block][lines];          // (row, line), each row turned by its number: see line_of
};

// Where row i has a line: threads that hold neighbouring rows of one line, as when X is read along its columns, meet
// no bank twice, and neither do those with neighbouring lines of one row.
__device__ int line_of(int i, int line) { return (line + i) % lines; }

// Visits the rows x cols elements of an operand with these strides in the order of memory.
template <class Visitor>
__device__ void for_each_element(int rows, int cols, int64_t row_stride, Visitor&& visit) {
    const bool is_along_rows = row_stride == 1 || row_stride == -1;
    const int inner = is_along_rows ? rows : cols;
    for (int e = threadIdx.x; e < rows * cols; e += lines) {
        const int first = e % inner, second = e / inner;
        visit(is_along_rows ? first : second, is_along_rows ? second : first);
    }
}

// Rows [first, first + panel_rows) of L, up to the diagonal; ones on the diagonal where there is nothing to be read.
template <int block>
__device__ void
load_panel(tile<block>& smem, const triangle_part& p, const float* a, int first, int size) {
    for_each_element(panel_rows, first + panel_rows, p.a_row, [&](int i, int j) {
        const int row = first + i;
        float value = row == j ? 1 : 0;
        if (row < size && (p.unit ? j < row : j <= row))
            value = a[row * p.a_row + j * p.a_col];
        smem.panel[j][i] = value;
    });
}

// acc += sign * the panel's columns [0, count) * x.
template <int sign, int block>
__device__ void add_products(float (&acc)[panel_rows], const tile<block>& smem, int count) {
    for (int j = 0; j < count; ++j) {
        const float x = sign * smem.x[j][line_of(j, threadIdx.x)];
        const float4* column = reinterpret_cast<const float4*>(smem.panel[j]);
#pragma unroll
        for (int v = 0; v < panel_rows / vector; ++v) {
            const float4 l = column[v];
            acc[v * vector] = fmaf(l.x, x, acc[v * vector]);
            acc[v * vector + 1] = fmaf(l.y, x, acc[v * vector + 1]);
            acc[v * vector + 2] = fmaf(l.z, x, acc[v * vector + 2]);
            acc[v * vector + 3] = fmaf(l.w, x, acc[v * vector + 3]);
        }
    }
}

template <bool is_solve, int block>
__device__ void update_rows(tile<block>& smem, int first) {
    float acc[panel_rows];
    if constexpr (is_solve) {
#pragma unroll
        for (int i = 0; i < panel_rows; ++i)
            acc[i] = smem.x[first + i][line_of(first + i, threadIdx.x)];
        add_products<-1>(acc, smem, first);
#pragma unroll
        for (int j = 0; j < panel_rows; ++j) {
            const float* column = smem.panel[first + j];
            acc[j] /= column[j];
#pragma unroll
            for (int i = j + 1; i < panel_rows; ++i)
                acc[i] = fmaf(-column[i], acc[j], acc[i]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < panel_rows; ++i)
            acc[i] = 0;
        add_products<1>(acc, smem, first);
#pragma unroll
        for (int j = 0; j < panel_rows; ++j) {
            const float* column = smem.panel[first + j];
            const float x = smem.x[first + j][line_of(first + j, threadIdx.x)];
#pragma unroll
            for (int i = j; i < panel_rows; ++i)
                acc[i] = fmaf(column[i], x, acc[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < panel_rows; ++i)
        smem.x[first + i][line_of(first + i, threadIdx.x)] = acc[i];
}

template <class T>
__device__ T* base_of(const batch_base<T>& of, int64_t index) {
    return (of.array ? of.array[index] : of.base + index * of.stride) + of.offset;
}

template <bool is_solve, int block>
__global__ void __launch_bounds__(lines) update_blocks(triangle_part p, int64_t first_index) {
    __shared__ __align__(16) tile<block> smem;
    const float alpha = resolve(p.gate) == 0 ? 0 : resolve(p.alpha);
    const int64_t index = first_index + blockIdx.z;
    const int64_t first_line = int64_t{blockIdx.x} * lines;
    const int lines_here = static_cast<int>(min(int64_t{lines}, p.lines - first_line));
    float* const y_lines = base_of(p.y, index) + first_line * p.y_across;
    for (int64_t row = int64_t{blockIdx.y} * block; row < p.n; row += int64_t{gridDim.y} * block) {
        const int size = static_cast<int>(min(int64_t{block}, p.n - row));
        float* const y = y_lines + row * p.y_along;
        if (alpha == 0) {
            for_each_element(size, lines_here, p.y_along, [&](int i, int line) {
                y[i * p.y_along + line * p.y_across] = 0;
            });
            continue;
        }
        const float* const a = base_of(p.a, index) + row * (p.a_row + p.a_col);
        const float* const x = base_of(p.x, index) + first_line * p.x_across + row * p.x_along;
        const int panels = (size + panel_rows - 1) / panel_rows;
        for_each_element(panels * panel_rows, lines, p.x_along, [&](int i, int line) {
            smem.x[i][line_of(i, line)] =
                i < size && line < lines_here ? alpha * x[i * p.x_along + line * p.x_across] : 0;
        });
        for (int panel = 0; panel < panels; ++panel) {
            const int first = (is_solve ? panel : panels - 1 - panel) * panel_rows;
            load_panel(smem, p, a, first, size);
            __syncthreads(); // the panel is complete, and before the first one X
            update_rows<is_solve>(smem, first);
            __syncthreads(); // the panel may be overwritten, after the last one Y is complete
        }
        for_each_element(size, lines_here, p.y_along, [&](int i, int line) {
            y[i * p.y_along + line * p.y_across] = smem.x[i][line_of(i, line)];
        });
        __syncthreads(); // X may be overwritten
    }
}

template <bool is_solve, int block>
myblasStatus_t launch_blocks(const triangle_part& p, const launch_context& context) {
    const int64_t tiles = ceil_div<int64_t>(p.lines, lines);
    if (tiles > max_grid_x)
        return MYBLAS_STATUS_NOT_SUPPORTED; // more than a GPU has memory for
    const int64_t blocks = std::min(ceil_div<int64_t>(p.n, block), max_grid_y);
    for (int64_t first = 0; first < p.batch_count; first += max_grid_z) {
        const dim3 grid(static_cast<unsigned>(tiles),
                        static_cast<unsigned>(blocks),
                        static_cast<unsigned>(std::min(p.batch_count - first, max_grid_z)));
        if (const myblasStatus_t failure =
                launch(update_blocks<is_solve, block>, grid, lines, 0, context, p, first))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

myblasStatus_t triangle(const triangle_part& p, const launch_context& context) {
    const int64_t rows = std::min(p.n, p.block); // of the largest diagonal block
    if (p.is_solve)
        return rows <= 64 ? launch_blocks<true, 64>(p, context)
                          : launch_blocks<true, most_triangle_block>(p, context);
    // Blocks of `block` rows, unless there is but one.
    return rows <= 64 ? launch_blocks<false, 64>(p, context)
                      : launch_blocks<false, most_triangle_block>(p, context);
}

} // namespace myblas::cuda

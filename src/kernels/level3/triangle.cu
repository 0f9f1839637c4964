// Y_i = alpha * L_i * X_i, where L_i are the diagonal blocks of a triangle (level3/steps.h).
//
// A block of threads has 64 lines, which do not depend on each other, and one diagonal block.
// Shared memory holds X and a panel of 32 rows of L. Four threads share a line; each has 8 of the
// 32 rows in registers.
//
//      panel of L                    X
//      +-----------+--+           +-------+     panels from the bottom to the top: all threads
//      |           |\ |           |       |     read X before the panel's rows of Y are
//      |   panel   | \| 32 rows * +-------+     written, so that Y may be X
//      +-----------+--+           | 4 x 8 |
//                                 +-------+
//
// Meanwhile the next panel is loaded into registers.
//
// Bound: latency for few lines; FP32 arithmetic and shared memory for many.
// Shared memory: 24 or 48 KiB, one stage.
// Launch: 256 threads; the grid is tiles of lines x diagonal blocks x batch.

#include "kernels/common/launch.h"
#include "kernels/common/scalar.cuh"
#include "kernels/level3/batch.cuh"
#include "kernels/level3/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int lines = 64;              // of a tile
constexpr int parts = threads / lines; // threads that share a line
constexpr int part_rows = 8;           // rows of a thread
constexpr int panel_rows = parts * part_rows;
constexpr int vector = 4; // floats of a 16-byte load
constexpr int batch = 8;  // loads of a thread in flight
static_assert(panel_rows == 32, "a lane a row");

template <int block>
struct tile {
    float panel[block][panel_rows]; // (column of L, row); groups of 4 rows are permuted: see row_of
    float x[block][lines];          // (row, line); each row is rotated by its number: see line_of
};

// The place of a line in row i. Threads with neighbouring rows of one line (X read along its
// columns) access different banks, and so do threads with neighbouring lines of one row.
__device__ int line_of(int i, int line) { return (line + i) % lines; }

// The place of row i in column j of a panel. Threads that write neighbouring columns (L read along
// its rows) have 4-way bank conflicts, not 32-way. j % 8 is a constant where columns are read.
__device__ int row_of(int j, int i) { return (i / vector ^ j % 8) * vector + i % vector; }

// How the threads traverse a matrix of rows x cols in the order of memory; one stride is 1 or -1.
// Along the other direction a thread advances in steps: rows and cols divide the number of threads.
struct walk {
    int first_row, first_col, row_step, col_step;
    int64_t first, step; // offset of element 0 in memory, and from one element to the next

    __device__ walk(int64_t row_stride, int64_t col_stride, int rows, int cols) {
        const bool along_rows = row_stride == 1 || row_stride == -1;
        const int width = along_rows ? rows : cols;
        const int inner = threadIdx.x % width, outer = threadIdx.x / width;
        first_row = along_rows ? inner : outer;
        first_col = along_rows ? outer : inner;
        row_step = along_rows ? 0 : threads / width;
        col_step = along_rows ? threads / width : 0;
        first = first_row * row_stride + first_col * col_stride;
        step = row_step * row_stride + col_step * col_stride;
    }

    __device__ int row(int k) const { return first_row + k * row_step; }
    __device__ int col(int k) const { return first_col + k * col_step; }
    __device__ int64_t memory(int k) const { return first + k * step; }
};

// Rows [first, first + panel_rows) of L up to the diagonal, in registers between global and shared
// memory.
template <int block>
struct panel_copy {
    static constexpr int count = block * panel_rows / threads;
    float value[count];

    // Diagonal elements that are not read (unit, or past the last row) are one.
    __device__ void
    load(const walk& elements, const float* panel, bool is_unit, int first, int size) {
#pragma unroll
        for (int k = 0; k < count; ++k) {
            const int i = elements.row(k), j = elements.col(k);
            const int row = first + i;
            value[k] = row == j ? 1 : 0;
            if (row < size && (is_unit ? j < row : j <= row))
                value[k] = panel[elements.memory(k)];
        }
    }

    __device__ void store(const walk& elements, tile<block>& smem) const {
#pragma unroll
        for (int k = 0; k < count; ++k) {
            const int i = elements.row(k), j = elements.col(k);
            smem.panel[j][row_of(j, i)] = value[k];
        }
    }
};

template <int block>
__device__ void load_lines(tile<block>& smem,
                           const walk& elements,
                           const float* x,
                           int rows,
                           int lines_here,
                           float alpha) {
#pragma unroll 1
    for (int from = 0; from < block * lines / threads; from += batch) {
        float value[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k) {
            const int i = elements.row(from + k), line = elements.col(from + k);
            value[k] = i < rows && line < lines_here ? x[elements.memory(from + k)] : 0;
        }
#pragma unroll
        for (int k = 0; k < batch; ++k) {
            const int i = elements.row(from + k), line = elements.col(from + k);
            smem.x[i][line_of(i, line)] = alpha * value[k];
        }
    }
}

// Stores Y, or zeros if `is_zero`.
template <int block>
__device__ void store_lines(const tile<block>& smem,
                            bool is_zero,
                            const walk& elements,
                            float* y,
                            int rows,
                            int lines_here) {
#pragma unroll 4
    for (int k = 0; k < block * lines / threads; ++k) {
        const int i = elements.row(k), line = elements.col(k);
        if (i < rows && line < lines_here)
            y[elements.memory(k)] = is_zero ? 0 : smem.x[i][line_of(i, line)];
    }
}

// A thread's rows of the panel's column first + k. `first` is a multiple of 8 and k a constant.
template <int block>
__device__ void load_column(float (&column)[part_rows], const tile<block>& smem, int first, int k) {
    const int part = threadIdx.x / lines;
#pragma unroll
    for (int i = 0; i < part_rows; i += vector) {
        const float4 l = *reinterpret_cast<const float4*>(
            &smem.panel[first + k][row_of(k, part * part_rows + i)]);
        column[i] = l.x;
        column[i + 1] = l.y;
        column[i + 2] = l.z;
        column[i + 3] = l.w;
    }
}

// acc += the panel's columns [begin, end) times x; begin and end are multiples of 8.
template <int block>
__device__ void add_products(float (&acc)[part_rows], const tile<block>& smem, int begin, int end) {
    const int line = threadIdx.x % lines;
#pragma unroll 1
    for (int first = begin; first < end; first += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float column[part_rows];
            const float x = smem.x[first + k][line_of(first + k, line)];
            load_column(column, smem, first, k);
#pragma unroll
            for (int i = 0; i < part_rows; ++i)
                acc[i] = fmaf(column[i], x, acc[i]);
        }
    }
}

template <int block>
__device__ void write_rows(tile<block>& smem, const float (&acc)[part_rows], int row) {
    const int line = threadIdx.x % lines;
#pragma unroll
    for (int i = 0; i < part_rows; ++i)
        smem.x[row + i][line_of(row + i, line)] = acc[i];
}

// The thread's rows of the panel times X. All threads read X before any thread writes it.
template <int block>
__device__ void multiply_rows(tile<block>& smem, int first) {
    const int row = first + static_cast<int>(threadIdx.x) / lines * part_rows;
    const int line = threadIdx.x % lines;
    float acc[part_rows] = {};
    add_products(acc, smem, 0, row);
#pragma unroll
    for (int k = 0; k < part_rows; ++k) { // the triangle
        float column[part_rows];
        const float x = smem.x[row + k][line_of(row + k, line)];
        load_column(column, smem, row, k);
#pragma unroll
        for (int i = k; i < part_rows; ++i)
            acc[i] = fmaf(column[i], x, acc[i]);
    }
    __syncthreads(); // all threads have read X
    write_rows(smem, acc, row);
}

template <int block>
__global__ void __launch_bounds__(threads, 2)
    multiply_blocks(triangle_step p, int64_t first_index) {
    __shared__ __align__(16) tile<block> smem;
    const float alpha = resolve(p.gate) == 0 ? 0 : resolve(p.alpha);
    const int64_t index = first_index + blockIdx.z;
    const int64_t first_line = int64_t{blockIdx.x} * lines;
    const int lines_here = static_cast<int>(min(int64_t{lines}, p.lines - first_line));
    float* const y_lines = base_of(p.y, index) + first_line * p.y_across;
    for (int64_t row = int64_t{blockIdx.y} * block; row < p.n; row += int64_t{gridDim.y} * block) {
        const int size = static_cast<int>(min(int64_t{block}, p.n - row));
        float* const y = y_lines + row * p.y_along;
        const walk y_walk(p.y_along, p.y_across, block, lines);
        if (alpha == 0) {
            store_lines(smem, true, y_walk, y, size, lines_here);
            continue;
        }
        const float* const a = base_of(p.a, index) + row * (p.a_row + p.a_col);
        const float* const x = base_of(p.x, index) + first_line * p.x_across + row * p.x_along;
        const int panels = (size + panel_rows - 1) / panel_rows;
        const auto first_row = [=](int panel) { return (panels - 1 - panel) * panel_rows; };
        load_lines(smem, walk(p.x_along, p.x_across, block, lines), x, size, lines_here, alpha);
        const walk panel_walk(p.a_row, p.a_col, panel_rows, block);
        panel_copy<block> next;
#pragma unroll 1
        for (int panel = -1; panel < panels; ++panel) {
            if (panel >= 0)
                next.store(panel_walk, smem);
            __syncthreads(); // the panel and X are complete
            if (panel + 1 < panels) {
                const int first = first_row(panel + 1);
                next.load(panel_walk, a + first * p.a_row, p.unit, first, size);
            }
            if (panel >= 0)
                multiply_rows(smem, first_row(panel));
            __syncthreads(); // the panel may be overwritten; after the last one Y is complete
        }
        store_lines(smem, false, y_walk, y, size, lines_here);
        __syncthreads(); // X may be overwritten
    }
}

template <int block>
myblasStatus_t launch_blocks(const triangle_step& p, const launch_context& context) {
    const int64_t tiles = ceil_div<int64_t>(p.lines, lines);
    if (tiles > max_grid_x)
        return MYBLAS_STATUS_NOT_SUPPORTED; // more lines than fit in a GPU's memory
    const int64_t blocks = std::min(ceil_div<int64_t>(p.n, block), max_grid_y);
    for (int64_t first = 0; first < p.batch_count; first += max_grid_z) {
        const dim3 grid(static_cast<unsigned>(tiles),
                        static_cast<unsigned>(blocks),
                        static_cast<unsigned>(std::min(p.batch_count - first, max_grid_z)));
        if (const myblasStatus_t failure =
                launch(multiply_blocks<block>, grid, threads, 0, context, p, first))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

myblasStatus_t triangle(const triangle_step& p, const launch_context& context) {
    if (p.is_solve)
        return solve(p, context);
    const int64_t rows = std::min(p.n, p.block); // of the largest diagonal block
    // If there are several diagonal blocks, they have p.block rows, the rows of a block here.
    return rows <= 64 ? launch_blocks<64>(p, context)
                      : launch_blocks<most_triangle_block>(p, context);
}

} // namespace myblas::cuda

// Y = L^-1 * alpha * X by substitution, of a diagonal block of a triangle (level3/parts.h).
//
// A block of threads has 16 or 32 lines, which do not depend on each other, and all rows of L. It goes down X in panels of
// 32 rows:
//
//      L           X           One warp solves a panel, a lane a line, all 32 rows in registers.
//      |\                      The next panel is all that it waits for: two warps subtract what was found from it (`next`).
//      | \       solved        Eight warps subtract it from all rows below (`rest`) while the next panel is solved. They
//      |  \      ------        also copy: a panel of L, its columns down to the end of the block, is on its way
//      |32|\     panel         through registers to one half of a double buffer, and panels of X that are solved
//      |  | \    next          to memory.
//      |  |  \   rest
//
// Each row is subtracted from in the order of columns by the thread whose turn it is: what is rounded is what plain
// substitution rounds.
//
// Bound: latency of the rows one after the other, about 40 cycles a row, for few lines; what shared memory gives
// registers, 128 bytes a cycle, for many. So the threads that subtract have tiles of 4 x 4 or 4 x 8.
// Shared memory: 26 to 98 KiB, two stages of L and all of X.  Block: 320 threads.  Grid: tiles of lines, 1, batch.
//
// A quotient is taken by the reciprocal and corrected by its remainder, to within an ulp. Where a diagonal element is near
// the ends of the range, or an outcome is not finite, the panel of that line is solved once more by division. So nothing
// overflows that the quotient itself does not.

#include "kernels/common/dynamic_smem.h"
#include "kernels/common/launch.h"
#include "kernels/common/overlap.h"
#include "kernels/common/scalar.h"
#include "kernels/level3/batch.h"
#include "kernels/level3/registry.h"

#include <algorithm>
#include <limits>

namespace myblas::cuda {
namespace {

constexpr int warp = 32;
constexpr int panel_rows = 32;
constexpr int vector = 4;         // floats of a 16-byte access
constexpr int copy_threads = 256; // they subtract from the rest, too
constexpr int next_threads = 64;  // the first warp of which solves
constexpr int threads = copy_threads + next_threads;
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <int block, int lines>
struct storage {
    float panel[2][panel_rows][block + vector]; // (column, row of L)
    float x[block][lines + vector];             // (row, line)
    float diagonal[2][panel_rows];              // of a panel
    float reciprocal[2][panel_rows];            // NaN near the ends of the range
};

// ---- Copies ----------------------------------------------------------------------------------------

// How the copying threads go over a matrix of rows x cols, of which one stride is 1 or -1: a warp has patches of 8 elements
// along memory and 4 across it, whose places in shared memory differ in their banks whichever way round they lie there.
template <bool along_rows, int rows, int cols>
struct patches {
    static constexpr int count = rows * cols / copy_threads; // elements of a thread
    static constexpr int along = along_rows ? rows : cols;
    static constexpr int side = 8, depth = warp / side;
    static constexpr int warps = copy_threads / warp;
    static constexpr int abreast =
        along / side < warps ? along / side : warps;       // warps next to each other
    static constexpr int steps = along / (abreast * side); // along memory
    static constexpr int depth_step = warps / abreast * depth;
    static_assert(count % steps == 0);

    int first_along, first_across;

    __device__ patches() {
        const int lane = threadIdx.x % warp, in_block = threadIdx.x / warp;
        first_along = in_block % abreast * side + lane % side;
        first_across = in_block / abreast * depth + lane / side;
    }

    // The thread's elements from number `from` to `to`: visit(number, row, col, offset in memory). (Offsets are summed up,
    // since products of each element's place with strides would be kept in registers.)
    template <int from = 0, int to = count, class Visitor>
    __device__ void for_each(int64_t row_stride, int64_t col_stride, Visitor&& visit) const {
        const int64_t stride = along_rows ? row_stride : col_stride;
        const int64_t stride_across = along_rows ? col_stride : row_stride;
        int64_t offset = first_along * stride + first_across * stride_across;
        int k = 0;
#pragma unroll
        for (int j = first_across; k < count; j += depth_step) {
#pragma unroll
            for (int step = 0; step < steps; ++step, ++k) {
                const int i = first_along + step * (abreast * side);
                if (k < from || k >= to)
                    continue;
                visit(k,
                      along_rows ? i : j,
                      along_rows ? j : i,
                      offset + step * (abreast * side) * stride);
            }
            offset += depth_step * stride_across;
        }
    }
};

__device__ bool is_along(int64_t stride) { return stride == 1 || stride == -1; }

// Columns [first, first + panel_rows) of L from the diagonal down, on their way through registers.
template <int block>
struct panel_copy {
    static constexpr int count = block * panel_rows / copy_threads;
    float value[count];

    // L begins at `a`. One on a unit diagonal; the identity below row `size`.
    template <bool along_rows>
    __device__ void load_along(const triangle_part& p, const float* a, int first, int size) {
        const float* const columns = a + first * p.a_col;
        patches<along_rows, block, panel_rows>().for_each(
            p.a_row, p.a_col, [&](int k, int row, int col, int64_t offset) {
                const int last = p.unit ? row - first - 1 : row - first;
                value[k] = row == first + col ? 1 : 0;
                if (row < size && col <= last)
                    value[k] = columns[offset];
            });
    }
    __device__ void load(const triangle_part& p, const float* a, int first, int size) {
        if (is_along(p.a_row))
            load_along<true>(p, a, first, size);
        else
            load_along<false>(p, a, first, size);
    }

    template <bool along_rows>
    __device__ void store_along(float (&panel)[panel_rows][block + vector], int first) const {
        patches<along_rows, block, panel_rows>().for_each(
            0, 0, [&](int k, int row, int col, int64_t) {
                if (row >= first)
                    panel[col][row] = value[k];
            });
    }
    __device__ void
    store(const triangle_part& p, float (&panel)[panel_rows][block + vector], int first) const {
        if (is_along(p.a_row))
            store_along<true>(panel, first);
        else
            store_along<false>(panel, first);
    }
};

// alpha * X, zeros in what is not there: `batch` elements of a thread at a time.
template <bool along_rows, int from = 0, int block, int lines>
__device__ void load_lines(storage<block, lines>& smem,
                           const triangle_part& p,
                           const float* x,
                           int size,
                           int lines_here,
                           float alpha) {
    constexpr int batch = 16;
    const patches<along_rows, block, lines> all;
    float value[batch];
    all.template for_each<from, from + batch>(
        p.x_along, p.x_across, [&](int k, int i, int line, int64_t offset) {
            value[k - from] = i < size && line < lines_here ? x[offset] : 0;
        });
    all.template for_each<from, from + batch>(
        0, 0, [&](int k, int i, int line, int64_t) { smem.x[i][line] = alpha * value[k - from]; });
    if constexpr (from + batch < all.count)
        load_lines<along_rows, from + batch>(smem, p, x, size, lines_here, alpha);
}

// Rows [first, first + panel_rows), or zeros.
template <bool along_rows, int block, int lines>
__device__ void store_panel(const storage<block, lines>& smem,
                            const triangle_part& p,
                            float* y,
                            int first,
                            int size,
                            int lines_here,
                            bool is_zero) {
    patches<along_rows, panel_rows, lines>().for_each(
        p.y_along, p.y_across, [&](int, int row, int line, int64_t offset) {
            const int i = first + row;
            if (i < size && line < lines_here)
                y[first * p.y_along + offset] = is_zero ? 0 : smem.x[i][line];
        });
}

// ---- Products --------------------------------------------------------------------------------------

// X's rows [row, row + tile_rows) of a quarter of the lines, minus the panel of L times the panel of X from `first`.
template <int tile_rows, int block, int lines>
__device__ void subtract(storage<block, lines>& smem,
                         const float (&panel)[panel_rows][block + vector],
                         int first,
                         int row,
                         int quarter) {
    constexpr int vectors = lines / 16; // of a quarter's lines
    constexpr int together =
        tile_rows == vector ? 8 : panel_rows; // columns: the next panel is waited for
    float acc[tile_rows][vectors][vector];
    const auto at = [&](int i, int v) {
        return reinterpret_cast<float4*>(&smem.x[i][(quarter + 4 * v) * vector]);
    };
#pragma unroll
    for (int i = 0; i < tile_rows; ++i) {
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
            const float4 x = *at(row + i, v);
            acc[i][v][0] = x.x;
            acc[i][v][1] = x.y;
            acc[i][v][2] = x.z;
            acc[i][v][3] = x.w;
        }
    }
#pragma unroll 1
    for (int from = 0; from < panel_rows; from += together) {
#pragma unroll
        for (int k = 0; k < together; ++k) {
            float l[vector];
            if constexpr (tile_rows == vector) {
                const float4 column = *reinterpret_cast<const float4*>(&panel[from + k][row]);
                l[0] = column.x;
                l[1] = column.y;
                l[2] = column.z;
                l[3] = column.w;
            } else {
                static_assert(tile_rows == 2);
                const float2 column = *reinterpret_cast<const float2*>(&panel[from + k][row]);
                l[0] = column.x;
                l[1] = column.y;
            }
#pragma unroll
            for (int v = 0; v < vectors; ++v) {
                const float4 x = *at(first + from + k, v);
#pragma unroll
                for (int i = 0; i < tile_rows; ++i) {
                    acc[i][v][0] = fmaf(-l[i], x.x, acc[i][v][0]);
                    acc[i][v][1] = fmaf(-l[i], x.y, acc[i][v][1]);
                    acc[i][v][2] = fmaf(-l[i], x.z, acc[i][v][2]);
                    acc[i][v][3] = fmaf(-l[i], x.w, acc[i][v][3]);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < tile_rows; ++i)
#pragma unroll
        for (int v = 0; v < vectors; ++v)
            *at(row + i, v) = {acc[i][v][0], acc[i][v][1], acc[i][v][2], acc[i][v][3]};
}

// ---- The triangle of a panel -----------------------------------------------------------------------

__device__ void write_reciprocal(float (&diagonal)[panel_rows],
                                 float (&reciprocal)[panel_rows],
                                 int row,
                                 float value) {
    const bool is_safe = fabsf(value) > 0x1p-100f && fabsf(value) < 0x1p100f;
    diagonal[row] = value;
    reciprocal[row] = is_safe ? 1 / value : not_a_number;
}

// One line of the panel of X from `first`, by division. In loops, for the sake of the code's size: instructions that run
// once are fetched for longer than they run.
template <int block, int lines>
__device__ void divide_panel(storage<block, lines>& smem, int stage, int first, int line) {
#pragma unroll 1
    for (int k = 0; k < panel_rows; ++k) {
        const float quotient = smem.x[first + k][line] / smem.diagonal[stage][k];
        smem.x[first + k][line] = quotient;
#pragma unroll 1
        for (int i = first + k + 1; i < first + panel_rows; ++i)
            smem.x[i][line] = fmaf(-smem.panel[stage][k][i], quotient, smem.x[i][line]);
    }
}

// One line of the panel of X from `first`.
template <int block, int lines>
__device__ void solve_panel(storage<block, lines>& smem, int stage, int first, int line) {
    float x[panel_rows];
    float check = 0; // not finite if a quotient is not
#pragma unroll
    for (int i = 0; i < panel_rows; ++i)
        x[i] = smem.x[first + i][line];
#pragma unroll
    for (int k = 0; k < panel_rows; ++k) {
        float l[panel_rows];
#pragma unroll
        for (int i = (k + 1) / vector * vector; i < panel_rows; i += vector) {
            const float4 rows = *reinterpret_cast<const float4*>(&smem.panel[stage][k][first + i]);
            l[i] = rows.x;
            l[i + 1] = rows.y;
            l[i + 2] = rows.z;
            l[i + 3] = rows.w;
        }
        const float divisor = smem.diagonal[stage][k], reciprocal = smem.reciprocal[stage][k];
        const float estimate = x[k] * reciprocal;
        const float remainder = fmaf(-estimate, divisor, x[k]);
        x[k] = fmaf(remainder, reciprocal, estimate);
        check = fmaf(x[k], 0.0f, check);
#pragma unroll
        for (int i = k + 1; i < panel_rows; ++i)
            x[i] = fmaf(-l[i], x[k], x[i]);
    }
    if (isfinite(check)) {
#pragma unroll
        for (int i = 0; i < panel_rows; ++i)
            smem.x[first + i][line] = x[i];
    } else {
        divide_panel(smem, stage, first, line);
    }
}

// ---- The kernel ------------------------------------------------------------------------------------

// What a block of threads has to do.
struct task {
    const float *a, *x;
    float* y;
    int size, lines; // of L, of X
    float alpha;

    __device__ int panels() const { return (size + panel_rows - 1) / panel_rows; }
};

// The two roles pass the same barriers:
//   start       X, the first panel of L and its diagonal are complete
//   solved      a panel of X is solved, the other stage of L is free
//   prepared    the next panel of L is there, and that of X is ready to be solved

template <int block, int lines>
__device__ void copy_and_subtract(storage<block, lines>& smem, const triangle_part& p, task t) {
    const int panels = t.panels();
    const auto store_rows = [&](int panel) {
        const int first = panel * panel_rows;
        if (is_along(p.y_along))
            store_panel<true>(smem, p, t.y, first, t.size, t.lines, t.alpha == 0);
        else
            store_panel<false>(smem, p, t.y, first, t.size, t.lines, t.alpha == 0);
    };
    if (t.alpha == 0) {
        for (int panel = 0; panel < panels; ++panel)
            store_rows(panel);
        return;
    }
    const int lane = threadIdx.x % warp, rest = threadIdx.x / warp * panel_rows;
    panel_copy<block> coming;
#pragma unroll 1
    for (int panel = -2;;
         ++panel) { // the one that is being solved; two steps for what comes before
        const int stage = panel & 1, first = panel * panel_rows, next = first + panel_rows;
        if (panel > 0) {
            // All below this panel, from which its predecessor was not yet subtracted
            if (next + rest < t.size)
                subtract<vector>(smem,
                                 smem.panel[1 - stage],
                                 first - panel_rows,
                                 next + rest + lane % 8 * vector,
                                 lane / 8);
            store_rows(panel - 1);
        }
        if (panel >= 0)
            __syncthreads(); // solved
        if (panel + 1 == panels)
            break;
        if (panel + 1 >= 0)
            coming.store(p, smem.panel[1 - stage], next);
        if (panel + 2 < panels)
            coming.load(p, t.a, next + panel_rows, t.size);
        if (panel == -2) {
            if (is_along(p.x_along))
                load_lines<true>(smem, p, t.x, t.size, t.lines, t.alpha);
            else
                load_lines<false>(smem, p, t.x, t.size, t.lines, t.alpha);
        } else {
            __syncthreads(); // start, prepared
        }
    }
    store_rows(panels - 1);
}

template <int block, int lines>
__device__ void solve_and_prepare(storage<block, lines>& smem, const triangle_part& p, task t) {
    if (t.alpha == 0)
        return;
    const int thread = static_cast<int>(threadIdx.x) - copy_threads;
    const int in_block = thread / warp, lane = thread % warp;
    const bool solves = in_block == 0;
    // The diagonal of the panel from `first`, a lane an element.
    const auto load_diagonal = [&](int first) {
        const int row = first + lane;
        return p.unit || row >= t.size ? 1 : t.a[row * (p.a_row + p.a_col)];
    };
    if (solves)
        write_reciprocal(smem.diagonal[0], smem.reciprocal[0], lane, load_diagonal(0));
    __syncthreads(); // start
#pragma unroll 1
    for (int first = 0, stage = 0;; first += panel_rows, stage ^= 1) {
        const int next = first + panel_rows;
        float diagonal = 1;
        if (solves) {
            diagonal = load_diagonal(next);
            if (lane < lines)
                solve_panel(smem, stage, first, lane);
        }
        __syncthreads(); // solved
        if (next >= t.size)
            break;
        if (solves)
            write_reciprocal(smem.diagonal[1 - stage], smem.reciprocal[1 - stage], lane, diagonal);
        subtract<2>(smem,
                    smem.panel[stage],
                    first,
                    next + in_block * (panel_rows / 2) + lane % 8 * 2,
                    lane / 8);
        __syncthreads(); // prepared
    }
}

template <int block, int lines>
__global__ void __launch_bounds__(threads, 2)
    solve_block(triangle_part p, int64_t first_index) {
    storage<block, lines>& smem = dynamic_smem<storage<block, lines>>();
    wait_for_earlier_work();
    const int64_t index = first_index + blockIdx.z;
    const int64_t first_line = int64_t{blockIdx.x} * lines;
    task t;
    t.alpha = resolve(p.gate) == 0 ? 0 : resolve(p.alpha);
    t.size = static_cast<int>(p.n);
    t.lines = static_cast<int>(min(int64_t{lines}, p.lines - first_line));
    t.y = base_of(p.y, index) + first_line * p.y_across;
    t.a = nullptr;
    t.x = nullptr;
    if (t.alpha != 0) { // otherwise there may be nothing to be read
        t.a = base_of(p.a, index);
        t.x = base_of(p.x, index) + first_line * p.x_across;
    }
    if (threadIdx.x >= copy_threads)
        solve_and_prepare(smem, p, t);
    else
        copy_and_subtract(smem, p, t);
}

template <int block, int lines>
myblasStatus_t launch_solve(const triangle_part& p, const launch_context& context) {
    const int64_t tiles = ceil_div<int64_t>(p.lines, lines);
    if (tiles > max_grid_x)
        return MYBLAS_STATUS_NOT_SUPPORTED; // more than a GPU has memory for
    for (int64_t first = 0; first < p.batch_count; first += max_grid_z) {
        const dim3 grid(static_cast<unsigned>(tiles),
                        1,
                        static_cast<unsigned>(std::min(p.batch_count - first, max_grid_z)));
        if (const myblasStatus_t failure = launch_clusters(solve_block<block, lines>,
                                                           grid,
                                                           1,
                                                           true,
                                                           threads,
                                                           sizeof(storage<block, lines>),
                                                           context,
                                                           p,
                                                           first))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

// Calls f.operator()<block, lines>() for every size that there is.
template <class F>
myblasStatus_t with_sizes(int64_t rows, bool is_wide, F&& f) {
    if (rows <= 64)
        return is_wide ? f.template operator()<64, 32>() : f.template operator()<64, 16>();
    if (rows <= 128)
        return is_wide ? f.template operator()<128, 32>() : f.template operator()<128, 16>();
    return is_wide ? f.template operator()<256, 32>() : f.template operator()<256, 16>();
}

} // namespace

myblasStatus_t prepare_solve(const device_info&) {
    myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
    const auto prepare = [&]<int block, int lines>() {
        status = allow_smem(solve_block<block, lines>, sizeof(storage<block, lines>));
        return status;
    };
    for (const int64_t rows : {64, 128, 256})
        for (const bool is_wide : {false, true})
            if (with_sizes(rows, is_wide, prepare) != MYBLAS_STATUS_SUCCESS)
                return status;
    return status;
}

myblasStatus_t solve(const triangle_part& p, const launch_context& context) {
    // Few lines to a block where they do not fill the GPU.
    const int64_t narrow_tiles = ceil_div<int64_t>(p.lines, 16) * p.batch_count;
    const bool is_wide = narrow_tiles > 2 * context.device->sm_count;
    return with_sizes(p.n, is_wide, [&]<int block, int lines>() {
        return launch_solve<block, lines>(p, context);
    });
}

} // namespace myblas::cuda

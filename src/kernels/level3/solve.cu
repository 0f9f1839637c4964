// Y = L^-1 * alpha * X by substitution, for a triangle L of up to 256 rows (level3/steps.h).
//
// A block of threads has 16 or 32 lines of X, which do not depend on each other, and solves them in
// panels of 32 rows:
//
//      L           X
//      |\                      One of ten warps solves a panel (solve_panel.cuh). Two warps, this
//      | \       solved        one included, subtract its product with L from the next panel,
//      |  \      ------        which waits for nothing else. While the next panel is solved, six
//      |32|\     panel         warps subtract the product from the rest of the rows. The six and
//      |  | \    next          two more warps copy L, a panel ahead, and store solved panels of X.
//      |  |  \   rest          The two share a scheduler with the solving warp: they only copy.
//
// Products are subtracted from an element in the order of columns, each with one rounding: the
// result has the bits of plain substitution, except for the quotients.
//
// Bound: for few lines, the latency of dependent rows, about 80 cycles a row on an H200. For many
// lines, the 128 bytes a cycle between shared memory and registers: so the threads that subtract
// have tiles of 4 x 4 or 4 x 8.
// Shared memory: 24 to 103 KiB, two stages of a panel of L and all of X.
// Launch: 320 threads; the grid is tiles of lines x 1 x batch.

#include "kernels/common/cp_async.cuh"
#include "kernels/common/dynamic_smem_128.cuh"
#include "kernels/common/launch.h"
#include "kernels/common/named_barrier.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/level2/trsv_chain.h"
#include "kernels/level3/batch.cuh"
#include "kernels/level3/registry.h"
#include "kernels/level3/solve_panel.cuh"

#include <algorithm>
#include <cstdlib>

namespace myblas::cuda {
namespace {

constexpr int panel_rows = 32;
constexpr int copy_threads = 256; // they also subtract from the rest of the rows
constexpr int next_threads = 64;  // the first of these two warps solves
constexpr int threads = copy_threads + next_threads;

template <int block, int lines>
struct storage {
    static constexpr int solved_rows = panel_rows;        // solved at a time
    static constexpr int rows_below = block - panel_rows; // most rows below a panel

    // (column, row): `triangle` has the first 32 rows of a panel of L, `below` the other ones from
    // row 32 of L on.
    float triangle[2][panel_rows][panel_rows + vector];
    float below[2][panel_rows][rows_below + vector];
    float x[block][lines + vector];  // (row, line)
    float diagonal[2][panel_rows];   // of a panel of L
    float reciprocal[2][panel_rows]; // NaN if the element is near the ends of the range
};

// ---- Copies -------------------------------------------------------------------------------------

// How the copying threads traverse a matrix of 32 rows, one of whose strides is 1 or -1. A warp's
// elements are neighbours in memory, and lie in different banks of shared memory. (Rows of shared
// memory are 4 floats longer than a multiple of 16.)
struct walk {
    int row, col, row_step, col_step;

    // Neighbours in memory are also neighbours in shared memory, in rows of `width` elements.
    static __device__ walk straight(int width) {
        const int thread = threadIdx.x;
        return {thread / width, thread % width, copy_threads / width, 0};
    }
    // Neighbours in memory lie in different rows of shared memory: patches of 8 elements along
    // memory and 4 across it.
    static __device__ walk transposed() {
        const int lane = threadIdx.x % warp, in_block = threadIdx.x / warp;
        return {in_block % 4 * 8 + lane % 8, in_block / 4 * 4 + lane / 8, 0, 8};
    }
};

// Copies blocks of 32 x 32 elements of L, on or below the diagonal, to shared memory.
class block_copy {
public:
    __device__ block_copy(const triangle_step& p, const float* a, int size)
        : a_(a), row_stride_(p.a_row), col_stride_(p.a_col), size_(size),
          first_diagonal_(p.unit ? 1 : 0) {
        const walk straight = walk::straight(panel_rows), transposed = walk::transposed();
        const bool is_straight = is_along(p.a_row); // rows are contiguous, as in shared memory
        row_ = is_straight ? straight.col : transposed.col;
        col_ = is_straight ? straight.row : transposed.row;
        row_step_ = is_straight ? 0 : transposed.col_step;
        col_step_ = is_straight ? straight.row_step : 0;
    }

    // Copies L's block at (row, col) to `target`, (column, row) with columns of `pitch` floats.
    __device__ void copy(int row, int col, float* target, int pitch) const {
        int i = row + row_, j = col + col_;
        const float* source = a_ + i * row_stride_ + j * col_stride_;
        target += col_ * pitch + row_;
        const int64_t step = row_step_ * row_stride_ + col_step_ * col_stride_;
#pragma unroll
        for (int k = 0; k < panel_rows * panel_rows / copy_threads; ++k) {
            const bool is_there = i < size_ && j + first_diagonal_ <= i;
            cp_async<sizeof(float)>(target, is_there ? source : a_, is_there);
            i += row_step_;
            j += col_step_;
            source += step;
            target += col_step_ * pitch + row_step_;
        }
    }

private:
    const float* const a_;
    const int64_t row_stride_, col_stride_;
    const int size_, first_diagonal_;
    int row_, col_, row_step_, col_step_;
};

// How the copying threads traverse 32 rows of X or Y with `lines` lines.
template <int lines>
__device__ walk walk_lines(int64_t along) {
    return is_along(along) ? walk::transposed() : walk::straight(lines);
}

// Loads alpha * X, with zeros outside X.
template <int block, int lines>
__device__ void load_lines(storage<block, lines>& smem,
                           const triangle_step& p,
                           const float* x,
                           int size,
                           int lines_here,
                           float alpha) {
    constexpr int of_panel = panel_rows * lines / copy_threads; // elements of a thread
    constexpr int all = block / panel_rows * of_panel;
    constexpr int batch = all < 16 ? all : 16; // loads of a thread in flight
    const walk at = walk_lines<lines>(p.x_along);
    const int64_t step = at.row_step * p.x_along + at.col_step * p.x_across;
    x += at.row * p.x_along + at.col * p.x_across;
#pragma unroll 1
    for (int first = 0; first < size; first += batch / of_panel * panel_rows) {
        float value[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k) {
            const int from = first + k / of_panel * panel_rows;
            const int i = from + at.row + k % of_panel * at.row_step;
            const int line = at.col + k % of_panel * at.col_step;
            value[k] =
                i < size && line < lines_here ? x[from * p.x_along + k % of_panel * step] : 0;
        }
#pragma unroll
        for (int k = 0; k < batch; ++k) {
            const int i = first + k / of_panel * panel_rows + at.row + k % of_panel * at.row_step;
            smem.x[i][at.col + k % of_panel * at.col_step] = alpha * value[k];
        }
    }
}

// Stores rows [first, first + panel_rows) of X, or zeros.
template <int block, int lines>
__device__ void store_panel(const storage<block, lines>& smem,
                            const triangle_step& p,
                            float* y,
                            int first,
                            int size,
                            int lines_here,
                            bool is_zero) {
    const walk at = walk_lines<lines>(p.y_along);
    int i = first + at.row, line = at.col;
#pragma unroll
    for (int k = 0; k < panel_rows * lines / copy_threads; ++k) {
        if (i < size && line < lines_here)
            y[i * p.y_along + line * p.y_across] = is_zero ? 0 : smem.x[i][line];
        i += at.row_step;
        line += at.col_step;
    }
}

// ---- Products -----------------------------------------------------------------------------------

// Updates X's rows [row, row + tile_rows) in a quarter of the lines: subtracts the panel of L (its
// rows in `below`) times the panel of X at `first`.
template <int tile_rows, int block, int lines>
__device__ void subtract(storage<block, lines>& smem, int stage, int first, int row, int quarter) {
    constexpr int vectors = lines / 16; // float4 in a quarter of the lines
    // Columns in one unrolled step: all of them for the next panel, which is urgent.
    constexpr int together = tile_rows == vector ? 8 : panel_rows;
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
                const float4 column = *reinterpret_cast<const float4*>(
                    &smem.below[stage][from + k][row - panel_rows]);
                l[0] = column.x;
                l[1] = column.y;
                l[2] = column.z;
                l[3] = column.w;
            } else {
                static_assert(tile_rows == 2);
                const float2 column = *reinterpret_cast<const float2*>(
                    &smem.below[stage][from + k][row - panel_rows]);
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

// ---- The kernel ---------------------------------------------------------------------------------

// The work of a block of threads.
struct task {
    const float *a, *x;
    float* y;
    int size, lines; // rows of L; lines of X
    float alpha;

    __device__ int panels() const { return (size + panel_rows - 1) / panel_rows; }
};

// Barriers, by number. Both roles wait at `all` for two events, each role in its own code:
//   start     X, the first triangle and its diagonal are in shared memory
//   solved    a panel of X is solved, and the panel of L below its triangle is in shared memory
// The warps that prepare the next panel of X wait at `prepared`.
constexpr int all = 0, prepared = 1;

template <int block, int lines>
__device__ void copy_and_subtract(storage<block, lines>& smem, const triangle_step& p, task t) {
    const int panels = t.panels();
    const auto store_rows = [&](int panel) {
        store_panel(smem, p, t.y, panel * panel_rows, t.size, t.lines, t.alpha == 0);
    };
    if (t.alpha == 0) {
        for (int panel = 0; panel < panels; ++panel)
            store_rows(panel);
        return;
    }
    const block_copy from(p, t.a, t.size);
    const auto copy_triangle = [&](int panel) {
        const int first = panel * panel_rows;
        if (panel < panels)
            from.copy(first, first, smem.triangle[panel % 2][0], panel_rows + vector);
    };
    const auto copy_below = [&](int panel) {
        for (int row = (panel + 1) * panel_rows; row < t.size; row += panel_rows)
            from.copy(row,
                      panel * panel_rows,
                      &smem.below[panel % 2][0][row - panel_rows],
                      storage<block, lines>::rows_below + vector);
    };
    copy_triangle(0);
    cp_async_commit();
    load_lines(smem, p, t.x, t.size, t.lines, t.alpha);
    copy_below(0);
    copy_triangle(1);
    cp_async_commit();
    cp_async_wait<1>();      // the first triangle
    sync_at<all, threads>(); // start
    // Warps that share a scheduler with the solving warp do not subtract: the other six are enough.
    const int lane = threadIdx.x % warp, in_block = threadIdx.x / warp;
    const int rest = in_block - 1 - in_block / 4; // 0 to 5
    static_assert(block / panel_rows - 2 <= copy_threads / warp / 4 * 3);
#pragma unroll 1
    for (int panel = 0;; ++panel) {
        cp_async_wait<0>();
        // solved. The stages of L that are not read below are now free.
        sync_at<all, threads>();
        if (panel + 1 < panels) {
            copy_below(panel + 1);
            copy_triangle(panel + 2);
            cp_async_commit();
        }
        store_rows(panel);
        if (panel + 1 >= panels)
            break;
        // Each warp has a block of 32 rows.
        const int row = (panel + 2) * panel_rows + rest * panel_rows;
        if (in_block % 4 != 0 && row < t.size)
            subtract<vector>(
                smem, panel % 2, panel * panel_rows, row + lane % 8 * vector, lane / 8);
    }
}

template <int block, int lines>
__device__ void solve_and_prepare(storage<block, lines>& smem, const triangle_step& p, task t) {
    if (t.alpha == 0)
        return;
    const int thread = static_cast<int>(threadIdx.x) - copy_threads;
    const int in_block = thread / warp, lane = thread % warp;
    const bool solves = in_block == 0;
    // The lane's diagonal element of the panel at `first`.
    const auto load_diagonal = [&](int first) {
        const int row = first + lane;
        return p.unit || row >= t.size ? 1 : t.a[row * (p.a_row + p.a_col)];
    };
    if (solves)
        write_reciprocal(smem, 0, lane, load_diagonal(0));
    sync_at<all, threads>(); // start
#pragma unroll 1
    for (int first = 0, stage = 0;; first += panel_rows, stage ^= 1) {
        const int next = first + panel_rows;
        float diagonal = 1;
        if (solves) {
            diagonal = load_diagonal(next);
            solve_panel<lines>(smem, stage, first);
            __syncwarp(); // a named barrier counts whole warps
        }
        sync_at<all, threads>(); // solved
        if (next >= t.size)
            break;
        if (solves)
            write_reciprocal(smem, 1 - stage, lane, diagonal);
        subtract<2>(
            smem, stage, first, next + in_block * (panel_rows / 2) + lane % 8 * 2, lane / 8);
        sync_at<prepared, next_threads>();
    }
}

template <int block, int lines>
__global__ void __launch_bounds__(threads, 2) solve_block(triangle_step p, int64_t first_index) {
    storage<block, lines>& smem = dynamic_smem_128<storage<block, lines>>();
    grid_dependency_sync();
    const int64_t index = first_index + blockIdx.z;
    const int64_t first_line = int64_t{blockIdx.x} * lines;
    task t;
    t.alpha = resolve(p.gate) == 0 ? 0 : resolve(p.alpha);
    t.size = static_cast<int>(p.n);
    t.lines = static_cast<int>(min(int64_t{lines}, p.lines - first_line));
    t.y = base_of(p.y, index) + first_line * p.y_across;
    t.a = nullptr;
    t.x = nullptr;
    if (t.alpha != 0) { // otherwise A and X may be null
        t.a = base_of(p.a, index);
        t.x = base_of(p.x, index) + first_line * p.x_across;
    }
    if (threadIdx.x >= copy_threads)
        solve_and_prepare(smem, p, t);
    else
        copy_and_subtract(smem, p, t);
}

template <int block, int lines>
bool has_room(const device_info& device) {
    return sizeof(storage<block, lines>) <= device.smem_per_block;
}

// Shared memory that keeps a second block off the multiprocessor: more than half of it.
template <int block, int lines>
size_t bytes_alone(const device_info& device) {
    return std::max(sizeof(storage<block, lines>), device.smem_per_block / 2 + 1024);
}

template <int block, int lines>
myblasStatus_t launch_solve(const triangle_step& p, const launch_context& context) {
    const int64_t tiles = ceil_div<int64_t>(p.lines, lines);
    if (tiles > max_grid_x)
        return MYBLAS_STATUS_NOT_SUPPORTED; // more lines than fit in a GPU's memory
    // Blocks start while the previous kernel's blocks still run. Multiprocessors become free one
    // after another, and the first of them would take two blocks: 26 us instead of 16 us (256 rows,
    // blocks of 16 lines) on an H200.
    const bool are_few = tiles * p.batch_count <= context.device->sm_count;
    const size_t bytes =
        are_few ? bytes_alone<block, lines>(*context.device) : sizeof(storage<block, lines>);
    for (int64_t first = 0; first < p.batch_count; first += max_grid_z) {
        const dim3 grid(static_cast<unsigned>(tiles),
                        1,
                        static_cast<unsigned>(std::min(p.batch_count - first, max_grid_z)));
        if (const myblasStatus_t failure = launch_clusters(
                solve_block<block, lines>, grid, 1, true, threads, bytes, context, p, first))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

// Calls f.operator()<block, lines>() with the sizes for `rows` and `is_wide`.
template <class F>
myblasStatus_t with_sizes(int64_t rows, bool is_wide, F&& f) {
    if (rows <= 64)
        return is_wide ? f.template operator()<64, 32>() : f.template operator()<64, 16>();
    if (rows <= 128)
        return is_wide ? f.template operator()<128, 32>() : f.template operator()<128, 16>();
    return is_wide ? f.template operator()<256, 32>() : f.template operator()<256, 16>();
}

// Whether each line gets a warp (solve_lines.cu): up to a number of lines of each multiprocessor
// that falls with the order. From 33 rows on, the blocks of solve_block take longer, too. Lines
// across memory take a sector for each element.
bool suits_lines(const triangle_step& p, const device_info& device) {
    constexpr int64_t most_rows = 64;
    const auto order = static_cast<double>(p.n);
    const bool is_across = std::abs(p.y_along) != 1;
    const double most_lines = p.n <= 32 ? (is_across ? 24 - 0.67 * order : 25 - 0.56 * order)
                                        : (is_across ? 13 - 0.15 * order : 13 - 0.1 * order);
    return p.n <= most_rows && p.batch_count == 1 &&
           static_cast<double>(p.lines) <= most_lines * device.sm_count;
}

} // namespace

myblasStatus_t prepare_solve(const device_info& device) {
    const auto prepare = [&]<int block, int lines>() {
        if (!has_room<block, lines>(device))
            return MYBLAS_STATUS_SUCCESS;
        const myblasStatus_t failure =
            allow_smem(solve_block<block, lines>, bytes_alone<block, lines>(device));
        // The products between the solves also prefer shared memory.
        return failure ? failure : prefer_smem(solve_block<block, lines>);
    };
    for (const int64_t rows : {64, 128, 256})
        for (const bool is_wide : {false, true})
            if (const myblasStatus_t failure = with_sizes(rows, is_wide, prepare))
                return failure;
    return prepare_chain(); // for a single line
}

myblasStatus_t solve(const triangle_step& p, const launch_context& context) {
    if (suits_lines(p, *context.device))
        return solve_lines(p, context);
    if (p.n <= panel_rows && p.batch_count > 1)
        return solve_small(p, context);
    if (p.n > most_cuda_solve_block) { // for a single line only
        static_assert(most_chain_rows <= most_chain_order);
        const lower_view triangle{
            p.n, p.a.base + p.a.offset, p.a_row, p.a_col, p.y.base + p.y.offset, p.y_along, p.unit};
        return solve_chain(triangle, p.alpha, p.gate, std::abs(p.a_row) != 1, context);
    }
    // Blocks have 16 lines if each multiprocessor then gets at most one block, or if 32 lines do
    // not fit: compute capability 8.6 has 99 KiB of shared memory. On an H200, 4096 lines of 256
    // rows took 26.0 us in 256 blocks and 23.0 us in 128 blocks.
    const int64_t narrow_tiles = ceil_div<int64_t>(p.lines, 16) * p.batch_count;
    const bool is_wide = narrow_tiles > context.device->sm_count;
    const auto launch_where_it_fits = [&]<int block, int lines>() {
        return has_room<block, lines>(*context.device) ? launch_solve<block, lines>(p, context)
                                                       : launch_solve<block, 16>(p, context);
    };
    return with_sizes(p.n, is_wide, launch_where_it_fits);
}

} // namespace myblas::cuda

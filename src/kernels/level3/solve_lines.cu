// Y = L^-1 * alpha * X for few lines and a triangle L of up to 64 rows (level3/steps.h). A warp
// solves one line, where the warps of solve.cu and solve_small.cu have 16 or 32 lines.
//
// A lane has every 32nd row of the line. Rows are solved in groups of 4: all lanes get the group's
// elements by shuffles, solve the group, and subtract its product with L from their own rows. The
// latency of a shuffle is paid once in 4 rows, and the code is short.
//
// Products are subtracted from an element in the order of columns, each with one rounding: the
// result has the bits of plain substitution, except for the quotients.
//
// Bound: the latency of one load and of dependent rows, about 50 cycles a row on an H200 (solve.cu:
// 80).
// Shared memory: 5 or 18 KiB, L and its diagonal.
// Launch: a warp for each line, 4 in a block; the grid is blocks of lines x 1 x batch.

#include "kernels/common/cp_async.cuh"
#include "kernels/common/fragment.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/level3/batch.cuh"
#include "kernels/level3/registry.h"
#include "kernels/level3/solve_panel.cuh"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int group = 4; // rows

template <int rows>
struct line_shape {
    static constexpr int of_lane = rows / warp; // rows of a lane
    static constexpr int warps = 4;             // of a block: as many lines
    static constexpr int threads = warps * warp;
};

template <int rows>
struct storage {
    // (row, column), zero on the diagonal and above it. The pitch keeps the quads of eight
    // neighbouring rows in different banks.
    alignas(16) float triangle[rows][rows + vector];
    alignas(16) float diagonal[1][rows], reciprocal[1][rows]; // by write_reciprocal
};

// Calls f.operator()<i>() for i from `first` to `end` - 1.
template <int first, int end, class F>
__device__ __forceinline__ void constant_for(F&& f) {
    if constexpr (first < end) {
        f.template operator()<first>();
        constant_for<first + 1, end>(f);
    }
}

// Copies 32 columns of L, from the one at `first` on, and the rows below. Lanes that are neighbours
// in memory copy to different banks.
template <int rows>
__device__ void
copy_columns(storage<rows>& smem, const triangle_step& p, const float* a, int first) {
    constexpr int warps = line_shape<rows>::warps;
    const int lane = threadIdx.x % warp, own_warp = threadIdx.x / warp;
    const int size = static_cast<int>(p.n), count = rows - first; // pieces of 32 elements
    const auto copy = [&](int row, int col) {
        const bool is_there = row < size && col < row;
        cp_async<sizeof(float)>(
            &smem.triangle[row][col], is_there ? a + row * p.a_row + col * p.a_col : a, is_there);
    };
    if (is_along(p.a_row)) { // eight rows of four columns
#pragma unroll 8
        for (int piece = own_warp; piece < count; piece += warps)
            copy(first + piece / 8 * 8 + lane % 8, first + piece % 8 * 4 + lane / 8);
    } else { // a row
#pragma unroll 8
        for (int piece = own_warp; piece < count; piece += warps)
            copy(first + piece, first + lane);
    }
    cp_async_commit();
}

// What a group of rows needs of L.
template <int of_lane>
struct group_of_l {
    float own[of_lane][group]; // the lane's rows, in the group's columns
    float block[group][group]; // the group's rows, in the same columns
    float diagonal[group], reciprocal[group];

    template <int rows>
    __device__ __forceinline__ void read(const storage<rows>& smem, int first, int lane) {
#pragma unroll
        for (int i = 0; i < of_lane; ++i)
            load_quad(own[i], &smem.triangle[rows - (of_lane - i) * warp + lane][first]);
#pragma unroll
        for (int j = 1; j < group; ++j)
            load_quad(block[j], &smem.triangle[first + j][first]);
        load_quad(diagonal, &smem.diagonal[0][first]);
        load_quad(reciprocal, &smem.reciprocal[0][first]);
    }
};

// Solves rows q * 32 to q * 32 + 31 of a line, and subtracts their product with L from the rows
// below. The lane has rows lane + 32 * i. `check` is no longer finite if a quotient is not. A
// group's part of L is read during the group before.
template <int q, bool is_unit, int rows>
__device__ __forceinline__ void
solve_rows(const storage<rows>& smem, float (&x)[rows / warp], int size, float& check) {
    constexpr int of_lane = rows / warp;
    const int lane = threadIdx.x % warp;
    const int count = min(size - q * warp, warp); // rows here, at least 1
    group_of_l<of_lane - q> now, next;
    now.read(smem, q * warp, lane);
#pragma unroll 2
    for (int in_q = 0; in_q < count; in_q += group) {
        next.read(smem, min(q * warp + in_q + group, (q + 1) * warp - group), lane);
        float v[group];
#pragma unroll
        for (int j = 0; j < group; ++j)
            v[j] = __shfl_sync(full_warp, x[q], in_q + j);
#pragma unroll
        for (int j = 0; j < group; ++j) {
#pragma unroll
            for (int i = 0; i < j; ++i)
                v[j] = fmaf(-now.block[j][i], v[i], v[j]);
            if constexpr (!is_unit) {
                const float estimate = v[j] * now.reciprocal[j];
                const float remainder = fmaf(-estimate, now.diagonal[j], v[j]);
                v[j] = fmaf(remainder, now.reciprocal[j], estimate);
                check = fmaf(v[j], 0.0f, check);
            }
        }
#pragma unroll
        for (int i = q; i < of_lane; ++i)
#pragma unroll
            for (int j = 0; j < group; ++j) {
                const float less = fmaf(-now.own[i - q][j], v[j], x[i]);
                x[i] = i > q || lane > in_q + j ? less : lane == in_q + j ? v[j] : x[i];
            }
        now = next;
    }
}

// The same by division. The loop is not unrolled, to keep the code small.
template <int rows>
__device__ void divide_line(const storage<rows>& smem, float (&x)[rows / warp], int size) {
    constexpr int of_lane = rows / warp;
    const int lane = threadIdx.x % warp;
#pragma unroll
    for (int q = 0; q < of_lane; ++q)
#pragma unroll 1
        for (int k = q * warp; k < min((q + 1) * warp, size); ++k) {
            const float quotient = __shfl_sync(full_warp, x[q], k % warp) / smem.diagonal[0][k];
#pragma unroll
            for (int o = q; o < of_lane; ++o) {
                const int row = o * warp + lane;
                if (row > k)
                    x[o] = fmaf(-smem.triangle[row][k], quotient, x[o]);
                else if (row == k)
                    x[o] = quotient;
            }
        }
}

template <int rows>
__global__ void __launch_bounds__(line_shape<rows>::threads)
    solve_lines_kernel(triangle_step p, int64_t first_index) {
    using shape = line_shape<rows>;
    constexpr int of_lane = shape::of_lane;
    __shared__ storage<rows> smem;
    grid_dependency_sync();
    launch_dependents();
    const int64_t index = first_index + blockIdx.z;
    const int64_t line = int64_t{blockIdx.x} * shape::warps + threadIdx.x / warp;
    const int size = static_cast<int>(p.n), own = threadIdx.x, lane = own % warp;
    const bool is_line = line < p.lines;
    const float alpha = resolve(p.gate) == 0 ? 0 : resolve(p.alpha);
    float x[of_lane] = {};
    if (alpha != 0) {
        const float* const a = base_of(p.a, index);
        const float* const source = base_of(p.x, index) + line * p.x_across;
        const auto read = [&] {
#pragma unroll
            for (int i = 0; i < of_lane; ++i) {
                const int row = i * warp + lane;
                x[i] = is_line && row < size ? source[row * p.x_along] : 0;
            }
        };
        const auto scale = [&] {
#pragma unroll
            for (float& value : x)
                value *= alpha;
        };
        const float diagonal = p.unit || own >= size ? 1 : a[own * (p.a_row + p.a_col)];
        read();
#pragma unroll
        for (int q = 0; q < of_lane; ++q)
            copy_columns(smem, p, a, q * warp);
        if (own < rows)
            write_reciprocal(smem, 0, own, diagonal);
        scale();
        float check = 0;
        constant_for<0, of_lane>([&]<int q>() {
            cp_async_wait<of_lane - 1 - q>();
            __syncthreads(); // these columns of L are complete
            if (q * warp >= size)
                return;
            if (p.unit)
                solve_rows<q, true>(smem, x, size, check);
            else
                solve_rows<q, false>(smem, x, size, check);
        });
        if (!isfinite(check)) {
            read();
            scale();
            divide_line(smem, x, size);
        }
    }
    float* const y = base_of(p.y, index) + line * p.y_across;
#pragma unroll
    for (int i = 0; i < of_lane; ++i) {
        const int row = i * warp + lane;
        if (is_line && row < size)
            y[row * p.y_along] = x[i];
    }
}

template <int rows>
myblasStatus_t launch_lines(const triangle_step& p, const launch_context& context) {
    using shape = line_shape<rows>;
    const int64_t blocks = ceil_div<int64_t>(p.lines, shape::warps);
    for (int64_t first = 0; first < p.batch_count; first += max_grid_z) {
        const dim3 grid(static_cast<unsigned>(blocks),
                        1,
                        static_cast<unsigned>(std::min(p.batch_count - first, max_grid_z)));
        if (const myblasStatus_t failure = launch_overlapped(
                solve_lines_kernel<rows>, grid, shape::threads, context, p, first))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

myblasStatus_t solve_lines(const triangle_step& p, const launch_context& context) {
    return p.n <= 32 ? launch_lines<32>(p, context) : launch_lines<64>(p, context);
}

} // namespace myblas::cuda

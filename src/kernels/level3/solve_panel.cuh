// Solves the triangle of a panel with one warp: a lane has one line, with all its rows in
// registers. If there are 16 lines, lanes l and l + 16 have the same one and share the stores.
//
// Storage is a struct in shared memory with
//   solved_rows                             rows of a panel, 16 or 32
//   triangle[stage][column][row]            the panel of L, below its diagonal
//   diagonal[stage], reciprocal[stage]      of the panel of L, written by write_reciprocal
//   x[row][line]
//
// A quotient is computed with the reciprocal and corrected by its remainder, to within an ulp. If a
// diagonal element is near the ends of the range, or a result is not finite, the panel of that line
// is solved again by division. Nothing overflows unless the quotient itself does.
#pragma once

#include "kernels/common/launch.h"

#include <limits>

namespace myblas::cuda {

inline constexpr int warp = 32;
inline constexpr int vector = 4; // floats of a 16-byte access
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// Stores the diagonal element of a row, and its reciprocal, for solve_panel.
template <class Storage>
__device__ void write_reciprocal(Storage& smem, int stage, int row, float value) {
    const bool is_safe = fabsf(value) > 0x1p-100f && fabsf(value) < 0x1p100f;
    smem.diagonal[stage][row] = value;
    smem.reciprocal[stage][row] = is_safe ? 1 / value : not_a_number;
}

// Solves one line of the panel of X at `first` by division. The loops are not unrolled, to keep the
// code small: instructions that run once take longer to fetch than to execute.
template <class Storage>
__device__ void divide_panel(Storage& smem, int stage, int first, int line) {
#pragma unroll 1
    for (int k = 0; k < Storage::solved_rows; ++k) {
        const float quotient = smem.x[first + k][line] / smem.diagonal[stage][k];
        smem.x[first + k][line] = quotient;
#pragma unroll 1
        for (int i = k + 1; i < Storage::solved_rows; ++i)
            smem.x[first + i][line] =
                fmaf(-smem.triangle[stage][k][i], quotient, smem.x[first + i][line]);
    }
}

// Solves the lines of the panel of X at `first`. All lanes of the warp call it.
template <int lines, class Storage>
__device__ void solve_panel(Storage& smem, int stage, int first) {
    constexpr int rows = Storage::solved_rows, parts = warp / lines;
    static_assert(parts == 1 || parts == 2);
    const int lane = threadIdx.x % warp, line = lane % lines, part = lane / lines;
    float x[rows];
    float check = 0; // not finite if a quotient is not
#pragma unroll
    for (int i = 0; i < rows; ++i)
        x[i] = smem.x[first + i][line];
#pragma unroll
    for (int k = 0; k < rows; ++k) {
        float l[rows];
#pragma unroll
        for (int i = (k + 1) / vector * vector; i < rows; i += vector) {
            const float4 quad = *reinterpret_cast<const float4*>(&smem.triangle[stage][k][i]);
            l[i] = quad.x;
            l[i + 1] = quad.y;
            l[i + 2] = quad.z;
            l[i + 3] = quad.w;
        }
        const float divisor = smem.diagonal[stage][k], reciprocal = smem.reciprocal[stage][k];
        const float estimate = x[k] * reciprocal;
        const float remainder = fmaf(-estimate, divisor, x[k]);
        x[k] = fmaf(remainder, reciprocal, estimate);
        check = fmaf(x[k], 0.0f, check);
#pragma unroll
        for (int i = k + 1; i < rows; ++i)
            x[i] = fmaf(-l[i], x[k], x[i]);
    }
    if constexpr (parts == 2)
        __syncwarp(); // both lanes of a line have read it
    if (isfinite(check)) {
        // Lane l + 16 stores the odd quads of rows. The pitch of X keeps the two in other banks.
        constexpr int step = parts * vector;
#pragma unroll
        for (int i = 0; i < rows; i += step)
#pragma unroll
            for (int j = 0; j < vector; ++j)
                smem.x[first + i + part * vector + j][line] =
                    part == 0 ? x[i + j] : x[i + step - vector + j];
    } else if (part == 0) {
        divide_panel(smem, stage, first, line);
    }
}

inline __device__ bool is_along(int64_t stride) { return stride == 1 || stride == -1; }

} // namespace myblas::cuda

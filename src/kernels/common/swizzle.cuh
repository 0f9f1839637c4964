// Placement of short lines in shared memory that gives neither copies nor loads bank conflicts. A
// line is a row of op(A) or a column of op(B).
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// A line has line_floats floats, and each row of 32 floats in shared memory holds row_lines lines.
// The swizzle permutes the quads of a row. Padding instead would let lines cross rows, and a copy
// that crosses a row is written in two steps: a product of 256 cubed TN took 20% longer.
//
// The `lanes` threads that read at the same time, at the same place in their lines, read
// consecutive lines. The copies of one instruction also write consecutive lines or, where a thread
// owns `width` > 1 neighbouring lines, lines that are `lanes` apart. In all of these cases the
// quads are in different banks.
//
// Position, row and swizzle only move bits. If two line numbers have no common bits, the position,
// row or swizzle of their sum is the sum of theirs (for the swizzle, the exclusive or). Hence the
// part of a line number that depends on no thread contributes a constant.
template <int line_floats, int lanes_, int width_>
struct line_swizzle {
    static constexpr int lanes = lanes_, width = width_;
    static constexpr int line_quads = line_floats / 4;
    static constexpr int row_lines = 32 / line_floats;
    static_assert(line_floats == 8 || line_floats == 16 || line_floats == 32);

    static __device__ __forceinline__ constexpr int position(int line) {
        return line / width % lanes + line % width * lanes +
               line / (lanes * width) * (lanes * width);
    }
    // The float at which the row that holds the line begins.
    static __device__ __forceinline__ constexpr int row(int line) {
        return position(line) / row_lines * 32;
    }
    // Combine it by exclusive or with the number of a quad in its line.
    static __device__ __forceinline__ constexpr int swizzle(int line) {
        const int p = position(line);
        return (p % row_lines * line_quads) ^ (p / row_lines % line_quads) ^
               (p / lanes % row_lines * line_quads);
    }
};

} // namespace myblas::cuda

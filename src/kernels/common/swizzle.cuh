// Where short lines lie in shared memory, so that neither copies nor loads of them have bank conflicts.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// Lines of line_floats floats, row_lines of them in each row of 32 floats, the quads of a row changed about by the
// swizzle. Padding instead would let lines cross rows, and a copy that does is written in two steps: a product of
// 256 cubed TN took 20% longer.
//
// The `lanes` threads that read at the same time, at the same place in their lines, read lines that follow one
// another here. The copies of one instruction go to such lines too, or, where a thread owns `width` > 1
// neighbouring lines, to lines `lanes` apart. In all these cases their quads are in different banks.
//
// Position, row and swizzle only move bits: of a sum of lines without common bits they are the sum, for the
// swizzle the exclusive or, of those of each; and what depends on no thread is a constant.
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
    // Float at which the row of a line begins.
    static __device__ __forceinline__ constexpr int row(int line) {
        return position(line) / row_lines * 32;
    }
    // To be combined by exclusive or with a quad's number in its line.
    static __device__ __forceinline__ constexpr int swizzle(int line) {
        const int p = position(line);
        return (p % row_lines * line_quads) ^ (p / row_lines % line_quads) ^
               (p / lanes % row_lines * line_quads);
    }
};

} // namespace myblas::cuda

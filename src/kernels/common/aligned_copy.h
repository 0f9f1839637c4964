// Aligned copies of matrices of floats, for tensor copies (tensor_map.h), which need columns that
// begin at multiples of 16 bytes.
#pragma once

#include "kernels/common/launch.h"
#include "kernels/common/tensor_map.h"

#include <cstddef>
#include <cstdint>

namespace myblas::cuda {

// Floats of a line that a warp copies at once.
inline constexpr int aligned_copy_floats = 8 * 32;

// Copies matrices of `across` lines of `along` elements. Each line is cut into `pieces` pieces.
struct aligned_copy {
    const float* from;
    float* to;
    int64_t ld_from, ld_to;
    int64_t stride_from;
    int along, across;
    int lines;  // of all matrices
    int pieces; // 0: no copy
};

// A matrix that a kernel reads by tensor copies: `across` lines of `along` neighbouring elements. A
// line is the run of elements that are contiguous in memory. In a batch, `matrices` of them, whose
// first elements are `stride` apart; an operand that all products share is one matrix.
struct strided_matrix {
    const float* base; // null: not read
    int64_t along, across, ld;
    int64_t matrices = 1, stride = 0;

    bool is_read() const { return base && along != 0 && across != 0; }
    int64_t aligned_ld() const { return (along + 3) / 4 * 4; }
    int64_t lines() const { return across * matrices; }

    // For boxes of this size.
    tensor_shape shape(int box_along, int box_across, CUtensorMapSwizzle swizzle) const {
        const int64_t batch = matrices > 1 ? matrices : 0;
        return {base, along, across, ld, box_along, box_across, swizzle, batch, stride};
    }

    // Size of the aligned copy. 0 where tensor copies can read the matrix itself.
    size_t copied_bytes() const {
        if (!is_read() || fits_tensor_map(shape(1, 1, CU_TENSOR_MAP_SWIZZLE_NONE)))
            return 0;
        return static_cast<size_t>(aligned_ld()) * static_cast<size_t>(lines()) * sizeof(float);
    }
    // Pieces of all lines of all matrices; 0: no copy.
    int64_t copied_pieces() const {
        return copied_bytes() == 0 ? 0 : lines() * ceil_div<int64_t>(along, aligned_copy_floats);
    }

    // If an aligned copy is needed, this matrix becomes the copy, which lies at `space`.
    aligned_copy use_aligned_copy(std::byte* space) {
        if (copied_bytes() == 0)
            return {};
        float* const to = reinterpret_cast<float*>(space);
        const aligned_copy copy{base,
                                to,
                                ld,
                                aligned_ld(),
                                stride,
                                static_cast<int>(along),
                                static_cast<int>(across),
                                static_cast<int>(lines()),
                                static_cast<int>(copied_pieces() / lines())};
        base = to, ld = copy.ld_to;
        stride = matrices > 1 ? ld * across : 0;
        return copy;
    }
};

} // namespace myblas::cuda

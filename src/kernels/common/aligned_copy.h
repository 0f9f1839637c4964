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

// Copies `across` lines of `along` elements. Each line is cut into `pieces` pieces.
struct aligned_copy {
    const float* from;
    float* to;
    int64_t ld_from, ld_to;
    int along, across;
    int pieces; // 0: no copy
};

// A matrix that a kernel reads by tensor copies: `across` lines of `along` neighbouring elements. A
// line is the run of elements that are contiguous in memory.
struct strided_matrix {
    const float* base; // null: not read
    int64_t along, across, ld;

    bool is_read() const { return base && along != 0 && across != 0; }
    int64_t aligned_ld() const { return (along + 3) / 4 * 4; }

    // Size of the aligned copy. 0 where tensor copies can read the matrix itself.
    size_t copied_bytes() const {
        if (!is_read() || fits_tensor_map(base, along, across, ld))
            return 0;
        return static_cast<size_t>(aligned_ld()) * static_cast<size_t>(across) * sizeof(float);
    }
    int64_t copied_pieces() const { // pieces of a line
        return copied_bytes() == 0 ? 0 : ceil_div<int64_t>(along, aligned_copy_floats);
    }

    // If an aligned copy is needed, this matrix becomes the copy, which lies at `space`.
    aligned_copy use_aligned_copy(std::byte* space) {
        if (copied_bytes() == 0)
            return {};
        const int lines = static_cast<int>(across), length = static_cast<int>(along);
        const int pieces = static_cast<int>(copied_pieces());
        float* const to = reinterpret_cast<float*>(space);
        const aligned_copy copy{base, to, ld, aligned_ld(), length, lines, pieces};
        base = to, ld = copy.ld_to;
        return copy;
    }
};

} // namespace myblas::cuda

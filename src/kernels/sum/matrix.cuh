// Reads for the row and column sums: 16 bytes at a time if the matrix allows it.
#pragma once

#include "core/problem.h"
#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

// Whether every column can be read by aligned vectors.
inline bool has_aligned_columns(const gemsum_problem& p) {
    return p.lda % 4 == 0 && reinterpret_cast<uintptr_t>(p.a) % 16 == 0;
}

// Loads `width` elements down a column. Only `left` elements exist; the others are zero. A width of
// 4 needs alignment.
template <int width>
__device__ void load_part(float (&value)[width], const float* a, int64_t left) {
    static_assert(width == 1 || width == 4);
    if constexpr (width == 4) {
        if (left >= 4) {
            const float4 v = __ldcs(reinterpret_cast<const float4*>(a));
            value[0] = v.x, value[1] = v.y, value[2] = v.z, value[3] = v.w;
            return;
        }
    }
#pragma unroll
    for (int c = 0; c < width; ++c)
        value[c] = c < left ? __ldcs(a + c) : 0;
}

} // namespace myblas::cuda

// Arrays of floats in registers: loads of neighbouring floats, and sums of products.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// Four neighbouring floats, aligned to 16 bytes.
__device__ __forceinline__ void load_quad(float* x, const float* from) {
    const float4 v = *reinterpret_cast<const float4*>(from);
    x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
}

__device__ __forceinline__ void add_quad(float4& sum, const float4& value) {
    sum.x += value.x, sum.y += value.y, sum.z += value.z, sum.w += value.w;
}

// `width` neighbouring floats, 1, 2 or 4, which one instruction loads.
template <int width>
struct float_piece {
    float x[width];

    // Stores zeroes if not `inside`. `source` must be readable in either case.
    __device__ __forceinline__ void load(const float* source, bool inside = true) {
        if constexpr (width == 4) {
            load_quad(x, source);
        } else if constexpr (width == 2) {
            const float2 v = *reinterpret_cast<const float2*>(source);
            x[0] = v.x, x[1] = v.y;
        } else {
            x[0] = *source;
        }
#pragma unroll
        for (float& value : x)
            value = inside ? value : 0;
    }
};

// clear: acc = 0. add_product: acc[c][r] += a[r] b[c].
template <int cols, int rows>
__device__ __forceinline__ void clear(float (&acc)[cols][rows]) {
#pragma unroll
    for (int c = 0; c < cols; ++c)
#pragma unroll
        for (int r = 0; r < rows; ++r)
            acc[c][r] = 0;
}

template <int cols, int rows>
__device__ __forceinline__ void
add_product(float (&acc)[cols][rows], const float (&a)[rows], const float (&b)[cols]) {
#pragma unroll
    for (int c = 0; c < cols; ++c)
#pragma unroll
        for (int r = 0; r < rows; ++r)
            acc[c][r] = fmaf(a[r], b[c], acc[c][r]);
}

} // namespace myblas::cuda

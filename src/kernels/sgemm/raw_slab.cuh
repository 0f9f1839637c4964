// Slabs of an operand with k along memory as they are copied, before their transposition.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// Where smem[line][kk] has a quad of k: lines 4 i ... 4 i + 3 of odd i are swapped in pairs, and the quads
// of every other eight lines. With that neither the copies nor the loads of a transposition in blocks of 4 x 4
// have bank conflicts.
template <int block_k>
__device__ __forceinline__ int raw_offset(int line, int k_quad) {
    return (line ^ line / 4 % 2) * block_k + (k_quad ^ line / 8 % 2 * 2) * 4;
}

// Four quads of k of neighbouring lines to smem[kk][line].
template <int pitch>
__device__ __forceinline__ void store_transposed(float* target, const float4 (&block)[4]) {
    const auto put = [&](int k, float a, float b, float c, float d) {
        *reinterpret_cast<float4*>(target + k * pitch) = make_float4(a, b, c, d);
    };
    put(0, block[0].x, block[1].x, block[2].x, block[3].x);
    put(1, block[0].y, block[1].y, block[2].y, block[3].y);
    put(2, block[0].z, block[1].z, block[2].z, block[3].z);
    put(3, block[0].w, block[1].w, block[2].w, block[3].w);
}

} // namespace myblas::cuda

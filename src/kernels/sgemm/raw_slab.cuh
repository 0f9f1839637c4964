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

} // namespace myblas::cuda

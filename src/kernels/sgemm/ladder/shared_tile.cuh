// The block tile of rungs 5 and 6: 32 x 32 elements of C, one for each thread, and slabs of 32 k in
// shared memory. A line is a row of op(A) or a column of op(B).
#pragma once

#include "kernels/sgemm/components/operands.cuh"

namespace myblas::cuda::shared_tile {

constexpr int block = 32; // block_m, block_n and block_k
constexpr int threads = block * block;

struct storage {
    float a[block][block + 1]; // [kk][i], padded: transposed stores go to 32 different banks
    float b[block][block + 1]; // [kk][j]
};

// smem[kk][line] = 32 lines x 32 k of an operand, zero outside of the operand.
template <bool k_contiguous>
__device__ __forceinline__ void load_slab(float (*smem)[block + 1],
                                          const float* gmem,
                                          int64_t ld,
                                          int64_t first_line,
                                          int64_t lines,
                                          int64_t first_k,
                                          int64_t k) {
    const int fast = threadIdx.x % block, slow = threadIdx.x / block; // fast runs along memory
    const int line = k_contiguous ? slow : fast;
    const int kk = k_contiguous ? fast : slow;
    const int64_t l = first_line + line, g = first_k + kk;
    smem[kk][line] = l < lines && g < k ? gmem[k_contiguous ? g + l * ld : l + g * ld] : 0.0f;
}

// Computes one tile of C, one element a thread. Each step of the loop over kk is an outer product:
// the block adds a column of A times a row of B to its tile.
template <bool transa, bool transb>
__device__ __forceinline__ void compute(const sgemm_problem& p,
                                        const sgemm_operands& o,
                                        int64_t tile_row,
                                        int64_t tile_col,
                                        storage& smem) {
    const int i = threadIdx.x % block, j = threadIdx.x / block;
    float acc = 0;
    // docs/ladder.md
    for (int64_t first_k = 0; first_k < o.k; first_k += block) {
        load_slab<transa>(smem.a, o.a, p.lda, tile_row, p.m, first_k, o.k);
        load_slab<!transb>(smem.b, o.b, p.ldb, tile_col, p.n, first_k, o.k);
        __syncthreads(); // the slab is complete before it is read
#pragma unroll
        for (int kk = 0; kk < block; ++kk)
            acc = fmaf(smem.a[kk][i], smem.b[kk][j], acc);
        __syncthreads(); // all threads have read the slab before it is overwritten
    }
    if (tile_row + i < p.m && tile_col + j < p.n)
        store_c(&o.c[tile_row + i + (tile_col + j) * p.ldc], o.alpha, acc, o.beta);
}

} // namespace myblas::cuda::shared_tile

// The block tile of rungs 7 to 10: 128 x 128 elements of C, slabs of 8 k, and several rows and
// columns for each thread. A line is a row of op(A) or a column of op(B).
#pragma once

#include "kernels/sgemm/components/operands.cuh"

namespace myblas::cuda::register_tile {

constexpr int block_m = 128, block_n = 128, block_k = 8;
static_assert(block_m == block_n, "load_slab serves both operands");

// Padded by 4. When k runs along memory, a warp stores 8 k x 4 lines; with the padding they fall
// into 32 different banks. Rows stay aligned to 16 bytes.
constexpr int pitch = block_m + 4;

struct storage {
    float a[block_k][pitch]; // [kk][i]
    float b[block_k][pitch]; // [kk][j]
};

// smem[kk][line] = 128 lines x 8 k of an operand, zero outside of the operand.
template <int threads, bool k_contiguous>
__device__ __forceinline__ void load_slab(float (*smem)[pitch],
                                          const float* gmem,
                                          int64_t ld,
                                          int64_t first_line,
                                          int64_t lines,
                                          int64_t first_k,
                                          int64_t k) {
#pragma unroll 2
    for (int u = threadIdx.x; u < block_m * block_k; u += threads) {
        const int line = k_contiguous ? u / block_k : u % block_m;
        const int kk = k_contiguous ? u % block_k : u / block_m;
        const int64_t l = first_line + line, g = first_k + kk;
        smem[kk][line] = l < lines && g < k ? gmem[k_contiguous ? g + l * ld : l + g * ld] : 0.0f;
    }
}

// The lines of a thread: `count` of them, in groups of `contiguous` lines. Groups are `distance`
// apart.
struct thread_lines {
    int count, contiguous, distance;

    // The threads along a side of the block tile.
    __host__ __device__ constexpr int threads() const { return block_m / count; }

    // The first line of a thread, and the distance from there to its line e.
    __device__ constexpr int first(int thread) const { return thread * contiguous; }
    __device__ constexpr int offset(int e) const {
        return e / contiguous * distance + e % contiguous;
    }
};

// Computes the block's tile of C. A thread has the same lines of op(A) and of op(B).
template <thread_lines lines, bool transa, bool transb>
__device__ __forceinline__ void compute(const sgemm_problem& p, int64_t batch, storage& smem) {
    constexpr int count = lines.count, side = lines.threads(), threads = side * side;
    const sgemm_operands o = resolve_operands(p, batch);
    const auto [tile_row, tile_col] = column_order<block_m, block_n>(blockIdx.x, p.m);
    const int i = lines.first(threadIdx.x % side), j = lines.first(threadIdx.x / side);

    float acc[count][count] = {}; // [column][row]
    // docs/ladder.md
    for (int64_t first_k = 0; first_k < o.k; first_k += block_k) {
        load_slab<threads, transa>(smem.a, o.a, p.lda, tile_row, p.m, first_k, o.k);
        load_slab<threads, !transb>(smem.b, o.b, p.ldb, tile_col, p.n, first_k, o.k);
        __syncthreads(); // the slab is complete before it is read
#pragma unroll
        for (int kk = 0; kk < block_k; ++kk) {
            float frag_a[count], frag_b[count];
#pragma unroll
            for (int e = 0; e < count; ++e) {
                frag_a[e] = smem.a[kk][i + lines.offset(e)];
                frag_b[e] = smem.b[kk][j + lines.offset(e)];
            }
            add_product(acc, frag_a, frag_b);
        }
        __syncthreads(); // all threads have read the slab before it is overwritten
    }

#pragma unroll
    for (int c = 0; c < count; ++c)
#pragma unroll
        for (int r = 0; r < count; ++r) {
            const int64_t row = tile_row + i + lines.offset(r);
            const int64_t col = tile_col + j + lines.offset(c);
            if (row < p.m && col < p.n)
                store_c(&o.c[row + col * p.ldc], o.alpha, acc[c][r], o.beta);
        }
}

} // namespace myblas::cuda::register_tile

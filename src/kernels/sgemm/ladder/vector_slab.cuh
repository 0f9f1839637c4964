// What rungs 11 to 14 share: block tiles of 128 x 128, and slabs of 8 k that 256 threads move to
// shared memory, four floats a thread. A line is a row of op(A) or a column of op(B).
#pragma once

#include "kernels/sgemm/components/operands.cuh"

namespace myblas::cuda::vector_slab {

constexpr int block = 128; // block_m and block_n
constexpr int block_k = 8;
constexpr int threads = 256;
constexpr int pitch = block + 4; // keeps rows aligned, and transposed stores free of bank conflicts
static_assert(block * block_k == threads * 4, "one quad a thread");

// The warp tiles of rungs 12 to 14. A thread has 4 x 4 elements in each quadrant of the warp tile.
constexpr int warp_m = 32, warp_n = 64;
constexpr int quadrant_m = warp_m / 2, quadrant_n = warp_n / 2;
static_assert(block / warp_m * (block / warp_n) * 32 == threads);

// This thread's quad of a slab: four neighbouring floats in memory, which are four lines at one k,
// or four k of one line (k_contiguous). A quad goes to shared memory through registers, which can
// transpose it. A rung can put arithmetic between the load and the store.
template <bool k_contiguous, bool vector>
struct quad {
    int line, kk;      // of the quad's first element, inside the slab
    const float* gmem; // the quad's first element
    int64_t slab_step; // floats from one slab to the next
    int lines_left;    // from `line` to the operand's end, at most 4, may be <= 0
    float value[4];

    __device__ quad(const float* base, int64_t ld, int64_t first_line, int64_t lines) {
        const int thread = threadIdx.x;
        line = k_contiguous ? thread / 2 : thread % 32 * 4;
        kk = k_contiguous ? thread % 2 * 4 : thread / 32;
        const int64_t left = lines - (first_line + line);
        lines_left = left < 4 ? static_cast<int>(left) : 4;
        gmem = base + (k_contiguous ? kk + (first_line + line) * ld : first_line + line + kk * ld);
        slab_step = k_contiguous ? block_k : block_k * ld;
    }

    // Loads from global memory into registers and moves on to the next slab. k_left counts from the
    // slab's first k.
    __device__ __forceinline__ void load(int64_t k_left) {
        const int64_t left = k_left - kk;
        const int valid = k_contiguous
                              ? (lines_left > 0 ? (left < 4 ? static_cast<int>(left) : 4) : 0)
                              : (left > 0 ? lines_left : 0);
        if (vector && valid == 4) {
            load_quad(value, gmem);
        } else {
#pragma unroll
            for (int e = 0; e < 4; ++e)
                value[e] = e < valid ? gmem[e] : 0.0f;
        }
        gmem += slab_step;
    }

    // Stores registers to smem[kk][line].
    __device__ __forceinline__ void store(float (*smem)[pitch]) const {
        if constexpr (k_contiguous) {
#pragma unroll
            for (int e = 0; e < 4; ++e)
                smem[kk + e][line] = value[e];
        } else {
            *reinterpret_cast<float4*>(&smem[kk][line]) =
                make_float4(value[0], value[1], value[2], value[3]);
        }
    }
};

// A thread's 8 x 8 elements of C: two quads of rows, distance_m apart, times two quads of columns,
// distance_n apart.
template <int distance_m, int distance_n>
struct fragment {
    float a[2][4]; // [group][row]
    float b[8];    // columns, group after group

    using accumulators = float[8][2][4]; // [column][group][row]

    __device__ __forceinline__ void load(const float* smem_a, const float* smem_b) {
#pragma unroll
        for (int g = 0; g < 2; ++g) {
            load_quad(a[g], smem_a + g * distance_m);
            load_quad(b + 4 * g, smem_b + g * distance_n);
        }
    }

    __device__ __forceinline__ void add_product(accumulators& acc) const {
#pragma unroll
        for (int c = 0; c < 8; ++c)
#pragma unroll
            for (int r = 0; r < 8; ++r)
                acc[c][r / 4][r % 4] = fmaf(a[r / 4][r % 4], b[c], acc[c][r / 4][r % 4]);
    }

    // (i, j) is the thread's first element in the tile.
    static __device__ __forceinline__ void store(const sgemm_problem& p,
                                                 const sgemm_operands& o,
                                                 int64_t tile_row,
                                                 int64_t tile_col,
                                                 int i,
                                                 int j,
                                                 const accumulators& acc) {
        const bool vector = aligned16(o.c, p.ldc);
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            const int64_t col = tile_col + j + c / 4 * distance_n + c % 4;
            if (col < p.n)
#pragma unroll
                for (int g = 0; g < 2; ++g) {
                    const int64_t row = tile_row + i + g * distance_m;
                    store_c4(
                        &o.c[row + col * p.ldc], o.alpha, acc[c][g], o.beta, p.m - row, vector);
                }
        }
    }
};

} // namespace myblas::cuda::vector_slab

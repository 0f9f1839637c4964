// FP32 operands as sums of slices of 16 bits, for the tensor cores: how a number is cut, and where the
// slices lie.
//
// k is cut into chunks of 32. The 32 elements of a row of A (a column of B) in a chunk share a scale, a
// power of two that brings the largest of them to [2^top, 2^(top + 1)). What is cut is x / scale.
//
// Rows are packed in panels of 128, padded with zeroes, k along memory whatever the transposition:
//
//   slices  [chunk][panel][slice][128 rows][32 k] of 16 bits; 64 bytes a row, in the 64-byte swizzle of
//           wgmma, so that a panel of a chunk is one contiguous copy to shared memory
//   scales  [chunk][panel][128 rows] floats
#pragma once

#include "kernels/sgemm/operands.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace myblas::cuda {

inline constexpr int chunk_k = 32;
inline constexpr int panel_rows = 128;
inline constexpr int slice_bytes = panel_rows * chunk_k * 2; // of a panel in a chunk
inline constexpr int piece_k = 8;                            // k of 16 bytes
inline constexpr int row_pieces = chunk_k / piece_k;

// Byte of piece j of a row inside a slice of a panel.
__device__ __forceinline__ int piece_offset(int row, int j) {
    return row * (chunk_k * 2) + (j ^ row / 2 % 4) * 16;
}

// A product of slice `a` of A and slice `b` of B; slices are counted from the most significant.
struct slice_product {
    int a, b;
};

template <int count_>
struct slice_products {
    static constexpr int count = count_;
    slice_product of[count];
};

// x = hi + lo, 11 bits each and a sign: 2^-23 |x| is lost at most, as long as lo is not subnormal, that is
// down to 2^-17 of the chunk's largest. lo * lo, at most 2^-22 |a b|, is left out.
struct fp16x3 {
    using slice = __half;
    static constexpr int slices = 2;
    static constexpr bool is_exact = false;
    static constexpr int top = 14; // the highest that leaves room to round up
    static constexpr slice_products<3> products{{{1, 0}, {0, 1}, {0, 0}}};

    // Returns what is lost.
    static __device__ __forceinline__ float cut(float x, slice (&s)[slices]) {
        s[0] = __float2half_rn(x);
        x -= __half2float(s[0]);
        s[1] = __float2half_rn(x);
        return x - __half2float(s[1]);
    }
};

// x = hi + mid + lo, 8 bits each and two signs: nothing is lost down to 2^-100 of the chunk's largest. The
// products left out are at most 2^-24 |a b| together, to first order.
struct bf16x6 {
    using slice = __nv_bfloat16;
    static constexpr int slices = 3;
    static constexpr bool is_exact = true;
    static constexpr int top = 0;
    static constexpr slice_products<6> products{{{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}}};

    static __device__ __forceinline__ float cut(float x, slice (&s)[slices]) {
        s[0] = __float2bfloat16_rn(x);
        x -= __bfloat162float(s[0]);
        s[1] = __float2bfloat16_rn(x);
        x -= __bfloat162float(s[1]);
        s[2] = __float2bfloat16_rn(x);
        return x - __bfloat162float(s[2]);
    }
};

// ---- Which kernel computes -----------------------------------------------------------------------

// Of a pass; every launch that may be needed is made, and the kernels whose turn it is not end at once.
enum route : unsigned { route_fp16x3, route_bf16x6, route_strict };

template <class Scheme>
inline constexpr route route_of = route_fp16x3;
template <>
inline constexpr route route_of<bf16x6> = route_bf16x6;

// fp16x3: an element that loses this much of itself is lossy. More than so many of them in the 32 of a
// row's chunk, or in the 4096 of a panel's, and the fallback computes.
inline constexpr float largest_loss = 0x1p-21f;
inline constexpr int max_lossy_of_row = 2;
inline constexpr int max_lossy_of_panel = 4;

// bf16x6: smaller elements, after scaling, lose bits; the strict kernel computes.
inline constexpr float smallest_exact = 0x1p-100f;

// What the packing kernels tell the product kernels, which leave zeroes: the highest vote for a route, and
// of the largest elements of the chunks of A and of B, the greatest biased exponent and no_exponent less
// the smallest.
enum slice_counter {
    vote_of_blocks,
    greatest_of_a,
    smallest_of_a,
    greatest_of_b,
    smallest_of_b,
    finished_blocks,
    slice_counters
};

inline constexpr int exponent_bias = 127;
inline constexpr int no_exponent = 256;

// The exponents of an operand's chunks.
struct exponent_range {
    int low, high;
    bool is_empty;

    __device__ exponent_range(const unsigned* counters)
        : low(no_exponent - static_cast<int>(counters[1]) - exponent_bias),
          high(static_cast<int>(counters[0]) - exponent_bias), is_empty(counters[1] == 0) {}
    // Neither subnormal nor Inf or NaN.
    __device__ bool is_normal() const {
        return is_empty || (low > -exponent_bias && high <= exponent_bias);
    }
};

// The route of a pass over k elements. Sums must not overflow where those of the strict kernel would not,
// and products of scales must not underflow.
__device__ __forceinline__ route decide(const unsigned* counters, route wanted, int64_t k) {
    const exponent_range a(counters + greatest_of_a), b(counters + greatest_of_b);
    const int highest = 124 - (64 - __clzll(k)), lowest = -120;
    if (!a.is_normal() || !b.is_normal())
        return route_strict;
    if (!a.is_empty && !b.is_empty && (a.high + b.high > highest || a.low + b.low < lowest))
        return route_strict;
    const unsigned vote = counters[vote_of_blocks];
    return vote > wanted ? static_cast<route>(vote) : wanted;
}

// ---- Passes --------------------------------------------------------------------------------------

// The part of a batch that is packed and multiplied at once. Where the slices of the whole operands do not
// fit the workspace, a call is several passes; those over a later k add to C.
struct slice_pass {
    int64_t first_batch, batches;
    int64_t row, rows; // of C; row is a multiple of any tile
    int64_t col, cols;
    int64_t first_k, k;
    int panels_a, panels_b; // of one product of the batch
    int chunks;
};

struct packed_operand {
    char* slices;
    float* scales;
};

struct packed_pass {
    packed_operand a, b;
    route* taken;       // by the first product kernel, then by that of the fallback
    bool is_fallback;   // of an earlier product kernel, and to end at once if that has run
    unsigned* counters; // slice_counter
};

} // namespace myblas::cuda

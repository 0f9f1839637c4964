// FP32 operands as sums of slices of 16 bits, for the tensor cores: how a number is cut, and where the
// slices lie.
//
// A line is a row of A or a column of B; k is cut into chunks of 32, and a part is what 32 neighbouring lines
// have in a chunk. What is cut is x / (scale of the part * scale of the line): powers of two. The scale of a
// line, at most 1, is what a sample shows it to be smaller than others of its 32; that of a part brings the
// largest of it to [2^top, 2^(top + 1)). So matrices of any row and column scaling use their slices well,
// while the product kernel has few scales to apply: those of lines but once, when C is written.
//
// Lines are packed in panels of 128, padded with zeroes, k along memory whatever the transposition:
//
//   slices       [group][chunk][panel][slice][128 lines][32 k] of 16 bits; 64 bytes a line, in the 64-byte
//                swizzle of wgmma, so that a panel of a chunk is one contiguous copy to shared memory
//   part_scales  [group][chunk][panel][4 parts] floats
//   line_scales  [panel][128 lines] floats
//   samples      [panel][4 parts][8] words, of lines l, l + 8, l + 16 and l + 24 a byte each: the biased exponent of the
//                largest that was sampled; by strips, for strips (slice_strips.cuh)
//
// A group is 16 panels, of the last one perhaps fewer: what is read at the same time, and next, lies on few pages.
#pragma once

#include "kernels/sgemm/parts/operands.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace myblas::cuda {

inline constexpr int chunk_k = 32;
inline constexpr int panel_rows = 128;
inline constexpr int part_rows = 32;
inline constexpr int panel_parts = panel_rows / part_rows;
inline constexpr int part_samples = part_rows / 4;           // words
inline constexpr int slice_bytes = panel_rows * chunk_k * 2; // of a panel in a chunk
inline constexpr int piece_k = 8;                            // k of 16 bytes
inline constexpr int row_pieces = chunk_k / piece_k;

// threadIdx.x, as if it were unknown: what follows from it is computed where it is needed, and takes no
// registers through the loops over chunks, which have none to spare.
__device__ __forceinline__ unsigned fresh_thread() {
    unsigned thread = threadIdx.x;
    asm volatile("" : "+r"(thread));
    return thread;
}

// Byte of piece j of a row inside a slice of a panel.
__device__ __forceinline__ int piece_offset(int row, int j) {
    return row * (chunk_k * 2) + (j ^ row / 2 % 4) * 16;
}

// Panels of chunks that lie before a panel of a chunk, where an operand has `panels` in all. (No memory holds 2^31.)
__device__ __forceinline__ unsigned
panel_place(unsigned panel, unsigned panels, unsigned chunk, unsigned chunks) {
    constexpr unsigned group_panels = 16;
    const unsigned first = panel / group_panels * group_panels;
    return first * chunks + chunk * min(panels - first, group_panels) + (panel - first);
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

__device__ __forceinline__ uint32_t pair_bits(__half2 x) { return reinterpret_cast<uint32_t&>(x); }
__device__ __forceinline__ uint32_t pair_bits(__nv_bfloat162 x) {
    return reinterpret_cast<uint32_t&>(x);
}

// x = hi + lo, 11 bits each and a sign: 2^-23 |x| is lost at most, as long as lo is not subnormal, that is
// down to 2^-17 of the part's largest, lines scaled. lo * lo, at most 2^-22 |a b|, is left out.
struct fp16x3 {
    using slice = __half;
    static constexpr int slices = 2;
    static constexpr bool is_exact = false;
    static constexpr int top = 14; // the highest that leaves room to round up
    static constexpr float sure_down_to =
        0x1p-4f; // what is larger, scaled, loses less than largest_loss
    static constexpr slice_products<3> products{{{1, 0}, {0, 1}, {0, 0}}};

    // The most significant slice of two neighbours, and what it leaves of them.
    static __device__ __forceinline__ uint32_t cut(float2& x) {
        const __half2 s = __float22half2_rn(x);
        const float2 held = __half22float2(s);
        x = make_float2(x.x - held.x, x.y - held.y);
        return pair_bits(s);
    }
};

// x = hi + mid + lo, 8 bits each and two signs: nothing is lost down to smallest_exact, 2^-86 of the part's
// largest. The products left out are at most 2^-24 |a b| together, to first order.
struct bf16x6 {
    using slice = __nv_bfloat16;
    static constexpr int slices = 3;
    static constexpr bool is_exact = true;
    static constexpr int top = 36;
    static constexpr float sure_down_to = 0x1p-50f; // what is larger, scaled, is held exactly
    static constexpr slice_products<6> products{{{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}}};

    static __device__ __forceinline__ uint32_t cut(float2& x) {
        const __nv_bfloat162 s = __float22bfloat162_rn(x);
        const float2 held = __bfloat1622float2(s);
        x = make_float2(x.x - held.x, x.y - held.y);
        return pair_bits(s);
    }
};

// ---- Which kernel computes -----------------------------------------------------------------------

// Of a pass; all launches that may be needed are made (is_alone: nothing behind the product), and the kernels whose
// turn it is not end at once.
enum route : unsigned { route_fp16x3, route_bf16x6, route_strict };

template <class Scheme>
inline constexpr route route_of = route_fp16x3;
template <>
inline constexpr route route_of<bf16x6> = route_bf16x6;

// fp16x3: an element that loses this much of itself is lossy. More than so many of them in the 32 of a
// line's chunk, or in the 1024 of a part, and the fallback computes; also where a line could hold numbers
// 2^max_headroom times as large as any that it is known to have.
inline constexpr float largest_loss = 0x1p-21f;
inline constexpr int max_lossy_of_line = 2;
inline constexpr int max_lossy_of_part = 4;
inline constexpr int max_headroom = 6;
// bf16x6: where an element is smaller, after scaling, the strict kernel computes. The products of two that
// are not are at least 2^-100, and of their slices none matters that is subnormal: even if the tensor core took
// all of these for zero, that would be 12 times 2^-126, 3 roundings of 2^-100.
inline constexpr float smallest_exact = bf16x6::sure_down_to;

// Exponents of the largest that a part may hold; beyond, the fallback computes. That keeps scales and factors
// within the range of normal floats.
template <class Scheme>
inline constexpr int least_exponent = Scheme::top - 126;
inline constexpr int greatest_exponent = 112;
inline constexpr int least_line_exponent = -96; // of a line's scale

// What the packing kernels tell the product kernels, which leave zeroes: the highest vote for a route, and
// of the parts of A and of B the greatest biased exponent, and no_exponent less the smallest.
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

// The exponents of an operand's parts.
struct exponent_range {
    int low, high;
    bool is_empty;

    __device__ exponent_range(const unsigned* counters)
        : low(no_exponent - static_cast<int>(counters[1]) - exponent_bias),
          high(static_cast<int>(counters[0]) - exponent_bias), is_empty(counters[1] == 0) {}
};

// Of a part of A and one of B together: so that sums do not overflow where those of a strict kernel would not,
// and that the product of the scales, a power of two, is at least the smallest subnormal.
__device__ __forceinline__ int greatest_sum(int64_t k) { return 124 - (64 - __clzll(k)); }
template <class Scheme>
inline constexpr int least_sum = 2 * Scheme::top - 148;

// The route of a pass over k elements that was packed for this scheme: where exponents are beyond their limits,
// it is the other one.
template <class Scheme>
__device__ __forceinline__ route decide(const unsigned* counters, int64_t k, route other) {
    const exponent_range a(counters + greatest_of_a), b(counters + greatest_of_b);
    unsigned taken = max(counters[vote_of_blocks], static_cast<unsigned>(route_of<Scheme>));
    if (!a.is_empty && !b.is_empty &&
        (a.high + b.high > greatest_sum(k) || a.low + b.low < least_sum<Scheme>))
        taken = max(taken, static_cast<unsigned>(other));
    return static_cast<route>(taken);
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
    float* part_scales;
    float* line_scales;
    unsigned* samples;
};

struct packed_pass {
    packed_operand a, b;
    route* taken;       // by the first product kernel, then by that of the fallback
    route other;        // to be taken where the slices lose too much
    bool is_fallback;   // of an earlier product kernel, and to end at once if that has run
    bool is_alone;      // nothing is launched behind: what multiplies also computes route_strict
    unsigned* counters; // slice_counter
};

} // namespace myblas::cuda

// FP32 operands as sums of 16-bit limbs, for the tensor cores: how a float is split, where the
// limbs lie, and the checks for operands that limbs cannot hold. The bounds are derived in
// docs/emulation.md. Line, panel, chunk and cell are defined in schedule.h.
//
// A float is divided by the scale of its cell and by the scale of its line, then split. Both scales
// are powers of two. The scale of a line is at most 1: according to a sample, the line's largest
// element divided by the largest of its 32 lines. The scale of a cell brings the cell's largest
// element to [2^top, 2^(top + 1)). Matrices with any scaling of rows and columns then use their
// limbs well. The product kernel has few scales to apply, and the scales of lines only once, when C
// is written.
//
// Panels are padded with zeroes. k runs along memory for every transposition:
//
//   limbs        [stack][chunk][panel][limb][128 lines][32 k] of 16 bits; 64 bytes a line, in the
//                64-byte swizzle of wgmma, so a panel of a chunk is one contiguous copy to shared
//                memory
//   cell_scales  [stack][chunk][panel][4 cells] floats
//   lossy        the same of records of the elements that fp16 limbs cannot hold, for emulated mode
//                (lossy.cuh)
//   line_scales  [panel][128 lines] floats
//   samples      [panel][4 cells][8] words, with a byte each for lines l, l + 8, l + 16 and l + 24:
//                the biased exponent of the largest sampled element; written and read only by
//                strips (strips.cuh)
//
// A stack is 16 panels, fewer at the end, so that data that is read together, or next, lies on few
// pages.
#pragma once

#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/tensor/schedule.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace myblas::cuda {

inline constexpr int piece_k = 8; // k in 16 bytes
inline constexpr int line_pieces = chunk_k / piece_k;
inline constexpr int line_bytes = chunk_k * 2; // of one limb of a line in a chunk

// The number of panels of chunks that lie before this panel of this chunk. The operand has `panels`
// panels. (No memory holds 2^31 of them.)
__device__ __forceinline__ unsigned
panel_place(unsigned panel, unsigned panels, unsigned chunk, unsigned chunks) {
    constexpr unsigned stack_panels = 16;
    const unsigned first = panel / stack_panels * stack_panels;
    return first * chunks + chunk * min(panels - first, stack_panels) + (panel - first);
}

// ---- Schemes ------------------------------------------------------------------------------------

// Limb `a` of A times limb `b` of B. Limbs are counted from the most significant one.
struct limb_pair {
    int a, b;
};

template <int count_>
struct limb_pairs {
    static constexpr int count = count_;
    limb_pair of[count];
};

__device__ __forceinline__ uint32_t pair_bits(__half2 x) { return reinterpret_cast<uint32_t&>(x); }
__device__ __forceinline__ uint32_t pair_bits(__nv_bfloat162 x) {
    return reinterpret_cast<uint32_t&>(x);
}

// x = hi + lo, with 11 bits and a sign each. At most 2^-23 |x| is lost if lo is not subnormal, that
// is for elements down to 2^-17 of the cell's largest, after the scaling of lines. The product
// lo * lo, at most 2^-22 |a b|, is left out.
struct fp16x3 {
    using limb = __half;
    static constexpr int limbs = 2;
    static constexpr bool is_exact = false, corrects = false;
    static constexpr int top = 14; // the highest one that leaves room to round up
    // A scaled element larger than this loses less than largest_loss.
    static constexpr float sure_down_to = 0x1p-4f;
    static constexpr limb_pairs<3> pairs{{{1, 0}, {0, 1}, {0, 0}}};

    // Subtracts the most significant limbs from two neighbouring floats, and returns these limbs.
    static __device__ __forceinline__ uint32_t take_limb(float2& x) {
        const __half2 limb = __float22half2_rn(x);
        const float2 held = __half22float2(limb);
        x = make_float2(x.x - held.x, x.y - held.y);
        return pair_bits(limb);
    }
};

// The same for emulated mode: the product corrects lossy elements (lossy.cuh).
struct corrected_fp16x3 : fp16x3 {
    static constexpr bool corrects = true;
};

// x = hi + mid + lo, with 8 bits each and two signs: nothing is lost down to 2^-86 of the cell's
// largest. The products that are left out are at most 2^-24 |a b| together, to first order.
struct bf16x6 {
    using limb = __nv_bfloat16;
    static constexpr int limbs = 3;
    static constexpr bool is_exact = true, corrects = false;
    static constexpr int top = 36;
    // A scaled element larger than this is held exactly; for smaller ones the strict kernel
    // computes. Products of two elements of at least this size are at least 2^-100, and subnormal
    // products of their limbs do not matter. Even if the tensor core took all of them as zero, the
    // error would be 12 times 2^-126, which is 3 roundings of 2^-100.
    static constexpr float sure_down_to = 0x1p-50f;
    static constexpr limb_pairs<6> pairs{{{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}}};

    static __device__ __forceinline__ uint32_t take_limb(float2& x) {
        const __nv_bfloat162 limb = __float22bfloat162_rn(x);
        const float2 held = __bfloat1622float2(limb);
        x = make_float2(x.x - held.x, x.y - held.y);
        return pair_bits(limb);
    }
};

// ---- Precision paths ----------------------------------------------------------------------------

// The precision path of a pass. Every kernel that may be needed is launched. A kernel that is not
// needed exits immediately.
enum precision_path : unsigned { path_fp16x3, path_bf16x6, path_strict };

template <class Scheme>
inline constexpr precision_path path_of = Scheme::is_exact ? path_bf16x6 : path_fp16x3;

// fp16x3: an element that loses this much of itself is lossy. The fallback computes if a line of a
// chunk, or a cell, has more lossy elements than these limits. In fast mode, the fallback also
// computes if a line has room for numbers 2^max_headroom times its largest known element. In
// emulated mode, the product corrects lossy elements (lossy.cuh), and the fallback computes if a
// pass has too many of them.
inline constexpr float largest_loss = 0x1p-21f;
inline constexpr int max_lossy_of_line = 2;
inline constexpr int max_lossy_of_cell = 3;
inline constexpr int max_headroom = 6;

// Limits of the exponent of a cell's largest element; beyond them the fallback computes. The limits
// keep scales and factors in the range of normal floats.
template <class Scheme>
inline constexpr int least_exponent = Scheme::top - 126;
inline constexpr int greatest_exponent = 112;
inline constexpr int least_line_exponent = -96; // of a line's scale

// Limits of the sum of the exponents of a cell of A and a cell of B. The upper limit ensures that
// sums do not overflow unless a strict kernel's sums would. The lower limit ensures that the
// product of the scales, a power of two, is at least the smallest subnormal.
__device__ __forceinline__ int greatest_sum(int64_t k) { return 124 - (64 - __clzll(k)); }
template <class Scheme>
inline constexpr int least_sum = 2 * Scheme::top - 148;

inline constexpr int exponent_bias = 127;
inline constexpr int no_exponent = 256;

// The range of the exponents of an operand's cells.
struct exponent_range {
    int low, high;
    bool is_empty;

    __device__ exponent_range(const unsigned* counters)
        : low(no_exponent - static_cast<int>(counters[1]) - exponent_bias),
          high(static_cast<int>(counters[0]) - exponent_bias), is_empty(counters[1] == 0) {}
};

// The precision path of a pass over k elements that was packed for this scheme: `other` if
// exponents exceed their limits.
template <class Scheme>
__device__ __forceinline__ precision_path decide(const unsigned* counters,
                                                 int64_t k,
                                                 precision_path other) {
    const exponent_range a(counters + greatest_of_a), b(counters + greatest_of_b);
    unsigned taken = max(counters[request_of_blocks], static_cast<unsigned>(path_of<Scheme>));
    if (!a.is_empty && !b.is_empty &&
        (a.high + b.high > greatest_sum(k) || a.low + b.low < least_sum<Scheme>))
        taken = max(taken, static_cast<unsigned>(other));
    return static_cast<precision_path>(taken);
}

// ---- Packed operands ----------------------------------------------------------------------------

struct packed_operand {
    char* limbs;
    float* cell_scales;
    float* line_scales;
    unsigned* samples;
};

struct packed_pass {
    packed_operand a, b;
    precision_path* taken;       // path of the product kernel, for the fallback
    precision_path other;        // the path if the limbs lose too much
    bool has_no_fallback_launch; // no launch follows; the product kernel computes path_strict, too
    int64_t lossy_distance;      // in floats, from the scale of a cell to its record
    unsigned most_listed;        // lossy elements; with more, the fallback computes
    unsigned* counters;          // see pass_counter
};

// The lossy elements of a cell: their number in the two highest bits, and the place of each,
// line * chunk_k + k, in 10 bits, from the lowest bits on.
__device__ __forceinline__ int lossy_count(lossy_record record) {
    return static_cast<int>(record >> 30);
}
__device__ __forceinline__ unsigned lossy_place(lossy_record record, int i) {
    return record >> 10 * i & 0x3ff;
}
__device__ __forceinline__ lossy_record add_to_record(lossy_record record, unsigned place) {
    static_assert(max_lossy_of_cell == 3 && cell_lines * chunk_k == 1 << 10);
    return (record | place << 10 * lossy_count(record)) + (1u << 30);
}

// A tile of the pass: its product in the batch, and its place in the panels of C.
struct pass_tile {
    int batch, panel_a, panel_b;
};

// The parameters of every kernel of a pass.
struct pass_job {
    const sgemm_problem& p;
    const limb_pass& pass;
    const packed_pass& packed;
};

} // namespace myblas::cuda

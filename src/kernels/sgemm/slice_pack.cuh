// Cuts the operands of a pass into slices and scales (slices.cuh), and finds what the slices cannot hold.
//
// A warp packs the 32 lines of some parts, one part after the other. Each lane reads, in quads along memory,
// and cuts 4 pieces of 8 k, each of another line: where lines run along memory, the transposition takes place
// inside a lane. Scales of lines come from 16 elements of each, from 4 places along k, which every warp that
// packs the lines reads again: from the L2 cache.
// Bound: bytes, 4 read and 2 per slice written for each element.
#pragma once

#include "kernels/common/overlap.h"
#include "kernels/sgemm/slices.cuh"

namespace myblas::cuda {

inline constexpr int pack_threads = 128;
inline constexpr int pack_warps = pack_threads / 32;
inline constexpr int pack_blocks_per_sm = 4;

struct pack_plan {
    int strip; // parts of a warp, before it goes on to other lines
    int blocks_a, blocks_b;
};

// Four neighbouring floats; with `partial` only the first `valid` are read, and the others zero.
template <bool partial>
__device__ __forceinline__ float4 load_4(const float* x, int64_t valid) {
    if constexpr (!partial)
        return __ldcs(reinterpret_cast<const float4*>(x));
    float4 v;
    v.x = valid > 0 ? x[0] : 0;
    v.y = valid > 1 ? x[1] : 0;
    v.z = valid > 2 ? x[2] : 0;
    v.w = valid > 3 ? x[3] : 0;
    return v;
}

// Over the 4 lanes that share a line, `step` apart.
template <int step>
__device__ __forceinline__ unsigned line_max(unsigned value) {
    value = max(value, __shfl_xor_sync(0xffffffffu, value, step));
    return max(value, __shfl_xor_sync(0xffffffffu, value, 2 * step));
}
template <int step>
__device__ __forceinline__ int line_sum(int value) {
    value += __shfl_xor_sync(0xffffffffu, value, step);
    return value + __shfl_xor_sync(0xffffffffu, value, 2 * step);
}

__device__ __forceinline__ float power_of_two(int exponent) { // of a normal float
    return __int_as_float((exponent + exponent_bias) << 23);
}

// What a thread has seen of its operand, with exponents biased.
struct findings {
    int greatest = 0, smallest = no_exponent;
    unsigned vote = route_fp16x3;
};

// Neighbours along k.
template <int length>
struct lane_piece {
    float of[length];
};

// Elements of 4 lines that a lane holds, `length` of k each. Lanes that share a line are `step` apart, and
// the lines of a lane line_step.
template <bool k_contiguous, int length>
struct lane_elements {
    static constexpr int lines = 4;
    static constexpr int step = k_contiguous ? 1 : 8, line_step = k_contiguous ? 8 : 1;
    lane_piece<length> of_line[lines];

    // x is the lane's first element; from there on the operand has `rows` lines and `k`.
    template <bool partial>
    __device__ __forceinline__ void load(const float* x, int64_t ld, int64_t rows, int64_t k) {
        if constexpr (k_contiguous) {
#pragma unroll
            for (int r = 0; r < lines; ++r)
#pragma unroll
                for (int e = 0; e < length; e += 4) {
                    const int i = r * line_step;
                    const float4 v = load_4<partial>(x + e + i * ld, i < rows ? k - e : 0);
                    of_line[r].of[e] = v.x, of_line[r].of[e + 1] = v.y;
                    of_line[r].of[e + 2] = v.z, of_line[r].of[e + 3] = v.w;
                }
        } else {
#pragma unroll
            for (int e = 0; e < length; ++e) {
                const float4 v = load_4<partial>(x + e * ld, e < k ? rows : 0);
                of_line[0].of[e] = v.x, of_line[1].of[e] = v.y;
                of_line[2].of[e] = v.z, of_line[3].of[e] = v.w;
            }
        }
    }

    __device__ __forceinline__ const lane_piece<length>& piece(int r) const { return of_line[r]; }
};

// NaN if one of them is. PTX ISA, "Floating Point Instructions: max".
__device__ __forceinline__ float max_or_nan(float a, float b) {
    float greater;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(a), "f"(b));
    return greater;
}

// The bits of the largest magnitude of a line of which the lane has x, over the lanes that share it.
template <int step, int length>
__device__ __forceinline__ unsigned largest_of_line(const lane_piece<length>& x) {
    float magnitude = 0;
#pragma unroll
    for (int e = 0; e < length; ++e)
        magnitude = max_or_nan(magnitude, fabsf(x.of[e]));
    return line_max<step>(__float_as_uint(magnitude));
}

// Cuts one piece of a line. Returns whether all of it is large enough to be sure that nothing is lost.
template <class Scheme>
__device__ __forceinline__ bool
pack_piece(const lane_piece<piece_k>& x, float factor, char* target) {
    uint32_t words[Scheme::slices][piece_k / 2];
    float smallest = Scheme::sure_down_to;
#pragma unroll
    for (int w = 0; w < piece_k / 2; ++w) {
        float2 left = make_float2(x.of[2 * w] * factor, x.of[2 * w + 1] * factor);
        smallest = fminf(smallest, fminf(fabsf(left.x), fabsf(left.y)));
#pragma unroll
        for (int i = 0; i < Scheme::slices; ++i)
            words[i][w] = Scheme::cut(left);
    }
#pragma unroll
    for (int i = 0; i < Scheme::slices; ++i)
        *reinterpret_cast<uint4*>(target + i * slice_bytes) =
            make_uint4(words[i][0], words[i][1], words[i][2], words[i][3]);
    return smallest == Scheme::sure_down_to;
}

// How many elements of a piece lose too much.
template <class Scheme>
__device__ __forceinline__ int count_lossy(const lane_piece<piece_k>& x, float factor) {
    int lossy = 0;
#pragma unroll
    for (int e = 0; e < piece_k; e += 2) {
        const float2 scaled = make_float2(x.of[e] * factor, x.of[e + 1] * factor);
        float2 left = scaled;
        if constexpr (Scheme::is_exact) {
            lossy += x.of[e] != 0 && fabsf(scaled.x) < Scheme::sure_down_to;
            lossy += x.of[e + 1] != 0 && fabsf(scaled.y) < Scheme::sure_down_to;
        } else {
#pragma unroll
            for (int i = 0; i < Scheme::slices; ++i)
                Scheme::cut(left);
            lossy += x.of[e] != 0 && fabsf(left.x) >= largest_loss * fabsf(scaled.x);
            lossy += x.of[e + 1] != 0 && fabsf(left.y) >= largest_loss * fabsf(scaled.y);
        }
    }
    return lossy;
}

// Where a lane's elements of a part lie: its first line among the 32, and its piece of k.
template <bool k_contiguous>
struct lane_place {
    int line, j;

    __device__ __forceinline__ lane_place() {
        using elements = lane_elements<k_contiguous, piece_k>;
        const int lane = fresh_thread() % 32;
        line = k_contiguous ? lane / row_pieces : lane % 8 * elements::lines;
        j = lane / elements::step % row_pieces;
    }
};

// What a warp reads: 32 lines, of which `lines` are left from the lane's first on, and k elements of each.
struct line_source {
    const float* x; // the lane's first line, at k = 0
    int64_t ld, k_stride;
    int lines, k;
    bool vector; // quads are whole and aligned
};

// What samples tell of a lane's lines: biased exponents of their largest, and of that of all 32 lines.
struct line_exponents {
    unsigned of_lines; // a byte each
    int greatest;

    __device__ __forceinline__ int sampled(int r) const { return of_lines >> 8 * r & 0xff; }
    __device__ __forceinline__ int scale(int r) const {
        return sampled(r) == 0 ? 0 : max(sampled(r) - greatest, least_line_exponent);
    }
};

// Of 16 elements of each line, from 4 places along k.
template <bool k_contiguous>
__device__ __forceinline__ line_exponents sample_lines(const line_source& source, int j) {
    line_exponents lines{};
    const int64_t k = int64_t{max(source.k - 4, 0)} * j / (row_pieces - 1) / 4 * 4;
    using elements = lane_elements<k_contiguous, 4>;
    elements sample;
    if (source.vector && source.k >= 4)
        sample.template load<false>(source.x + k * source.k_stride, source.ld, 0, 0);
    else
        sample.template load<true>(
            source.x + k * source.k_stride, source.ld, source.lines, source.k - k);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        lines.of_lines |= largest_of_line<elements::step>(sample.piece(r)) >> 23 << 8 * r;
        lines.greatest = max(lines.greatest, lines.sampled(r));
    }
    lines.greatest = __reduce_max_sync(0xffffffffu, lines.greatest);
    return lines;
}

// The lane's elements of a chunk.
template <bool k_contiguous>
__device__ __forceinline__ lane_elements<k_contiguous, piece_k>
load_part(const line_source& source, int64_t chunk, int j) {
    const int64_t k = chunk * chunk_k + j * piece_k;
    const float* x = source.x + k * source.k_stride;
    lane_elements<k_contiguous, piece_k> own;
    if (source.vector && (chunk + 1) * chunk_k <= source.k)
        own.template load<false>(x, source.ld, 0, 0);
    else
        own.template load<true>(x, source.ld, source.lines, source.k - k);
    return own;
}

// Cuts a part. `line` is the lane's first in the panel whose slices are the target. Returns the part's scale.
template <class Scheme, class Elements>
__device__ __forceinline__ float cut_part(const Elements& own,
                                          const line_exponents& lines,
                                          int line,
                                          int j,
                                          char* slices,
                                          route fallback,
                                          findings& found) {
    unsigned largest[Elements::lines];
    int exponent = 0; // of the part, biased
#pragma unroll
    for (int r = 0; r < Elements::lines; ++r) {
        largest[r] = largest_of_line<Elements::step>(own.piece(r));
        if (largest[r] != 0)
            exponent = max(exponent, static_cast<int>(largest[r] >> 23) - lines.scale(r));
    }
    exponent = __reduce_max_sync(0xffffffffu, exponent);
    constexpr int lowest = exponent_bias + least_exponent<Scheme>;
    constexpr int highest = exponent_bias + greatest_exponent;
    const bool is_empty =
        __all_sync(0xffffffffu, (largest[0] | largest[1] | largest[2] | largest[3]) == 0);
    if (!is_empty && (exponent < lowest || exponent > highest))
        found.vote = fallback;
    exponent = min(max(exponent, lowest), highest);
    if (!is_empty) {
        found.greatest = max(found.greatest, exponent);
        found.smallest = min(found.smallest, exponent);
    }

    unsigned factors = 0; // biased exponents, a byte a line, of what makes the most of the slices
#pragma unroll
    for (int r = 0; r < Elements::lines; ++r) {
        const int room = exponent + lines.scale(r); // for what the line could hold
        const int shift = Scheme::top + exponent_bias - room;
        const int known = max(static_cast<int>(largest[r] >> 23), lines.sampled(r));
        if (largest[r] != 0 &&
            (shift > exponent_bias || (!Scheme::is_exact && room - known > max_headroom)))
            found.vote = fallback;
        factors |= (min(shift, exponent_bias) + exponent_bias) << 8 * r;
    }
    asm volatile("" : "+r"(factors)); // all that is kept of the lines
    const auto factor = [&](int r) { return __uint_as_float((factors >> 8 * r & 0xff) << 23); };
    char* const first = slices + piece_offset(line, j);
    const auto target = [&](int r) { // swizzles repeat every 8 lines
        return Elements::line_step % 8 == 0
                   ? first + r * Elements::line_step * (chunk_k * 2)
                   : slices + piece_offset(line + r * Elements::line_step, j);
    };
    bool is_sure = true;
#pragma unroll
    for (int r = 0; r < Elements::lines; ++r) {
        is_sure &= pack_piece<Scheme>(own.piece(r), factor(r), target(r));
        __syncwarp(); // one after the other, for want of registers
    }
    if (!__all_sync(0xffffffffu, is_sure)) { // for zeroes, too
        asm volatile("" : "+r"(factors));    // nothing need be kept for what is rare
        int lossy = 0;
#pragma unroll
        for (int r = 0; r < Elements::lines; ++r) {
            const int own_lossy = count_lossy<Scheme>(own.piece(r), factor(r));
            if (line_sum<Elements::step>(own_lossy) > (Scheme::is_exact ? 0 : max_lossy_of_line))
                found.vote = fallback;
            lossy += own_lossy;
        }
        if (__reduce_add_sync(0xffffffffu, lossy) > (Scheme::is_exact ? 0 : max_lossy_of_part))
            found.vote = fallback;
    }
    return power_of_two(exponent - exponent_bias - Scheme::top);
}

// An operand of the pass: `lines` of each product, stored with leading dimension ld.
struct pack_source {
    bool is_a;
    int panels; // of one product
    int64_t first_line, lines, ld;
    packed_operand target;
};

// The warp's strips, `first` and each `stride`th after it.
template <class Scheme, bool k_contiguous>
__device__ __forceinline__ void pack_strips(const sgemm_problem& p,
                                            const slice_pass& pass,
                                            const pack_source& source,
                                            unsigned strip_parts,
                                            unsigned first,
                                            unsigned stride,
                                            route fallback,
                                            findings& found) {
    const lane_place<k_contiguous> lane;
    const unsigned all_panels = static_cast<unsigned>(pass.batches) * source.panels;
    const unsigned groups = all_panels * panel_parts, chunks = pass.chunks;
    // Warps that run side by side read side by side: along k, the parts of a strip are pack_warps apart.
    const unsigned chunk_step = k_contiguous ? pack_warps : 1;
    const unsigned span = strip_parts * chunk_step;
    const unsigned spans = ceil_div(chunks, span);
    for (unsigned strip = first; strip < groups * spans * chunk_step; strip += stride) {
        const unsigned group = k_contiguous ? strip / (spans * chunk_step) : strip % groups;
        const unsigned place = k_contiguous ? strip % (spans * chunk_step) : strip / groups;
        const unsigned first_chunk = place / chunk_step * span + place % chunk_step;
        const unsigned last_chunk = min((place / chunk_step + 1) * span, chunks);
        const unsigned panel = group / panel_parts, part = group % panel_parts;
        const int line = static_cast<int>(part) * part_rows + lane.line; // of the panel
        const int64_t panel_line = int64_t{panel % source.panels} * panel_rows;
        const sgemm_operands o = resolve_operands(p, pass.first_batch + panel / source.panels);
        const float* base = source.is_a ? o.a : o.b;
        line_source lines;
        lines.ld = source.ld;
        lines.k_stride = k_contiguous ? 1 : source.ld;
        lines.lines = static_cast<int>(source.lines - panel_line - line);
        lines.k = static_cast<int>(pass.k);
        lines.vector =
            aligned16(base, source.ld) && panel_line + line - lane.line + part_rows <= source.lines;
        lines.x = base + pass.first_k * lines.k_stride +
                  (source.first_line + panel_line + line) * (k_contiguous ? source.ld : 1);

        const line_exponents exponents = sample_lines<k_contiguous>(lines, lane.j);
        if (first_chunk == 0 && lane.j == 0) {
            constexpr int step = lane_elements<k_contiguous, piece_k>::line_step;
#pragma unroll
            for (int r = 0; r < 4; ++r)
                source.target.line_scales[panel * panel_rows + line + r * step] =
                    power_of_two(exponents.scale(r));
        }
        for (unsigned chunk = first_chunk; chunk < last_chunk; chunk += chunk_step) {
            const int64_t at = panel_place(panel, all_panels, chunk, chunks);
            const float scale =
                cut_part<Scheme>(load_part<k_contiguous>(lines, chunk, lane.j),
                                 exponents,
                                 line,
                                 lane.j,
                                 source.target.slices + at * (Scheme::slices * slice_bytes),
                                 fallback,
                                 found);
            if (threadIdx.x % 32 == 0)
                source.target.part_scales[at * panel_parts + part] = scale;
        }
    }
}

template <class Scheme>
__global__ void __launch_bounds__(pack_threads, pack_blocks_per_sm) pack_kernel(
    const sgemm_problem p, const slice_pass pass, const pack_plan plan, const packed_pass packed) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) // as the product kernel, which alone reads what is packed
    wait_for_earlier_work();
    let_next_kernel_come();
    if (packed.is_fallback && *packed.taken != route_of<Scheme>)
        return;
    if (resolve_operands(p, 0).k == 0)
        return; // the slices are not read, and nothing is found
    __shared__ int smem_greatest, smem_smallest;
    __shared__ unsigned smem_vote;
    const bool is_a = static_cast<int>(blockIdx.x) < plan.blocks_a;
    // What other blocks have told so far, which this one need not repeat.
    volatile unsigned* told = packed.counters + (is_a ? greatest_of_a : greatest_of_b);
    int told_greatest = 0, told_smallest = 0;
    if (threadIdx.x == 0) {
        told_greatest = told[0];
        told_smallest = told[1];
        smem_greatest = 0;
        smem_smallest = no_exponent;
        smem_vote = route_fp16x3;
    }
    __syncthreads(); // shared memory is initialised

    const int blocks = is_a ? plan.blocks_a : plan.blocks_b;
    const int block = is_a ? blockIdx.x : blockIdx.x - plan.blocks_a;
    const int first = block * pack_warps + threadIdx.x / 32, stride = blocks * pack_warps;
    pack_source source;
    source.is_a = is_a;
    source.panels = is_a ? pass.panels_a : pass.panels_b;
    source.first_line = is_a ? pass.row : pass.col;
    source.lines = is_a ? pass.rows : pass.cols;
    source.ld = is_a ? p.lda : p.ldb;
    source.target = is_a ? packed.a : packed.b;
    findings found;
    if (is_a ? p.transa : !p.transb)
        pack_strips<Scheme, true>(p, pass, source, plan.strip, first, stride, packed.other, found);
    else
        pack_strips<Scheme, false>(p, pass, source, plan.strip, first, stride, packed.other, found);

    const int greatest = __reduce_max_sync(0xffffffffu, found.greatest);
    const int smallest = __reduce_min_sync(0xffffffffu, found.smallest);
    const unsigned vote = __reduce_max_sync(0xffffffffu, found.vote);
    if (threadIdx.x % 32 == 0) {
        atomicMax(&smem_greatest, greatest);
        atomicMin(&smem_smallest, smallest);
        if (vote)
            atomicMax(&smem_vote, vote);
    }
    __syncthreads(); // the block's findings are complete
    if (threadIdx.x != 0)
        return;
    unsigned* tell = packed.counters + (is_a ? greatest_of_a : greatest_of_b);
    if (smem_greatest > told_greatest)
        atomicMax(&tell[0], smem_greatest);
    if (no_exponent - smem_smallest > told_smallest)
        atomicMax(&tell[1], no_exponent - smem_smallest);
    if (smem_vote)
        atomicMax(&packed.counters[vote_of_blocks], smem_vote);
#endif
}

} // namespace myblas::cuda

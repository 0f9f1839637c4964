// Cuts the operands of a pass into slices and scales (slices.cuh), and finds what the slices cannot hold.
//
// A block packs one panel of 128 rows over a few chunks of k. Where k runs along memory, 4 threads read the
// 32 elements of a row; where rows do, a chunk is transposed through shared memory.
// Bound: bytes, 4 read and 2 per slice written for each element.
// Shared memory: 16 KiB for a chunk, and the block's findings.
#pragma once

#include "kernels/sgemm/slices.cuh"

namespace myblas::cuda {

inline constexpr int pack_threads = 256;
inline constexpr int max_pack_chunks = 4; // of a block

struct pack_plan {
    int chunks; // of a block
    int blocks_a, blocks_b;
};

// Four neighbouring floats, of which the first `valid` are to be read; zeroes instead of the others.
__device__ __forceinline__ float4 load_up_to_4(const float* x, int64_t valid, bool vector) {
    if (vector && valid >= 4)
        return *reinterpret_cast<const float4*>(x);
    float4 v = make_float4(0, 0, 0, 0);
    if (valid > 0)
        v.x = x[0];
    if (valid > 1)
        v.y = x[1];
    if (valid > 2)
        v.z = x[2];
    if (valid > 3)
        v.w = x[3];
    return v;
}

// Over the 4 threads that share a row.
__device__ __forceinline__ unsigned row_max(unsigned value) {
    value = max(value, __shfl_xor_sync(0xffffffffu, value, 1));
    return max(value, __shfl_xor_sync(0xffffffffu, value, 2));
}
__device__ __forceinline__ int row_sum(int value) {
    value += __shfl_xor_sync(0xffffffffu, value, 1);
    return value + __shfl_xor_sync(0xffffffffu, value, 2);
}

__device__ __forceinline__ uint16_t slice_bits(__half x) { return __half_as_ushort(x); }
__device__ __forceinline__ uint16_t slice_bits(__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }

__device__ __forceinline__ float power_of_two(int exponent) { // of a normal float
    return __int_as_float((exponent + exponent_bias) << 23);
}

// What a thread has seen of its operand, with exponents biased.
struct findings {
    int greatest = 0, smallest = no_exponent;
    unsigned vote = route_fp16x3;
};

// Cuts one piece of a row, which 4 neighbouring threads share. Returns how many elements of the row's chunk
// lose too much.
template <class Scheme>
__device__ __forceinline__ int pack_piece(
    const float (&x)[piece_k], int row, int j, char* slices, float* scales, findings& found) {
    unsigned magnitude = 0;
#pragma unroll
    for (int e = 0; e < piece_k; ++e)
        magnitude = max(magnitude, __float_as_uint(x[e]) & 0x7fffffffu);
    magnitude = row_max(magnitude);
    const int exponent = static_cast<int>(magnitude >> 23);
    if (magnitude != 0) {
        found.greatest = max(found.greatest, exponent);
        found.smallest = min(found.smallest, exponent);
    }
    // In two steps, as one power of two may be beyond float's. Subnormal, Inf and NaN do not come out
    // right: the strict kernel computes then.
    const int shift = magnitude == 0 ? 0 : Scheme::top + exponent_bias - exponent;
    const int half = shift / 2;
    const float step = power_of_two(half), last_step = power_of_two(shift - half);
    if (j == 0)
        scales[row] = power_of_two(-half) * power_of_two(half - shift);

    typename Scheme::slice s[piece_k][Scheme::slices];
    int lossy = 0;
#pragma unroll
    for (int e = 0; e < piece_k; ++e) {
        const float scaled = x[e] * step * last_step;
        const float lost = Scheme::cut(scaled, s[e]);
        if constexpr (Scheme::is_exact) {
            if (x[e] != 0 && fabsf(scaled) < smallest_exact)
                found.vote = route_strict;
        } else {
            lossy += x[e] != 0 && !(fabsf(lost) < largest_loss * fabsf(scaled));
        }
    }
#pragma unroll
    for (int i = 0; i < Scheme::slices; ++i) {
        uint32_t words[piece_k / 2];
#pragma unroll
        for (int w = 0; w < piece_k / 2; ++w)
            words[w] = slice_bits(s[2 * w][i]) | uint32_t{slice_bits(s[2 * w + 1][i])} << 16;
        *reinterpret_cast<uint4*>(slices + i * slice_bytes + piece_offset(row, j)) =
            make_uint4(words[0], words[1], words[2], words[3]);
    }
    return Scheme::is_exact ? 0 : row_sum(lossy);
}

// What is packed: `lines` and `k` are what the operand has from the panel's first row and the pass's first
// k on; x is the element there. Successive chunks of the panel lie chunk_stride panels apart.
struct panel {
    const float* x;
    int64_t ld, lines, k;
    char* slices;
    float* scales;
    int64_t chunk_stride;
};

template <class Scheme, bool k_contiguous>
__device__ __forceinline__ void pack_panel(const panel& p,
                                           int first_chunk,
                                           int last_chunk,
                                           route fallback,
                                           int* smem_lossy,
                                           findings& found) {
    constexpr int row_step = pack_threads / row_pieces;
    constexpr int quads = panel_rows / 4;
    __shared__ float4 smem[k_contiguous ? 1 : chunk_k * quads];
    const bool vector = aligned16(p.x, p.ld);
    const int j = threadIdx.x % row_pieces;
    for (int chunk = first_chunk; chunk < last_chunk; ++chunk) {
        const int64_t k_left = p.k - int64_t{chunk} * chunk_k;
        if constexpr (!k_contiguous) {
            // Quad q of k lies at quad q ^ 2 (k / 8), so that the 4 threads of 8 rows read 32 banks.
            constexpr int k_step = pack_threads / quads;
            const int quad = threadIdx.x % quads;
#pragma unroll
            for (int r = 0; r < chunk_k / k_step; ++r) {
                const int kk = threadIdx.x / quads + r * k_step;
                smem[kk * quads + (quad ^ kk / piece_k * 2)] =
                    load_up_to_4(p.x + 4 * quad + (int64_t{chunk} * chunk_k + kk) * p.ld,
                                 kk < k_left ? p.lines - 4 * quad : 0,
                                 vector);
            }
            __syncthreads(); // the chunk is in shared memory
        }
        const int64_t at = chunk * p.chunk_stride;
        int lossy = 0;
#pragma unroll
        for (int r = 0; r < panel_rows / row_step; ++r) {
            const int row = threadIdx.x / row_pieces + r * row_step;
            float piece[piece_k];
            if constexpr (k_contiguous) {
#pragma unroll
                for (int e = 0; e < piece_k; e += 4) {
                    const int kk = j * piece_k + e;
                    const float4 v = load_up_to_4(p.x + int64_t{chunk} * chunk_k + kk + row * p.ld,
                                                  row < p.lines ? k_left - kk : 0,
                                                  vector);
                    piece[e] = v.x, piece[e + 1] = v.y, piece[e + 2] = v.z, piece[e + 3] = v.w;
                }
            } else {
                const float* column = reinterpret_cast<const float*>(smem) + (row ^ j * piece_k);
#pragma unroll
                for (int e = 0; e < piece_k; ++e)
                    piece[e] = column[(j * piece_k + e) * panel_rows];
            }
            const int row_lossy = pack_piece<Scheme>(piece,
                                                     row,
                                                     j,
                                                     p.slices + at * (Scheme::slices * slice_bytes),
                                                     p.scales + at * panel_rows,
                                                     found);
            if (row_lossy > max_lossy_of_row)
                found.vote = fallback;
            lossy += row_lossy;
        }
        if (lossy && j == 0)
            atomicAdd(&smem_lossy[chunk - first_chunk], lossy);
        if constexpr (!k_contiguous)
            __syncthreads(); // the chunk has been read
    }
}

template <class Scheme>
__global__ void __launch_bounds__(pack_threads) pack_kernel(const sgemm_problem p,
                                                            const slice_pass pass,
                                                            const pack_plan plan,
                                                            const packed_pass packed,
                                                            route fallback) {
    if (packed.is_fallback && *packed.taken != route_of<Scheme>)
        return;
    const sgemm_operands o = resolve_operands(p, 0);
    if (o.k == 0)
        return; // the slices are not read, and nothing is found
    __shared__ int smem_lossy[max_pack_chunks], smem_greatest, smem_smallest;
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
    if (threadIdx.x < max_pack_chunks)
        smem_lossy[threadIdx.x] = 0;
    __syncthreads(); // shared memory is initialised

    const int panels = is_a ? pass.panels_a : pass.panels_b;
    const int block = is_a ? blockIdx.x : blockIdx.x - plan.blocks_a;
    const int all_panels = panels * static_cast<int>(pass.batches);
    const int at = block % all_panels, first_chunk = block / all_panels * plan.chunks;
    const int last_chunk = min(first_chunk + plan.chunks, pass.chunks);
    const int64_t line = (is_a ? pass.row : pass.col) + int64_t{at % panels} * panel_rows;
    const sgemm_operands product = resolve_operands(p, pass.first_batch + at / panels);
    const packed_operand& target = is_a ? packed.a : packed.b;
    panel source;
    source.x = is_a ? product.a : product.b;
    source.ld = is_a ? p.lda : p.ldb;
    source.lines = (is_a ? pass.row + pass.rows : pass.col + pass.cols) - line;
    source.k = pass.k;
    source.slices = target.slices + int64_t{at} * (Scheme::slices * slice_bytes);
    source.scales = target.scales + int64_t{at} * panel_rows;
    source.chunk_stride = all_panels;

    findings found;
    if (is_a ? p.transa : !p.transb) {
        source.x += pass.first_k + line * source.ld;
        pack_panel<Scheme, true>(source, first_chunk, last_chunk, fallback, smem_lossy, found);
    } else {
        source.x += line + pass.first_k * source.ld;
        pack_panel<Scheme, false>(source, first_chunk, last_chunk, fallback, smem_lossy, found);
    }

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
    unsigned last_vote = smem_vote;
    for (int i = 0; i < max_pack_chunks; ++i)
        if (smem_lossy[i] > max_lossy_of_panel)
            last_vote = max(last_vote, static_cast<unsigned>(fallback));
    unsigned* tell = packed.counters + (is_a ? greatest_of_a : greatest_of_b);
    if (smem_greatest > told_greatest)
        atomicMax(&tell[0], smem_greatest);
    if (no_exponent - smem_smallest > told_smallest)
        atomicMax(&tell[1], no_exponent - smem_smallest);
    if (last_vote)
        atomicMax(&packed.counters[vote_of_blocks], last_vote);
}

} // namespace myblas::cuda

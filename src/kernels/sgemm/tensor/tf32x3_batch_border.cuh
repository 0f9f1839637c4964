// The border of a product of tf32x3_batch: a few last rows or columns, on the FP32 units. In tiles
// of the tensor cores they would take as long as 64 rows: 197 x 197 has 16 tiles of 64 x 64, but
// only 9 whole ones.
//
// A strip is the border times 16 lines of the other operand (a line is a row of op(A) or a column
// of op(B)). A warp computes it from global memory, without a barrier. Most of its time it waits
// for loads, while other blocks use the tensor cores.
//
//   thread     lane (g, t) = (lane / 4, lane % 4) has 2 of the 16 lines, and 8 of every 32 k
#pragma once

#include "kernels/sgemm/components/operands.cuh"

namespace myblas::cuda {

struct tf32_batch_border {
    static constexpr int most = 8;     // lines of a border
    static constexpr int most_k = 272; // strips of a longer k might end after the last tile
    static constexpr int lines = 16;   // of a strip
    static constexpr int step = 32;    // k of a strip at a time

    int rows = 0, cols = 0; // outside of the border
    // Strips of the last rows, which come first, of a product, and of all products.
    unsigned of_rows = 0, of_product = 0, strips = 0;
    unsigned groups = 0; // of strips, one for each warp of a block

    // Whether a group comes before a tile. Strips are one round of tiles behind, so that their
    // operands are in the L2 cache.
    __device__ __forceinline__ bool is_due(unsigned group, unsigned tile, unsigned tiles) const {
        return group < groups &&
               (tile >= tiles || (tile >= gridDim.x &&
                                  uint64_t{group} * tiles <= uint64_t{tile - gridDim.x} * groups));
    }

    template <class Shape, bool transa, bool transb, int width_a, int width_b>
    __device__ __forceinline__ void multiply(const sgemm_problem& p, unsigned group) const {
        // Uniform in the warp.
        const unsigned warp = __shfl_sync(full_warp, threadIdx.x / 32, 0);
        const unsigned strip = group * (Shape::threads / 32) + warp;
        if (strip >= strips)
            return;
        const sgemm_operands o = resolve_operands(p, strip / of_product);
        const unsigned number = strip % of_product;
        border_lines a{o.a, p.lda, 0, rows, 1};
        border_lines b{o.b, p.ldb, 0, static_cast<int>(p.n), p.ldc};
        if (number < of_rows) {
            a.first = rows, a.end = static_cast<int>(p.m);
            b.first = static_cast<int>(number * lines);
            multiply_strip<transa, width_a, !transb, width_b>(a, b, o);
        } else {
            a.first = static_cast<int>((number - of_rows) * lines);
            b.first = cols;
            multiply_strip<!transb, width_b, transa, width_a>(b, a, o);
        }
    }

private:
    // Lines of an operand, and what lies between elements of C of neighbouring lines.
    struct border_lines {
        const float* operand;
        int64_t ld;
        int first, end;
        int64_t c_step;
    };

    // Four neighbouring elements of a line, k_left before its end. Elements beyond it are zero.
    template <bool k_contiguous, int width>
    static __device__ __forceinline__ void
    load(const float* gmem, int64_t ld, int k_left, float* x) {
        if constexpr (k_contiguous && width == 4) {
            float4 v = make_float4(0, 0, 0, 0);
            if (k_left > 0)
                v = *reinterpret_cast<const float4*>(gmem);
            x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
        } else {
#pragma unroll
            for (int e = 0; e < 4; ++e)
                x[e] = e < k_left ? gmem[e * (k_contiguous ? 1 : ld)] : 0;
        }
    }

    // The sum over the two lanes that differ in `bit`: of x in the lane without it, of y in the
    // other one.
    static __device__ __forceinline__ float exchange(float x, float y, unsigned lane, int bit) {
        const float kept = lane & bit ? y : x, sent = lane & bit ? x : y;
        return kept + __shfl_xor_sync(full_warp, sent, bit);
    }

    // x: the border. y: the other operand.
    template <bool x_by_k, int x_width, bool y_by_k, int y_width>
    static __device__ __forceinline__ void
    multiply_strip(const border_lines& x, const border_lines& y, const sgemm_operands& o) {
        const unsigned lane = threadIdx.x % 32;
        const int g = static_cast<int>(lane / 4), t = static_cast<int>(lane % 4);
        const int k = static_cast<int>(o.k), count = x.end - x.first;
        // Lines after the last one are read as if they were that line, and not written.
        constexpr bool pairs_of_lines = !y_by_k && y_width == 4;
        const auto line_of = [&](int i) { return y.first + (y_by_k ? g + 8 * i : 2 * g + i); };
        const float* at_x = x.operand + (x_by_k ? x.first * x.ld + 4 * t : x.first + 4 * t * x.ld);
        const float* at_y[2];
#pragma unroll
        for (int i = 0; i < (pairs_of_lines ? 1 : 2); ++i) {
            const int line = min(line_of(i), y.end - (pairs_of_lines ? 2 : 1));
            at_y[i] = y.operand + (y_by_k ? line * y.ld + 4 * t : line + 4 * t * y.ld);
        }
        float sum[most][2] = {};
#pragma unroll 1
        for (int first = 0; first < k; first += step) {
            float y_k[2][8];
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const int k_left = k - first - 16 * h - 4 * t;
                const int64_t at = 16 * h * (y_by_k ? 1 : y.ld);
                if constexpr (pairs_of_lines) {
#pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        float2 v = make_float2(0, 0);
                        if (e < k_left)
                            v = *reinterpret_cast<const float2*>(at_y[0] + at + e * y.ld);
                        y_k[0][4 * h + e] = v.x, y_k[1][4 * h + e] = v.y;
                    }
                } else {
#pragma unroll
                    for (int i = 0; i < 2; ++i)
                        load<y_by_k, y_width>(at_y[i] + at, y.ld, k_left, y_k[i] + 4 * h);
                }
            }
#pragma unroll
            for (int half = 0; half < most; half += 4) { // all at once need too many registers
                if (half >= count)
                    break;
                float x_k[4][8];
#pragma unroll
                for (int f = 0; f < 4; ++f)
#pragma unroll
                    for (int h = 0; h < 2; ++h)
                        load<x_by_k, x_width>(at_x + (half + f) * (x_by_k ? x.ld : 1) +
                                                  16 * h * (x_by_k ? 1 : x.ld),
                                              x.ld,
                                              half + f < count ? k - first - 16 * h - 4 * t : 0,
                                              x_k[f] + 4 * h);
#pragma unroll
                for (int f = 0; f < 4; ++f)
                    if (half + f < count)
#pragma unroll
                        for (int e = 0; e < 8; ++e)
#pragma unroll
                            for (int i = 0; i < 2; ++i)
                                sum[half + f][i] = fmaf(x_k[f][e], y_k[i][e], sum[half + f][i]);
            }
            at_x += step * (x_by_k ? 1 : x.ld);
#pragma unroll
            for (int i = 0; i < (pairs_of_lines ? 1 : 2); ++i)
                at_y[i] += step * (y_by_k ? 1 : y.ld);
        }
        // Lane t has line t % 2 of the thread's lines, and every second line of the border.
        const int line = line_of(t % 2);
        float* const c = o.c + (x.first + t / 2) * x.c_step + line * y.c_step;
#pragma unroll
        for (int f = 0; f < most; f += 2) {
            const float total = exchange(exchange(sum[f][0], sum[f][1], lane, 1),
                                         exchange(sum[f + 1][0], sum[f + 1][1], lane, 1),
                                         lane,
                                         2);
            if (f + t / 2 < count && line < y.end)
                store_c(c + f * x.c_step, o.alpha, total, o.beta);
        }
    }
};

} // namespace myblas::cuda

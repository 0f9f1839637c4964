// Both schemes of slices (slices.cuh) by mma.sync, in one launch and without a workspace: a block cuts what it
// multiplies.
//
// A warp copies 32 lines (rows of A or columns of B) of the next chunk of 32 k to shared memory for itself, cuts
// them and leaves the slices where all warps take them by ldmatrix. The tensor core adds up the products of one
// chunk, least significant ones first; they are scaled and added in FP32, rounded to nearest.
// The guard is the block's own: where the slices of its lines cannot hold what they should, it starts again and
// computes its tile on the FP32 units, from the same chunks. Nothing has been written by then, and no other
// block depends on it.
// Bound: latency of cutting, which every tile does for its lines: in 128 x 128 x 32 a warp cuts for 1500 to 2300
// cycles and multiplies for 1150. Of two warps of a scheduler one cuts while the other multiplies.
// Shared memory: two chunks of slices and scales, and one that is on its way.
//
//   block tile  tile x tile, 2 * tile threads
//   warp tile   warp_m x warp_n, as 16 x 8 of mma
//   cutting     4 threads the 32 k of a line, a warp 8 lines at a time
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/common/smem.h"
#include "kernels/sgemm/parts/warp_tile.cuh"
#include "kernels/sgemm/parts/work.h"
#include "kernels/sgemm/slices.cuh"

namespace myblas::cuda {

template <class Scheme_, int tile_, int warp_m_, int warp_n_, int blocks_per_sm_>
struct fused_shape {
    using Scheme = Scheme_;
    static constexpr int tile = tile_, block_m = tile, block_n = tile;
    static constexpr int warp_m = warp_m_, warp_n = warp_n_;
    static constexpr int blocks_per_sm = blocks_per_sm_;
    static constexpr int lines = 2 * tile; // of A, then of B
    static constexpr int threads = lines;

    // A chunk: slices, scales. Shared memory: two chunks, the copy of the next one.
    static constexpr int slice_bytes = lines * chunk_k * 2;
    static constexpr int scales_at = Scheme::slices * slice_bytes;
    static constexpr int chunk_bytes = scales_at + lines * sizeof(float);
    static constexpr int copy_at = 2 * chunk_bytes;
    static constexpr size_t smem_bytes = copy_at + lines * chunk_k * sizeof(float);

    static constexpr int tiles_m = warp_m / 16, tiles_n = warp_n / 8; // of mma
    using accumulators = float[tiles_m][tiles_n][4];

    static_assert(tile % 32 == 0 && tile * tile == threads / 32 * warp_m * warp_n);
    static_assert(warp_m % 16 == 0 && warp_n % 16 == 0 && tile % warp_m == 0);
    static_assert(lines * chunk_k * sizeof(float) <= chunk_bytes); // for the FP32 units

    // First row and column of a thread's warp inside the tile.
    static __device__ __forceinline__ int warp_row(unsigned thread) {
        return thread / 32 % (tile / warp_m) * warp_m;
    }
    static __device__ __forceinline__ int warp_col(unsigned thread) {
        return thread / 32 / (tile / warp_m) * warp_n;
    }
};

// 32 lines of a chunk, which a warp copies to shared memory for itself: lines where k runs along memory, else k,
// are rows of 128 bytes. Their quads are exchanged so that a warp that takes pieces of 8 k of 8 lines meets
// every bank once.
inline constexpr int line_block = 32;
inline constexpr int block_quads = line_block / 4;

__device__ __forceinline__ int quad_offset(bool k_contiguous, int row, int quad) {
    return row * (line_block * 4) + (quad ^ (k_contiguous ? row % 2 : row / piece_k * 2)) * 16;
}

// Whose lines a thread's warp brings: the first half of the block A's, the other half B's.
template <class Shape>
struct brought_lines {
    bool is_a, k_contiguous;
    int first; // in the operand's part of the tile

    __device__ __forceinline__ brought_lines(const sgemm_problem& p, unsigned thread)
        : is_a(thread < Shape::tile), k_contiguous(is_a ? p.transa : !p.transb),
          first(thread % Shape::tile / 32 * line_block) {}
};

// Brings the warp's lines, chunk by chunk.
template <class Shape>
struct line_copier {
    const float* source; // this lane's first quad of the next chunk
    int lines_left;      // from the first line to the operand's end, perhaps <= 0
    bool vector;         // 16-byte copies; all quads are inside the operand or outside

    __device__ __forceinline__ line_copier(const sgemm_problem& p,
                                           const sgemm_operands& o,
                                           const tile_position<int64_t>& at) {
        const brought_lines<Shape> lines(p, threadIdx.x);
        const int64_t ld = lines.is_a ? p.lda : p.ldb;
        const int64_t all_lines = lines.is_a ? p.m : p.n;
        const int64_t line = (lines.is_a ? at.row : at.col) + lines.first;
        source = lines.is_a ? o.a : o.b;
        vector = aligned16(source, ld) && (lines.k_contiguous ? p.k : all_lines) % 4 == 0;
        lines_left = static_cast<int>(min(all_lines - line, int64_t{line_block}));
        const int row = threadIdx.x % 32 / block_quads, quad = threadIdx.x % block_quads;
        source += lines.k_contiguous ? (line + row) * ld + 4 * quad : line + 4 * quad + row * ld;
    }

    // k_left: from the start of the chunk to the end of k.
    __device__ __forceinline__ void start(const sgemm_problem& p, char* copy, int64_t k_left) {
        const unsigned thread = fresh_thread();
        const brought_lines<Shape> lines(p, thread);
        const int64_t ld = lines.is_a ? p.lda : p.ldb;
        const int k = static_cast<int>(min(k_left, int64_t{chunk_k}));
        const int row = thread % 32 / block_quads, quad = thread % block_quads;
        const int rows_left = (lines.k_contiguous ? lines_left : k) - row;
        const int floats_left = (lines.k_contiguous ? k : lines_left) - 4 * quad;
        constexpr int step = 32 / block_quads; // rows
        const float* from = source;
        if (vector) {
#pragma unroll
            for (int i = 0; i < line_block; i += step) {
                cp_async<16>(copy + quad_offset(lines.k_contiguous, row + i, quad),
                             from,
                             i < rows_left && floats_left > 0);
                from += step * ld;
            }
        } else {
#pragma unroll 1
            for (int i = 0; i < line_block; i += step) {
                char* target = copy + quad_offset(lines.k_contiguous, row + i, quad);
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    cp_async<4>(target + 4 * e, from + e, i < rows_left && e < floats_left);
                from += step * ld;
            }
        }
        cp_async_commit();
        source += chunk_k * (lines.k_contiguous ? 1 : ld);
    }
};

// Piece j of a line of what the warp has copied.
__device__ __forceinline__ void
load_piece(const char* copy, bool k_contiguous, int line, int j, float (&x)[piece_k]) {
    if (k_contiguous) {
#pragma unroll
        for (int e = 0; e < piece_k; e += 4) {
            const float4 v =
                *reinterpret_cast<const float4*>(copy + quad_offset(true, line, 2 * j + e / 4));
            x[e] = v.x, x[e + 1] = v.y, x[e + 2] = v.z, x[e + 3] = v.w;
        }
    } else {
        const char* first = copy + quad_offset(false, j * piece_k, line / 4) + line % 4 * 4;
#pragma unroll
        for (int e = 0; e < piece_k; ++e)
            x[e] = *reinterpret_cast<const float*>(first + e * (line_block * 4));
    }
}

// ---- On the tensor cores -------------------------------------------------------------------------

// The greater, or NaN where there is one.
__device__ __forceinline__ float max_or_nan(float x, float y) {
    float greater; // PTX ISA, "Floating Point Instructions: max"
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(x), "f"(y));
    return greater;
}

// Elements below this, after scaling, count as small, whether they lose anything or not. fp16x3: down to here
// lo loses 2^-21 of the element at most.
template <class Scheme>
inline constexpr float smallest_kept = 0x1p-4f;
template <>
inline constexpr float smallest_kept<bf16x6> = smallest_exact;

// Small elements that 32 k of a line may have.
template <class Scheme>
inline constexpr int max_small = 2;
template <>
inline constexpr int max_small<bf16x6> = 0;

// What computes a tile: `store` leaves a chunk in shared memory, and tells whether it is to go on with it;
// `multiply` adds its product.
template <class Shape>
struct tensor_engine {
    using Scheme = typename Shape::Scheme;

    int greatest = 0, smallest = no_exponent; // biased, of the chunks of this thread's lines
    int small = 0;                            // elements of these lines

    // copy: what the warp has brought.
    __device__ __forceinline__ bool store(const sgemm_problem& p, const char* copy, char* chunk) {
        // Biased exponents whose scale and its inverse are normal floats.
        constexpr unsigned low = Scheme::top + 1, high = Scheme::top > 0 ? 254 : 253;
        constexpr unsigned one = exponent_bias << 23;
        const unsigned thread = fresh_thread();
        const brought_lines<Shape> lines(p, thread);
        const int first_line = lines.first + (lines.is_a ? 0 : Shape::tile);
        float* scales = reinterpret_cast<float*>(chunk + Shape::scales_at);
        const int j = thread % row_pieces;
        bool is_held = true;
        unsigned small_of_line = 0; // a byte for each r
#pragma unroll
        for (int r = 0; r < line_block / 8; ++r) {
            const int line = 8 * r + thread % 32 / row_pieces;
            float x[piece_k];
            load_piece(copy, lines.k_contiguous, line, j, x);
            float largest = fabsf(x[0]), least = fabsf(x[0]);
#pragma unroll
            for (int e = 1; e < piece_k; ++e) {
                largest = max_or_nan(largest, fabsf(x[e]));
                least = fminf(least, fabsf(x[e]));
            }
            largest = max_or_nan(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
            largest = max_or_nan(largest, __shfl_xor_sync(0xffffffffu, largest, 2));
            const unsigned exponent = __float_as_uint(largest) >> 23;
            if (largest != 0) {
                greatest = max(greatest, static_cast<int>(exponent));
                smallest = min(smallest, static_cast<int>(exponent));
                is_held = is_held && exponent - low <= high - low;
            }
            const float step =
                __uint_as_float(largest == 0 ? one : (254 + Scheme::top - exponent) << 23);
            if (j == 0)
                scales[first_line + line] =
                    __uint_as_float(largest == 0 ? one : (exponent - Scheme::top) << 23);
            if (least * step < smallest_kept<Scheme>) { // perhaps zero
                unsigned count = 0;
#pragma unroll
                for (int e = 0; e < piece_k; ++e)
                    count += x[e] != 0 && fabsf(x[e] * step) < smallest_kept<Scheme>;
                small_of_line += count << 8 * r;
            }

            uint32_t words[Scheme::slices][piece_k / 2];
#pragma unroll
            for (int e = 0; e < piece_k; e += 2) {
                float2 rest = make_float2(x[e] * step, x[e + 1] * step);
#pragma unroll
                for (int i = 0; i < Scheme::slices; ++i)
                    words[i][e / 2] = Scheme::cut(rest);
            }
            char* piece = chunk + piece_offset(first_line + line, j);
#pragma unroll
            for (int i = 0; i < Scheme::slices; ++i)
                *reinterpret_cast<uint4*>(piece + i * Shape::slice_bytes) =
                    make_uint4(words[i][0], words[i][1], words[i][2], words[i][3]);
        }
        small_of_line += __shfl_xor_sync(0xffffffffu, small_of_line, 1);
        small_of_line += __shfl_xor_sync(0xffffffffu, small_of_line, 2);
        small += small_of_line * 0x01010101u >> 24;
        return is_held && __vcmpgtu4(small_of_line, max_small<Scheme> * 0x01010101u) == 0;
    }

    static __device__ __forceinline__ void multiply(const char* chunk,
                                                    typename Shape::accumulators& acc) {
        constexpr auto products = Scheme::products;
        const unsigned thread = fresh_thread();
        const int lane = thread % 32;
        const int row = Shape::warp_row(thread), col = Shape::tile + Shape::warp_col(thread);
        const float* scales = reinterpret_cast<const float*>(chunk + Shape::scales_at);
        const float *scales_a = scales + row + lane / 4, *scales_b = scales + col + lane % 4 * 2;
        const uint32_t slices = smem_address(chunk);
        const uint32_t lane_a = slices + piece_offset(row + lane % 16, lane / 16);
        const uint32_t lane_b = slices + piece_offset(col + lane / 16 * 8 + lane % 8, lane / 8 % 2);
        uint32_t b[Scheme::slices][2][Shape::tiles_n][2];
#pragma unroll
        for (int i = 0; i < Scheme::slices; ++i)
#pragma unroll
            for (int kk = 0; kk < 2; ++kk)
#pragma unroll
                for (int n = 0; n < Shape::tiles_n; n += 2) {
                    uint32_t r[4]; // 16 columns
                    ldmatrix_x4(r, (lane_b ^ kk * 32) + i * Shape::slice_bytes + n * (8 * 64));
                    b[i][kk][n][0] = r[0], b[i][kk][n][1] = r[1];
                    b[i][kk][n + 1][0] = r[2], b[i][kk][n + 1][1] = r[3];
                }
#pragma unroll
        for (int m = 0; m < Shape::tiles_m; ++m) {
            uint32_t a[Scheme::slices][2][4];
#pragma unroll
            for (int i = 0; i < Scheme::slices; ++i)
#pragma unroll
                for (int kk = 0; kk < 2; ++kk)
                    ldmatrix_x4(a[i][kk],
                                (lane_a ^ kk * 32) + i * Shape::slice_bytes + m * (16 * 64));
            float sum[Shape::tiles_n][4] = {};
#pragma unroll
            for (int i = 0; i < products.count; ++i)
#pragma unroll
                for (int kk = 0; kk < 2; ++kk)
#pragma unroll
                    for (int n = 0; n < Shape::tiles_n; ++n)
                        mma_16x8x16<typename Scheme::slice>(
                            sum[n], a[products.of[i].a][kk], b[products.of[i].b][kk][n]);
            const float scale_a[2] = {scales_a[16 * m], scales_a[16 * m + 8]};
#pragma unroll
            for (int n = 0; n < Shape::tiles_n; ++n) {
                const float2 scale_b = *reinterpret_cast<const float2*>(scales_b + 8 * n);
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    float* target = &acc[m][n][2 * r];
                    target[0] = fmaf(sum[n][2 * r], scale_a[r] * scale_b.x, target[0]);
                    target[1] = fmaf(sum[n][2 * r + 1], scale_a[r] * scale_b.y, target[1]);
                }
            }
        }
    }
};

// ---- On the FP32 units ---------------------------------------------------------------------------

// The chunk as [32 k][lines], lines exchanged by 8 as pieces of k are, so that the stores of a warp meet every bank
// once. As in slice_fallback.cu, the sums of every 64 of k are added.
template <class Shape>
struct fp32_engine {
    typename Shape::accumulators sum = {}; // of the last chunks, an odd or even number
    bool is_odd = false;

    static __device__ __forceinline__ bool
    store(const sgemm_problem& p, const char* copy, char* chunk) {
        float* floats = reinterpret_cast<float*>(chunk);
        const unsigned thread = fresh_thread();
        const brought_lines<Shape> lines(p, thread);
        const int first_line = lines.first + (lines.is_a ? 0 : Shape::tile);
        const int j = thread % row_pieces;
#pragma unroll 1
        for (int r = 0; r < line_block / 8; ++r) {
            const int line = 8 * r + thread % 32 / row_pieces;
            float x[piece_k];
            load_piece(copy, lines.k_contiguous, line, j, x);
#pragma unroll
            for (int e = 0; e < piece_k; ++e)
                floats[(j * piece_k + e) * Shape::lines + ((first_line + line) ^ j * 8)] = x[e];
        }
        return true;
    }

    __device__ __forceinline__ void multiply(const char* chunk, typename Shape::accumulators& acc) {
        const float* floats = reinterpret_cast<const float*>(chunk);
        const unsigned thread = fresh_thread();
        const int lane = thread % 32;
        const int row = Shape::warp_row(thread) + lane / 4;
        const int col = Shape::tile + Shape::warp_col(thread) + lane % 4 * 2;
#pragma unroll 2
        for (int kk = 0; kk < chunk_k; ++kk) {
            const int exchange = kk / piece_k * 8;
            float a[Shape::tiles_m][2];
            float2 b[Shape::tiles_n];
#pragma unroll
            for (int m = 0; m < Shape::tiles_m; ++m)
#pragma unroll
                for (int r = 0; r < 2; ++r)
                    a[m][r] = floats[(row + 16 * m + 8 * r) ^ exchange];
#pragma unroll
            for (int n = 0; n < Shape::tiles_n; ++n)
                b[n] = *reinterpret_cast<const float2*>(&floats[(col + 8 * n) ^ exchange]);
#pragma unroll
            for (int m = 0; m < Shape::tiles_m; ++m)
#pragma unroll
                for (int n = 0; n < Shape::tiles_n; ++n)
#pragma unroll
                    for (int r = 0; r < 2; ++r) {
                        float* target = &sum[m][n][2 * r];
                        target[0] = fmaf(a[m][r], b[n].x, target[0]);
                        target[1] = fmaf(a[m][r], b[n].y, target[1]);
                    }
            floats += Shape::lines;
        }
        is_odd = !is_odd;
        if (!is_odd)
            add_sum(acc);
    }

    __device__ __forceinline__ void add_sum(typename Shape::accumulators& acc) {
#pragma unroll
        for (int m = 0; m < Shape::tiles_m; ++m)
#pragma unroll
            for (int n = 0; n < Shape::tiles_n; ++n)
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    acc[m][n][e] += sum[m][n][e];
                    sum[m][n][e] = 0;
                }
    }
};

// ---- A tile --------------------------------------------------------------------------------------

// acc += the product, up to a chunk that `store` refuses. stops: a word for either parity, zero, and not both so
// afterwards if a chunk was refused.
template <class Shape, class Engine>
__device__ __forceinline__ void add_chunks(Engine& engine,
                                           const sgemm_problem& p,
                                           const sgemm_operands& o,
                                           const tile_position<int64_t>& at,
                                           char* smem,
                                           volatile int* stops,
                                           typename Shape::accumulators& acc) {
    line_copier<Shape> copier(p, o, at);
    int64_t k_left = o.k; // from the chunk to store
    char* copy =
        smem + Shape::copy_at + threadIdx.x / 32 * (line_block * chunk_k * 4); // the warp's
    copier.start(p, copy, k_left);
    const int turn = threadIdx.x / 128; // to cut: 128 threads are a warp of every scheduler
    int parity = 0;                     // of the chunk to store
    for (bool has_chunk = false; has_chunk || k_left > 0; parity ^= 1) {
        __syncthreads(); // the last chunk has been stored, and the one before it multiplied
        if (stops[parity ^ 1])
            break;
        const bool has_next = k_left > 0;
#pragma unroll 1
        for (int half = 0; half < 2; ++half) {
            if (half != turn) {
                if (has_chunk)
                    engine.multiply(smem + (parity ^ 1) * Shape::chunk_bytes, acc);
            } else if (has_next) {
                cp_async_wait<0>();
                __syncwarp(); // the copies of all lanes have arrived
                if (!engine.store(p, copy, smem + parity * Shape::chunk_bytes))
                    stops[parity] = 1;
                __syncwarp(); // and have been read
                k_left -= chunk_k;
                copier.start(p, copy, k_left);
            }
        }
        has_chunk = has_next;
    }
    cp_async_wait<0>();
}

template <class Shape>
__device__ __forceinline__ void write_tile(const sgemm_problem& p,
                                           const sgemm_operands& o,
                                           const tile_position<int64_t>& at,
                                           const typename Shape::accumulators& acc) {
    const int lane = threadIdx.x % 32;
    const int64_t row = at.row + Shape::warp_row(threadIdx.x) + lane / 4;
    const int64_t col = at.col + Shape::warp_col(threadIdx.x) + lane % 4 * 2;
    const float alpha = o.alpha, beta = o.beta;
    float* c = o.c + row + col * p.ldc;
    const int64_t rows = p.m - row, cols = p.n - col; // that are left
#pragma unroll
    for (int n = 0; n < Shape::tiles_n; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e)
#pragma unroll
            for (int m = 0; m < Shape::tiles_m; ++m)
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    const int i = 16 * m + 8 * r, l = 8 * n + e;
                    if (i < rows && l < cols)
                        store_c(c + i + l * p.ldc, alpha, acc[m][n][2 * r + e], beta);
                }
}

// As packed slices are judged (slices.cuh).
template <class Scheme>
__device__ __forceinline__ bool
are_sums_held(const int (&greatest)[2], const int (&smallest)[2], int64_t k) {
    const int high = greatest[0] + greatest[1] - 2 * exponent_bias;
    const int low = smallest[0] + smallest[1] - 2 * exponent_bias;
    const bool is_zero = greatest[0] == 0 || greatest[1] == 0;
    return is_zero || (high <= greatest_sum(k) && low >= least_sum<Scheme>);
}

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_per_sm)
    fused_kernel(const sgemm_problem p, int64_t first_batch) {
    using Scheme = typename Shape::Scheme;
    extern __shared__ __align__(128) char smem[];
    __shared__ int stops[2];
    __shared__ int greatest[2], smallest[2]; // biased exponents of the chunks of A, of B
    // Not in registers, of which the loops over chunks need all.
    __shared__ sgemm_operands o;
    __shared__ tile_position<int64_t> at;
    if (threadIdx.x == 0) {
        o = resolve_operands(p, first_batch + blockIdx.z);
        at = patch_order<Shape>(blockIdx.x, p.m, p.n);
    }
    if (threadIdx.x < 2) {
        stops[threadIdx.x] = 0;
        greatest[threadIdx.x] = 0;
        smallest[threadIdx.x] = no_exponent;
    }
    __syncthreads(); // shared memory is initialised

    typename Shape::accumulators acc = {};
    if (o.k > 0) {
        tensor_engine<Shape> engine;
        add_chunks<Shape>(engine, p, o, at, smem, stops, acc);
        // Of 4 lines: 3, and 1 of every 1024 elements.
        const bool has_few_small = engine.small <= 3 + o.k / 256;
        const int greatest_of_warp = __reduce_max_sync(0xffffffffu, engine.greatest);
        const int smallest_of_warp = __reduce_min_sync(0xffffffffu, engine.smallest);
        if (threadIdx.x % 32 == 0) {
            const bool is_b = threadIdx.x >= Shape::tile;
            atomicMax(&greatest[is_b], greatest_of_warp);
            atomicMin(&smallest[is_b], smallest_of_warp);
        }
        const bool all_held = __syncthreads_and(has_few_small && !stops[0] && !stops[1]);
        if (!all_held || !are_sums_held<Scheme>(greatest, smallest, o.k)) {
#pragma unroll
            for (auto& rows : acc)
#pragma unroll
                for (auto& of_tile : rows)
#pragma unroll
                    for (float& value : of_tile)
                        value = 0;
            if (threadIdx.x < 2)
                stops[threadIdx.x] = 0;
            __syncthreads(); // nothing stops the second run
            fp32_engine<Shape> strict;
            add_chunks<Shape>(strict, p, o, at, smem, stops, acc);
            strict.add_sum(acc);
        }
    }
    write_tile<Shape>(p, o, at, acc);
}

// ---- Launch --------------------------------------------------------------------------------------

template <class Shape>
struct fused_launcher {
    static bool fits(const sgemm_problem& p, const device_info& device) {
        return Shape::smem_bytes <= device.smem_per_block &&
               fits_grid<Shape::block_m, Shape::block_n>(p, device);
    }

    // Of a step, in steps of sm_90, where costs are measured; strict kernels count theirs as equal on all. An
    // estimate, from the units of a multiprocessor: sm_80 has half the FP32 units at 0.8 of the rate of mma.sync;
    // sm_86, 87, 89 and 120 have all of them at 0.2 to 0.4 of the rate. What is not known counts as these.
    static double step_cost(const device_info& device) {
        return device.arch == 80 ? 0.6 : device.arch == 90 ? 1 : 1.5;
    }

    static work_estimate work(const sgemm_problem& p, const device_info& device) {
        const int64_t blocks = tile_count(p, Shape::block_m, Shape::block_n) * p.batch_count;
        const int64_t slabs = ceil_div<int64_t>(p.k, chunk_k);
        work_estimate w = block_work(device, blocks, slabs, Shape::blocks_per_sm);
        w.steps *= step_cost(device);
        w.bytes = operand_bytes(p);
        return w;
    }

    static myblasStatus_t prepare(const device_info& device) {
        if (Shape::smem_bytes > device.smem_per_block)
            return MYBLAS_STATUS_SUCCESS; // `fits` refuses every problem
        return allow_smem(fused_kernel<Shape>, Shape::smem_bytes);
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        return launch_products(fused_kernel<Shape>,
                               {.x = tile_count(p, Shape::block_m, Shape::block_n),
                                .threads = Shape::threads,
                                .smem_bytes = Shape::smem_bytes},
                               p,
                               context);
    }

    static constexpr kernel_entry<sgemm_problem>
    entry(const char* name, const char* description, myblasMath_t math) {
        return {
            .name = name,
            .description = description,
            .min_arch = 80,
            .block_m = Shape::block_m,
            .block_n = Shape::block_n,
            .block_k = chunk_k,
            .threads = Shape::threads,
            .stages = 2,
            .smem_bytes = Shape::smem_bytes,
            .math = math,
            .accepts = fits,
            .work = work,
            .prepare = prepare,
            .launch = launch,
        };
    }
};

} // namespace myblas::cuda

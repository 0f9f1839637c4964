// Batches and small products on the tensor cores of sm_90a, from operands of any alignment and from
// arrays of pointers. The arithmetic is that of tf32x3.cuh: a block splits its own operands into
// two TF32 limbs. Three products of limbs are added, and sums leave the tensor cores after 16 k.
//
// tf32x3.cuh fills a multiprocessor with one block, whose warpgroups split and multiply in turns.
// That is right for a single product, which ends when its last block ends. Here several small
// blocks share a multiprocessor. While one of them splits or waits, others multiply, without
// knowing of each other. Blocks stay, and take tiles of all products. They copy the first slabs of
// their next tile while they write a tile. All stages of the ring are in flight: the copies that
// replace a slab start while the tensor cores multiply it. Copies are by TMA if both operands
// consist of aligned quads, otherwise by cp.async, in TMA's layout.
//
// Ragged products have kernels of their own. They skip the second half of a last slab of at most
// 16 k. A few last rows or columns that would need tiles of their own are a border, which the FP32
// units compute (tf32x3_batch_border.cuh). With this code, other products would be 3% slower.
//
// Where it needs fewer tiles, the launcher swaps the operands. The kernel then computes the
// transpose of C, and stores it transposed.
//
// If limbs may not hold the elements of a tile, or a sum is not finite, the block copies the slabs
// again and computes the tile on the FP32 units. Nothing has been written by then.
//
//   block      64 * warpgroups_m x 64 of C; slabs of 32 k in a ring of `stages`
//   warpgroup  64 x 64; all warpgroups split B to shared memory, each its rows of A to registers
//   thread     lane (g, t) = (lane / 4, lane % 4) has rows 2 g + {0, 1} of its warp's 16 rows, and
//              columns 8 j + 2 t + {0, 1}
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/store.cuh"
#include "kernels/sgemm/tensor/tf32x3.cuh"
#include "kernels/sgemm/tensor/tf32x3_batch_border.cuh"

#include <bit>

namespace myblas::cuda {

struct tf32_batch_parameters {
    int warpgroups_m, stages, blocks_per_sm;
};

template <tf32_batch_parameters of>
struct tf32_batch_shape {
    static constexpr int stages = of.stages, blocks_per_sm = of.blocks_per_sm;
    static constexpr bool has_epilogue = false, is_swapped = false, is_ragged = false;
    static constexpr int block_m = 64 * of.warpgroups_m, block_n = 64, block_k = 32;
    static constexpr int threads = 128 * of.warpgroups_m, team_threads = threads;

    // Shared memory: two limbs of 64 columns, then a ring of slabs. Rows have 128 bytes.
    static constexpr int line_bytes = block_k * sizeof(float);
    static constexpr int limb_bytes = block_n * line_bytes;
    static constexpr int ring_at = 2 * limb_bytes;
    static constexpr int slab_b_at = block_m * line_bytes;
    static constexpr int slab_bytes = slab_b_at + block_n * line_bytes;
    static constexpr int end_of_ring = ring_at + stages * slab_bytes;
    static constexpr size_t smem_bytes = end_of_ring;
    static_assert(threads <= 256 && stages >= 2);
    // Each block has another KiB, and one in which its memory is aligned.
    static_assert(blocks_per_sm * (smem_bytes + 2048) <= 228 * 1024);
};

// The same with swapped operands.
template <class Shape>
struct with_swapped_operands : Shape {
    static constexpr bool is_swapped = true;
};

// The same for ragged products. With swapped operands there is no border.
template <class Shape>
struct with_ragged_edges : Shape {
    static constexpr bool is_ragged = true;
};

// The thread's number, hidden from the compiler, so that it does not keep what follows from it in
// registers.
__device__ __forceinline__ unsigned own_number() {
    unsigned thread = threadIdx.x;
    asm volatile("" : "+r"(thread));
    return thread;
}

// Copies slabs of `lines` lines of one operand to shared memory in TMA's layout, `width` floats at
// a time. A row of a slab has 32 floats: 32 k of a line if k runs along memory, otherwise 32 lines
// at one k.
template <class Shape, int lines, bool k_contiguous, int width>
struct tf32_slab_copier {
    static constexpr int threads = Shape::threads, block_k = Shape::block_k;
    static constexpr int inner = k_contiguous ? block_k : lines; // along memory
    static constexpr int outer = k_contiguous ? lines : block_k;
    static constexpr int row = inner / width;        // copies along memory
    static constexpr int outer_step = threads / row; // between a thread's copies
    static constexpr int copies = outer / outer_step;
    static_assert(outer_step * row == threads && copies * outer_step == outer);

    const float* gmem; // this thread's first element of the next slab
    int64_t ld;
    int lines_left; // from this thread's first line to the operand's end; may be negative
    int target;     // byte of its first element in a slab

    // Moves to the lines from first_line on, at k = 0.
    __device__ __forceinline__ void
    move_to(const float* base, int64_t first_line, int64_t all_lines) {
        const unsigned thread = own_number();
        const int i = inner_of(thread), o = outer_of(thread);
        first_line += k_contiguous ? o : i;
        gmem = base + (k_contiguous ? i + first_line * ld : first_line + o * ld);
        lines_left = static_cast<int>(min(all_lines - first_line, int64_t{lines}));
        target = k_contiguous ? swizzled<128>(o, i / 4) + i % 4 * 4
                              : swizzled<128>(i / 32 * 32 + o, i % 32 / 4) + i % 4 * 4;
    }

    // Starts the copies of the next slab to smem + at, with zeroes outside of the operand.
    __device__ __forceinline__ void start(char* smem, int at, int k_left) {
        const float* source = gmem;
        int64_t step = outer_step * ld;
        unsigned thread = threadIdx.x;
        // Hidden from the compiler for each slab, so that it keeps neither an address for each copy
        // nor what follows from the thread's number.
        asm volatile("" : "+l"(step), "+r"(thread));
        k_left -= k_contiguous ? inner_of(thread) : outer_of(thread);
#pragma unroll
        for (int c = 0; c < copies; ++c) {
            const int o = c * outer_step; // has no bits in common with the thread's first row
            const bool inside =
                k_contiguous ? k_left > 0 && lines_left > o : k_left > o && lines_left > 0;
            cp_async<width * 4>(
                smem + ((at + target) ^ o % 8 * 16) + o * Shape::line_bytes, source, inside);
            source += step;
        }
        if constexpr (k_contiguous)
            gmem += block_k;
        else
            gmem = source;
    }

private:
    static __device__ __forceinline__ int inner_of(unsigned thread) {
        return static_cast<int>(thread % row * width);
    }
    static __device__ __forceinline__ int outer_of(unsigned thread) {
        return static_cast<int>(thread / row);
    }
};

// Divides numbers below 2^30 by the same number.
struct fixed_divisor {
    unsigned divisor = 1, inverse = 1u << 30; // 2^(30 + shift) / divisor, rounded up
    unsigned shift = 0;                       // divisor <= 2^shift

    fixed_divisor() = default;
    explicit fixed_divisor(unsigned by)
        : divisor(by), shift(static_cast<unsigned>(std::bit_width(by - 1))) {
        inverse = static_cast<unsigned>(ceil_div(uint64_t{1} << (30 + shift), uint64_t{by}));
    }
    __device__ __forceinline__ unsigned quotient(unsigned number) const {
        return static_cast<unsigned>(uint64_t{number} * inverse >> 30 >> shift);
    }
};

// The tiles of a batch, by columns of tiles, product after product. Block b of B computes the tiles
// b, b + B, b + 2 B and so on.
struct tf32_batch_tiles {
    unsigned count;
    fixed_divisor of_product, of_column;
};

// The operands as TMA sees them, if both consist of aligned quads. Boxes have 32 k, and all lines
// of a tile if k runs along memory, otherwise 32 lines.
struct tf32_batch_maps {
    CUtensorMap a, b;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <class Shape, bool transa, bool transb>
struct tf32_batch_tile {
    // Row and column of a thread's first element in the tile.
    static __device__ __forceinline__ int row_of(unsigned thread) {
        return static_cast<int>(thread / 32 * 16 + thread % 32 / 4 * 2);
    }
    static __device__ __forceinline__ int col_of(unsigned thread) {
        return static_cast<int>(thread % 4 * 2);
    }

    // Element acc[4 j + 2 r + c] is r rows and 8 j + c columns from the first one.
    using accumulators = float[32];

    // First row and column of a tile.
    struct place {
        int64_t batch, row, col;

        __device__ __forceinline__ place(const tf32_batch_tiles& tiles, unsigned tile)
            : batch(tiles.of_product.quotient(tile)) {
            const unsigned in_product =
                tile - static_cast<unsigned>(batch) * tiles.of_product.divisor;
            const unsigned column = tiles.of_column.quotient(in_product);
            row = int64_t{in_product - column * tiles.of_column.divisor} * Shape::block_m;
            col = int64_t{column} * Shape::block_n;
        }
    };

    // Copies the slabs of a block's tiles, one after another, by cp.async, `width` floats at a
    // time.
    template <int width_a, int width_b>
    class slab_stream {
    public:
        __device__ __forceinline__ slab_stream(const sgemm_problem& p,
                                               const tf32_batch_tiles& tiles,
                                               char* smem,
                                               const tf32_batch_maps&,
                                               mbarrier*)
            : p_(p), tiles_(tiles), smem_(smem), a_{.ld = p.lda}, b_{.ld = p.ldb} {}

        // Starts the copies of the first slabs from a tile on, into all stages.
        __device__ __forceinline__ void begin_at(unsigned tile) {
            tile_ = tile;
            k_left_ = static_cast<int>(p_.k);
            move();
            read_ = Shape::ring_at;
#pragma unroll 1
            for (int to = Shape::ring_at; to < Shape::end_of_ring; to += Shape::slab_bytes)
                start_slab(to);
        }

        // The same while slabs are under way.
        __device__ __forceinline__ void restart_at(unsigned tile) {
            cp_async_wait<0>();
            __syncthreads(); // nothing arrives in shared memory any more
            begin_at(tile);
        }

        // Waits for the next slab, and returns its offset in shared memory.
        __device__ __forceinline__ int next() {
            cp_async_wait<Shape::stages - 1>();
            // All copies of this slab have arrived. All threads have done with the limbs of the
            // slab before it.
            __syncthreads();
            return read_;
        }

        // Starts the copies of a later slab to the place of this one, which all threads have read.
        __device__ __forceinline__ void refill() {
            start_slab(read_);
            read_ += Shape::slab_bytes;
            if (read_ == Shape::end_of_ring)
                read_ = Shape::ring_at;
        }

    private:
        const sgemm_problem& p_;
        const tf32_batch_tiles& tiles_;
        char* const smem_;
        tf32_slab_copier<Shape, Shape::block_m, transa, width_a> a_;
        tf32_slab_copier<Shape, Shape::block_n, !transb, width_b> b_;
        unsigned tile_;
        int k_left_, read_;

        __device__ __forceinline__ void move() {
            if (tile_ >= tiles_.count)
                return;
            const place at(tiles_, tile_);
            a_.move_to(operand_base(p_.a, p_.a_array, p_.a_array ? 0 : p_.stride_a, at.batch),
                       at.row,
                       p_.m);
            b_.move_to(operand_base(p_.b, p_.b_array, p_.b_array ? 0 : p_.stride_b, at.batch),
                       at.col,
                       p_.n);
        }
        __device__ __forceinline__ void start_slab(int to) {
            if (k_left_ <= 0) {
                tile_ += gridDim.x;
                k_left_ = static_cast<int>(p_.k);
                move();
            }
            if (tile_ < tiles_.count) {
                a_.start(smem_, to, k_left_);
                b_.start(smem_, to + Shape::slab_b_at, k_left_);
            }
            // An empty group counts too, so that the wait above is right.
            cp_async_commit();
            k_left_ -= Shape::block_k;
        }
    };

    // The same by TMA. A lane of each of the first warps starts the copy of a box.
    class tensor_slab_stream {
    public:
        __device__ __forceinline__ tensor_slab_stream(const sgemm_problem& p,
                                                      const tf32_batch_tiles& tiles,
                                                      char* smem,
                                                      const tf32_batch_maps& maps,
                                                      mbarrier* filled)
            : p_(p), tiles_(tiles), smem_(smem), maps_(maps), filled_(filled) {
            if (threadIdx.x == 0) {
                prefetch_tensor_map(maps.a);
                prefetch_tensor_map(maps.b);
                for (int stage = 0; stage < Shape::stages; ++stage)
                    filled_[stage].init(1);
                mbarrier::publish_inits();
            }
            __syncthreads();
        }

        __device__ __forceinline__ void begin_at(unsigned tile) {
            tile_ = tile;
            k_ = 0;
            move();
            ring_position<Shape::stages> write = read_;
#pragma unroll 1
            for (int stage = 0; stage < Shape::stages; ++stage) {
                start_slab(write.stage);
                write.advance();
            }
        }

        __device__ __forceinline__ void restart_at(unsigned tile) {
#pragma unroll 1
            for (int stage = 0; stage < Shape::stages; ++stage) {
                filled_[read_.stage].wait(read_.parity);
                read_.advance();
            }
            __syncthreads(); // nothing arrives in shared memory any more
            begin_at(tile);
        }

        __device__ __forceinline__ int next() {
            filled_[read_.stage].wait(read_.parity);
            __syncthreads(); // all threads have done with the limbs of the slab before
            return Shape::ring_at + read_.stage * Shape::slab_bytes;
        }

        __device__ __forceinline__ void refill() {
            start_slab(read_.stage);
            read_.advance();
        }

    private:
        static constexpr int boxes_of_a = transa ? 1 : Shape::block_m / 32;
        static constexpr int boxes_of_b = transb ? Shape::block_n / 32 : 1;
        static_assert(boxes_of_a + boxes_of_b <= Shape::threads / 32);

        const sgemm_problem& p_;
        const tf32_batch_tiles& tiles_;
        char* const smem_;
        const tf32_batch_maps& maps_;
        mbarrier* const filled_;
        ring_position<Shape::stages> read_;
        // The next slab.
        unsigned tile_;
        int k_, row_, col_, of_a_, of_b_;

        __device__ __forceinline__ void move() {
            const place at(tiles_, tile_);
            row_ = static_cast<int>(at.row), col_ = static_cast<int>(at.col);
            // A matrix that all products share is the only one of its map.
            of_a_ = p_.stride_a == 0 ? 0 : static_cast<int>(at.batch);
            of_b_ = p_.stride_b == 0 ? 0 : static_cast<int>(at.batch);
        }
        __device__ __forceinline__ void start_slab(int stage) {
            // Uniform in the warp.
            const int box = __shfl_sync(full_warp, threadIdx.x / 32, 0);
            mbarrier& filled = filled_[stage];
            if (box < boxes_of_a + boxes_of_b && threadIdx.x % 32 == 0) {
                if (tile_ >= tiles_.count) {
                    if (box == 0)
                        filled.arrive(); // so that restart_at may wait for every stage
                } else {
                    if (box == 0)
                        filled.arrive_expecting(Shape::slab_bytes);
                    char* const slab = smem_ + Shape::ring_at + stage * Shape::slab_bytes;
                    if (box < boxes_of_a)
                        copy_lines<transa>(slab, maps_.a, box, row_, of_a_, filled);
                    else
                        copy_lines<!transb>(slab + Shape::slab_b_at,
                                            maps_.b,
                                            box - boxes_of_a,
                                            col_,
                                            of_b_,
                                            filled);
                }
            }
            k_ += Shape::block_k;
            if (k_ >= static_cast<int>(p_.k)) {
                tile_ += gridDim.x;
                k_ = 0;
                move();
            }
        }
        template <bool k_contiguous>
        __device__ __forceinline__ void copy_lines(char* target,
                                                   const CUtensorMap& map,
                                                   int box,
                                                   int line,
                                                   int matrix,
                                                   mbarrier& filled) const {
            if constexpr (k_contiguous)
                copy_box(target, map, k_, line, matrix, filled);
            else
                copy_box(target + box * 32 * Shape::line_bytes,
                         map,
                         line + box * 32,
                         k_,
                         matrix,
                         filled);
        }
    };

    template <int width_a, int width_b>
    using slab_stream_for = std::conditional_t<width_a == 4 && width_b == 4,
                                               tensor_slab_stream,
                                               slab_stream<width_a, width_b>>;

    // acc += the product of a slab that begins k_left before the end of k. Calls refill() when all
    // threads have read the slab. A thread's loads differ in bits that are xored with their offset
    // in shared memory, not with their offset in the slab. Otherwise the compiler would keep a
    // register for each load.
    template <class Refill>
    __device__ __forceinline__ void multiply(char* smem,
                                             int slab,
                                             int k_left,
                                             accumulators& acc,
                                             unsigned& least_a,
                                             unsigned& least_b,
                                             Refill&& refill) const {
        float a[4][4];
        load_a(smem, slab, a);
        split_b(smem, slab + Shape::slab_b_at, least_b);
        fence_async_shared();
        uint32_t high[4][4], low[4][4];
        split_a(a, high, low, least_a);
        __syncthreads(); // all threads have written their part of the limbs
        const int k_of_slab = Shape::is_ragged ? k_left : Shape::block_k;
        const auto meanwhile = [&](int k_started) {
            if (k_started == 16) // where there are registers for it
                refill();
        };
        multiply_slab<Shape>(high, low, smem_address(smem), acc, meanwhile, k_of_slab);
        if (k_of_slab <= 16)
            refill();
    }

    // A thread's elements of A: x[s][2 h + r] at row 2 g + r and k = 8 s + 2 t + h.
    __device__ __forceinline__ void load_a(const char* smem, int slab, float (&x)[4][4]) const {
        const unsigned line = row_of(threadIdx.x), t = threadIdx.x % 4;
        const unsigned first =
            slab + (transa ? swizzled<128>(line, t / 2) + t % 2 * 8
                           : swizzled<128>(line / 32 * 32 + 2 * t, line % 32 / 4) + line % 4 * 4);
#pragma unroll
        for (int s = 0; s < 4; ++s)
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const unsigned at = transa ? (first ^ (2 * s ^ i) * 16) + i * 128
                                           : (first ^ i * 16) + i * 128 + s * 1024;
                const float2 v = *reinterpret_cast<const float2*>(smem + at);
                x[s][transa ? i : 2 * i] = v.x;
                x[s][transa ? 2 + i : 2 * i + 1] = v.y;
            }
    }

    // Splits B.
    __device__ __forceinline__ void split_b(char* smem, int slab, unsigned& least) const {
        constexpr int parts = Shape::threads / 64; // of 8 k of a line, at a time
        const unsigned thread = own_number(), line = thread % 64, part = thread / 64;
        const unsigned limbs = swizzled<128>(line, 2 * part);
        const unsigned first =
            slab + (transb ? line / 32 * 4096 + part * 1024 + line % 32 * 4 : limbs);
#pragma unroll
        for (int s = 0; s < 4; s += parts) {
            float x[8]; // k = 8 (s + part) + 2 t + h at 2 t + h
            if constexpr (transb) {
#pragma unroll
                for (int e = 0; e < 8; ++e)
                    x[e] = *reinterpret_cast<const float*>(smem + (first ^ e * 16) + e * 128 +
                                                           s * 1024);
            } else {
#pragma unroll
                for (int e = 0; e < 8; e += 4) {
                    const float4 v =
                        *reinterpret_cast<const float4*>(smem + (first ^ (2 * s + e / 4) * 16));
                    x[e] = v.x, x[e + 1] = v.y, x[e + 2] = v.z, x[e + 3] = v.w;
                }
            }
            uint32_t high[8], low[8];
            split_each(x, high, low, least);
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                char* piece = smem + (limbs ^ (2 * s + h) * 16);
                *reinterpret_cast<uint4*>(piece) =
                    make_uint4(high[h], high[2 + h], high[4 + h], high[6 + h]);
                *reinterpret_cast<uint4*>(piece + Shape::limb_bytes) =
                    make_uint4(low[h], low[2 + h], low[4 + h], low[6 + h]);
            }
        }
    }

    // The same on the FP32 units.
    __device__ __forceinline__ void multiply_fp32(const char* slab, accumulators& acc) const {
        const unsigned thread = own_number();
        const int row = row_of(thread), col = col_of(thread);
        const auto element = [&](const char* of, bool k_contiguous, int line, int k) {
            const int at = k_contiguous
                               ? swizzled<128>(line, k / 4) + k % 4 * 4
                               : swizzled<128>(line / 32 * 32 + k, line % 32 / 4) + line % 4 * 4;
            return *reinterpret_cast<const float*>(of + at);
        };
#pragma unroll 1
        for (int k = 0; k < Shape::block_k; ++k) {
            float a[2];
#pragma unroll
            for (int r = 0; r < 2; ++r)
                a[r] = element(slab, transa, row + r, k);
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int c = 0; c < 2; ++c) {
                    const float b = element(slab + Shape::slab_b_at, !transb, col + 8 * j + c, k);
#pragma unroll
                    for (int r = 0; r < 2; ++r)
                        acc[4 * j + 2 * r + c] = fmaf(a[r], b, acc[4 * j + 2 * r + c]);
                }
        }
    }

    static constexpr int at_once = 4; // columns that are read and written at a time

    static __device__ __forceinline__ bool is_finite(const accumulators& acc) {
        float zero = 0;
#pragma unroll
        for (int i = 0; i < 32; ++i)
            zero = fmaf(acc[i], 0, zero);
        return zero == 0;
    }

    // C = alpha * sums + beta * C.
    __device__ __forceinline__ void write(const sgemm_problem& p,
                                          const sgemm_operands& o,
                                          int64_t tile_row,
                                          int64_t tile_col,
                                          const accumulators& acc) const {
        const unsigned thread = own_number();
        const int64_t first_row = tile_row + row_of(thread), first_col = tile_col + col_of(thread);
        float* const c = o.c + first_row + first_col * p.ldc;
        const int rows = static_cast<int>(min(p.m - first_row, int64_t{2}));
        const int cols = static_cast<int>(min(p.n - first_col, int64_t{Shape::block_n}));
        const bool pairs = rows == 2 && reinterpret_cast<uintptr_t>(c) % 8 == 0 && p.ldc % 2 == 0;
#pragma unroll
        for (int first = 0; first < 16; first += at_once) {
            float value[at_once][2];
#pragma unroll
            for (int i = 0; i < at_once; ++i)
#pragma unroll
                for (int r = 0; r < 2; ++r)
                    value[i][r] = o.alpha * acc[(first + i) / 2 * 4 + 2 * r + i % 2];
            const auto for_each = [&](auto&& f) {
#pragma unroll
                for (int i = 0; i < at_once; ++i) {
                    const int column = (first + i) / 2 * 8 + i % 2;
                    if (column < cols)
                        f(c + column * p.ldc, value[i], i);
                }
            };
            if (o.beta != 0) {
                float old[at_once][2];
                for_each([&](const float* at, float(&)[2], int i) {
                    if (pairs) {
                        const float2 v = *reinterpret_cast<const float2*>(at);
                        old[i][0] = v.x, old[i][1] = v.y;
                    } else {
#pragma unroll
                        for (int r = 0; r < 2; ++r)
                            old[i][r] = r < rows ? at[r] : 0;
                    }
                });
                for_each([&](const float*, float(&v)[2], int i) {
#pragma unroll
                    for (int r = 0; r < 2; ++r)
                        v[r] = fmaf(o.beta, old[i][r], v[r]);
                });
            }
            for_each([&](float* at, float(&v)[2], int) {
                if (pairs)
                    store_pair(at, v);
                else
#pragma unroll
                    for (int r = 0; r < 2; ++r)
                        if (r < rows)
                            at[r] = v[r];
            });
        }
    }

    // The same if rows of the tile are columns of C.
    __device__ __forceinline__ void write_swapped(const sgemm_problem& p,
                                                  const sgemm_operands& o,
                                                  int64_t tile_row,
                                                  int64_t tile_col,
                                                  const accumulators& acc) const {
        const unsigned thread = own_number();
        const int64_t first_row = tile_col + col_of(thread), first_col = tile_row + row_of(thread);
        float* const c = o.c + first_row + first_col * p.ldc;
        const int rows = static_cast<int>(min(p.n - first_row, int64_t{Shape::block_n}));
        const int cols = static_cast<int>(min(p.m - first_col, int64_t{2}));
        const bool pairs = reinterpret_cast<uintptr_t>(c) % 8 == 0 && p.ldc % 2 == 0;
#pragma unroll
        for (int first = 0; first < 16; first += at_once) {
            // Calls f(element of C, its number in acc, rows from there to the end of C, i) for each
            // pair of rows.
            const auto for_each = [&](auto&& f) {
#pragma unroll
                for (int i = 0; i < at_once; ++i) {
                    const int pair = first + i, row = pair / 2 * 8;
                    if (pair % 2 < cols)
                        f(c + row + pair % 2 * p.ldc, 2 * pair, rows - row, i);
                }
            };
            float old[at_once][2] = {};
            if (o.beta != 0)
                for_each([&](const float* at, int, int left, int i) {
                    if (pairs && left >= 2) {
                        const float2 v = *reinterpret_cast<const float2*>(at);
                        old[i][0] = v.x, old[i][1] = v.y;
                    } else {
#pragma unroll
                        for (int r = 0; r < 2; ++r)
                            old[i][r] = r < left ? at[r] : 0;
                    }
                });
            for_each([&](float* at, int sum, int left, int i) {
                float v[2];
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    v[r] = o.alpha * acc[sum + r];
                    if (o.beta != 0)
                        v[r] = fmaf(o.beta, old[i][r], v[r]);
                }
                if (pairs && left >= 2)
                    store_pair(at, v);
                else
#pragma unroll
                    for (int r = 0; r < 2; ++r)
                        if (r < left)
                            at[r] = v[r];
            });
        }
    }

    // The same with an epilogue.
    __device__ __forceinline__ void write_fused(const sgemm_problem& p,
                                                const sgemm_operands& o,
                                                const epilogue_op& epilogue,
                                                int64_t tile_row,
                                                int64_t tile_col,
                                                const accumulators& acc) const {
        const unsigned thread = own_number();
        const int64_t first_row = tile_row + row_of(thread), first_col = tile_col + col_of(thread);
        float of_row[2];
#pragma unroll
        for (int r = 0; r < 2; ++r)
            of_row[r] = epilogue.bias_of_row(first_row + r, first_row + r < p.m);
#pragma unroll
        for (int first = 0; first < 16; first += at_once) {
            const auto place_of = [&](int i) {
                const int64_t column = first_col + (first + i) / 2 * 8 + i % 2;
                return epilogue_place{first_row, column, column < p.n ? p.m - first_row : 0};
            };
            float value[at_once][2];
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                const epilogue_place at = place_of(i);
                const float of_col = epilogue.bias_of_col(at.col, at.rows > 0);
#pragma unroll
                for (int r = 0; r < 2; ++r)
                    value[i][r] =
                        fmaf(o.alpha, acc[(first + i) / 2 * 4 + 2 * r + i % 2], of_col + of_row[r]);
            }
            epilogue(value, place_of);
        }
    }
};

#endif

// `width_a`: 4 if A consists of aligned quads, otherwise 1. `width_b`: the same of B.
template <class Shape, bool transa, bool transb, int width_a, int width_b>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_per_sm)
    tf32_batch_kernel(const tf32_batch_tiles tiles,
                      const __grid_constant__ sgemm_problem p,
                      const __grid_constant__ tf32_batch_maps maps,
                      const tf32_batch_border border) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using tile_type = tf32_batch_tile<Shape, transa, transb>;
    extern __shared__ __align__(1024) char smem[];
    __shared__ unsigned least[2]; // of A and of B, in a tile
    __shared__ mbarrier filled[Shape::stages];
    typename tile_type::template slab_stream_for<width_a, width_b> slabs(
        p, tiles, smem, maps, filled);
    grid_dependency_sync();
    const bool reads = resolve_scalars(p).k != 0;
    const int k = static_cast<int>(p.k);
    const tile_type thread;
    if (reads)
        slabs.begin_at(blockIdx.x);
    constexpr bool has_border = Shape::is_ragged && !Shape::is_swapped;
    unsigned strips = gridDim.x - 1 - blockIdx.x; // blocks without a tile come first
#pragma unroll 1
    for (unsigned tile = blockIdx.x; has_border || tile < tiles.count; tile += gridDim.x) {
        if constexpr (has_border) {
#pragma unroll 1
            for (; border.is_due(strips, tile, tiles.count); strips += gridDim.x)
                border.template multiply<Shape, transa, transb, width_a, width_b>(p, strips);
            if (tile >= tiles.count)
                break;
        }
        typename tile_type::accumulators acc = {};
        if (reads) {
            unsigned least_a = ~0u, least_b = ~0u;
#pragma unroll 1
            for (int k_left = k; k_left > 0; k_left -= Shape::block_k) {
                const int slab = slabs.next();
                // All threads have read the values of the tile before, and there is another
                // barrier before the values of this tile are noted.
                if (k_left == k && threadIdx.x < 2)
                    least[threadIdx.x] = ~0u;
                thread.multiply(smem, slab, k_left, acc, least_a, least_b, [&] { slabs.refill(); });
            }
            least_a = __reduce_min_sync(full_warp, least_a);
            least_b = __reduce_min_sync(full_warp, least_b);
            if (threadIdx.x % warp_size == 0) {
                atomicMin(&least[0], least_a);
                atomicMin(&least[1], least_b);
            }
            // The smallest elements are known.
            const bool is_finite = __syncthreads_and(tile_type::is_finite(acc));
            if (!is_finite || !are_limbs_held(least[0], least[1])) {
#pragma unroll
                for (float& sum : acc)
                    sum = 0;
                slabs.restart_at(tile);
#pragma unroll 1
                for (int k_left = k; k_left > 0; k_left -= Shape::block_k) {
                    thread.multiply_fp32(smem + slabs.next(), acc);
                    fence_async_shared(); // TMA may overwrite what has been read
                    __syncthreads();
                    slabs.refill();
                }
            }
        }
        const typename tile_type::place at(tiles, tile);
        sgemm_operands o = resolve_scalars(p);
        o.c = operand_base(p.c, p.c_array, p.c_array ? 0 : p.stride_c, at.batch);
        if constexpr (Shape::has_epilogue)
            thread.write_fused(p, o, epilogue_op(p, o, at.batch), at.row, at.col, acc);
        else if constexpr (Shape::is_swapped)
            thread.write_swapped(p, o, at.row, at.col, acc);
        else
            thread.write(p, o, at.row, at.col, acc);
    }
#endif
}

} // namespace myblas::cuda

// update: C = alpha op(A) op(B) + C for a short k, as in the updates of LU and Cholesky, where
// most of the time goes into starting and ending tiles.
//
// New: nothing waits between tiles. Blocks are persistent, and the ring of slabs runs on from tile
// to tile: while a block adds a tile to C, the first slabs of its next tile arrive. The L2 cache
// adds (element.cuh), so no thread waits for the old C.
//
// Block, warp and thread tiles, and the slabs, are those of warp_tile.cuh, with A and B copied word
// by word. (For quads, registers would not suffice for 5 blocks.) The last slab of a tile is
// multiplied in turns of 4 k, so a k of 68 is not computed as 80.
//
// Bound: shared memory. An 8 x 4 thread tile reads 12 floats for 32 FMAs, an 8 x 8 tile 16 for 64.
// For the shortest k, the traffic of C in the L2 cache.
// Shared memory: the ring, and lanes_n * 4 columns of each warp tile; 44 and 55 KiB.
// Launch: as many blocks as fit on the device at the same time, or one for each tile.
// Accepts: a beta that the host knows to be 1, up to 2^30 rows, columns, k and tiles in a batch. No
// triangles, no epilogues.
#include "kernels/common/overlap.cuh"
#include "kernels/sgemm/components/warp_tile.cuh"
#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int turn_k = 4; // k of a turn of the main loop

// The block's tiles: number blockIdx.x, and every gridDim.x-th from there on, over all products of
// the batch.
template <class Shape>
class tile_walk {
public:
    __device__ __forceinline__ explicit tile_walk(const sgemm_problem& p)
        : of_product_(ceil_div(static_cast<int>(p.m), Shape::block_m) *
                      ceil_div(static_cast<int>(p.n), Shape::block_n)),
          left_(of_product_ * static_cast<int>(p.batch_count) - static_cast<int>(blockIdx.x)),
          tile_(static_cast<int>(blockIdx.x)) {}

    __device__ __forceinline__ bool has_tile() const { return left_ > 0; }
    __device__ __forceinline__ void advance() {
        tile_ += static_cast<int>(gridDim.x);
        left_ -= static_cast<int>(gridDim.x);
    }
    __device__ __forceinline__ int64_t batch() const { return tile_ / of_product_; }
    __device__ __forceinline__ tile_position<int> first_element(const sgemm_problem& p) const {
        return patch_order<Shape, int>(
            tile_ % of_product_, static_cast<int>(p.m), static_cast<int>(p.n));
    }

private:
    int of_product_; // tiles
    int left_, tile_;
};

// Starts the copies of the ring, slab after slab over all tiles of the block.
template <class Shape, bool transa, bool transb>
class slab_loader {
    using tile = warp_tile<Shape, transa, transb, false>;

public:
    __device__ __forceinline__ slab_loader(const sgemm_problem& p, int k)
        : p_(p), k_(k), walk_(p), a_(p.a, p.lda, 0, p.m, 0), b_(p.b, p.ldb, 0, p.n, 0) {
        enter_tile();
    }

    __device__ __forceinline__ void start(float* slab) {
        if (walk_.has_tile()) {
            float* const slab_b = slab + tile::copier_a::slab_floats;
            if (is_whole_ && k_left_ >= Shape::block_k) {
                a_.start_whole(slab);
                b_.start_whole(slab_b);
            } else {
                a_.start(slab, k_left_);
                b_.start(slab_b, k_left_);
            }
            k_left_ -= Shape::block_k;
            if (k_left_ <= 0) {
                walk_.advance();
                enter_tile();
            }
        }
        // An empty group counts too, so that waits are right.
        cp_async_commit();
    }

private:
    const sgemm_problem& p_;
    int k_, k_left_;
    tile_walk<Shape> walk_;
    typename tile::copier_a a_;
    typename tile::copier_b b_;
    bool is_whole_; // the tile is inside C

    // To the tile's first line, at k = 0. The rest of the copier stays as it is, and needs no
    // registers besides those for constants.
    template <bool k_contiguous, class Copier>
    __device__ __forceinline__ void
    move(Copier& copier, const float* base, int first_line, int all_lines, int lines) {
        const int64_t line = first_line + copier.line;
        copier.gmem =
            base + (k_contiguous ? copier.kk + line * copier.ld : line + copier.kk * copier.ld);
        copier.lines_left = min(all_lines - static_cast<int>(line), lines);
    }

    __device__ __forceinline__ void enter_tile() {
        if (!walk_.has_tile())
            return;
        const int64_t batch = walk_.batch();
        const tile_position<int> at = walk_.first_element(p_);
        const bool reads = k_ > 0;
        move<transa>(a_,
                     operand_base(p_.a, p_.a_array, p_.stride_a, batch, reads),
                     at.row,
                     static_cast<int>(p_.m),
                     Shape::block_m);
        move<!transb>(b_,
                      operand_base(p_.b, p_.b_array, p_.stride_b, batch, reads),
                      at.col,
                      static_cast<int>(p_.n),
                      Shape::block_n);
        is_whole_ = p_.m - at.row >= Shape::block_m && p_.n - at.col >= Shape::block_n;
        k_left_ = k_;
    }
};

template <class Shape, bool transa, bool transb, int blocks_per_sm>
__global__ void __launch_bounds__(Shape::threads, blocks_per_sm)
    update_kernel(const sgemm_problem p) {
    using tile = warp_tile<Shape, transa, transb, false>;
    extern __shared__ __align__(16) float smem[];
    float* const staged = smem + Shape::stages * tile::stage_floats;
    grid_dependency_sync();
    const int k = static_cast<int>(resolve_scalars(p).k);
    slab_loader<Shape, transa, transb> copies(p, k);
#pragma unroll
    for (int stage = 0; stage < Shape::stages - 1; ++stage)
        copies.start(smem + stage * tile::stage_floats);

    const int row = tile::thread_row();
    const int col = tile::copier_a::slab_floats + tile::thread_col();
    int read_stage = 0, write_stage = Shape::stages - 1;
    typename tile::fragment frag[2];
    cp_async_wait<Shape::stages - 2>();
    __syncthreads(); // all threads' copies of the first slab have arrived
    // This thread's first row or column at the current k.
    const float *at_a = smem + row, *at_b = smem + col;
    frag[0].load(at_a, at_b, 0);

    for (tile_walk<Shape> walk(p); walk.has_tile(); walk.advance()) {
        typename tile::accumulators acc = {};
#pragma unroll 1
        for (int k_left = k; k_left > 0; k_left -= Shape::block_k) {
            copies.start(smem + write_stage * tile::stage_floats);
            write_stage = write_stage + 1 == Shape::stages ? 0 : write_stage + 1;
            read_stage = read_stage + 1 == Shape::stages ? 0 : read_stage + 1;
            const float* const next_stage = smem + read_stage * tile::stage_floats;
#pragma unroll 1
            for (int left = min(k_left, Shape::block_k); left > 0; left -= turn_k) {
                const bool is_last = left <= turn_k;
                const float* const next_a =
                    is_last ? next_stage + row : at_a + turn_k * tile::copier_a::pitch;
                const float* const next_b =
                    is_last ? next_stage + col : at_b + turn_k * tile::copier_b::pitch;
#pragma unroll
                for (int kk = 0; kk < turn_k; ++kk) {
                    if (kk == turn_k - 1) {
                        if (is_last) {
                            cp_async_wait<Shape::stages - 2>();
                            // All threads' copies of the next slab have arrived, and all threads
                            // have read the rest of this slab, whose stage is filled next.
                            __syncthreads();
                        }
                        // After the last slab of all this reads old data, which are not used.
                        frag[(kk + 1) % 2].load(next_a, next_b, 0);
                    } else {
                        frag[(kk + 1) % 2].load(at_a, at_b, kk + 1);
                    }
                    tile::multiply_fragment(frag[kk % 2], acc);
                }
                at_a = next_a;
                at_b = next_b;
            }
        }
        const tile_position<int> at = walk.first_element(p);
        sgemm_operands o = resolve_scalars(p); // again, as the main loop has no registers for them
        o.c = operand_base(p.c, p.c_array, p.stride_c, walk.batch());
        tile::template store_by_columns<true>(p, o, at.row, at.col, acc, staged);
    }
    cp_async_wait<0>();
}

template <class Shape, int blocks_per_sm>
struct variant {
    using shape = Shape;
    static constexpr int min_arch = 80, max_arch = 0;
    static constexpr bool keeps_k_order = true;
    static constexpr const char* accepts_what =
        "it accepts a beta of 1, and up to 2^30 rows, columns and k";
    static_assert(Shape::block_k % turn_k == 0);

    template <bool transa, bool transb>
    static constexpr size_t bytes_of() {
        using tile = warp_tile<Shape, transa, transb, false>;
        constexpr size_t warp_floats = Shape::lanes_n * 4 * tile::column_pitch;
        return tile::smem_bytes + Shape::threads / 32 * warp_floats * sizeof(float);
    }
    static constexpr size_t smem_bytes = bytes_of<true, false>(); // pads both operands

    static constexpr int choice_bits = 2;
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        return with_bits<2>(choice, [&](auto transa, auto transb) {
            return f(update_kernel<Shape, transa, transb, blocks_per_sm>,
                     bytes_of<transa, transb>());
        });
    }

    static int64_t tiles(const sgemm_problem& p) {
        return tile_count(p, Shape::block_m, Shape::block_n) * p.batch_count;
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        constexpr int64_t most = 1 << 30; // counted in 32 bits
        return smem_bytes <= device.smem_per_block && is_one(p.beta) &&
               std::max({p.m, p.n, p.k}) <= most &&
               tile_count(p, Shape::block_m, Shape::block_n) <= most / p.batch_count;
    }

    static work_estimate work(const work_query& q) {
        constexpr tile_kernel kernel{.block_m = Shape::block_m,
                                     .block_n = Shape::block_n,
                                     .slab_k = Shape::block_k,
                                     .resident = blocks_per_sm,
                                     .quads_of_k = false,
                                     .whole_slabs = false};
        return kernel.work(q);
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const int64_t places = int64_t{context.device->sm_count} * blocks_per_sm;
        const dim3 blocks(static_cast<unsigned>(std::min(tiles(p), places)));
        return with_kernel(form_bits(p), [&](auto kernel, size_t bytes) {
            const bool early = p.batch_count == 1;
            return launch_clusters(kernel, blocks, 1, early, Shape::threads, bytes, context, p);
        });
    }
};

// clang-format off
//                                             block         warp    lanes      blocks of a
//                                             m    n    k   m   n   m  stages  SM
using update_128x64 = variant<warp_tile_shape<128, 64,  16,  64, 32, 8, 3>,     3>;
using update_64x64  = variant<warp_tile_shape<64,  64,  16,  32, 32, 4, 3>,     5>;
// clang-format on

} // namespace

constinit const std::array<sgemm_kernel, 2> sgemm_update = {
    describe<update_128x64>("update/128x64", "C += A B: warps of 64 x 32, persistent blocks"),
    describe<update_64x64>("update/64x64", "C += A B: warps of 32 x 32, persistent blocks"),
};

} // namespace myblas::cuda

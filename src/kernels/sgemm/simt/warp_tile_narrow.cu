// warp_tile/64x32: C = alpha op(A) op(B) + beta C with a short side, most of all for batches. The
// main loop is in warp_tile_narrow.cuh.
//
// Tiles are 64 x 32 or 32 x 64, whichever makes fewer of them. If a multiprocessor has many tiles,
// one warp computes each of them, 8 x 8 elements a thread. No barrier is needed, and loads from
// shared memory take as long as the FMAs, 16 cycles for each k. Otherwise two warps compute a tile,
// 8 x 4 elements a thread.
//
// Bound: shared memory, whose loads and copies take 20 to 30 cycles for each k of a tile beside 16
// cycles of FMAs.
// Shared memory: 2 or 3 slabs of 8 k; 6 to 10 KiB. What blocks leave of it serves as L1 cache, in
// which unaligned lines wait for their next slab.
// Launch: a block of one or two warps for each tile.
// Accepts: products of up to 4096 tiles, with a k up to 2^30.
#include "kernels/common/overlap.cuh"
#include "kernels/sgemm/components/hot_operand.h"
#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/simt/warp_tile_narrow.cuh"

namespace myblas::cuda {
namespace {

// quads: A and B are copied by quads where lines run along memory, and C is accessed by quads.
template <class Shape, bool transa, bool transb, bool quads, int blocks_per_sm>
__global__ void __launch_bounds__(Shape::threads, blocks_per_sm)
    warp_tile_narrow_kernel(int64_t first_batch, const sgemm_problem p) {
    using tile = narrow_tile<Shape, transa, transb, quads>;
    extern __shared__ __align__(16) float smem[];
    grid_dependency_sync();
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const tile_position<int64_t> at{int64_t{blockIdx.x} * Shape::block_m,
                                    int64_t{blockIdx.y} * Shape::block_n};
    typename tile::accumulators acc = {};
    tile::multiply(p, o, at.row, at.col, smem, acc);
    if constexpr (quads)
        tile::template store_quads<false>(p, o, at, acc);
    else
        tile::template store_by_columns<false>(p, o, at.row, at.col, acc, smem);
}

// Block tiles that stand and lie, and the blocks of them that a multiprocessor holds.
template <class High, class Across, int resident_>
struct tile_pair {
    using high = High;
    using across = Across;
    static constexpr int resident = resident_;
};

// clang-format off
//                                                   block       warp    lanes
//                                                   m   n   k   m   n   m  stages
using many = tile_pair<warp_tile_shape<64, 32, 8,  64, 32, 8,  2>,
                       warp_tile_shape<32, 64, 8,  32, 64, 4,  2>, 16>;
using few  = tile_pair<warp_tile_shape<64, 32, 8,  32, 32, 4,  3>,
                       warp_tile_shape<32, 64, 8,  32, 32, 4,  3>, 8>;
// clang-format on

struct variant {
    using shape = many::high;
    static constexpr int min_arch = 80, max_arch = 0;
    static constexpr bool keeps_k_order = true;
    static constexpr int64_t few_tiles = 6; // of a multiprocessor, at most

    // For the form that pads both operands.
    static constexpr size_t smem_bytes = narrow_tile<few::high, true, false, false>::smem_bytes;

    template <class Shape>
    static int64_t tiles(const sgemm_problem& p) {
        return tile_count(p, Shape::block_m, Shape::block_n);
    }
    static bool lies_across(const sgemm_problem& p) {
        const int64_t high = tiles<many::high>(p), across = tiles<many::across>(p);
        return across < high || (across == high && p.m <= p.n);
    }
    static bool has_few(const sgemm_problem& p, const device_info& device) {
        const int64_t count = std::min(tiles<many::high>(p), tiles<many::across>(p));
        return count <= few_tiles * device.sm_count / p.batch_count;
    }

    // Calls f with the tile pair and the shape of its tiles.
    template <class F>
    static auto with_shape(bool is_few, bool is_across, F&& f) {
        const auto with_pair = [&](auto pair) {
            using Pair = decltype(pair);
            return is_across ? f(pair, std::type_identity<typename Pair::across>())
                             : f(pair, std::type_identity<typename Pair::high>());
        };
        return is_few ? with_pair(few()) : with_pair(many());
    }

    // Bits: the two transpositions; quads; the tile lies across; two warps compute it.
    static constexpr int choice_bits = 5;
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        return with_shape((choice & 16) != 0, (choice & 8) != 0, [&](auto pair, auto of) {
            return with_bits<3>(choice % 8, [&](auto transa, auto transb, auto quads) {
                using Shape = typename decltype(of)::type;
                return f(
                    warp_tile_narrow_kernel<Shape, transa, transb, quads, decltype(pair)::resident>,
                    narrow_tile<Shape, transa, transb, quads>::smem_bytes);
            });
        });
    }

    static constexpr const char* accepts_what =
        "it accepts products of up to 4096 tiles, and up to 2^30 k";
    static bool fits(const sgemm_problem& p, const device_info& device) {
        constexpr int64_t max_extent = 1 << 30; // lines and k are counted in 32 bits
        constexpr int64_t most_tiles = 4096;    // larger products are for larger tiles
        return smem_bytes <= device.smem_per_block && std::max({p.m, p.n, p.k}) <= max_extent &&
               std::min(tiles<many::high>(p), tiles<many::across>(p)) <= most_tiles;
    }

    static work_estimate work(const work_query& q) {
        return with_shape(
            has_few(q.problem, q.device), lies_across(q.problem), [&](auto pair, auto of) {
                using Shape = typename decltype(of)::type;
                constexpr tile_kernel kernel{.block_m = Shape::block_m,
                                             .block_n = Shape::block_n,
                                             .slab_k = Shape::block_k,
                                             .resident = decltype(pair)::resident,
                                             .balanced = 128 / Shape::threads,
                                             .quads_of_k = false,
                                             .whole_slabs = false};
                return kernel.work(q);
            });
    }

    // Whether scalar loads of an operand are faster than quads.
    template <class Shape>
    static bool copies_hot_quads(const sgemm_problem& p) {
        const hot_operands hot(
            p, ceil_div<int64_t>(p.m, Shape::block_m), ceil_div<int64_t>(p.n, Shape::block_n));
        return (hot.a && !p.transa) || (hot.b && p.transb);
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const bool is_across = lies_across(p), is_few = has_few(p, *context.device);
        const bool hot = with_shape(is_few, is_across, [&](auto, auto of) {
            return copies_hot_quads<typename decltype(of)::type>(p);
        });
        const bool quads = copies_quads(p) && !hot &&
                           batch_aligned16(p.c, p.ldc, p.stride_c, p.c_array, p.batch_count);
        const unsigned choice = form_bits(p) | quads << 2 | is_across << 3 | is_few << 4;
        return with_kernel(choice, [&](auto kernel, size_t bytes) {
            return with_shape(is_few, is_across, [&](auto, auto of) {
                using Shape = typename decltype(of)::type;
                return launch_products(kernel,
                                       {.x = ceil_div<int64_t>(p.m, Shape::block_m),
                                        .y = ceil_div<int64_t>(p.n, Shape::block_n),
                                        .threads = Shape::threads,
                                        .smem_bytes = bytes,
                                        .early = true},
                                       p,
                                       context);
            });
        });
    }
};

} // namespace

constinit const std::array<sgemm_kernel, 1> sgemm_warp_tile_narrow = {
    describe<variant>("warp_tile/64x32", "a warp, threads of 8 x 8, or two warps, for a tile"),
};

} // namespace myblas::cuda

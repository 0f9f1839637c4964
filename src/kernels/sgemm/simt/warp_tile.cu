// Rung 15, warp_tile: 16 x 8 elements of C for each thread.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: copies by cp.async leave registers free, so a thread tile can grow to 16 x 8, and a block
// tile to 256 x 128. For each k a thread needs 6 loads of 128 bits for 128 FMAs; in rung 14 it
// needs 4 for 64. The mechanism is in components/warp_tile.cuh, for tiles of any shape. The smaller
// tiles are for a short k, which slabs of 8 cut with less waste, and put several blocks on a
// multiprocessor: one multiplies while others load or store. Tiles of 64 x 64 have a loop without
// checks for slabs inside A and B. Two warps compute such a tile, or four if a multiprocessor has
// three tiles or fewer, since two warps of each would not keep its four schedulers equally busy.
// Bound: instruction issue, 128 FMAs of 134 instructions for each k; and idle multiprocessors in
// the last round of tiles. 8 x 8 thread tiles reach 94% of the FMA peak instead of 95.5%. Copies
// also take 4 to 24 instructions for each slab of 2048 FMAs, depending on alignment and
// transposition. Tiles of 64 x 64 are bound by shared memory: it is busy with loads for 32 cycles
// of each k with 8 x 8 elements a thread, and for 48 with 8 x 4, beside 32 cycles of FMAs, and with
// copies for 4 to 16 more.
// Shared memory: `stages` of [block_k][block_m (+ 4)] and [block_k][block_n (+ 4)]; 12 to 98 KiB.
// Launch: a block for each tile of C, with a warp for each warp tile.
// Accepts: every product whose tiles fit into a grid, on devices with enough shared memory. Copies
// have 16 bytes if the operands whose lines run along memory consist of aligned quads.
//
//   256 x 128: 4 x 2 warps of 64 x 64; lane (li, lj) of a 4 x 8 grid has
//   rows 4 li + {0..3} + {0, 16, 32, 48} and columns 4 lj + {0..3} + {0, 32} of its warp tile:
//
//   columns    0-3  4-7  ..  28-31  |  32-35  36-39  ..  60-63
//   rows  0-3  l0   l4   ..  l28    |  l0     l4     ..  l28
//         4-7  l1   l5   ..  l29    |  l1     l5     ..  l29
//        8-11  l2   l6   ..  l30    |  l2     l6     ..  l30
//       12-15  l3   l7   ..  l31    |  l3     l7     ..  l31
//       -----
//       16-19  l0   l4   ..  l28    |  l0     l4     ..  l28
//          ..  (four times in all)
#include "kernels/common/overlap.cuh"
#include "kernels/sgemm/components/warp_tile.cuh"
#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

// Whether tiles have more columns than rows.
template <class Shape>
constexpr bool lies_across = Shape::block_m < Shape::block_n;

// First element of this block's tile. Tiles with more columns than rows are not used for triangles
// of C.
template <class Shape>
__device__ __forceinline__ tile_position<int64_t> first_element(const sgemm_problem& p) {
    if constexpr (lies_across<Shape>)
        return patch_order<Shape, int64_t>(blockIdx.x, p.m, p.n);
    else
        return computed_tile<Shape>(blockIdx.x, p);
}

// Whether the operands whose lines run along memory begin at multiples of 16 bytes. A line is a row
// of op(A) or a column of op(B).
template <bool transa, bool transb>
__device__ __forceinline__ bool begin_with_quads(const sgemm_operands& o) {
    const auto bits = [](const float* x) { return reinterpret_cast<uintptr_t>(x); };
    return ((transa ? 0 : bits(o.a)) | (transb ? bits(o.b) : 0)) % 16 == 0;
}

// How operands whose lines run along memory are copied.
enum class line_copies {
    words,
    quads,
    // A block uses quads if it finds them aligned, as the host does not know the pointers in an
    // array.
    as_found,
};

// How C is read and written. These are separate kernels, since one kernel with several ways would
// need too many registers, and since any code beside the main loop changes how its registers are
// dealt. The same holds for line_copies.
enum class c_transfer {
    columns, // a warp accesses 32 neighbouring rows at a time: for unaligned C
    quads,   // every thread accesses its quads of rows: for aligned C
    // Whole tiles of C are read into the sums before the loop, if begins_with_c(). Reading C after
    // the loop takes a product with a short k about as long as the loop. (Unaligned C is not read
    // first: its quads would be scalar loads, 16 bytes apart, slower than columns at the end.)
    quads_first,
    // A warp adds 32 neighbouring rows at a time in memory: where the host knows that beta is 1. No
    // thread waits for the old C.
    added,
};

template <class Shape,
          bool transa,
          bool transb,
          line_copies copies,
          c_transfer transfer,
          int blocks_per_sm>
__global__ void __launch_bounds__(Shape::threads, blocks_per_sm)
    warp_tile_kernel(int64_t first_batch, const sgemm_problem p) {
    using tile = warp_tile<Shape, transa, transb, copies != line_copies::words>;
    extern __shared__ __align__(16) float smem[];
    grid_dependency_sync();
    const int64_t batch = first_batch + blockIdx.z;
    const sgemm_operands o = resolve_operands(p, batch);
    const tile_position at = first_element<Shape>(p);

    typename tile::accumulators acc = {};
    const auto multiply = [&](auto start) {
        if (copies != line_copies::as_found || begin_with_quads<transa, transb>(o))
            tile::multiply(p, o, at.row, at.col, 0, o.k, smem, acc, no_action(), start);
        else
            warp_tile<Shape, transa, transb, false>::multiply(
                p, o, at.row, at.col, 0, o.k, smem, acc, no_action(), start);
    };
    if constexpr (transfer == c_transfer::quads_first) {
        sgemm_operands scalars = o;
        if (begins_with_c(o) && aligned16(o.c, p.ldc) && p.m - at.row >= Shape::block_m &&
            p.n - at.col >= Shape::block_n)
            scalars.beta = 0; // C is in the sums
        multiply([&] {
            if (scalars.beta == 0 && o.beta != 0) // false if beta is NaN
                tile::load_c(o.c + at.row + at.col * p.ldc, p.ldc, o.alpha * o.beta, acc);
        });
        tile::template store_quads<false>(p, scalars, at, acc);
        return;
    }
    if constexpr (Shape::has_epilogue) {
        typename tile::row_biases row_bias;
        multiply([&] { row_bias.load(p, epilogue_op(p, o, batch), at.row, at.col); });
        tile::write_epilogue_by_columns(
            p, o.alpha, epilogue_op(p, o, batch), row_bias, at.row, at.col, acc, smem);
        return;
    }
    multiply(no_action());
    if constexpr (transfer == c_transfer::quads)
        tile::template store_quads<false>(p, o, at, acc);
    else
        tile::template store_by_columns<transfer == c_transfer::added>(
            p, o, at.row, at.col, acc, smem);
}

// Whether operands from pointer arrays whose lines run along memory consist of quads if their
// pointers are aligned.
bool may_be_quads(const sgemm_problem& p) {
    const bool a = p.a_array && p.m % 4 == 0 && p.lda % 4 == 0;
    const bool b = p.b_array && p.n % 4 == 0 && p.ldb % 4 == 0;
    return p.c_array && p.ldc % 4 == 0 && p.triangle == triangle_of_c::none &&
           p.epilogue.is_empty() && (p.transa || a) && (!p.transb || b);
}

// A tile shape, and the blocks of it that a multiprocessor holds.
template <class Shape_, int resident_>
struct resident_tile {
    using shape = Shape_;
    static constexpr int resident = resident_;
};

// Other: another tile shape for some products. If it lies across, it is the transposed shape, used
// if it makes fewer tiles of C. Otherwise it has more warps, and is used if a multiprocessor has
// few tiles. It is Tile itself if there is none.
template <class Tile, class Other = Tile>
struct variant {
    using shape = typename Tile::shape;
    using other_shape = typename Other::shape;
    static constexpr int min_arch = 80, max_arch = 0;
    static constexpr bool has_epilogue = true;
    static constexpr bool takes_triangles = true, keeps_k_order = true;
    static constexpr bool has_other = !std::is_same_v<Tile, Other>;
    static constexpr int64_t few_tiles = 3; // of a multiprocessor, at most
    // For the form that pads both operands.
    static constexpr size_t smem_bytes =
        std::max(warp_tile<shape, true, false, true>::smem_bytes,
                 warp_tile<other_shape, true, false, true>::smem_bytes);

    template <class Taken, bool has_epilogue_here, class F>
    static myblasStatus_t with_tile(unsigned choice, F&& f) {
        using taken_shape = std::conditional_t<has_epilogue_here,
                                               with_epilogue<typename Taken::shape>,
                                               typename Taken::shape>;
        return with_bits<7>(
            choice,
            [&](auto transa,
                auto transb,
                auto quads,
                auto quads_c,
                auto arrays,
                auto reads_c,
                auto adds) {
                constexpr bool has_lines = !transa || transb,
                               by_quads_c = quads_c && !has_epilogue_here;
                constexpr line_copies copies = !has_lines || !quads   ? line_copies::words
                                               : arrays && by_quads_c ? line_copies::as_found
                                                                      : line_copies::quads;
                constexpr c_transfer transfer = adds && !has_epilogue_here ? c_transfer::added
                                                : !by_quads_c              ? c_transfer::columns
                                                : reads_c                  ? c_transfer::quads_first
                                                                           : c_transfer::quads;
                return f(warp_tile_kernel<taken_shape,
                                          transa,
                                          transb,
                                          copies,
                                          transfer,
                                          Taken::resident>,
                         warp_tile<taken_shape, transa, transb, copies != line_copies::words>::
                             smem_bytes);
            });
    }

    // Bits: the two transpositions; A and B are copied by quads; C is accessed by quads; alignment
    // of pointer arrays is checked in the kernel; C may be read before the loop; C is added to in
    // memory; the tile is Other; there is an epilogue, which writes C by columns.
    static constexpr int choice_bits = 8 + has_other;
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        const bool is_finished = choice >> (7 + has_other);
        if constexpr (has_other)
            if (choice & 128)
                return with_form<Other>(choice % 128, is_finished, f);
        return with_form<Tile>(choice % 128, is_finished, f);
    }
    template <class Taken, class F>
    static myblasStatus_t with_form(unsigned choice, bool is_finished, F&& f) {
        return is_finished ? with_tile<Taken, true>(choice, f) : with_tile<Taken, false>(choice, f);
    }

    static bool takes_other(const sgemm_problem& p, const device_info& device) {
        if constexpr (!has_other)
            return false;
        const int64_t tiles = tile_count(p, shape::block_m, shape::block_n);
        if constexpr (lies_across<other_shape>)
            return p.triangle == triangle_of_c::none &&
                   tile_count(p, other_shape::block_m, other_shape::block_n) < tiles;
        return tiles <= few_tiles * device.sm_count / p.batch_count;
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return smem_bytes <= device.smem_per_block &&
               fits_grid<shape::block_m, shape::block_n>(p, device);
    }

    template <class Taken>
    static constexpr tile_kernel estimate = {.block_m = Taken::shape::block_m,
                                             .block_n = Taken::shape::block_n,
                                             .slab_k = Taken::shape::block_k,
                                             .resident = Taken::resident,
                                             .balanced = std::max(128 / Taken::shape::threads, 1),
                                             .quads_of_k = false};
    static work_estimate work(const work_query& q) {
        return (takes_other(q.problem, q.device) ? estimate<Other> : estimate<Tile>).work(q);
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        // The host does not know the pointers in an array, but it knows whether all columns of C
        // have the same alignment.
        const bool quads_c =
            p.triangle == triangle_of_c::none &&
            batch_aligned16(p.c_array ? nullptr : p.c, p.ldc, p.stride_c, nullptr, p.batch_count);
        const bool other = takes_other(p, *context.device);
        const bool arrays = may_be_quads(p);
        // A C that is larger than the L2 cache is better read early, if it is aligned.
        const double c_bytes = 4 * computed_elements(p) * static_cast<double>(p.batch_count);
        const bool adds =
            is_one(p.beta) && !(quads_c && c_bytes > static_cast<double>(context.device->l2_bytes));
        const bool reads_c_first =
            may_be_nonzero(p.beta) && p.math != MYBLAS_FP32_REPRODUCIBLE_MATH;
        const unsigned choice = copy_bits(p) | arrays << 2 | quads_c << 3 | arrays << 4 |
                                reads_c_first << 5 | adds << 6 | other << 7 |
                                !p.epilogue.is_empty() << (7 + has_other);
        return with_kernel(choice, [&](auto kernel, size_t bytes) {
            return launch_products(
                kernel,
                {.x = other ? tile_count(p, other_shape::block_m, other_shape::block_n)
                            : tile_count(p, shape::block_m, shape::block_n),
                 .threads = other ? other_shape::threads : shape::threads,
                 .smem_bytes = bytes,
                 .early = true},
                p,
                context);
        });
    }
};

// clang-format off
//                                       block         warp    lanes          whole    blocks of
//                                       m    n    k   m   n   m      stages  slabs    an SM
using large  = resident_tile<warp_tile_shape<256, 128, 16, 64, 64, 4,     4>,             1>;
using high   = resident_tile<warp_tile_shape<128, 64,  8,  64, 32, 8,     6>,             3>;
using across = resident_tile<warp_tile_shape<64,  128, 8,  64, 32, 8,     6>,             3>;
using many   = resident_tile<warp_tile_shape<64,  64,  8,  64, 32, 8,     3,      true>,  8>;
using few    = resident_tile<warp_tile_shape<64,  64,  16, 32, 32, 4,     3,      true>,  5>;
// clang-format on

} // namespace

constinit const std::array<sgemm_kernel, 3> sgemm_warp_tile = {
    describe<variant<large>>("warp_tile/256x128", "warps of 64 x 64, threads of 16 x 8, cp.async"),
    describe<variant<high, across>>("warp_tile/128x64",
                                    "warps of 64 x 32, threads of 8 x 8, cp.async"),
    describe<variant<many, few>>("warp_tile/64x64", "warps of 64 x 32, threads of 8 x 8, cp.async"),
};

} // namespace myblas::cuda

// C = alpha op(A) + beta op(B), one tile for each block, by asynchronous copies.
//
// Adds to `shared_tile`: transpose's tile mover (mover.cuh). Tiles of both operands are copied to
// shared memory past the registers. A transposed operand lies there as in A or B, and is transposed
// as it is read. A plain operand lies in slots of the threads that will add it. Copies are of 16
// bytes if everything is a multiple of 16 bytes. Otherwise single floats are copied, and the
// columns of a tile of C start on sector boundaries. Two unaligned operands are left to
// `shared_tile`, unless C is thin.
//
// Bound: 3 m n floats moved (2 m n if a scalar is zero).
// Launch: 256 threads, a tile of 64 x 64, or 8 x 256 or 256 x 8 (unaligned) if C is thin; one stage
// of a tile for each operand.
// Accepts: everything. If C is A or B, that operand is not transposed, and each element is written
// by the thread that read it.

#include "kernels/common/overlap.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/transpose/mover.cuh"
#include "kernels/transpose/registry.h"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;

// The rows of a tile are columns of C, like columns of B in a transpose: a transposed operand is n
// x m.
using vectors = vector_tile<float, 16, 16, threads>;
using words = word_tile<float, 64, 64, 8, threads>;
using few_columns = word_tile<float, 8, 256, 8, threads>;
using few_rows = word_tile<float, 256, 8, 0, threads>;
constexpr int few = 16; // rows or columns of C

template <class tile>
constexpr bool is_aligned = std::is_same_v<tile, vectors>;
template <class tile>
using cell = std::conditional_t<is_aligned<tile>, vector16, float>;

// Bytes of an operand's tile, transposed or not.
template <class tile>
constexpr size_t operand_bytes = std::max(tile::smem_bytes, tile::rows* tile::cols * sizeof(float));

// Issues the copies of an operand's tile.
template <class tile, bool transposed>
__device__ __forceinline__ void load_operand(cell<tile>* smem,
                                             const geam_problem& p,
                                             const float* matrix,
                                             int64_t ld,
                                             const tile_region& at) {
    if constexpr (transposed)
        tile::load(smem, matrix, ld, at);
    else if constexpr (is_aligned<tile>)
        tile::load_straight(smem, matrix, ld, at);
    else
        tile::load_straight(smem, matrix, ld, p.c, p.ldc, at);
}

template <class tile, bool transposed>
__device__ __forceinline__ void
read_square(const vector16* smem, int square, int i, int j, vector16 (&row)[4]) {
    if constexpr (transposed)
        tile::read(smem, i, j, row);
    else
        tile::read_straight(smem, square, row);
}

template <class tile, bool transposed>
__device__ __forceinline__ float read_element(const float* smem, int slot, int place) {
    return transposed ? smem[place] : tile::read_straight(smem, slot);
}

template <class tile, bool transa, bool transb>
__global__ void __launch_bounds__(threads) async_tiles(geam_problem p, tile_order order) {
    extern __shared__ __align__(16) unsigned char smem_raw[];
    auto* smem_a = reinterpret_cast<cell<tile>*>(smem_raw);
    auto* smem_b = reinterpret_cast<cell<tile>*>(smem_raw + operand_bytes<tile>);

    const mover_tile tile_at = order(blockIdx.x);
    const tile_region at{p.n, p.m, tile_at.row * tile::rows, tile_at.col * tile::cols};
    grid_dependency_sync();
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    // An operand with a zero scalar may hold NaN, or not exist.
    if (alpha != 0)
        load_operand<tile, transa>(smem_a, p, p.a, p.lda, at);
    if (beta != 0)
        load_operand<tile, transb>(smem_b, p, p.b, p.ldb, at);
    wait_for_tile();

    if constexpr (is_aligned<tile>) {
        tile::for_each_square(at, [&](int square, int i, int j) {
            vector16 row_a[4] = {}, row_b[4] = {};
            if (alpha != 0)
                read_square<tile, transa>(smem_a, square, i, j, row_a);
            if (beta != 0)
                read_square<tile, transb>(smem_b, square, i, j, row_b);
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                vector16 sum;
#pragma unroll
                for (int w = 0; w < 4; ++w) {
                    const float a = __uint_as_float(row_a[r].word[w]);
                    const float b = __uint_as_float(row_b[r].word[w]);
                    sum.word[w] = __float_as_uint(fmaf(alpha, a, beta * b));
                }
                store_streaming(p.c + at.j0 + j + (at.i0 + i + r) * p.ldc, sum);
            }
        });
    } else {
        const auto store = [&](int slot, int64_t i, int64_t j, int place) {
            const float a = alpha == 0 ? 0 : read_element<tile, transa>(smem_a, slot, place);
            const float b = beta == 0 ? 0 : read_element<tile, transb>(smem_b, slot, place);
            p.c[j + i * p.ldc] = fmaf(alpha, a, beta * b);
        };
        tile::for_each_element(p.c, p.ldc, at, store);
    }
}

// Whether the host must assume that an operand with this scalar is read.
bool may_read(const scalar& s) { return s.device || s.value != 0; }

template <class tile>
myblasStatus_t launch_tiles(const geam_problem& p, const launch_context& context) {
    const auto kernel =
        p.transa ? (p.transb ? async_tiles<tile, true, true> : async_tiles<tile, true, false>)
                 : (p.transb ? async_tiles<tile, false, true> : async_tiles<tile, false, false>);
    int64_t rows = p.m;
    if constexpr (!is_aligned<tile>)
        rows += tile::overlap_rest;
    const int64_t tiles_m = tiles_of(rows, tile::cols), tiles_n = tiles_of(p.n, tile::rows);
    const tile_order order = order_of(tiles_n, tiles_m, 1);
    const size_t smem_bytes = (may_read(p.beta) ? 2 : 1) * operand_bytes<tile>;
    return launch_clusters(
        kernel, dim3(order.tiles), 1, true, threads, smem_bytes, context, p, order);
}

bool accepts(const geam_problem& p, const device_info&) { return fits_tile_order(p.m, p.n); }

bool consists_of_vectors(const geam_problem& p) {
    const uint64_t misfit =
        reinterpret_cast<uintptr_t>(p.a) | reinterpret_cast<uintptr_t>(p.b) |
        reinterpret_cast<uintptr_t>(p.c) |
        static_cast<uint64_t>(p.lda | p.ldb | p.ldc | p.m | p.n) * sizeof(float);
    return misfit % sizeof(vector16) == 0;
}

myblasStatus_t launch_async_tiles(const geam_problem& p, const launch_context& context) {
    if (p.m <= few)
        return launch_tiles<few_rows>(p, context);
    if (p.n <= few)
        return launch_tiles<few_columns>(p, context);
    if (consists_of_vectors(p))
        return launch_tiles<vectors>(p, context);
    // Two tiles of `words` leave too few blocks on a multiprocessor.
    return may_read(p.alpha) && may_read(p.beta) ? geam_shared_tile.launch(p, context)
                                                 : launch_tiles<words>(p, context);
}

} // namespace

static_assert(2 * std::max({operand_bytes<vectors>,
                            operand_bytes<words>,
                            operand_bytes<few_columns>,
                            operand_bytes<few_rows>}) <=
              48 * 1024);

constinit const kernel_entry<geam_problem> geam_async_tiles = {
    .name = "async_tiles",
    .description = "transpose's tile mover: asynchronous copies of both operands",
    .block_m = vectors::cols,
    .block_n = vectors::rows,
    .threads = threads,
    .stages = 1,
    .smem_bytes = 2 * operand_bytes<words>,
    .accepts = accepts,
    .launch = launch_async_tiles,
};

} // namespace myblas::cuda

// A = A^T in place, A square, by pairs of tiles.
//
// Adds to `in_place_square`: larger tiles, copied asynchronously past the registers (mover.cuh),
// and streaming stores. Copies are of 16 bytes if A is aligned: base, n, leading dimension and
// stride are multiples of 16 bytes. Floats with more than 2048 rows are copied one by one unless
// all columns begin on cache lines. Aligned floats of up to 2048 rows have smaller tiles, which
// pass through registers (transposed_tile.cuh). Batches are one launch.
//
// Bound: 2 n^2 elements moved.  One stage of two tiles. Tiles and threads, by the element's size:
//      bytes      1          2        4        8        16       threads
//      aligned    128 x 128  64 x 64  64 x 64  32 x 32  16 x 16  256
//                                     32 x 32                    n <= 1024: 256, n <= 2048: 128
//      unaligned  -          -        64 x 64                    n >= 1536, or few pairs: 512
//                                     32 x 32                    128
//                                              32 x 32  16 x 16  256
// Accepts: B == A, m == n, lda == ldb, stride_a == stride_b; elements of 1 and 2 bytes only if
// aligned.

#include "kernels/common/overlap.cuh"
#include "kernels/transpose/mover.cuh"
#include "kernels/transpose/registry.h"
#include "kernels/transpose/transposed_tile.cuh"

namespace myblas::cuda {
namespace {

template <class T>
struct vectors : vector_tile<T, 16, 16, 256> {};
template <>
struct vectors<uint8_t> : vector_tile<uint8_t, 8, 8, 256> {};
template <>
struct vectors<uint16_t> : vector_tile<uint16_t, 8, 8, 256> {};

template <class T>
struct words : word_tile<T, 64, 64, 0, 512> {};
template <>
struct words<uint64_t> : word_tile<uint64_t, 32, 32, 0, 256> {};
template <>
struct words<uint4> : word_tile<uint4, 16, 16, 0, 256> {};

template <class T, bool aligned>
struct tiling : vectors<T> {
    using cell = vector16;
};
template <class T>
struct tiling<T, false> : words<T> {
    using cell = T;
};

struct small_words : word_tile<uint32_t, 32, 32, 0, 128> {
    using cell = uint32_t;
};
// The least n for the larger tiles of words, and the least n if each multiprocessor has at most two
// pairs of them.
constexpr int64_t large = 1536, large_in_two_rounds = 1250;
// Pairs of large tiles of words are taken in squares from this n on; the squares' side.
constexpr int64_t ordered_in_squares = 8192;
constexpr uint32_t square_side = 4;
// Largest n for small tiles of vectors: with two groups of threads, and at all.
constexpr int64_t two_group_limit = 1024, small_tile_limit = 2048;

template <class tile>
__device__ __forceinline__ void
store_tile(const vector16* smem, typename tile::T* gmem, int64_t ld, const tile_region& at) {
    tile::for_each_square(at, [&](int, int i, int j) {
        vector16 row[tile::v];
        tile::read(smem, i, j, row);
#pragma unroll
        for (int r = 0; r < tile::v; ++r)
            store_streaming(gmem + at.j0 + j + (at.i0 + i + r) * ld, row[r]);
    });
}

template <class tile>
__device__ __forceinline__ void store_tile(const typename tile::T* smem,
                                           typename tile::T* gmem,
                                           int64_t ld,
                                           const tile_region& at) {
    tile::for_each_element(gmem, ld, at, [&](int, int64_t i, int64_t j, int place) {
        __stcs(gmem + j + i * ld, smem[place]);
    });
}

template <class tile, uint32_t side>
__global__ void __launch_bounds__(tile::threads)
    in_place_pairs(transpose_problem p, uint32_t tiles) {
    using T = typename tile::T;
    using cell = typename tile::cell;
    extern __shared__ __align__(16) unsigned char smem_raw[];
    cell* smem_upper = reinterpret_cast<cell*>(smem_raw);                    // the tile at (i0, j0)
    cell* smem_lower = reinterpret_cast<cell*>(smem_raw + tile::smem_bytes); // the tile at (j0, i0)

    const uint32_t pairs = pairs_in_squares(tiles, side);
    const uint32_t batch = blockIdx.x / pairs;
    const tile_pair<uint32_t> pair = pair_in_squares(blockIdx.x - batch * pairs, tiles, side);
    T* gmem = static_cast<T*>(p.b) + batch * p.stride_b;
    const int64_t i0 = int64_t{pair.i} * tile::rows, j0 = int64_t{pair.j} * tile::rows;
    const tile_region upper{p.n, p.n, i0, j0}, lower{p.n, p.n, j0, i0};

    grid_dependency_sync();
    if (side > 1 && (pair.i > pair.j || pair.j >= tiles))
        return;
    tile::load(smem_upper, gmem, p.lda, upper);
    if (i0 != j0)
        tile::load(smem_lower, gmem, p.lda, lower);
    wait_for_tile(); // both tiles are in shared memory: A may be overwritten
    store_tile<tile>(smem_upper, gmem, p.lda, upper);
    if (i0 != j0)
        store_tile<tile>(smem_lower, gmem, p.lda, lower);
}

// The same with tiles of transposed_tile.cuh, so small that a few hundred rows fill the device.
// With two groups of threads, each moves one tile of a pair, which takes less time. A single group
// moves both tiles, which keeps more bytes in flight on a multiprocessor.
using small_vectors = transposed_tile<uint32_t>;
static_assert(small_vectors::rows == small_vectors::cols);

template <int groups>
__global__ void __launch_bounds__(groups* small_vectors::threads)
    in_place_small_pairs(uint32_t* matrix, int n, int ld, int64_t stride, uint32_t tiles) {
    constexpr int own_tiles = 2 / groups;
    __shared__ vector16 smem[2][small_vectors::vectors];
    const tile_pair<uint32_t> pair = pair_at(blockIdx.y, blockIdx.x, tiles);
    const int i0 = pair.i * small_vectors::rows, j0 = pair.j * small_vectors::rows;
    matrix += blockIdx.z * stride;
    // Calls visit(t, is_lower, i, j) for the thread's tiles, which start at (i, j).
    const auto for_each_tile = [&](auto visit) {
#pragma unroll
        for (int t = 0; t < own_tiles; ++t) {
            const bool is_lower = groups == 2 ? threadIdx.x >= small_vectors::threads : t == 1;
            if (!is_lower)
                visit(t, 0, i0, j0);
            else if (i0 != j0)
                visit(t, 1, j0, i0);
        }
    };
    grid_dependency_sync();

    small_vectors own[own_tiles];
    for_each_tile([&](int t, int, int i, int j) {
        own[t].template load<true>(matrix + i + int64_t{j} * ld, ld, n - i, n - j);
    });
    for_each_tile([&](int t, int is_lower, int, int) { own[t].put(smem[is_lower]); });
    __syncthreads(); // both tiles are in shared memory: A may be overwritten
    for_each_tile([&](int, int is_lower, int i, int j) {
        small_vectors::store(smem[is_lower], matrix + j + int64_t{i} * ld, ld, n - i, n - j);
    });
}

bool is_aligned(const transpose_problem& p) {
    const uint64_t misfit = reinterpret_cast<uintptr_t>(p.b) |
                            static_cast<uint64_t>(p.lda | p.n | p.stride_b) * p.element_bytes;
    return misfit % sizeof(vector16) == 0;
}

// Whether all columns of floats begin on cache lines. Otherwise copies of single floats are
// faster: a warp writes a whole column of a tile at once, and cuts few lines.
bool starts_on_lines(const transpose_problem& p) {
    constexpr int64_t line = 128 / sizeof(float);
    return reinterpret_cast<uintptr_t>(p.b) % (line * sizeof(float)) == 0 && p.lda % line == 0 &&
           (p.batch_count == 1 || p.stride_b % line == 0);
}

bool takes_large_words(const transpose_problem& p, const device_info& device) {
    const int64_t tiles = tiles_of(p.n, words<uint32_t>::rows);
    return p.n >= large || (p.n >= large_in_two_rounds &&
                            tiles * (tiles + 1) / 2 * p.batch_count <= 2 * device.sm_count);
}

bool accepts_square(const transpose_problem& p, const device_info&) {
    return p.in_place() && p.m == p.n && p.lda == p.ldb && p.stride_a == p.stride_b &&
           (is_aligned(p) || p.element_bytes >= 4) && fits_tile_order(p.n, p.n);
}

template <class tile, uint32_t side = 1>
myblasStatus_t launch_pairs(const transpose_problem& p, const launch_context& context) {
    const auto tiles = static_cast<uint32_t>(tiles_of(p.n, tile::rows));
    const auto go = [&](const transpose_problem& part, const tile_order& order) {
        return launch_clusters(in_place_pairs<tile, side>,
                               dim3(order.tiles),
                               1,
                               true,
                               tile::threads,
                               2 * tile::smem_bytes,
                               context,
                               part,
                               tiles);
    };
    return launch_parts(p, pairs_in_squares<int64_t>(tiles, side), 1, go);
}

template <int groups>
myblasStatus_t launch_small_pairs(const transpose_problem& p, const launch_context& context) {
    const auto tiles = static_cast<uint32_t>(tiles_of(p.n, small_vectors::rows));
    return launch_overlapped(
        in_place_small_pairs<groups>,
        dim3(pair_width(tiles), ceil_div(tiles, 2u), static_cast<unsigned>(p.batch_count)),
        groups * small_vectors::threads,
        context,
        static_cast<uint32_t*>(p.b),
        static_cast<int>(p.n),
        static_cast<int>(p.lda),
        p.stride_b,
        tiles);
}

myblasStatus_t launch_in_place_pairs(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        if constexpr (sizeof(T) == 4)
            if (is_aligned(p) && p.n <= small_tile_limit && p.lda <= most_extent(64) &&
                p.batch_count <= max_grid_z)
                return p.n <= two_group_limit ? launch_small_pairs<2>(p, context)
                                              : launch_small_pairs<1>(p, context);
        if (is_aligned(p) && (sizeof(T) != 4 || starts_on_lines(p)))
            return launch_pairs<tiling<T, true>>(p, context);
        if constexpr (sizeof(T) == 4) {
            if (!takes_large_words(p, *context.device))
                return launch_pairs<small_words>(p, context);
            if (p.n >= ordered_in_squares)
                return launch_pairs<tiling<T, false>, square_side>(p, context);
        }
        if constexpr (sizeof(T) >= 4)
            return launch_pairs<tiling<T, false>>(p, context);
        return MYBLAS_STATUS_NOT_SUPPORTED;
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_in_place_pairs = {
    .name = "in_place_pairs",
    .description =
        "in place, square: pairs of tiles by asynchronous copies, small ones by registers",
    .block_m = vectors<uint32_t>::rows,
    .block_n = vectors<uint32_t>::rows,
    .threads = vectors<uint32_t>::threads,
    .stages = 1,
    .smem_bytes = 2 * words<uint32_t>::smem_bytes,
    .accepts = accepts_square,
    .launch = launch_in_place_pairs,
};

} // namespace myblas::cuda

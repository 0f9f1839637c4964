// A = A^T in place, A square, by pairs of tiles.
//
// Adds to `in_place_square`: larger tiles, copied asynchronously past the registers (mover.cuh),
// and streaming stores. Copies are of 16 bytes if A is aligned: base, n, leading dimension and
// stride are multiples of 16 bytes. Aligned floats of up to 2048 rows have smaller tiles, which
// pass through registers (transposed_tile.cuh). Batches are one launch.
//
// Floats are copied one by one if A is not aligned, if there are more than 2048 rows and not all
// columns begin on cache lines, and in a single matrix so small that 16 x 16 tiles are fastest.
// These tiles have five sizes. Tiles of 16 and 32 rows give all multiprocessors work; both tiles of
// a pair pass through registers to shared memory. With larger tiles, only the first tile of a pair
// is copied to shared memory. The second waits in registers until the first is stored, so that
// more blocks fit on a multiprocessor. The larger the tiles, the fewer sectors two of them share.
//
// Bound: 2 n^2 elements moved.  One stage. Tiles and threads, by the element's size:
//      bytes       1          2        4                 8        16       threads
//      aligned     128 x 128  64 x 64  64 x 64           32 x 32  16 x 16  256
//                                      32 x 32, n <= 1024                  256
//                                      32 x 32, n <= 2048                  128
//      one by one  -          -        16 x 16, 32 x 32                    128
//                                      64 x 64           32 x 32  16 x 16  256
//                                      96 x 96                             384
//                                      128 x 128                           512
// Accepts: B == A, m == n, lda == ldb, stride_a == stride_b; elements of 1 and 2 bytes only if
// aligned.

#include "kernels/common/overlap.cuh"
#include "kernels/transpose/mover.cuh"
#include "kernels/transpose/registry.h"
#include "kernels/transpose/transposed_tile.cuh"

#include <limits>

namespace myblas::cuda {
namespace {

template <class T>
struct vectors : vector_tile<T, 16, 16, 256> {};
template <>
struct vectors<uint8_t> : vector_tile<uint8_t, 8, 8, 256> {};
template <>
struct vectors<uint16_t> : vector_tile<uint16_t, 8, 8, 256> {};

// Unaligned elements of 8 and 16 bytes.
template <class T>
struct words : word_tile<uint64_t, 32, 32, 0, 256> {};
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

template <class tile>
__global__ void __launch_bounds__(tile::threads)
    in_place_pairs(transpose_problem p, uint32_t tiles) {
    using T = typename tile::T;
    using cell = typename tile::cell;
    extern __shared__ __align__(16) unsigned char smem_raw[];
    cell* smem_upper = reinterpret_cast<cell*>(smem_raw);                    // the tile at (i0, j0)
    cell* smem_lower = reinterpret_cast<cell*>(smem_raw + tile::smem_bytes); // the tile at (j0, i0)

    const uint32_t pairs = tiles * (tiles + 1) / 2;
    const uint32_t batch = blockIdx.x / pairs;
    const tile_pair<uint32_t> pair = pair_of(blockIdx.x - batch * pairs, tiles);
    T* gmem = static_cast<T*>(p.b) + batch * p.stride_b;
    const int64_t i0 = int64_t{pair.i} * tile::rows, j0 = int64_t{pair.j} * tile::rows;
    const tile_region upper{p.n, p.n, i0, j0}, lower{p.n, p.n, j0, i0};

    grid_dependency_sync();
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

// ---- Floats one by one --------------------------------------------------------------------------

// A tile of side x side floats. A thread has one of its rows, and every step-th column, and stores
// to the places from which it has loaded.
template <int side_, int threads_>
struct word_square {
    static constexpr int side = side_, threads = threads_;
    static constexpr int step = threads / side, count = side / step;
    static constexpr int pitch = side | 1; // odd: lanes in neighbouring columns access all banks
    static constexpr int words = pitch * side;
    static_assert(threads % side == 0 && side % step == 0);

    static __device__ __forceinline__ int row() { return threadIdx.x % side; }
    static __device__ __forceinline__ int first_col() { return threadIdx.x / side; }

    // Calls visit(k, address) for the thread's elements of the tile at (i0, j0), element k in
    // column first_col() + k * step. In a whole tile, all are inside the matrix.
    template <bool is_whole, int unrolled = count, class Visit>
    static __device__ __forceinline__ void
    for_each(uint32_t* matrix, int64_t ld, int n, int i0, int j0, Visit visit) {
        uint32_t* at = matrix + i0 + row() + (j0 + first_col()) * ld;
        const int left = i0 + row() < n ? n - j0 - first_col() : 0; // columns
#pragma unroll unrolled
        for (int k = 0; k < count; ++k, at += step * ld)
            if (is_whole || k * step < left)
                visit(k, at);
    }

    // The places of element k, and of the element that takes its place, in shared memory.
    static __device__ __forceinline__ int place(int k) {
        return (first_col() + k * step) * pitch + row();
    }
    static __device__ __forceinline__ int mirrored_place(int k) {
        return row() * pitch + first_col() + k * step;
    }
};

// Both tiles pass through registers to shared memory.
template <class tile>
__global__ void __launch_bounds__(tile::threads)
    in_place_small_words(uint32_t* matrix, int n, int ld, int64_t stride, uint32_t tiles) {
    __shared__ uint32_t smem[2][tile::words];
    const tile_pair<uint32_t> pair = pair_at(blockIdx.y, blockIdx.x, tiles);
    const int i0 = pair.i * tile::side, j0 = pair.j * tile::side;
    const bool is_one = i0 == j0; // on the diagonal
    matrix += blockIdx.z * stride;
    grid_dependency_sync();

    const auto move = [&](auto is_whole) {
        constexpr bool whole = decltype(is_whole)::value;
        const auto for_each_upper = [&](auto visit) {
            tile::template for_each<whole>(matrix, ld, n, i0, j0, visit);
        };
        const auto for_each_lower = [&](auto visit) {
            if (!is_one)
                tile::template for_each<whole>(matrix, ld, n, j0, i0, visit);
        };
        uint32_t upper[tile::count], lower[tile::count];
        for_each_upper([&](int k, const uint32_t* from) { upper[k] = *from; });
        for_each_lower([&](int k, const uint32_t* from) { lower[k] = *from; });
#pragma unroll
        for (int k = 0; k < tile::count; ++k) // elements outside the matrix are never read
            smem[0][tile::place(k)] = upper[k];
        if (!is_one)
#pragma unroll
            for (int k = 0; k < tile::count; ++k)
                smem[1][tile::place(k)] = lower[k];
        __syncthreads(); // both tiles are in shared memory: A may be overwritten
#pragma unroll
        for (int k = 0; k < tile::count; ++k)
            upper[k] = smem[is_one ? 0 : 1][tile::mirrored_place(k)];
#pragma unroll
        for (int k = 0; k < tile::count; ++k)
            lower[k] = smem[0][tile::mirrored_place(k)];
        for_each_upper([&](int k, uint32_t* to) { __stcs(to, upper[k]); });
        for_each_lower([&](int k, uint32_t* to) { __stcs(to, lower[k]); });
    };
    if (j0 + tile::side <= n) // i0 <= j0
        move(std::true_type{});
    else
        move(std::false_type{});
}

// The second tile waits in registers until the first is stored. square_side: pair_in_squares.
template <class tile, uint32_t square_side, int blocks>
__global__ void __launch_bounds__(tile::threads, blocks)
    in_place_words(uint32_t* matrix, int n, int64_t ld, int64_t stride, uint32_t tiles) {
    extern __shared__ __align__(16) uint32_t smem_words[];
    const uint32_t pairs = pairs_in_squares(tiles, square_side);
    const uint32_t batch = blockIdx.x / pairs;
    const tile_pair<uint32_t> pair =
        pair_in_squares(blockIdx.x - batch * pairs, tiles, square_side);
    const int i0 = pair.i * tile::side, j0 = pair.j * tile::side;
    matrix += batch * stride;
    grid_dependency_sync();
    if (square_side > 1 && (pair.i > pair.j || pair.j >= tiles))
        return;

    const auto move = [&](auto is_whole) {
        constexpr bool whole = decltype(is_whole)::value;
        const auto store = [&](int to_i0, int to_j0) {
            tile::template for_each<whole, 8>(
                matrix, ld, n, to_i0, to_j0, [&](int k, uint32_t* to) {
                    __stcs(to, smem_words[tile::mirrored_place(k)]);
                });
        };
        const auto load_upper = [&] {
            tile::template for_each<whole, 8>(
                matrix, ld, n, i0, j0, [&](int k, const uint32_t* from) {
                    cp_async_of_line<sizeof(uint32_t)>(smem_words + tile::place(k), from);
                });
            wait_for_tile();
        };
        if (i0 == j0) {
            load_upper();
            return store(j0, i0);
        }
        // Loaded before the copies start: the compiler would make later loads wait for the copies.
        uint32_t lower[tile::count];
        tile::template for_each<whole>(matrix, ld, n, j0, i0, [&](int k, const uint32_t* from) {
            lower[k] = load_amid_128(from);
        });
        load_upper(); // both tiles are read: A may be overwritten
        store(j0, i0);
        __syncthreads(); // the first tile is stored: its place may be overwritten
#pragma unroll
        for (int k = 0; k < tile::count; ++k) // elements outside the matrix are never read
            smem_words[tile::place(k)] = lower[k];
        __syncthreads(); // the second tile is complete
        store(i0, j0);
    };
    if (j0 + tile::side <= n)
        move(std::true_type{});
    else
        move(std::false_type{});
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

// Floats that are copied one by one: the side of the fastest tiles. Pairs of tiles are dealt to the
// multiprocessors in rounds, one pair to each. A round takes a time proportional to the elements of
// a tile, and to a factor measured on an H200. For small matrices, 64 is the largest.
int side_of_words(const transpose_problem& p, const device_info& device) {
    constexpr struct {
        int side, factor;
    } choices[] = {{16, 2100}, {32, 1250}, {64, 1000}, {96, 980}, {128, 995}};
    const bool is_small = p.n * p.n * p.batch_count < 1 << 22;
    int fastest = 0;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const auto [side, factor] : choices) {
        const int64_t tiles = tiles_of(p.n, side);
        const int64_t rounds =
            quotient_up(tiles * (tiles + 1) / 2 * p.batch_count, device.sm_count);
        const int64_t cost = rounds * side * side * factor;
        if (cost < least && (side <= 64 || !is_small))
            least = cost, fastest = side;
    }
    return fastest;
}

bool accepts_square(const transpose_problem& p, const device_info&) {
    return p.in_place() && p.m == p.n && p.lda == p.ldb && p.stride_a == p.stride_b &&
           (is_aligned(p) || p.element_bytes >= 4) && fits_tile_order(p.n, p.n);
}

template <class tile>
myblasStatus_t launch_pairs(const transpose_problem& p, const launch_context& context) {
    const auto tiles = static_cast<uint32_t>(tiles_of(p.n, tile::rows));
    const auto go = [&](const transpose_problem& part, const tile_order& order) {
        return launch_clusters(in_place_pairs<tile>,
                               dim3(order.tiles),
                               1,
                               true,
                               tile::threads,
                               2 * tile::smem_bytes,
                               context,
                               part,
                               tiles);
    };
    return launch_parts(p, pairs_in_squares<int64_t>(tiles, 1), 1, go);
}

template <class tile>
myblasStatus_t launch_small_words(const transpose_problem& p, const launch_context& context) {
    const auto tiles = static_cast<uint32_t>(tiles_of(p.n, tile::side));
    return launch_overlapped(
        in_place_small_words<tile>,
        dim3(pair_width(tiles), ceil_div(tiles, 2u), static_cast<unsigned>(p.batch_count)),
        tile::threads,
        context,
        static_cast<uint32_t*>(p.b),
        static_cast<int>(p.n),
        static_cast<int>(p.lda),
        p.stride_b,
        tiles);
}

template <class tile, int blocks, uint32_t square_side = 1>
struct large_words {
    static constexpr auto kernel = in_place_words<tile, square_side, blocks>;
    static constexpr size_t smem_bytes = sizeof(uint32_t) * tile::words;

    static myblasStatus_t prepare() { return allow_smem(kernel, smem_bytes); }
    static myblasStatus_t launch(const transpose_problem& p, const launch_context& context) {
        const auto tiles = static_cast<uint32_t>(tiles_of(p.n, tile::side));
        const auto go = [&](const transpose_problem& part, const tile_order& order) {
            return launch_clusters(kernel,
                                   dim3(order.tiles),
                                   1,
                                   true,
                                   tile::threads,
                                   smem_bytes,
                                   context,
                                   static_cast<uint32_t*>(part.b),
                                   static_cast<int>(part.n),
                                   part.lda,
                                   part.stride_b,
                                   tiles);
        };
        return launch_parts(p, pairs_in_squares<int64_t>(tiles, square_side), 1, go);
    }
};
using words_64 = large_words<word_square<64, 256>, 6>;
using words_96 = large_words<word_square<96, 384>, 3>;
using words_128 = large_words<word_square<128, 512>, 2>;
using words_128_in_squares = large_words<word_square<128, 512>, 2, 16>;

myblasStatus_t launch_words(const transpose_problem& p, const launch_context& context) {
    constexpr int64_t least_in_squares = 10500;
    if (p.n >= least_in_squares)
        return words_128_in_squares::launch(p, context);
    const int side = side_of_words(p, *context.device);
    if (side <= 32 && p.lda <= most_extent(64) && p.batch_count <= max_grid_z)
        return side == 16 ? launch_small_words<word_square<16, 128>>(p, context)
                          : launch_small_words<word_square<32, 128>>(p, context);
    return side == 128  ? words_128::launch(p, context)
           : side == 96 ? words_96::launch(p, context)
                        : words_64::launch(p, context);
}

myblasStatus_t prepare_words(const device_info&) {
    for (const auto prepare : {words_128::prepare, words_128_in_squares::prepare})
        if (const myblasStatus_t status = prepare())
            return status;
    return MYBLAS_STATUS_SUCCESS;
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
        if constexpr (sizeof(T) == 4) {
            const bool is_tiny = p.batch_count == 1 && side_of_words(p, *context.device) == 16;
            if (is_tiny || !is_aligned(p))
                return launch_words(p, context);
            if (p.n <= small_tile_limit && p.lda <= most_extent(64) && p.batch_count <= max_grid_z)
                return p.n <= two_group_limit ? launch_small_pairs<2>(p, context)
                                              : launch_small_pairs<1>(p, context);
            return starts_on_lines(p) ? launch_pairs<tiling<T, true>>(p, context)
                                      : launch_words(p, context);
        } else {
            if (is_aligned(p))
                return launch_pairs<tiling<T, true>>(p, context);
            if constexpr (sizeof(T) > 4)
                return launch_pairs<tiling<T, false>>(p, context);
            return MYBLAS_STATUS_NOT_SUPPORTED;
        }
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
    .smem_bytes = sizeof(uint32_t) * word_square<128, 512>::words,
    .accepts = accepts_square,
    .prepare = prepare_words,
    .launch = launch_in_place_pairs,
};

} // namespace myblas::cuda

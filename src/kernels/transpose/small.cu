// B = A^T by small tiles, short code and launches that overlap: for matrices that stay in the L2
// cache, and for thin ones with padding.
//
// A transpose of this size takes 1 to 10 us. Three things matter: how soon all multiprocessors have
// work, how many instructions a block has to fetch, and that the launch is hidden behind the
// previous kernel.
//
//   squares    tiles of transposed_tile.cuh. Loads keep an A of up to 16 MiB in the caches; stores
//              stream past them.
//   elements   `unrolled` with small tiles and 32-bit numbers, except for addresses: any alignment,
//              padded shared memory. A thread reads all its elements from shared memory before it
//              stores the first.
//
// Bound: latency; 2 m n elements moved.  One stage.  Tile and threads:
//      bytes     1          2          4          8          16
//      squares   64 x 128   32 x 64    32 x 32    16 x 32    8 x 32
//                256        128        128        128        256
//      elements  32 x 64    32 x 64    below      32 x 32    32 x 32
//                256        256                   256        256
//                (32 x 32 up to 2^18 elements, and if n is at most 32)
//      floats    16 x 32 with 128 threads up to 150,000 elements, 16 x 64 up to 600,000, 32 x 64
//                beyond; thin ones 8 x 128, 16 x 64, 64 x 32, 64 x 16, 128 x 8; 256 threads
// Accepts: out of place; batches within the limits of the grid; m, n and leading dimensions up to
// 2^25. For squares, the base, columns and leading dimension of A are multiples of 8 bytes (16 for
// elements of 8 and 16 bytes), and B's are multiples of 16 bytes. Elements of 1 byte: extents up to
// 2^24.

#include "kernels/common/load.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/transpose/registry.h"
#include "kernels/transpose/tile.cuh"
#include "kernels/transpose/transposed_tile.cuh"

#include <type_traits>

namespace myblas::cuda {
namespace {

// The problem as the kernels need it, in 32-bit numbers where they suffice: fewer instructions.
template <class T>
struct small_problem {
    const T* a;
    T* b;
    int m, n, lda, ldb;
    int64_t stride_a, stride_b;

    explicit small_problem(const transpose_problem& p)
        : a(static_cast<const T*>(p.a)), b(static_cast<T*>(p.b)), m(static_cast<int>(p.m)),
          n(static_cast<int>(p.n)), lda(static_cast<int>(p.lda)), ldb(static_cast<int>(p.ldb)),
          stride_a(p.stride_a), stride_b(p.stride_b) {}
};

bool has_short_extents(const transpose_problem& p, int tile_cols) {
    return std::max({p.m, p.n, p.lda, p.ldb}) <= most_extent(tile_cols);
}

// ---- Squares ------------------------------------------------------------------------------------

constexpr int64_t kept_bytes = 16 << 20; // of an A that is kept in the caches, at most

template <class T, bool keeps>
__global__ void __launch_bounds__(transposed_tile<T>::threads,
                                  resident_threads / transposed_tile<T>::threads)
    small_squares(small_problem<T> p) {
    using tile = transposed_tile<T>;
    __shared__ vector16 smem[tile::vectors];
    const int i0 = blockIdx.x * tile::rows, j0 = blockIdx.y * tile::cols;
    const int rows = p.m - i0, cols = p.n - j0; // from the tile's first row and column on
    const T* gmem_a = p.a + blockIdx.z * p.stride_a + i0 + int64_t{j0} * p.lda;
    T* gmem_b = p.b + blockIdx.z * p.stride_b + j0 + int64_t{i0} * p.ldb;
    grid_dependency_sync();

    tile own;
    own.template load<keeps>(gmem_a, p.lda, rows, cols);
    own.put(smem);
    __syncthreads(); // the tile is complete
    tile::store(smem, gmem_b, p.ldb, rows, cols);
}

// The grid's dimensions are tiles of rows, tiles of columns, and matrices: nothing has to be
// divided.
template <int rows, int cols>
dim3 grid_of_tiles(const transpose_problem& p) {
    return dim3(static_cast<unsigned>(tiles_of(p.m, rows)),
                static_cast<unsigned>(tiles_of(p.n, cols)),
                static_cast<unsigned>(p.batch_count));
}

// For tiles of at least 8 x 32.
bool fits_grid(const transpose_problem& p) {
    return tiles_of(p.m, 8) <= max_grid_x && tiles_of(p.n, 32) <= max_grid_y &&
           p.batch_count <= max_grid_z;
}

bool accepts_aligned(const transpose_problem& p, const device_info&) {
    const auto misfit = [&](const void* x, int64_t extents) {
        return reinterpret_cast<uintptr_t>(x) | static_cast<uint64_t>(extents) * p.element_bytes;
    };
    return !p.in_place() &&
           misfit(p.a, p.lda | p.stride_a | p.m) % (p.element_bytes >= 8 ? 16 : 8) == 0 &&
           misfit(p.b, p.ldb | p.stride_b | p.n) % sizeof(vector16) == 0 && fits_grid(p) &&
           has_short_extents(p, p.element_bytes == 1 ? transposed_tile<uint8_t>::cols : 64);
}

myblasStatus_t launch_small_squares(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        using tile = transposed_tile<T>;
        return launch_overlapped(p.m * p.n * p.batch_count <= kept_bytes / int64_t{sizeof(T)}
                                     ? small_squares<T, true>
                                     : small_squares<T, false>,
                                 grid_of_tiles<tile::rows, tile::cols>(p),
                                 tile::threads,
                                 context,
                                 small_problem<T>(p));
    });
}

// ---- Elements -----------------------------------------------------------------------------------

// A tile of A.
template <int rows_, int cols_, int threads_ = 256>
struct element_tile {
    static constexpr int rows = rows_, cols = cols_, threads = threads_;
    static constexpr int load_step = threads / rows;  // columns that a block loads at once
    static constexpr int store_step = threads / cols; // rows that a block stores at once
    static constexpr int loads = cols / load_step, stores = rows / store_step; // of a thread
    static constexpr int values = loads > stores ? loads : stores;
    static_assert(threads % rows == 0 && threads % cols == 0);
};

template <class T>
using largest_element_tile = element_tile<32, sizeof(T) <= 4 ? 64 : 32>;

template <class T, class tile>
constexpr size_t element_smem_bytes = sizeof(T) * tile::cols* padded_pitch<T, tile::rows>;

template <class T, class tile>
__global__ void __launch_bounds__(tile::threads,
                                  sizeof(T) <= 8 ? resident_threads / tile::threads : 4)
    small_elements(small_problem<T> p) {
    __shared__ T smem[tile::cols][padded_pitch<T, tile::rows>]; // (j, i)
    const int i0 = blockIdx.x * tile::rows, j0 = blockIdx.y * tile::cols;
    const int i = threadIdx.x % tile::rows, first_j = threadIdx.x / tile::rows;
    const int j = threadIdx.x % tile::cols, first_i = threadIdx.x / tile::cols;
    const T* from = p.a + blockIdx.z * p.stride_a + i0 + i + int64_t{j0 + first_j} * p.lda;
    T* to = p.b + blockIdx.z * p.stride_b + j0 + j + int64_t{i0 + first_i} * p.ldb;
    // Columns and rows of the matrix from the thread's first ones on.
    const int cols_left = i0 + i < p.m ? p.n - j0 - first_j : 0;
    const int rows_left = j0 + j < p.n ? p.m - i0 - first_i : 0;
    grid_dependency_sync();

    T value[tile::values];
#pragma unroll
    for (int k = 0; k < tile::loads; ++k, from += tile::load_step * int64_t{p.lda})
        if (k * tile::load_step < cols_left) {
            if constexpr (std::is_same_v<T, uint32_t> && tile::rows >= 32)
                value[k] = load_amid_128(from);
            else
                value[k] = *from;
        }
#pragma unroll
    for (int k = 0; k < tile::loads; ++k) // elements outside the matrix are never read
        smem[first_j + k * tile::load_step][i] = value[k];
    __syncthreads(); // the tile is complete
#pragma unroll
    for (int k = 0; k < tile::stores; ++k)
        value[k] = smem[j][first_i + k * tile::store_step];
#pragma unroll
    for (int k = 0; k < tile::stores; ++k, to += tile::store_step * int64_t{p.ldb})
        if (k * tile::store_step < rows_left)
            __stcs(to, value[k]);
}

template <class T, class tile>
myblasStatus_t launch_elements(const transpose_problem& p, const launch_context& context) {
    return launch_overlapped(small_elements<T, tile>,
                             grid_of_tiles<tile::rows, tile::cols>(p),
                             tile::threads,
                             context,
                             small_problem<T>(p));
}

constexpr int flat_rows = 8, flat_cols = 128; // of tiles for few rows

myblasStatus_t launch_floats(const transpose_problem& p, const launch_context& context) {
    constexpr int64_t a_few = 2000, few = 150000, many = 600000; // elements
    using T = uint32_t;
    const int64_t elements = p.m * p.n * p.batch_count;
    if (elements > a_few) {
        if (p.m <= flat_rows)
            return launch_elements<T, element_tile<flat_rows, flat_cols>>(p, context);
        if (p.n <= 8)
            return launch_elements<T, element_tile<128, 8>>(p, context);
        if (p.n <= 16)
            return launch_elements<T, element_tile<64, 16>>(p, context);
        if (p.n <= 32 && elements > few)
            return launch_elements<T, element_tile<64, 32>>(p, context);
    }
    if (elements <= few && (p.m > 16 || elements <= a_few))
        return launch_elements<T, element_tile<16, 32, 128>>(p, context);
    if (p.m <= 16 || (p.m > 32 && elements <= many))
        return launch_elements<T, element_tile<16, 64>>(p, context);
    return launch_elements<T, largest_element_tile<T>>(p, context);
}

bool accepts_elements(const transpose_problem& p, const device_info&) {
    const int cols = p.element_bytes == 4 && p.m <= flat_rows ? flat_cols : 32;
    return !p.in_place() && tiles_of(p.m, 8) <= max_grid_x && tiles_of(p.n, cols) <= max_grid_y &&
           p.batch_count <= max_grid_z && has_short_extents(p, 64);
}

myblasStatus_t launch_small_elements(const transpose_problem& p, const launch_context& context) {
    constexpr int64_t few = 1 << 18; // elements
    return with_element(p.element_bytes, [&]<class T>(T) {
        if constexpr (sizeof(T) == 4)
            return launch_floats(p, context);
        else if (p.n > 32 && p.m * p.n * p.batch_count > few)
            return launch_elements<T, largest_element_tile<T>>(p, context);
        else
            return launch_elements<T, element_tile<32, 32>>(p, context);
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_small_squares = {
    .name = "small_squares",
    .description = "up to 4 columns a thread, small tiles for matrices that stay in the L2 cache",
    .block_m = transposed_tile<uint32_t>::rows,
    .block_n = transposed_tile<uint32_t>::cols,
    .threads = transposed_tile<uint32_t>::threads,
    .stages = 1,
    .smem_bytes = sizeof(vector16) * transposed_tile<uint8_t>::vectors,
    .alignment_bytes = sizeof(vector16),
    .accepts = accepts_aligned,
    .launch = launch_small_squares,
};

constinit const kernel_entry<transpose_problem> transpose_small_elements = {
    .name = "small_elements",
    .description = "any alignment, small tiles: for matrices that stay in the L2 cache, and thin "
                   "ones with padding",
    .block_m = largest_element_tile<uint32_t>::rows,
    .block_n = largest_element_tile<uint32_t>::cols,
    .threads = largest_element_tile<uint32_t>::threads,
    .stages = 1,
    .smem_bytes = element_smem_bytes<uint4, largest_element_tile<uint4>>,
    .accepts = accepts_elements,
    .launch = launch_small_elements,
};

} // namespace myblas::cuda

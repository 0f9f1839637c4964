// B = A^T of matrices that stay in the L2 cache: small tiles, short code, launches that overlap.
//
// Such a transpose is over in 1 to 10 us: what counts is how soon all multiprocessors have work, how many
// instructions a block has to fetch, and that its launch hides behind the kernel before.
//
//   squares    A thread turns 8 or 16 bytes of up to 4 columns in registers: little, so that there are many threads, and
//              leaves them in shared memory by rows, as pieces of vectors of 16 bytes, in which they are stored. An XOR
//              in place of padding. Loads that leave an A of up to 16 MiB in the caches; stores that stream past them.
//   elements   `unrolled` with small tiles, all numbers but addresses words: any alignment, padded shared
//              memory.
//
// Bound: latency; 2 m n elements moved.  One stage.  Tile and threads:
//      bytes     1          2          4          8          16
//      squares   64 x 128   32 x 64    32 x 32    16 x 32    8 x 32
//                256        128        128        128        256
//      elements  32 x 64    32 x 64    32 x 64    32 x 32    32 x 32
//                256        256        256        256        256
//                (32 x 32 up to 2^18 elements, and where n is at most 32)
// Accepts: out of place, batches too, as far as the grid reaches; m, n and leading dimensions up to 2^25. squares:
// columns of A that are multiples of 8 bytes and start on them (elements of 8 bytes: of 16), columns of B of 16; with
// elements of 1 byte extents up to 2^24.

#include "kernels/common/overlap.h"
#include "kernels/transpose/registry.h"
#include "kernels/transpose/square.h"
#include "kernels/transpose/tile.h"

#include <cstring>

namespace myblas::cuda {
namespace {

// What the kernels need of the problem, in words where they do: fewer instructions.
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

// Offsets in a tile are words.
bool has_short_extents(const transpose_problem& p, int tile_cols) {
    return std::max({p.m, p.n, p.lda, p.ldb}) <= (int64_t{1} << 31) / tile_cols;
}

// ---- Squares -------------------------------------------------------------------------------------

constexpr int64_t kept_bytes = 16 << 20; // of A

template <int bytes>
struct words;
template <>
struct words<4> {
    using type = uint32_t;
};
template <>
struct words<8> {
    using type = uint2;
};
template <>
struct words<16> {
    using type = uint4;
};

template <class T>
struct tiling {
    // Of A: what a thread reads of a column, and its columns.
    static constexpr int read_bytes = sizeof(T) >= 8 ? 16 : 8, thread_rows = read_bytes / sizeof(T);
    static constexpr int thread_cols = sizeof(T) <= 4 ? 4 : 16 / sizeof(T);
    static constexpr int lanes_m = sizeof(T) == 4 ? 16 : 8; // threads along m
    static constexpr int rows = lanes_m * thread_rows;
    static constexpr int cols = sizeof(T) == 1 ? 128 : sizeof(T) == 2 ? 64 : 32;
    static constexpr int threads = lanes_m * cols / thread_cols;
    static constexpr int min_blocks = resident_threads / threads;
    static constexpr int units = cols / vector_elements<T>; // vectors of a row in shared memory
    using read_type = words<read_bytes>::type;
    using piece_type = words<thread_cols * sizeof(T)>::type; // of a vector
    static constexpr int pieces = sizeof(vector16) / sizeof(piece_type);
    static_assert(units % 8 == 0 && lanes_m % 8 == 0);
};

// Where vector `unit` of row i lies in shared memory, in vectors. Threads that are neighbours along m write the same
// unit: to 8 different groups of four banks.
template <class T>
__device__ int place(int i, int unit) {
    return i * tiling<T>::units + (unit ^ (i / tiling<T>::thread_rows & 7));
}

// Transposes what a thread has of a tile: element r of column[c] becomes element c of row[r].
template <class T, class shape = tiling<T>>
__device__ void turn(const typename shape::read_type (&column)[shape::thread_cols],
                     typename shape::piece_type (&row)[shape::thread_rows]) {
    uint32_t from[shape::thread_cols][sizeof(column[0]) / 4],
        to[shape::thread_rows][sizeof(row[0]) / 4];
    std::memcpy(from, column, sizeof(from));
    constexpr int v = sizeof(T) < 4 ? 4 / sizeof(T) : 1; // elements of a word
    constexpr int w = sizeof(T) < 4 ? 1 : sizeof(T) / 4; // words of an element
#pragma unroll
    for (int c = 0; c < shape::thread_cols; c += v)
#pragma unroll
        for (int r = 0; r < shape::thread_rows; r += v) {
            if constexpr (v == 1) {
#pragma unroll
                for (int k = 0; k < w; ++k)
                    to[r][c * w + k] = from[c][r * w + k];
            } else {
                uint32_t square[v], turned[v];
#pragma unroll
                for (int k = 0; k < v; ++k)
                    square[k] = from[c + k][r / v];
                transpose_word_square<T>(square, turned);
#pragma unroll
                for (int k = 0; k < v; ++k)
                    to[r + k][c / v] = turned[k];
            }
        }
    std::memcpy(row, to, sizeof(row));
}

template <class T, bool keeps>
__global__ void __launch_bounds__(tiling<T>::threads, tiling<T>::min_blocks)
    small_squares(small_problem<T> p) {
    using shape = tiling<T>;
    using piece = typename shape::piece_type;
    constexpr int v = vector_elements<T>;
    __shared__ vector16 smem[shape::rows * shape::units];
    const int i0 = blockIdx.x * shape::rows, j0 = blockIdx.y * shape::cols;
    const int rows = p.m - i0, cols = p.n - j0; // left from here on
    const T* gmem_a = p.a + blockIdx.z * p.stride_a + i0 + int64_t{j0} * p.lda;
    T* gmem_b = p.b + blockIdx.z * p.stride_b + j0 + int64_t{i0} * p.ldb;
    const int i = threadIdx.x % shape::lanes_m * shape::thread_rows;
    const int square = threadIdx.x / shape::lanes_m, j = square * shape::thread_cols;
    wait_for_earlier_work();

    typename shape::read_type column[shape::thread_cols];
    if (i < rows && j < cols)
#pragma unroll
        for (int c = 0; c < shape::thread_cols; ++c) {
            const auto* from =
                reinterpret_cast<const typename shape::read_type*>(gmem_a + i + (j + c) * p.lda);
            column[c] = keeps ? *from : __ldcs(from);
        }
    piece row[shape::thread_rows];
    turn<T>(column, row);
#pragma unroll
    for (int r = 0; r < shape::thread_rows; ++r) // what lies outside the matrix is never read
        reinterpret_cast<piece*>(
            &smem[place<T>(i + r, square / shape::pieces)])[square % shape::pieces] = row[r];
    __syncthreads(); // the tile is complete
    const int unit = threadIdx.x % shape::units, first = threadIdx.x / shape::units;
    constexpr int step = shape::threads / shape::units; // rows that the block covers at once
#pragma unroll
    for (int k = 0; k < shape::rows / step; ++k) {
        const int at = first + k * step;
        if (at < rows && unit * v < cols)
            store_streaming(gmem_b + unit * v + at * p.ldb, smem[place<T>(at, unit)]);
    }
}

// Tiles of rows, of columns and matrices are the three dimensions of the grid: no number is divided.
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
           has_short_extents(p, p.element_bytes == 1 ? tiling<uint8_t>::cols : 64);
}

myblasStatus_t launch_small_squares(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        using shape = tiling<T>;
        return launch_overlapped(p.m * p.n * p.batch_count <= kept_bytes / int64_t{sizeof(T)}
                                     ? small_squares<T, true>
                                     : small_squares<T, false>,
                                 grid_of_tiles<shape::rows, shape::cols>(p),
                                 shape::threads,
                                 context,
                                 small_problem<T>(p));
    });
}

// ---- Elements ------------------------------------------------------------------------------------

constexpr int threads = 256;
constexpr int element_rows = 32; // of A
constexpr int64_t few_elements = 1 << 18;

template <class T>
constexpr int element_pitch = padded_pitch<T, element_rows>;

// cols: of A.
template <class T, int cols>
__global__ void __launch_bounds__(threads, sizeof(T) <= 8 ? resident_threads / threads : 4)
    small_elements(small_problem<T> p) {
    constexpr int rows = element_rows;
    constexpr int load_step = threads / rows;  // columns that the block loads at once
    constexpr int store_step = threads / cols; // rows that it stores at once
    __shared__ T smem[cols][element_pitch<T>]; // (j, i)
    const int i0 = blockIdx.x * rows, j0 = blockIdx.y * cols;
    const int rows_left = p.m - i0, cols_left = p.n - j0; // from here on
    const int i = threadIdx.x % rows, first_j = threadIdx.x / rows;
    const int j = threadIdx.x % cols, first_i = threadIdx.x / cols;
    const T* gmem_a = p.a + blockIdx.z * p.stride_a + i0 + i + int64_t{j0 + first_j} * p.lda;
    T* gmem_b = p.b + blockIdx.z * p.stride_b + j0 + j + int64_t{i0 + first_i} * p.ldb;
    wait_for_earlier_work();

    T value[cols / load_step];
#pragma unroll
    for (int k = 0; k < cols / load_step; ++k)
        if (i < rows_left && first_j + k * load_step < cols_left)
            value[k] = gmem_a[k * load_step * p.lda];
#pragma unroll
    for (int k = 0; k < cols / load_step; ++k) // what lies outside the matrix is never read
        smem[first_j + k * load_step][i] = value[k];
    __syncthreads(); // the tile is complete
#pragma unroll
    for (int k = 0; k < rows / store_step; ++k)
        if (j < cols_left && first_i + k * store_step < rows_left)
            __stcs(gmem_b + k * store_step * p.ldb, smem[j][first_i + k * store_step]);
}

bool accepts_elements(const transpose_problem& p, const device_info&) {
    return !p.in_place() && fits_grid(p) && has_short_extents(p, 64);
}

template <class T, int cols>
myblasStatus_t launch_elements(const transpose_problem& p, const launch_context& context) {
    return launch_overlapped(small_elements<T, cols>,
                             grid_of_tiles<element_rows, cols>(p),
                             threads,
                             context,
                             small_problem<T>(p));
}

myblasStatus_t launch_small_elements(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        if constexpr (sizeof(T) <= 4)
            if (p.n > 32 && p.m * p.n * p.batch_count > few_elements)
                return launch_elements<T, 64>(p, context);
        return launch_elements<T, 32>(p, context);
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_small_squares = {
    .name = "small_squares",
    .description = "up to 4 columns a thread, small tiles for matrices that stay in the L2 cache",
    .block_m = tiling<uint32_t>::rows,
    .block_n = tiling<uint32_t>::cols,
    .threads = tiling<uint32_t>::threads,
    .stages = 1,
    .smem_bytes = sizeof(vector16) * tiling<uint8_t>::rows * tiling<uint8_t>::units,
    .alignment_bytes = sizeof(vector16),
    .accepts = accepts_aligned,
    .launch = launch_small_squares,
};

constinit const kernel_entry<transpose_problem> transpose_small_elements = {
    .name = "small_elements",
    .description = "any alignment, small tiles for matrices that stay in the L2 cache",
    .block_m = element_rows,
    .block_n = 64,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(uint4) * 32 * element_pitch<uint4>,
    .accepts = accepts_elements,
    .launch = launch_small_elements,
};

} // namespace myblas::cuda

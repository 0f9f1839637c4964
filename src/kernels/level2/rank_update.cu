// syr and syr2: A = alpha x x^T + A or A = alpha (x y^T + y x^T) + A, on one triangle.
// ger: A = alpha x y^T + A, all of A.
//
// A block updates a tile of 64 x 64. A thread has one row of the tile and 4, 8 or 16 columns, and
// loads all its elements before it stores any. The grid has only the tiles of the triangle; near
// the diagonal the indices of each element are tested. For ger with at most 16 rows, tiles are 16 x
// 256, or 16 x 64 if A is small; with at most 16 columns, they are 256 x 16 or 64 x 16. A large A
// also has tiles of 256 x 16 if square tiles would be empty for at least a quarter. If a small A
// has at most 32 rows or columns, they are 32 x 64 or 64 x 32. Threads with up to 8 columns, for a
// small A, read it before the vectors, so that both latencies overlap.
//
// If columns do not start on cache lines, the rows of a tile are shifted in each column by the
// distance to the preceding line boundary. Warps then read and write whole cache lines.
//
//   column   0       1       2
//          |  64 | ..63 |  ..62 |    rows of tile 1 if the leading dimension is 32 k + 1
//
// ger rounds alpha y_j to a float if the result is normal or y_j is zero. Otherwise the block
// computes its update in double, so that no product of the three factors overflows or underflows on
// the way.
//
// For the smallest A, a thread has one element, and loads all that the element needs at the same
// time.
//
// Bound: n (n + 1) / 2 floats read and written; m n for ger.
// Launch: a block of 256 or 512 threads for each tile; for the smallest A, 256 threads for 32 x 8
// elements, or fewer rows or columns if A has fewer.
// Accepts: every call with at most max_grid_x tiles.

#include "kernels/common/element_threads.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/level2/registry.h"
#include "kernels/level2/triangle_tiles.cuh"

namespace myblas::cuda {
namespace {

constexpr int tile = 64;
constexpr int few = 16;       // rows or columns of ger
constexpr int many = 256;     // along the other side of a thin tile of a large A
constexpr int most_early = 8; // thread_n up to which A is loaded before x and y
constexpr int line = 32;      // floats of a cache line
constexpr int most_shift = line - 1;
// Up to this size, threads with 8 columns are faster. (In syr2 they are faster whenever A stays in
// the L2 cache.)
constexpr int64_t small_n = 1536;
// Each element of an A of up to this many blocks of this size has a thread of its own.
constexpr int64_t most_small_blocks = 512;
constexpr int element_threads = 256;
// Bytes of A beyond which A does not stay in the L2 cache.
constexpr double least_streamed = 48 << 20;
// Bytes of A. If A is smaller, 16 x 256 or 256 x 16 tiles do not occupy all multiprocessors.
constexpr double least_thin = 4 << 20;

enum class update { syr, syr2, ger };

// Floats between the start of a column and the cache-line boundary before it. In that column, a
// tile has the rows first - shift to first + tile_m - 1 - shift.
__device__ __forceinline__ int shift_of(const syr_problem& p, int64_t column) {
    return static_cast<int>((reinterpret_cast<uintptr_t>(p.a) / sizeof(float) + column * p.lda) %
                            line);
}

// Load and store a thread's elements of A. element(c) is the address in column c, inside(c) tells
// whether to update it, and add(c, old) is the new value.
template <int thread_n, bool streams, class Element, class Inside>
__device__ __forceinline__ void
load_elements(float (&value)[thread_n], Element&& element, Inside&& inside) {
#pragma unroll
    for (int c = 0; c < thread_n; ++c)
        value[c] = !inside(c) ? 0 : streams ? __ldcs(element(c)) : *element(c);
}

template <int thread_n, bool streams, class Element, class Inside, class Add>
__device__ __forceinline__ void
store_elements(float (&value)[thread_n], Element&& element, Inside&& inside, Add&& add) {
#pragma unroll
    for (int c = 0; c < thread_n; ++c)
        value[c] = add(c, value[c]);
#pragma unroll
    for (int c = 0; c < thread_n; ++c)
        if (inside(c)) {
            if constexpr (streams)
                __stcs(element(c), value[c]);
            else
                *element(c) = value[c];
        }
}

// Whether ger may round alpha y_j.
__device__ __forceinline__ bool is_rounded(float product, const float& y) {
    const float size = fabsf(product);
    return (size >= 0x1p-126f && size <= 0x1.fffffep127f) || y == 0;
}

// The elements of the vectors that a tile needs, in shared memory.
struct tile_vectors {
    float *by_x, *by_y;   // alpha x_j and alpha y_j for the columns
    float *row_x, *row_y; // from `reach` rows before the tile on
};

// Reads them. Returns, after a barrier, whether ger may round alpha y_j.
template <update form, int tile_m, int tile_n, int threads, int reach>
__device__ __forceinline__ bool read_vectors(
    const syr_problem& p, float alpha, int64_t first_i, int64_t first_j, const tile_vectors& to) {
    const int thread = threadIdx.x;
    bool is_normal = true;
#pragma unroll
    for (int first = 0; first < tile_n; first += threads) {
        const int column = first + thread;
        const int64_t j = first_j + column;
        if (column >= tile_n || j >= p.n)
            break;
        if constexpr (form != update::ger)
            to.by_x[column] = alpha * p.x[j * p.incx];
        if constexpr (form != update::syr)
            to.by_y[column] = alpha * p.y[j * p.incy];
        if constexpr (form == update::ger)
            is_normal = is_normal && is_rounded(to.by_y[column], p.y[j * p.incy]);
    }
    const int64_t rows = form == update::ger ? p.m : p.n;
#pragma unroll
    for (int first = 0; first < tile_m + reach; first += threads) {
        const int row = first + thread;
        const int64_t i = first_i - reach + row;
        if (row < tile_m + reach && i >= 0 && i < rows) {
            to.row_x[row] = p.x[i * p.incx];
            if constexpr (form == update::syr2)
                to.row_y[row] = p.y[i * p.incy];
        }
    }
    return static_cast<bool>(__syncthreads_and(is_normal)); // the vectors are in shared memory
}

template <update form, int tile_m, int tile_n, int thread_n, bool streams, bool shifts>
__global__ void __launch_bounds__(tile_m* tile_n / thread_n) tiles(syr_problem p, int block_rows) {
    constexpr int threads = tile_m * tile_n / thread_n;
    static_assert(form == update::ger || (tile_m == tile && tile_n == tile));
    constexpr bool loads_early = thread_n <= most_early;
    constexpr bool twice = form == update::syr2, is_ger = form == update::ger;
    // Rows before first_i that a shifted tile may contain.
    constexpr int reach = shifts ? most_shift : 0;
    __shared__ float by_x[tile_n], by_y[tile_n];
    __shared__ float row_x[tile_m + reach], row_y[tile_m + reach];
    tile_place place = is_ger ? tile_place{static_cast<int>(blockIdx.x % block_rows),
                                           static_cast<int>(blockIdx.x / block_rows)}
                              : place_of(blockIdx.x, block_rows, p.upper);
    if (shifts && !is_ger && p.upper)
        --place.column; // shifted, a column of an upper triangle spans one more tile
    const int64_t rows = is_ger ? p.m : p.n;
    const int64_t first_i = int64_t{place.row} * tile_m, first_j = int64_t{place.column} * tile_n;
    grid_dependency_sync();
    if constexpr (tile_m * tile_n < tile * tile) // A is small
        launch_dependents();
    const float alpha = resolve(p.alpha);
    if (alpha == 0 || first_j < 0 || first_j >= p.n)
        return;
    const auto read = [&] {
        return read_vectors<form, tile_m, tile_n, threads, reach>(
            p, alpha, first_i, first_j, {by_x, by_y, row_x, row_y});
    };
    bool all_normal = true;
    if constexpr (!loads_early)
        all_normal = read();

    const int thread = threadIdx.x;
    const int own_row = thread % tile_m, own_column = thread / tile_m * thread_n;
    const int64_t j = first_j + own_column;
    int shift[thread_n];
#pragma unroll
    for (int c = 0; c < thread_n; ++c)
        shift[c] = shifts ? shift_of(p, j + c) : 0;
    float* const a = p.a + first_i + own_row + j * p.lda;
    const auto element = [&](int c) { return a + (c * p.lda - shift[c]); };
    const auto inside = [&](int c) {
        const int64_t i = first_i + own_row - shift[c];
        return (!shifts || i >= 0) && i < rows && j + c < p.n &&
               (is_ger || (p.upper ? i <= j + c : i >= j + c));
    };
    const auto everywhere = [](int) { return true; };
    const int off_diagonal = p.upper ? place.column - place.row : place.row - place.column;
    const bool is_whole = (is_ger || off_diagonal > (shifts ? 1 : 0)) &&
                          (!shifts || place.row > 0) && first_i + tile_m <= rows &&
                          first_j + tile_n <= p.n;
    // The condition of `inside` as a range of columns, for tiles without shifts.
    const int64_t row_i = first_i + own_row;
    const int64_t end = row_i >= rows ? 0 : min(p.n - j, int64_t{thread_n});
    const int64_t diagonal = min(max(row_i - j, int64_t{-1}), int64_t{thread_n});
    const int from = !is_ger && p.upper ? static_cast<int>(diagonal) : 0;
    const int to = static_cast<int>(is_ger || p.upper ? end : min(end, diagonal + 1));
    const auto in_range = [&](int c) { return from <= c && c < to; };
    float value[thread_n];
    if constexpr (loads_early) {
        static_assert(!shifts);
        load_elements<thread_n, streams>(value, element, in_range);
        all_normal = read();
    }

    const auto update_where = [&](auto&& where, auto&& add) {
        if constexpr (!loads_early)
            load_elements<thread_n, streams>(value, element, where);
        store_elements<thread_n, streams>(value, element, where, add);
    };
    const auto update_all = [&](auto&& add) {
        if constexpr (loads_early)
            update_where(in_range, add);
        else if (is_whole)
            update_where(everywhere, add);
        else
            update_where(inside, add);
    };
    const auto x_i = [&](int c) { return row_x[own_row + reach - shift[c]]; };
    if constexpr (is_ger) {
        if (all_normal)
            update_all(
                [&](int c, float value) { return fmaf(by_y[own_column + c], x_i(c), value); });
        else
            update_all([&](int c, float value) {
                const double factor = double{alpha} * p.y[min(j + c, p.n - 1) * p.incy];
                return static_cast<float>(fma(factor, double{x_i(c)}, double{value}));
            });
    } else {
        update_all([&](int c, float value) {
            const float sum =
                twice ? fmaf(by_x[own_column + c], row_y[own_row + reach - shift[c]], value)
                      : value;
            return fmaf(twice ? by_y[own_column + c] : by_x[own_column + c], x_i(c), sum);
        });
    }
}

template <update form>
__global__ void __launch_bounds__(element_threads) elements(const syr_problem p, int log_rows) {
    constexpr bool is_ger = form == update::ger, twice = form == update::syr2;
    const auto [i, j] = element_place(log_rows);
    const bool inside =
        i < (is_ger ? p.m : p.n) && j < p.n && (is_ger || (p.upper ? i <= j : i >= j));
    float* const a = p.a + i + j * p.lda;
    const float *const x_i = p.x + i * p.incx, *const x_j = p.x + j * p.incx;
    const float *const y_i = p.y + i * p.incy, *const y_j = p.y + j * p.incy;
    grid_dependency_sync_after(address_bits(a) | address_bits(x_i) | address_bits(x_j) |
                               address_bits(y_i) | address_bits(y_j) | inside);
    launch_dependents();
    const float alpha = resolve(p.alpha);
    if (!inside || alpha == 0)
        return;
    const float old = *a, x = *x_i;
    if constexpr (is_ger) {
        const float y = *y_j, by_y = alpha * y;
        *a = is_rounded(by_y, y)
                 ? fmaf(by_y, x, old)
                 : static_cast<float>(fma(double{alpha} * y, double{x}, double{old}));
    } else if constexpr (twice) {
        const float by_x = alpha * *x_j;
        *a = fmaf(alpha * *y_j, x, fmaf(by_x, *y_i, old));
    } else {
        *a = fmaf(alpha * *x_j, x, old);
    }
}

double bytes_of(const syr_problem& p) {
    return static_cast<double>(p.rows()) * static_cast<double>(p.n) * sizeof(float) /
           (p.is_ger ? 1 : 2);
}

struct tile_shape {
    int m, n;
};

// A square tile would lie mostly outside an A of few rows or columns (ger).
tile_shape shape_for(const syr_problem& p) {
    if (!p.is_ger)
        return {tile, tile};
    const bool is_small = bytes_of(p) < least_thin;
    const int along = is_small ? tile : many;
    if (p.m <= few)
        return {few, along};
    // Square tiles over n columns would be empty for at least a quarter.
    const bool is_wasteful = !is_small && 4 * p.n <= 3 * ceil_div<int64_t>(p.n, tile) * tile;
    if (p.n <= few || is_wasteful)
        return {along, few};
    if (is_small && p.m <= 2 * few)
        return {2 * few, tile};
    return {tile, is_small && p.n <= 2 * few ? 2 * few : tile};
}

// In the L2 cache, incomplete cache lines cost less than the shifts. A tile of 16 rows has whole
// columns of A; if they are contiguous, so are the tile's cache lines.
bool needs_shifts(const syr_problem& p) {
    if (bytes_of(p) < least_streamed || shape_for(p).m == few)
        return false;
    return p.lda % line != 0 || reinterpret_cast<uintptr_t>(p.a) % (line * sizeof(float)) != 0;
}

// Block rows: of the triangle whose tiles are numbered, or of ger's matrix of tiles.
int64_t block_rows(const syr_problem& p) {
    const int64_t reach = !needs_shifts(p) ? 0 : p.is_ger || !p.upper ? most_shift : tile;
    return ceil_div<int64_t>(p.rows() + reach, shape_for(p).m);
}

int64_t tile_count(const syr_problem& p) {
    return p.is_ger ? block_rows(p) * ceil_div<int64_t>(p.n, shape_for(p).n)
                    : triangle_tiles(block_rows(p));
}

bool accepts(const syr_problem& p, const device_info&) { return tile_count(p) <= max_grid_x; }

template <update form>
myblasStatus_t launch_form(const syr_problem& p, const launch_context& context) {
    const element_blocks blocks(p.rows(), p.n, element_threads);
    if (blocks.x * blocks.y <= most_small_blocks) {
        const dim3 grid(static_cast<unsigned>(blocks.x), static_cast<unsigned>(blocks.y));
        return launch_overlapped(
            elements<form>, grid, element_threads, context, p, blocks.log_rows);
    }
    const auto start = [&](auto kernel, int threads) {
        return launch_overlapped(kernel,
                                 dim3(static_cast<unsigned>(tile_count(p))),
                                 threads,
                                 context,
                                 p,
                                 static_cast<int>(block_rows(p)));
    };
    const bool is_large = bytes_of(p) >= least_streamed;
    // With cache hints, syr2 with shifts took 1.2 times as long.
    constexpr bool streams_shifted = form != update::syr2;
    if constexpr (form == update::ger) {
        const auto [m, n] = shape_for(p);
        if (m == few && n == tile)
            return start(tiles<form, few, tile, 4, false, false>, 256);
        if (m == tile && n == few)
            return start(tiles<form, tile, few, 4, false, false>, 256);
        if (m == tile && n == 2 * few)
            return start(tiles<form, tile, 2 * few, 8, false, false>, 256);
        if (m == 2 * few)
            return start(tiles<form, 2 * few, tile, 8, false, false>, 256);
        if (m == few)
            return is_large ? start(tiles<form, few, many, 16, true, false>, 256)
                            : start(tiles<form, few, many, 16, false, false>, 256);
        if (n == few)
            return needs_shifts(p) ? start(tiles<form, many, few, 16, true, true>, 256)
                   : is_large      ? start(tiles<form, many, few, 16, true, false>, 256)
                                   : start(tiles<form, many, few, 16, false, false>, 256);
    }
    if (needs_shifts(p))
        return start(tiles<form, tile, tile, 16, streams_shifted, true>, 256);
    if (is_large)
        return start(tiles<form, tile, tile, 16, true, false>, 256);
    if (form == update::syr2 || bytes_of(p) < least_thin || (p.rows() <= small_n && p.n <= small_n))
        return start(tiles<form, tile, tile, 8, false, false>, 512);
    return start(tiles<form, tile, tile, 16, false, false>, 256);
}

myblasStatus_t launch_tiles(const syr_problem& p, const launch_context& context) {
    return p.is_ger ? launch_form<update::ger>(p, context)
           : p.y    ? launch_form<update::syr2>(p, context)
                    : launch_form<update::syr>(p, context);
}

} // namespace

constinit const kernel_entry<syr_problem> syr_tiles = {
    .name = "tiles",
    .description = "tiles of 64 x 64, whole cache lines, all elements of a thread in flight",
    .block_m = tile,
    .block_n = tile,
    .threads = tile * tile / 8,
    .accepts = accepts,
    .launch = launch_tiles,
};

} // namespace myblas::cuda

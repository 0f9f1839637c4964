// syr and syr2: A = alpha (x y^T + y x^T) + A, or alpha x x^T + A, on one triangle. ger: A = alpha x y^T + A, all of A.
//
// A block has a tile of 64 x 64, a thread one row of it and 16 columns, all loaded before any is stored. The grid has the
// tiles of the triangle alone; on the diagonal each element is asked for its place. A lane has alpha times the other
// vector's element for one column of its warp.
//
// ger: alpha y_j is rounded to a float where it is a normal one, or zero. Else the three factors are multiplied in
// double, so that none of their products overflows or underflows on the way.
//
// Bound: n (n + 1) / 2 floats read and written, of ger m n.  Block: 64 x 4 threads.  Accepts: everything.

#include "kernels/common/overlap.h"
#include "kernels/common/reduce.h"
#include "kernels/common/scalar.h"
#include "kernels/level2/registry.h"
#include "kernels/level2/triangle_tiles.cuh"

namespace myblas::cuda {
namespace {

constexpr int tile = 64, thread_n = 16;
constexpr int threads = tile * tile / thread_n;
static_assert(tile % warp_size == 0, "a warp has rows of the same columns");

enum class update { syr, syr2, ger };

// The elements of a thread; `inside(c)` says which of them there are.
template <class Inside, class Term>
__device__ __forceinline__ void add_terms(float* a, int64_t lda, Inside&& inside, Term&& add) {
    float value[thread_n];
#pragma unroll
    for (int c = 0; c < thread_n; ++c)
        value[c] = inside(c) ? a[c * lda] : 0;
#pragma unroll
    for (int c = 0; c < thread_n; ++c)
        value[c] = add(c, value[c]);
#pragma unroll
    for (int c = 0; c < thread_n; ++c)
        if (inside(c))
            a[c * lda] = value[c];
}

template <update form>
__global__ void __launch_bounds__(threads) tiles(syr_problem p, int block_rows) {
    constexpr bool twice = form == update::syr2, is_ger = form == update::ger;
    const int lane = threadIdx.x % warp_size;
    const tile_place place = is_ger ? tile_place{static_cast<int>(blockIdx.x % block_rows),
                                                 static_cast<int>(blockIdx.x / block_rows)}
                                    : place_of(blockIdx.x, block_rows, p.upper);
    const int64_t rows = is_ger ? p.m : p.n;
    const int64_t i = int64_t{place.row} * tile + threadIdx.x % tile;
    const int64_t j = int64_t{place.column} * tile + threadIdx.x / tile * thread_n;
    float* const a = p.a + i + j * p.lda;
    wait_for_earlier_work();
    const float alpha = resolve(p.alpha);
    if (alpha == 0)
        return;
    const int64_t row = i < rows ? i : 0; // lanes past the last row have something to read
    const float x_i = p.x[row * p.incx], y_i = twice ? p.y[row * p.incy] : 0;
    const int64_t own_j = min(j + lane % thread_n, p.n - 1);
    const float own_x = is_ger ? 0 : alpha * p.x[own_j * p.incx];
    const float own_y = form == update::syr ? 0 : p.y[own_j * p.incy];

    const bool is_whole = (is_ger || place.row != place.column) &&
                          int64_t{place.row + 1} * tile <= rows &&
                          int64_t{place.column + 1} * tile <= p.n;
    const auto inside = [&](int c) {
        return i < rows && j + c < p.n && (is_ger || (p.upper ? i <= j + c : i >= j + c));
    };
    const auto everywhere = [](int) { return true; };
    const auto update_all = [&](auto&& add) {
        if (is_whole)
            add_terms(a, p.lda, everywhere, add);
        else
            add_terms(a, p.lda, inside, add);
    };
    if constexpr (is_ger) {
        const double factor = double{alpha} * own_y;
        const auto rounded = static_cast<float>(factor);
        const float size = fabsf(rounded);
        const bool is_normal = (size >= 0x1p-126f && size <= 0x1.fffffep127f) || factor == 0;
        if (__all_sync(full_warp, is_normal))
            update_all([&](int c, float value) {
                return fmaf(__shfl_sync(full_warp, rounded, c), x_i, value);
            });
        else
            update_all([&](int c, float value) {
                return static_cast<float>(
                    fma(__shfl_sync(full_warp, factor, c), double{x_i}, double{value}));
            });
    } else {
        const float scaled_y = alpha * own_y;
        update_all([&](int c, float value) {
            const float factor_x = __shfl_sync(full_warp, own_x, c);
            if constexpr (twice)
                return fmaf(__shfl_sync(full_warp, scaled_y, c), x_i, fmaf(factor_x, y_i, value));
            else
                return fmaf(factor_x, x_i, value);
        });
    }
}

int64_t block_rows(const syr_problem& p) { return ceil_div<int64_t>(p.rows(), tile); }

int64_t tile_count(const syr_problem& p) {
    return p.is_ger ? block_rows(p) * ceil_div<int64_t>(p.n, tile) : triangle_tiles(block_rows(p));
}

bool accepts(const syr_problem& p, const device_info&) { return tile_count(p) <= max_grid_x; }

myblasStatus_t launch_tiles(const syr_problem& p, const launch_context& context) {
    const dim3 grid(static_cast<unsigned>(tile_count(p)));
    const auto kernel = p.is_ger ? tiles<update::ger>
                        : p.y    ? tiles<update::syr2>
                                 : tiles<update::syr>;
    return launch_overlapped(
        kernel, grid, threads, context, p, static_cast<int>(block_rows(p)));
}

} // namespace

constinit const kernel_entry<syr_problem> syr_tiles = {
    .name = "tiles",
    .description = "tiles of 64 x 64, sixteen elements of a thread in flight",
    .block_m = tile,
    .block_n = tile,
    .threads = threads,
    .accepts = accepts,
    .launch = launch_tiles,
};

} // namespace myblas::cuda

// syr and syr2: A = alpha (x y^T + y x^T) + A, or alpha x x^T + A, on one triangle. ger: A = alpha x y^T + A, all of A, in
// double, so that no order of the three factors overflows or underflows on the way.
//
// A block has a tile of 64 rows and 32 columns, a thread one row of it and 8 columns, all loaded before any is
// stored. Tiles outside of the triangle end at once; on the diagonal each element is asked for its place.
//
// Bound: n (n + 1) / 2 floats read and written, of ger m n.  Block: 64 x 4 threads.  Accepts: everything.

#include "kernels/common/overlap.h"
#include "kernels/common/scalar.h"
#include "kernels/level2/registry.h"

namespace myblas::cuda {
namespace {

constexpr int tile_m = 64, tile_n = 32, thread_n = 8;
constexpr int threads = tile_m * tile_n / thread_n;

enum class update { syr, syr2, ger };

template <update form>
__global__ void __launch_bounds__(threads) tiles(syr_problem p) {
    wait_for_earlier_work();
    const float alpha = resolve(p.alpha);
    constexpr bool twice = form == update::syr2, is_ger = form == update::ger;
    const int64_t rows = is_ger ? p.m : p.n;
    const int64_t tiles_m = ceil_div<int64_t>(rows, tile_m);
    const int64_t first_i = int64_t{blockIdx.x} % tiles_m * tile_m;
    const int64_t first_j = int64_t{blockIdx.x} / tiles_m * tile_n;
    const bool is_outside =
        !is_ger && (p.upper ? first_i > first_j + tile_n - 1 : first_i + tile_m - 1 < first_j);
    const int64_t i = first_i + threadIdx.x % tile_m;
    if (is_outside || alpha == 0 || i >= rows)
        return;
    const float x_i = p.x[i * p.incx], y_i = twice ? p.y[i * p.incy] : 0;
    float value[thread_n];
    int64_t j = first_j + threadIdx.x / tile_m * thread_n;
    const auto is_inside = [&](int64_t column) {
        return column < p.n && (is_ger || (p.upper ? i <= column : i >= column));
    };
#pragma unroll
    for (int c = 0; c < thread_n; ++c)
        if (is_inside(j + c))
            value[c] = p.a[i + (j + c) * p.lda];
#pragma unroll
    for (int c = 0; c < thread_n; ++c, ++j)
        if (is_inside(j)) {
            if constexpr (is_ger) {
                const double factor = double{alpha} * p.y[j * p.incy];
                value[c] = static_cast<float>(fma(factor, double{x_i}, double{value[c]}));
            } else {
                const float factor_x = alpha * p.x[j * p.incx];
                if constexpr (twice)
                    value[c] = fmaf(alpha * p.y[j * p.incy], x_i, fmaf(factor_x, y_i, value[c]));
                else
                    value[c] = fmaf(factor_x, x_i, value[c]);
            }
            p.a[i + j * p.lda] = value[c];
        }
}

int64_t tile_count(const syr_problem& p) {
    return ceil_div<int64_t>(p.rows(), tile_m) * ceil_div<int64_t>(p.n, tile_n);
}

bool accepts(const syr_problem& p, const device_info&) { return tile_count(p) <= max_grid_x; }

myblasStatus_t launch_tiles(const syr_problem& p, const launch_context& context) {
    const dim3 grid(static_cast<unsigned>(tile_count(p)));
    const auto kernel = p.is_ger ? tiles<update::ger>
                        : p.y    ? tiles<update::syr2>
                                 : tiles<update::syr>;
    return launch_overlapped(kernel, grid, threads, context, p);
}

} // namespace

constinit const kernel_entry<syr_problem> syr_tiles = {
    .name = "tiles",
    .description = "tiles of 64 x 32, eight elements of a thread in flight",
    .block_m = tile_m,
    .block_n = tile_n,
    .threads = threads,
    .accepts = accepts,
    .launch = launch_tiles,
};

} // namespace myblas::cuda

// C = alpha op(A) + beta op(B), one element at a time.
//
// The simplest kernel: threads of a warp have 32 neighbours in a column of C, so that a transposed
// operand is gathered from 32 of its columns.
//
// Bound: 3 m n floats moved (2 m n if a scalar is zero).
// Launch: 256 threads, a tile of 32 x 32, four elements for each thread.
// Accepts: everything; each element is written by the thread that read it.

#include "kernels/common/scalar.cuh"
#include "kernels/transpose/registry.h"
#include "kernels/transpose/tile.cuh"

namespace myblas::cuda {
namespace {

template <bool transposed>
__device__ float element(const float* matrix, int64_t ld, int64_t i, int64_t j) {
    return transposed ? matrix[j + i * ld] : matrix[i + j * ld];
}

template <bool transa, bool transb>
__global__ void __launch_bounds__(tile_threads) naive(geam_problem p) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    const int64_t tiles_m = tiles_of(p.m, tile_side);
    const int64_t tiles = tiles_m * tiles_of(p.n, tile_side);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t i = tile % tiles_m * tile_side + threadIdx.x % tile_side;
        const int64_t j0 = tile / tiles_m * tile_side + threadIdx.x / tile_side;
        for (int64_t j = j0; j < j0 + tile_side; j += tile_step)
            if (i < p.m && j < p.n) {
                // An operand with a zero scalar may hold NaN, or not exist.
                const float a = alpha == 0 ? 0 : element<transa>(p.a, p.lda, i, j);
                const float b = beta == 0 ? 0 : element<transb>(p.b, p.ldb, i, j);
                p.c[i + j * p.ldc] = fmaf(alpha, a, beta * b);
            }
    }
}

myblasStatus_t launch_naive(const geam_problem& p, const launch_context& context) {
    const auto kernel = p.transa ? (p.transb ? naive<true, true> : naive<true, false>)
                                 : (p.transb ? naive<false, true> : naive<false, false>);
    const dim3 grid = grid_of(tiles_of(p.m, tile_side) * tiles_of(p.n, tile_side));
    return launch(kernel, grid, tile_threads, 0, context, p);
}

} // namespace

constinit const kernel_entry<geam_problem> geam_naive = {
    .name = "naive",
    .description = "element by element; transposed operands are gathered",
    .block_m = tile_side,
    .block_n = tile_side,
    .threads = tile_threads,
    .launch = launch_naive,
};

} // namespace myblas::cuda

// Rung 3, grid_stride: a fixed grid that walks over the tiles of C, one launch for any size.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: the number of blocks depends on the device alone. Each block loops over tiles of C, and over
// the products of a batch. A block is set up once for many tiles.
// Bound: loads, 2 for each FMA, as in rung 2.
// Shared memory: none.
// Launch: 8 blocks of 256 threads for each multiprocessor. A block computes 32 x 8 tiles of C, one
// warp for each column, as in rung 2.
// Accepts: every product.
//
//   tile of C   0   1   ..  g-1   g    g+1  ..  2g-1   ..    g blocks
//   block       b0  b1  ..  bg-1  b0   b1   ..  bg-1   ..
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int block_m = 32, block_n = 8;
constexpr int threads = block_m * block_n;
constexpr int blocks_per_sm = 8;

// docs/ladder.md
template <bool transa, bool transb>
__global__ void __launch_bounds__(threads, blocks_per_sm) kernel(const sgemm_problem p) {
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block_m);
    const int64_t tiles = tiles_m * ceil_div<int64_t>(p.n, block_n);
    for (int64_t work = blockIdx.x; work < tiles * p.batch_count; work += gridDim.x) {
        const sgemm_operands o = resolve_at_once(p, work / tiles);
        const int64_t tile = work % tiles;
        const int64_t row = tile % tiles_m * block_m + threadIdx.x % block_m;
        const int64_t col = tile / tiles_m * block_n + threadIdx.x / block_m;
        if (row >= p.m || col >= p.n)
            continue;
        float acc = 0;
        for (int64_t kk = 0; kk < o.k; ++kk)
            acc = fmaf(
                o.a[op_index<transa>(row, kk, p.lda)], o.b[op_index<transb>(kk, col, p.ldb)], acc);
        store_c(&o.c[row + col * p.ldc], o.alpha, acc, o.beta);
    }
}

} // namespace

constinit const sgemm_kernel sgemm_grid_stride = {
    .name = "grid_stride",
    .description = "a fixed grid that walks over the tiles of C, one element a thread",
    .block_m = block_m,
    .block_n = block_n,
    .threads = threads,
    .takes_backwards = true,
    .keeps_k_order = true,
    .launch = walking_launcher<block_m, block_n, threads, blocks_per_sm>(
        [](auto transa, auto transb) { return kernel<transa, transb>; }),
};

} // namespace myblas::cuda

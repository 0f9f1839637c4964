// Rung 3, grid_stride: as coalesced, with a grid that does not depend on the matrix.
//
// A fixed number of blocks, a few per multiprocessor, walks over all tiles of all products of the batch.
// One launch then serves any size, and whatever a block sets up is paid once for many tiles.
// Bound: as coalesced.
// Launch: 8 blocks of 256 threads per multiprocessor, tiles of 32 x 8. Accepts everything.
#include "kernels/sgemm/parts/operands.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int block_m = 32, block_n = 8;
constexpr int threads = block_m * block_n;
constexpr int blocks_per_sm = 8;

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(const sgemm_problem p) {
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block_m);
    const int64_t tiles = tiles_m * ceil_div<int64_t>(p.n, block_n);
    for (int64_t work = blockIdx.x; work < tiles * p.batch_count; work += gridDim.x) {
        const sgemm_operands o = resolve_operands(p, work / tiles);
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

const kernel_entry<sgemm_problem> sgemm_grid_stride = {
    .name = "grid_stride",
    .description = "a fixed grid that walks over the tiles of C, one element a thread",
    .block_m = block_m,
    .block_n = block_n,
    .threads = threads,
    .launch = walking_launcher<block_m, block_n, threads, blocks_per_sm>(
        [](auto transa, auto transb) { return kernel<transa, transb>; }),
};

} // namespace myblas::cuda

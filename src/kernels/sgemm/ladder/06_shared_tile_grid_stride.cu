// Rung 6, shared_tile_grid_stride: rung 5 under the fixed grid of rung 3.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: each block loops over tiles of C, and over the products of a batch. The tiles are computed
// as in rung 5.
// Bound: loads from shared memory, 2 for each FMA, as in rung 5.
// Shared memory: one slab of each operand, [32][32 + 1]; 8.25 KiB.
// Launch: 2 blocks of 1024 threads for each multiprocessor, in one launch for any number of tiles
// and products.
// Accepts: every product.
//
//   tile of C   0   1   ..  g-1   g    g+1  ..  2g-1   ..    g blocks, tiles of 32 x 32
//   block       b0  b1  ..  bg-1  b0   b1   ..  bg-1   ..
#include "kernels/sgemm/ladder/shared_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace shared_tile;

constexpr int blocks_per_sm = 2;

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads, blocks_per_sm) kernel(const sgemm_problem p) {
    __shared__ storage smem;
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block);
    const int64_t tiles = tiles_m * ceil_div<int64_t>(p.n, block);
    // docs/ladder.md
    for (int64_t work = blockIdx.x; work < tiles * p.batch_count; work += gridDim.x) {
        const sgemm_operands o = resolve_operands(p, work / tiles);
        const int64_t tile = work % tiles;
        compute<transa, transb>(p, o, tile % tiles_m * block, tile / tiles_m * block, smem);
    }
}

} // namespace

constinit const sgemm_kernel sgemm_shared_tile_grid_stride = {
    .name = "shared_tile_grid_stride",
    .description = "32 x 32 block tiles in shared memory under a fixed grid",
    .block_m = block,
    .block_n = block,
    .block_k = block,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(storage),
    .keeps_k_order = true,
    .launch = walking_launcher<block, block, threads, blocks_per_sm>(
        [](auto transa, auto transb) { return kernel<transa, transb>; }),
};

} // namespace myblas::cuda

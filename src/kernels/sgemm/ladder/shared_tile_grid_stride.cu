// Rung 6, shared_tile_grid_stride: the block tile of rung 5 under the fixed grid of rung 3.
//
// Bound, shared memory: as shared_tile. What the fixed grid brings is one launch for any number of tiles
// and of products in the batch.
// Launch: 2 blocks of 1024 threads per multiprocessor, tiles of 32 x 32. Accepts everything.
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
    for (int64_t work = blockIdx.x; work < tiles * p.batch_count; work += gridDim.x) {
        const sgemm_operands o = resolve_operands(p, work / tiles);
        const int64_t tile = work % tiles;
        compute<transa, transb>(p, o, tile % tiles_m * block, tile / tiles_m * block, smem);
    }
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    return with_transposition(p, [&](auto transa, auto transb) {
        const int64_t work = tile_count(p, block, block) * p.batch_count;
        const int64_t blocks = std::min<int64_t>(work, context.device->sm_count * blocks_per_sm);
        return launch(
            kernel<transa, transb>, dim3(static_cast<unsigned>(blocks)), threads, 0, context, p);
    });
}

} // namespace

const kernel_entry<sgemm_problem> sgemm_shared_tile_grid_stride = {
    .name = "shared_tile_grid_stride",
    .description = "32 x 32 block tiles in shared memory under a fixed grid",
    .block_m = block,
    .block_n = block,
    .block_k = block,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(storage),
    .launch = launch_kernel,
};

} // namespace myblas::cuda

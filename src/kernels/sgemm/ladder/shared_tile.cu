// Rung 5, shared_tile: block tiles along k, so that shared memory no longer limits k.
//
// A block walks along k in slabs of 32: it loads 32 x 32 of op(A) and of op(B), multiplies them, and goes
// on. Each element loaded from global memory serves 32 threads.
// Bound: shared memory, 2 loads for each FMA; global traffic is 1/32 of naive's.
// Shared memory: one slab of each operand, [32][32 + 1], padded against bank conflicts; 8.25 KiB.
// Launch: 1024 threads for a 32 x 32 tile of C. Accepts all that the grid has blocks for.
#include "kernels/sgemm/ladder/shared_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace shared_tile;

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(const sgemm_problem p, int64_t first_batch) {
    __shared__ storage smem;
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block);
    compute<transa, transb>(p, o, blockIdx.x % tiles_m * block, blockIdx.x / tiles_m * block, smem);
}

} // namespace

const kernel_entry<sgemm_problem> sgemm_shared_tile = {
    .name = "shared_tile",
    .description = "32 x 32 block tiles along k in padded shared memory, one element a thread",
    .block_m = block,
    .block_n = block,
    .block_k = block,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(storage),
    .accepts = fits_grid<block, block>,
    .launch = tile_launcher<block, block, threads>(
        [](auto transa, auto transb) { return kernel<transa, transb>; }),
};

} // namespace myblas::cuda

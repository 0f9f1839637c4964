// Rung 8, register_tile: as register_tile_strided, with each thread's 4 x 4 elements contiguous.
//
// Contiguous elements can be read by one 128-bit load, of A and of B: 2 load instructions for 16 FMAs
// where there were 8. The price is C: a warp's rows are 4 apart, so each store covers four times the
// cache lines.
// Bound, shared memory, launch: as register_tile_strided. Accepts all that the grid has blocks for.
#include "kernels/sgemm/ladder/register_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace register_tile;

constexpr int threads = 1024;
constexpr bool spread = false;

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(const sgemm_problem p, int64_t first_batch) {
    __shared__ storage smem;
    compute_4x4<transa, transb, spread>(p, first_batch + blockIdx.z, smem);
}

} // namespace

const kernel_entry<sgemm_problem> sgemm_register_tile = {
    .name = "register_tile",
    .description = "128 x 128 x 8 blocks, 4 x 4 contiguous elements a thread",
    .block_m = block_m,
    .block_n = block_n,
    .block_k = block_k,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(storage),
    .accepts = fits_grid<block_m, block_n>,
    .launch = tile_launcher<block_m, block_n, threads>(
        [](auto transa, auto transb) { return kernel<transa, transb>; }),
};

} // namespace myblas::cuda

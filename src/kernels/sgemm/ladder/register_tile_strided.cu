// Rung 7, register_tile_strided: 4 x 4 elements of C a thread, held in registers, every 32nd row and column.
//
// Each element read from shared memory now serves 4 FMAs of its thread: 0.5 loads for each FMA where
// there were 2. Spread out, the 32 threads of a warp read neighbouring words of A and one word of B.
// Bound: shared memory, 8 loads for 16 FMAs; global traffic is 1/128 of naive's.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: 1024 threads for a 128 x 128 tile of C. Accepts all that the grid has blocks for.
#include "kernels/sgemm/ladder/register_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace register_tile;

constexpr int threads = 1024;
constexpr bool spread = true;

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(const sgemm_problem p, int64_t first_batch) {
    __shared__ storage smem;
    compute_4x4<transa, transb, spread>(p, first_batch + blockIdx.z, smem);
}

} // namespace

const kernel_entry<sgemm_problem> sgemm_register_tile_strided = {
    .name = "register_tile_strided",
    .description = "128 x 128 x 8 blocks, 4 x 4 elements a thread, every 32nd row and column",
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

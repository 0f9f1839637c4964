// Rung 12 at an eighth of the block tile: 64 x 64, for outputs too small to fill the GPU otherwise.
//
// Bound: instruction issue, 3 128-bit shared loads for 32 FMAs, or the latency of k / 16 slabs when there
// are few blocks.
// Shared memory: 4 stages of [16][64 (+ 4)] for each operand; 32 to 34 KiB.
// Launch: 128 threads for a 64 x 64 tile of C. Accepts as warp_tile.
//
//   block tile 64 x 64, 2 x 2 warps of 32 x 32; lane (li, lj) of a 4 x 8 grid owns
//   rows 4 li + {0..3} + {0, 16} and columns 4 lj + {0..3} of its warp tile
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/warp_tile_kernel.cuh"

namespace myblas::cuda {
namespace {

using shape = warp_tile_shape<64, 64, 16, 32, 32, 4, 4>;
static_assert(shape::thread_m == 8 && shape::thread_n == 4);

} // namespace

const kernel_entry<sgemm_problem> sgemm_warp_tile_64x64 = warp_tile_launcher<shape, 4>::entry(
    "warp_tile_64x64", "warp_tile with a 64 x 64 block, 32 x 32 warp and 8 x 4 thread tiles");

} // namespace myblas::cuda

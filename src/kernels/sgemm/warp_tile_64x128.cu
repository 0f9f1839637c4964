// Rung 12 at a quarter of the block tile: 64 x 128, for a short k and outputs of a few thousand tiles of
// 64 x 64.
//
// Bound: instruction issue, 4 128-bit shared loads for 64 FMAs.
// Shared memory: 4 stages of [16][64 (+ 4)] and [16][128 (+ 4)]; 48 to 51 KiB.
// Launch: 128 threads for a 64 x 128 tile of C. Accepts as warp_tile.
//
//   block tile 64 x 128, 2 x 2 warps of 32 x 64; lane (li, lj) of a 4 x 8 grid owns
//   rows 4 li + {0..3} + {0, 16} and columns 4 lj + {0..3} + {0, 32} of its warp tile
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/warp_tile_kernel.cuh"

namespace myblas::cuda {
namespace {

using shape = warp_tile_shape<64, 128, 16, 32, 64, 4, 4>;
static_assert(shape::thread_m == 8 && shape::thread_n == 8);

} // namespace

const kernel_entry<sgemm_problem> sgemm_warp_tile_64x128 = warp_tile_launcher<shape, 3>::entry(
    "warp_tile_64x128", "warp_tile with a 64 x 128 block, 32 x 64 warp and 8 x 8 thread tiles");

} // namespace myblas::cuda

// Rung 12, warp_tile: the block / warp / thread hierarchy with slabs streamed by cp.async.
//
// The copies go from global to shared memory past the registers, so that more of them can be in flight
// (three slabs here) without holding registers, and the thread tile grows to 16 x 8: 6 128-bit shared
// loads for 128 FMAs.
// Bound: instruction issue, (128 FMAs) / (128 FMAs + 6 loads) = 95.5% of the FMA peak, less the copies:
// 4 to 24 for each slab of 2048 FMAs, by alignment and transposition.
// Shared memory: 4 stages of [16][256 (+ 4)] and [16][128 (+ 4)]; 96 to 99 KiB.
// Launch: 256 threads for a 256 x 128 tile of C, one block per multiprocessor.
// Accepts all that the grid has blocks for where 99 KiB of shared memory can be had; 16-byte copies when the operands whose
// lines run along memory consist of aligned quads.
//
//   block tile 256 x 128, 4 x 2 warps of 64 x 64; lane (li, lj) of a 4 x 8 grid owns
//   rows 4 li + {0..3} + {0, 16, 32, 48} and columns 4 lj + {0..3} + {0, 32} of its warp tile
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/warp_tile_kernel.cuh"

namespace myblas::cuda {
namespace {

using shape = warp_tile_shape<256, 128, 16, 64, 64, 4, 4>;
static_assert(shape::thread_m == 16 && shape::thread_n == 8);

} // namespace

const kernel_entry<sgemm_problem> sgemm_warp_tile = warp_tile_launcher<shape, 1>::entry(
    "warp_tile", "256 x 128 block, 64 x 64 warp and 16 x 8 thread tiles, cp.async in 4 stages");

} // namespace myblas::cuda

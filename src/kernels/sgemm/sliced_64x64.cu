// Batches of products of about 64 cubed: a 64 x 64 tile, one group of 4 warps, no parts to add.
//
// Bound: reading A and B, 16 KiB for each 32 k of a tile; shared memory, 12 128-bit loads for 128 FMAs.
// Shared memory: a ring of 3 stages of 32 k of both operands; 48 KiB.
// Launch: 128 threads for a 64 x 64 tile of C. Accepts as sliced_16x16.
//
//   block tile 64 x 64, 2 x 2 warps of 32 x 32; lane (li, lj) of an 8 x 4 grid owns
//   rows 4 li + {0..3} and 8 columns of its warp tile
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/sliced_tile.cuh"

namespace myblas::cuda {
namespace {

struct config {
    static constexpr slice_shape shape = {
        .warps_m = 2,
        .warps_n = 2,
        .groups = 1,
        .thread_m = 4,
        .thread_n = 8,
        .lanes_m = 8,
        .slab_k = 32,
        .stages = 3,
        .blocks_per_sm = 3,
    };
};
static_assert(config::shape.block_m() == 64 && config::shape.block_n() == 64);

} // namespace

const kernel_entry<sgemm_problem> sgemm_sliced_64x64 =
    sliced_tile_launcher<config>::entry("sliced_64x64", "64 x 64 tile, 4 warps with all of k");

} // namespace myblas::cuda

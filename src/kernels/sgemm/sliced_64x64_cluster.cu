// Small products at FMA speed: a 64 x 64 tile shared by two blocks, each with 4 pairs of warps.
//
// Bound: instruction issue, 16 128-bit shared loads for 256 FMAs: 94% of the FMA peak.
// Shared memory: 4 rings of 3 stages of 32 k of both operands, and what the other block sends; 208 KiB.
// Launch: 2 x 256 threads for a 64 x 64 tile of C. Accepts as sliced_16x16.
//
//   block tile 64 x 64, each pair of warps all of it for its k, a warp 64 x 32; lane (li, lj) of an
//   8 x 4 grid owns rows 4 li + {0..3} + {0, 32} and 8 columns
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/sliced_tile.cuh"

namespace myblas::cuda {
namespace {

struct config {
    static constexpr slice_shape shape = {
        .warps_n = 2,
        .groups = 4,
        .thread_m = 8,
        .thread_n = 8,
        .lanes_m = 8,
        .slab_k = 32,
        .stages = 3,
        .cluster = 2,
        .blocks_per_sm = 1,
    };
};
static_assert(config::shape.block_m() == 64 && config::shape.block_n() == 64);

} // namespace

const kernel_entry<sgemm_problem> sgemm_sliced_64x64_cluster = sliced_tile_launcher<config>::entry(
    "sliced_64x64_cluster", "64 x 64 tile, each of 2 x 4 pairs of warps with its slabs of 32 k");

} // namespace myblas::cuda

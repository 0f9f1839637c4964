// sliced_32x16 with four blocks to a tile: for few tiles and a longer k.
//
// Bound: latency: a launch, a read of A and B, an exchange in the cluster and a write of C, one after the
// other.
// Shared memory: 8 rings of 3 stages of 16 k of both operands, and what the other blocks send; 74 KiB.
// Launch: 4 x 256 threads for a 32 x 16 tile of C. Accepts as sliced_16x16.
//
//   block tile 32 x 16, each warp all of it for its k; lane (li, lj) of an 8 x 4 grid owns
//   rows 4 li + {0..3} and 4 columns
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/sliced_tile.cuh"

namespace myblas::cuda {
namespace {

struct config {
    static constexpr slice_shape shape = {
        .groups = 8,
        .thread_m = 4,
        .thread_n = 4,
        .lanes_m = 8,
        .slab_k = 16,
        .stages = 3,
        .cluster = 4,
        .blocks_per_sm = 2,
    };
};
static_assert(config::shape.block_m() == 32 && config::shape.block_n() == 16);

} // namespace

const kernel_entry<sgemm_problem> sgemm_sliced_32x16_cluster_4 =
    sliced_tile_launcher<config>::entry("sliced_32x16_cluster_4",
                                        "32 x 16 tile, each of 4 x 8 warps with its slabs of 16 k");

} // namespace myblas::cuda

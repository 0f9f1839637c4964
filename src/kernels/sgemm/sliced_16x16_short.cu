// Small products, the shortest k: a 16 x 16 tile, 4 warps with slabs of 8 k each.
//
// Up to k = 96 all copies are under way before the first is waited for.
// Bound: latency: a launch, a read of A and B and a write of C, one after the other.
// Shared memory: 4 rings of 4 stages of 8 k of both operands; 16 KiB.
// Launch: 128 threads for a 16 x 16 tile of C. Accepts as sliced_16x16.
//
//   block tile 16 x 16, each warp all of it for its k; lane (li, lj) of a 4 x 8 grid owns
//   rows 4 li + {0..3} and 2 columns
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/sliced_tile.cuh"

namespace myblas::cuda {
namespace {

struct config {
    static constexpr slice_shape shape = {
        .groups = 4,
        .thread_m = 4,
        .thread_n = 2,
        .lanes_m = 4,
        .slab_k = 8,
        .stages = 4,
        .blocks_per_sm = 4,
    };
};
static_assert(config::shape.block_m() == 16 && config::shape.block_n() == 16);

} // namespace

const kernel_entry<sgemm_problem> sgemm_sliced_16x16_short = sliced_tile_launcher<config>::entry(
    "sliced_16x16_short", "16 x 16 tile, each of 4 warps with its slabs of 8 k");

} // namespace myblas::cuda

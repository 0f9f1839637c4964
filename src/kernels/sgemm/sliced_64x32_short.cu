// Products of a short or middling k: a 64 x 32 tile, 2 pairs of warps with slabs of 16 k each.
//
// Bound: shared memory, 12 128-bit loads for 128 FMAs.
// Shared memory: 2 rings of 3 stages of 16 k of both operands; 36 KiB.
// Launch: 128 threads for a 64 x 32 tile of C. Accepts as sliced_16x16.
//
//   block tile 64 x 32, each pair of warps all of it for its k, a warp 32 x 32; lane (li, lj) of an
//   8 x 4 grid owns rows 4 li + {0..3} and 8 columns
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/sliced_tile.cuh"

namespace myblas::cuda {
namespace {

struct config {
    static constexpr slice_shape shape = {
        .warps_m = 2,
        .groups = 2,
        .thread_m = 4,
        .thread_n = 8,
        .lanes_m = 8,
        .slab_k = 16,
        .stages = 3,
        .blocks_per_sm = 4,
    };
};
static_assert(config::shape.block_m() == 64 && config::shape.block_n() == 32);

} // namespace

const kernel_entry<sgemm_problem> sgemm_sliced_64x32_short = sliced_tile_launcher<config>::entry(
    "sliced_64x32_short", "64 x 32 tile, each of 2 pairs of warps with its slabs of 16 k");

} // namespace myblas::cuda

// Products of a middling k and few tiles: a 32 x 32 tile, 8 warps with slabs of 16 k each.
//
// Bound: shared memory, 12 128-bit loads for 128 FMAs.
// Shared memory: 8 rings of 2 stages of 16 k of both operands; 64 KiB.
// Launch: 256 threads for a 32 x 32 tile of C. Accepts as sliced_16x16.
//
//   block tile 32 x 32, each warp all of it for its k; lane (li, lj) of an 8 x 4 grid owns
//   rows 4 li + {0..3} and 8 columns
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/sliced_tile.cuh"

namespace myblas::cuda {
namespace {

struct config {
    static constexpr slice_shape shape = {
        .groups = 8,
        .thread_m = 4,
        .thread_n = 8,
        .lanes_m = 8,
        .slab_k = 16,
        .stages = 2,
        .blocks_per_sm = 2,
    };
};
static_assert(config::shape.block_m() == 32 && config::shape.block_n() == 32);

} // namespace

const kernel_entry<sgemm_problem> sgemm_sliced_32x32_long = sliced_tile_launcher<config>::entry(
    "sliced_32x32_long", "32 x 32 tile, each of 8 warps with its slabs of 16 k");

} // namespace myblas::cuda

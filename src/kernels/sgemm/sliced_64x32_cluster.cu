// Outputs of up to 32 columns: a tile that reads both operands at the rate of the memory while it computes.
//
// Bound: reading A, 4 m k bytes; behind it instruction issue, 16 128-bit shared loads for 256 FMAs.
// Shared memory: 8 rings of 2 stages of 32 k of both operands, and what the other block sends; 200 KiB.
// Launch: 2 x 256 threads for a 64 x 32 tile of C. Accepts as sliced_16x16.
//
//   block tile 64 x 32, each warp all of it for its k; lane (li, lj) of an 8 x 4 grid owns
//   rows 4 li + {0..3} + {0, 32} and 8 columns
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/sliced_tile.cuh"

namespace myblas::cuda {
namespace {

struct config {
    static constexpr slice_shape shape = {
        .groups = 8,
        .thread_m = 8,
        .thread_n = 8,
        .lanes_m = 8,
        .slab_k = 32,
        .stages = 2,
        .cluster = 2,
        .blocks_per_sm = 1,
    };
};
static_assert(config::shape.block_m() == 64 && config::shape.block_n() == 32);

} // namespace

const kernel_entry<sgemm_problem> sgemm_sliced_64x32_cluster = sliced_tile_launcher<config>::entry(
    "sliced_64x32_cluster", "64 x 32 tile, each of 2 x 8 warps with its slabs of 32 k");

} // namespace myblas::cuda

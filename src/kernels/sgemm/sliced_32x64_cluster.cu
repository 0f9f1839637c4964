// sliced_64x32_cluster turned: for outputs of up to 32 rows.
//
// Bound: reading B, 4 n k bytes; behind it as there.
// Shared memory: 8 rings of 2 stages of 32 k of both operands, and what the other block sends; 200 KiB.
// Launch: 2 x 256 threads for a 32 x 64 tile of C. Accepts as sliced_16x16.
//
//   block tile 32 x 64, each warp all of it for its k; lane (li, lj) of a 4 x 8 grid owns
//   rows 4 li + {0..3} + {0, 16} and 8 columns
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/sliced_tile.cuh"

namespace myblas::cuda {
namespace {

struct config {
    static constexpr slice_shape shape = {
        .groups = 8,
        .thread_m = 8,
        .thread_n = 8,
        .lanes_m = 4,
        .slab_k = 32,
        .stages = 2,
        .cluster = 2,
        .blocks_per_sm = 1,
    };
};
static_assert(config::shape.block_m() == 32 && config::shape.block_n() == 64);

} // namespace

const kernel_entry<sgemm_problem> sgemm_sliced_32x64_cluster = sliced_tile_launcher<config>::entry(
    "sliced_32x64_cluster", "32 x 64 tile, each of 2 x 8 warps with its slabs of 32 k");

} // namespace myblas::cuda

// Batches of the smallest products: a warp for each 16 x 16 tile of each, 4 products to a block.
//
// Bound: reading A and B and writing C once, 3 KiB for a product of 16 cubed; for few of them latency.
// Shared memory: 4 rings of 2 stages of 16 k of both operands; 16 KiB.
// Launch: 128 threads for a 16 x 16 tile of 4 products. Accepts as sliced_16x16.
//
//   warp tile 16 x 16; lane (li, lj) of a 4 x 8 grid owns rows 4 li + {0..3} and 2 columns
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
        .slab_k = 16,
        .stages = 2,
        .packed = true,
        .blocks_per_sm = 4,
    };
};
static_assert(config::shape.block_m() == 16 && config::shape.block_n() == 16);

} // namespace

const kernel_entry<sgemm_problem> sgemm_packed_16x16 = sliced_tile_launcher<config>::entry(
    "packed_16x16", "a warp for a 16 x 16 tile of a product of the batch");

} // namespace myblas::cuda

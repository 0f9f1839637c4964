// Small products of both modes on the tensor cores of sm_90a, in one launch (tf32_tile.cuh): two TF32 slices, three
// products.
//
// Bound: latency at 512 cubed, shared memory and cutting at 1024.
// Shared memory: 211, 211 and 227 KiB: slices of B for each team, rings of 2, 3 and 4 slabs of 32 k for each group,
// sums from other blocks.
// Launch: 512 threads for a 64 x 64, a 128 x 64 or a 128 x 128 tile of C, in clusters of up to 8 blocks that share
// it. Accepts single products where TMA can read A and B: 16-byte steps.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/tf32_tile.cuh"

namespace myblas::cuda {
namespace {

using small = tf32_launcher<tf32_shape<1, 1, 4, 2>>;
using tall = tf32_launcher<tf32_shape<2, 1, 2, 3>>;
using large = tf32_launcher<tf32_shape<2, 2, 1, 4>>;

} // namespace

const kernel_entry<sgemm_problem> sgemm_emulated_tf32x3_fused_64x64 = small::entry(
    "emulated_tf32x3_fused_64x64",
    "two TF32 slices, three products by wgmma; 4 warpgroups cut and multiply slabs of 64 x 64");

const kernel_entry<sgemm_problem> sgemm_emulated_tf32x3_fused_128x64 =
    tall::entry("emulated_tf32x3_fused_128x64",
                "emulated_tf32x3_fused_64x64 with 2 pairs of warpgroups and a 128 x 64 block");

const kernel_entry<sgemm_problem> sgemm_emulated_tf32x3_fused_128x128 = large::entry(
    "emulated_tf32x3_fused_128x128", "emulated_tf32x3_fused_64x64 with a 128 x 128 block");

} // namespace myblas::cuda

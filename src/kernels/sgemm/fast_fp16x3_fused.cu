// fast_fp16x3 in one launch and without a workspace, for all GPUs from sm_80 on (fused_tile.cuh).
//
// Tiles whose slices would lose too much are computed on the FP32 units at once, not by emulated_bf16x6.
// Bound: latency of cutting; three products of 16-bit operands by mma.sync.
// Shared memory: two chunks of two slices, and a copy: 98 KiB for 128 x 128, 49 KiB for 64 x 64.
// Launch: 256 threads for a 128 x 128 tile of C, one block per multiprocessor; 128 for 64 x 64, three. Accepts
// all that the grid has blocks for where the shared memory can be had.
#include "kernels/sgemm/fused_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using large = fused_launcher<fused_shape<fp16x3, 128, 64, 32, 1>>;
using small = fused_launcher<fused_shape<fp16x3, 64, 32, 32, 3>>;

} // namespace

const kernel_entry<sgemm_problem> sgemm_fast_fp16x3_fused = large::entry(
    "fast_fp16x3_fused",
    "two scaled fp16 slices, three products by mma.sync; 128 x 128 blocks cut what they multiply",
    MYBLAS_FP32_FAST_MATH);

const kernel_entry<sgemm_problem> sgemm_fast_fp16x3_fused_64x64 = small::entry(
    "fast_fp16x3_fused_64x64", "fast_fp16x3_fused with a 64 x 64 block", MYBLAS_FP32_FAST_MATH);

} // namespace myblas::cuda

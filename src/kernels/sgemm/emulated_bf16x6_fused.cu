// emulated_bf16x6 in one launch and without a workspace, for all GPUs from sm_80 on (fused_tile.cuh).
//
// Pays where the tensor cores are far ahead of the FP32 units: an element is cut again for every tile of its row
// or column of tiles.
// Bound: latency of cutting; six products of 16-bit operands by mma.sync.
// Shared memory: two chunks of three slices, and a copy: 130 KiB for 128 x 128, 65 KiB for 64 x 64.
// Launch: 256 threads for a 128 x 128 tile of C, one block per multiprocessor; 128 for 64 x 64, three. Accepts
// all that the grid has blocks for where the shared memory can be had.
#include "kernels/sgemm/fused_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using large = fused_launcher<fused_shape<bf16x6, 128, 64, 32, 1>>;
using small = fused_launcher<fused_shape<bf16x6, 64, 32, 32, 3>>;

} // namespace

const kernel_entry<sgemm_problem> sgemm_emulated_bf16x6_fused = large::entry(
    "emulated_bf16x6_fused",
    "three bf16 slices, six products by mma.sync; 128 x 128 blocks cut what they multiply",
    MYBLAS_FP32_EMULATED_MATH);

const kernel_entry<sgemm_problem> sgemm_emulated_bf16x6_fused_64x64 =
    small::entry("emulated_bf16x6_fused_64x64",
                 "emulated_bf16x6_fused with a 64 x 64 block",
                 MYBLAS_FP32_EMULATED_MATH);

} // namespace myblas::cuda

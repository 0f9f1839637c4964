// Fast mode: FP32 accuracy, norm-wise, from two scaled fp16 slices and three products.
//
// Half the work of emulated_bf16x6 for 22 to 23 of the 24 bits, of elements down to 2^-17 of the largest that
// their scales leave room for. The packing counts the elements that lose more and hands the pass to the bf16
// slices, or where those are not launched to the FP32 units, when they are too many: docs/emulation.md has the
// rule and the bound.
// Bound: three products of 16-bit operands at the dense rate of the tensor cores, less what power allows.
// Launches: packing and product in one, then those of emulated_bf16x6, which end at once; behind passes where the
// workspace is small, the strict kernel alone, and behind short ones nothing. Where inputs are not aligned to 16
// bytes, packing comes first, and strict behind short products. The variant of 128 x 128 is for outputs with few
// tiles, and packs first; of a short product its product kernel is the last launch.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/slice_launcher.cuh"

namespace myblas::cuda {
namespace {

using large = slice_launcher<product_shape<fp16x3, 2, 2, 4>, product_shape<bf16x6, 2, 2, 3>, true>;
// In passes: slices for emulated_bf16x6 would take half as much again of a small workspace.
using passes = slice_launcher<product_shape<fp16x3, 2, 2, 4>, void, true>;
using small = slice_launcher<product_shape<fp16x3, 2, 1, 6>, product_shape<bf16x6, 2, 1, 4>>;

} // namespace

const kernel_entry<sgemm_problem> sgemm_fast_fp16x3 = large::entry(
    "fast_fp16x3",
    "two scaled fp16 slices, three products on tensor cores, added in FP32 every 32 of k",
    MYBLAS_FP32_FAST_MATH);

const kernel_entry<sgemm_problem> sgemm_fast_fp16x3_passes =
    passes::entry_in_passes("fast_fp16x3_passes",
                            "fast_fp16x3 in passes over parts of C and k, for a small workspace",
                            MYBLAS_FP32_FAST_MATH);

const kernel_entry<sgemm_problem> sgemm_fast_fp16x3_128x128 = small::entry(
    "fast_fp16x3_128x128", "fast_fp16x3 with a 128 x 128 block tile", MYBLAS_FP32_FAST_MATH);

} // namespace myblas::cuda

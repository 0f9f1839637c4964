// Emulated mode: FP32 accuracy, component by component, from three bf16 slices and six products.
//
// x = hi + mid + lo holds all 24 bits of x, and the three products left out are below the unit roundoff;
// the chunks' sums are added in FP32. docs/emulation.md has the bound and what the guard looks for.
// What the slices cannot represent (Inf, NaN, extreme exponents) the strict kernel computes, without the
// host having to know.
// Bound: six products of 16-bit operands at the dense rate of the tensor cores, less what power allows.
// Launches: pack, product, strict (which ends at once); in passes where the workspace is small. The variant
// of 128 x 128 is for outputs with few tiles; of a short product its product kernel is the last launch, and
// computes on the FP32 units itself what would be strict's.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/slice_launcher.cuh"

namespace myblas::cuda {
namespace {

using large = slice_launcher<product_shape<bf16x6, 2, 2, 3>>;
using small = slice_launcher<product_shape<bf16x6, 2, 1, 4>>;

} // namespace

const kernel_entry<sgemm_problem> sgemm_emulated_bf16x6 =
    large::entry("emulated_bf16x6",
                 "three bf16 slices, six products on tensor cores, added in FP32 every 32 of k",
                 MYBLAS_FP32_EMULATED_MATH);

const kernel_entry<sgemm_problem> sgemm_emulated_bf16x6_passes =
    large::entry_in_passes("emulated_bf16x6_passes",
                           "emulated_bf16x6 in passes over parts of C and k, for a small workspace",
                           MYBLAS_FP32_EMULATED_MATH);

const kernel_entry<sgemm_problem> sgemm_emulated_bf16x6_128x128 =
    small::entry("emulated_bf16x6_128x128",
                 "emulated_bf16x6 with a 128 x 128 block tile",
                 MYBLAS_FP32_EMULATED_MATH);

} // namespace myblas::cuda

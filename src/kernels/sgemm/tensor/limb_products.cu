// The families bf16x6 and fp16x3: FP32 accuracy from limbs of 16 bits on the tensor cores. One translation unit, because
// what fp16x3 falls back on are the kernels of bf16x6.
//
// bf16x6, emulated mode: x = hi + mid + lo holds all 24 bits of x, and the three pairs of limbs left out are below the unit
// roundoff. What the limbs cannot hold (Inf, NaN, extreme exponents) the strict kernel computes, without the host having to
// know. Launches: pack, product, strict, which nearly always exits immediately.
// fp16x3, fast mode: two scaled limbs and half the work, for 22 to 23 of the 24 bits, of elements down to 2^-17 of the
// largest that their scales leave room for. The packing counts the elements that lose more. Launches: packing and product in
// one, then those of bf16x6; off the grid, and with tiles of 128 x 128, packing comes first.
// 128 x 128 is for outputs with few tiles. A short product has one or two launches: its last product kernel computes on the
// FP32 units itself, or strict follows. Where the workspace does not hold the product it comes in passes, behind each of
// which strict alone follows. docs/emulation.md has the guards and the bounds.
// Of a triangle of C, and where A or B is triangular, packing comes first, of what the tiles read; where A is B, once.
// Bound: 3 or 6 products of 16-bit operands at the dense rate of the tensor cores, less what power allows.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/tensor/limb_launcher.cuh"

namespace myblas::cuda {
namespace {

using large_bf16x6 = product_shape<bf16x6, 2, 3>;
using small_bf16x6 = product_shape<bf16x6, 1, 4>;
using large_fp16x3 = product_shape<fp16x3, 2, 4>;
using small_fp16x3 = product_shape<fp16x3, 1, 6>;

} // namespace

constinit const std::array<sgemm_kernel, 2> sgemm_bf16x6 = {
    limb_launcher<large_bf16x6>::entry(
        "bf16x6/256x128",
        "three bf16 limbs, six products on tensor cores, added in FP32 every 32 of k"),
    limb_launcher<small_bf16x6>::entry("bf16x6/128x128",
                                       "bf16x6 with a 128 x 128 block tile, for few tiles"),
};

constinit const std::array<sgemm_kernel, 2> sgemm_fp16x3 = {
    limb_launcher<large_fp16x3, large_bf16x6, true>::entry(
        "fp16x3/256x128",
        "two scaled fp16 limbs, three products on tensor cores, added in FP32 every 32 of k"),
    limb_launcher<small_fp16x3, small_bf16x6>::entry(
        "fp16x3/128x128", "fp16x3 with a 128 x 128 block tile, for few tiles"),
};

} // namespace myblas::cuda

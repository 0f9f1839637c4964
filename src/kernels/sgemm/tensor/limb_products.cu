// The families bf16x6 and fp16x3: C = alpha op(A) op(B) + beta C with FP32 accuracy, from 16-bit
// limbs on the tensor cores. They are one translation unit, because fp16x3 falls back on the
// kernels of bf16x6.
//
// bf16x6  x = hi + mid + lo holds all 24 bits of x, and the three pairs of limbs that are left out
//         are below the unit roundoff. The strict kernel computes if limbs cannot hold the operands
//         (Inf, NaN, extreme exponents); the device decides this, not the host. Launches: pack,
//         product, strict. The last one nearly always exits immediately.
// fp16x3  Two scaled limbs and half the work. The limbs hold 22 to 23 of the 24 bits of elements
//         down to 2^-17 of the largest number that their scales leave room for. Packing counts the
//         elements that lose more. In emulated mode, the product multiplies these in FP32
//         (lossy.cuh). Launches: packing and product in one kernel, followed by the fallback
//         (fallback.cuh). If an operand is unaligned, or tiles are 128 x 128, packing is a separate
//         kernel before the product.
//
// 128 x 128 tiles are for outputs with few tiles. A short product has no launch for the fallback,
// but for fp16x3 in emulated mode. Its product kernel computes on the FP32 units itself where limbs
// do not suffice, so one or two launches are enough. With 256 x 128 tiles and separate packing,
// strict follows instead. If the workspace is too small for the product, it is cut into passes, and
// only the strict kernel follows each pass. If C is a triangle, or A or B is triangular, packing
// comes first and packs only what the tiles read; if A is B, it is packed once. The guards and the
// bounds are derived in docs/emulation.md.
//
// Bound: 3 or 6 products of 16-bit operands at the dense rate of the tensor cores, less the power
// limit.
// Shared memory: see product.cuh, also for the launch shape and a sketch.
// Accepts: up to 2^40 elements of an operand.
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

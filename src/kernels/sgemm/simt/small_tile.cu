// small_tile: small products, and batches of them.
//
// Bound: of the smallest, latency: a launch, a read of A and B and a write of C, one after the other; then shared
// memory, 8 128-bit loads for 64 FMAs with a thread tile of 4 x 4, 12 for 128 with 4 x 8.
// Shared memory: for each group a ring of slabs of both operands; 16 to 72 KiB.
// Launch: a block for each tile of a product, or, packed, of several products.
// Accepts all up to 2^30 rows, columns and k that is at most 65535 tiles wide.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/simt/small_tile.cuh"

namespace myblas::cuda {
namespace {

template <class Shape, bool finishes = false>
using variant = small_tile_variant<Shape, finishes>;

// clang-format off
//                                             warps         thread lanes slab                         blocks of a
//                                             m  n  groups  m  n   m     k   stages  cluster  packed  multiprocessor, finishes
using tile_16x16_k8  = variant<small_tile_shape<1, 1, 4,      4, 2,  4,    8,  4,      1,       false,  4>>;
using tile_16x16_k32 = variant<small_tile_shape<1, 1, 4,      4, 2,  4,    32, 2,      1,       false,  4>>;
using tile_32x16_k16 = variant<small_tile_shape<1, 1, 8,      4, 4,  8,    16, 3,      1,       false,  2>>;
using tile_32x32_k8  = variant<small_tile_shape<1, 1, 4,      4, 8,  8,    8,  5,      1,       false,  3>, true>;
using tile_32x32_k16 = variant<small_tile_shape<1, 1, 4,      4, 8,  8,    16, 3,      1,       false,  3>, true>;
using tile_64x32_k16 = variant<small_tile_shape<2, 1, 2,      4, 8,  8,    16, 3,      1,       false,  4>>;
using packed_16x16   = variant<small_tile_shape<1, 1, 4,      4, 2,  4,    16, 2,      1,       true,   4>>;
using packed_32x32   = variant<small_tile_shape<1, 1, 4,      4, 8,  8,    16, 3,      1,       true,   3>>;
// clang-format on

} // namespace

constinit const std::array<sgemm_kernel, 8> sgemm_small_tile = {
    // Up to k = 96 all copies are under way before the first is waited for.
    describe<tile_16x16_k8>("small_tile/16x16_k8", "each of 4 warps with its slabs of 8 k"),
    // Whole 128-byte lines where k runs along memory.
    describe<tile_16x16_k32>("small_tile/16x16_k32", "each of 4 warps with its slabs of 32 k"),
    describe<tile_32x16_k16>("small_tile/32x16_k16", "each of 8 warps with its slabs of 16 k"),
    describe<tile_32x32_k8>("small_tile/32x32_k8", "each of 4 warps with its slabs of 8 k"),
    describe<tile_32x32_k16>("small_tile/32x32_k16", "each of 4 warps with its slabs of 16 k"),
    describe<tile_64x32_k16>("small_tile/64x32_k16",
                             "2 pairs of warps, each with its slabs of 16 k"),
    describe<packed_16x16>("small_tile/16x16_packed",
                           "a warp for a tile of a product of the batch"),
    describe<packed_32x32>("small_tile/32x32_packed",
                           "a warp for a tile of a product of the batch"),
};

} // namespace myblas::cuda

// small_tile: C = alpha op(A) op(B) + beta C for small products and for batches of them. The kernel
// is in small_tile.cuh.
//
// Bound: for the smallest products latency, the sum of a launch, a read of A and B and a write of
// C. For larger products shared memory: 8 128-bit loads for 64 FMAs with a 4 x 4 thread tile, 12
// for 128 FMAs with 4 x 8.
// Shared memory: a ring of slabs of both operands for each group; 16 to 72 KiB.
// Launch: a block for each tile of a product; if packed, a block for the same tile of several
// products.
// Accepts: up to 2^30 rows, columns and k, and at most 65535 tiles along n.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/simt/small_tile.cuh"

namespace myblas::cuda {
namespace {

template <class Shape>
using variant = small_tile_variant<Shape>;

// clang-format off
using tile_16x16_k8 = variant<small_tile_shape<small_tile_parameters{
    .groups = 4, .thread_m = 4, .thread_n = 2, .lanes_m = 4,
    .slab_k = 8, .stages = 4, .blocks_per_sm = 4}>>;
using tile_16x16_k32 = variant<small_tile_shape<small_tile_parameters{
    .groups = 4, .thread_m = 4, .thread_n = 2, .lanes_m = 4,
    .slab_k = 32, .stages = 2, .blocks_per_sm = 4}>>;
using tile_32x16_k16 = variant<small_tile_shape<small_tile_parameters{
    .groups = 8, .thread_m = 4, .thread_n = 4, .lanes_m = 8,
    .slab_k = 16, .stages = 3, .blocks_per_sm = 2}>>;
using tile_32x32_k8 = variant<small_tile_shape<small_tile_parameters{
    .groups = 4, .thread_m = 4, .thread_n = 8, .lanes_m = 8,
    .slab_k = 8, .stages = 5, .blocks_per_sm = 3}>>;
using tile_32x32_k16 = variant<small_tile_shape<small_tile_parameters{
    .groups = 4, .thread_m = 4, .thread_n = 8, .lanes_m = 8,
    .slab_k = 16, .stages = 3, .blocks_per_sm = 3}>>;
using tile_64x32_k16 = variant<small_tile_shape<small_tile_parameters{
    .warps_m = 2, .groups = 2, .thread_m = 4, .thread_n = 8, .lanes_m = 8,
    .slab_k = 16, .stages = 3, .blocks_per_sm = 4}>>;
using packed_16x16 = variant<small_tile_shape<small_tile_parameters{
    .groups = 4, .thread_m = 4, .thread_n = 2, .lanes_m = 4,
    .slab_k = 16, .stages = 2, .packed = true, .blocks_per_sm = 6}>>;
using packed_32x32 = variant<small_tile_shape<small_tile_parameters{
    .groups = 4, .thread_m = 4, .thread_n = 8, .lanes_m = 8,
    .slab_k = 16, .stages = 3, .packed = true, .blocks_per_sm = 4}>>;
// clang-format on

} // namespace

constinit const std::array<sgemm_kernel, 8> sgemm_small_tile = {
    // Up to k = 96 all copies are in flight before the first wait.
    describe<tile_16x16_k8>("small_tile/16x16_k8", "each of 4 warps with its slabs of 8 k"),
    // Reads whole 128-byte cache lines where k runs along memory.
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

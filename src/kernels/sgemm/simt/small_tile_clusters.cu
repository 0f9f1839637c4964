// small_tile with several blocks for each tile, for few tiles and a longer k. The kernel is in
// small_tile.cuh.
//
// Bound: latency, the sum of a launch, a read of A and B, an exchange in the cluster and a write of
// C.
// Shared memory: for each group a ring of slabs of both operands, and the sums that other blocks
// send; 52 to 100 KiB.
// Launch: a cluster for each tile.
// Accepts: the same products as small_tile.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/simt/small_tile.cuh"

namespace myblas::cuda {
namespace {

template <class Shape>
using variant = small_tile_variant<Shape>;

// clang-format off
using tile_32x16_cluster2 = variant<small_tile_shape<small_tile_parameters{
    .groups = 8, .thread_m = 4, .thread_n = 4, .lanes_m = 8,
    .slab_k = 16, .stages = 3, .cluster = 2, .blocks_per_sm = 2}>>;
using tile_32x16_cluster4 = variant<small_tile_shape<small_tile_parameters{
    .groups = 8, .thread_m = 4, .thread_n = 4, .lanes_m = 8,
    .slab_k = 16, .stages = 3, .cluster = 4, .blocks_per_sm = 2}>>;
using tile_32x32_cluster2 = variant<small_tile_shape<small_tile_parameters{
    .groups = 4, .thread_m = 4, .thread_n = 8, .lanes_m = 8,
    .slab_k = 16, .stages = 3, .cluster = 2, .blocks_per_sm = 3}>>;
using tile_32x32_cluster8 = variant<small_tile_shape<small_tile_parameters{
    .groups = 8, .thread_m = 4, .thread_n = 8, .lanes_m = 8,
    .slab_k = 16, .stages = 3, .cluster = 8, .blocks_per_sm = 2}>>;
// clang-format on

} // namespace

constinit const std::array<sgemm_kernel, 4> sgemm_small_tile_clusters = {
    describe<tile_32x16_cluster2>("small_tile/32x16_k16_cluster2",
                                  "each of 2 x 8 warps with its slabs of 16 k"),
    describe<tile_32x16_cluster4>("small_tile/32x16_k16_cluster4",
                                  "each of 4 x 8 warps with its slabs of 16 k"),
    describe<tile_32x32_cluster2>("small_tile/32x32_k16_cluster2",
                                  "each of 2 x 4 warps with its slabs of 16 k"),
    describe<tile_32x32_cluster8>("small_tile/32x32_k16_cluster8",
                                  "each of 8 x 8 warps with its slabs of 16 k"),
};

} // namespace myblas::cuda

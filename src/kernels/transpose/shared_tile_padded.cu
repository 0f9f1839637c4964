// B = A^T, tile by tile through padded shared memory.
//
// Adds to `shared_tile`: one unused bank follows each column of the tile in shared memory. The
// elements of a row then lie in different banks, and no access has conflicts.
//
// Bound: 2 m n elements moved.  Block: 256 threads, a tile of 32 x 32, one stage.
// Accepts: everything out of place.

#include "kernels/transpose/registry.h"
#include "kernels/transpose/tile.cuh"

namespace myblas::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_threads) shared_tile_padded(transpose_problem p) {
    __shared__ T smem[tile_side][padded_pitch<T, tile_side>]; // (j, i)
    const int64_t tiles_m = tiles_of(p.m, tile_side);
    const int64_t tiles = tiles_m * tiles_of(p.n, tile_side);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        transpose_tile(p, tile % tiles_m * tile_side, tile / tiles_m * tile_side, smem);
}

myblasStatus_t launch_shared_tile_padded(const transpose_problem& p,
                                         const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        return launch(shared_tile_padded<T>, tile_grid(p), tile_threads, 0, context, p);
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_shared_tile_padded = {
    .name = "shared_tile_padded",
    .description = "tiles transposed in shared memory that is padded against bank conflicts",
    .block_m = tile_side,
    .block_n = tile_side,
    .threads = tile_threads,
    .stages = 1,
    .smem_bytes = tile_side * padded_pitch<uint4, tile_side> * max_element_bytes,
    .accepts = out_of_place,
    .launch = launch_shared_tile_padded,
};

} // namespace myblas::cuda

// B = A^T, tile by tile through padded shared memory.
//
// Adds to `shared_tile`: one unused bank follows each column of the tile in shared memory. The
// elements of a row then lie in different banks, and no access has conflicts.
//
// Bound: 2 m n elements moved.  Block: 256 threads, a tile of 32 x 32, one stage.
// Accepts: everything out of place.

#include "kernels/transpose/rung.cuh"

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

} // namespace

constinit const kernel_entry<transpose_problem> transpose_shared_tile_padded = describe_rung(
    "shared_tile_padded",
    "tiles transposed in shared memory that is padded against bank conflicts",
    []<class T>(T) { return shared_tile_padded<T>; },
    padded_pitch<uint4, tile_side>);

} // namespace myblas::cuda

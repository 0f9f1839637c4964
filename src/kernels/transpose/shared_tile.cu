// B = A^T, tile by tile through shared memory.
//
// Adds to `naive`: a block collects a tile in shared memory and transposes it there, so that warps
// read and write 32 neighbours in global memory. The price is bank conflicts: a warp reads a row of
// the tile, 32 elements that are 32 elements apart. With 4-byte elements they all lie in one bank.
//
// Bound: 2 m n elements moved.  Block: 256 threads, a tile of 32 x 32, one stage.
// Accepts: everything out of place.
//
//      A, along columns           smem[j][i]            B, along columns
//      warp w: column j0 + w  ->  row w written     ->  column w of smem read: row i0 + w of A

#include "kernels/transpose/rung.cuh"

namespace myblas::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_threads) shared_tile(transpose_problem p) {
    __shared__ T smem[tile_side][tile_side]; // (j, i)
    const int64_t tiles_m = tiles_of(p.m, tile_side);
    const int64_t tiles = tiles_m * tiles_of(p.n, tile_side);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        transpose_tile(p, tile % tiles_m * tile_side, tile / tiles_m * tile_side, smem);
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_shared_tile = describe_rung(
    "shared_tile",
    "tiles transposed in shared memory, with bank conflicts",
    []<class T>(T) { return shared_tile<T>; },
    tile_side);

} // namespace myblas::cuda

// B = A^T, tile by tile along diagonals.
//
// Adds to `shared_tile_padded`: blocks that run at the same time have tiles along a diagonal, so
// that neither their reads nor their writes are a power of two apart. That mattered on GPUs that
// chose memory partitions by plain address bits ("partition camping"). Today's GPUs hash the
// address, so the rung gains little and may lose: neighbouring blocks no longer share sectors and
// pages. The rung stays in the ladder to show this.
//
// Bound: 2 m n elements moved.  Block: 256 threads, a tile of 32 x 32, one stage.
// Accepts: everything out of place.
//
//      tile rows  x  tile columns: number of the block that has the tile (3 x 3)
//                     0  7  5
//                     3  1  8
//                     6  4  2

#include "kernels/transpose/rung.cuh"

namespace myblas::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_threads) diagonal(transpose_problem p) {
    __shared__ T smem[tile_side][padded_pitch<T, tile_side>]; // (j, i)
    const int64_t tiles_m = tiles_of(p.m, tile_side);
    const int64_t tiles_n = tiles_of(p.n, tile_side);
    for (int64_t tile = blockIdx.x; tile < tiles_m * tiles_n; tile += gridDim.x) {
        const int64_t tile_j = tile % tiles_n;
        const int64_t tile_i = (tile / tiles_n + tile_j) % tiles_m;
        transpose_tile(p, tile_i * tile_side, tile_j * tile_side, smem);
    }
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_diagonal = describe_rung(
    "diagonal",
    "padded tiles, taken along diagonals against partition camping",
    []<class T>(T) { return diagonal<T>; },
    padded_pitch<uint4, tile_side>);

} // namespace myblas::cuda

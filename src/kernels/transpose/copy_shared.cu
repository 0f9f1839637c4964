// Yardstick: `copy` with a stop in shared memory; B becomes A, not its transpose.
//
// Adds to `copy` the write, the barrier and the read of a transpose through shared memory, but no
// bank conflicts.
//
// Bound: 2 m n elements moved.  Block: 256 threads, a tile of 32 x 32, one stage.
// Accepts: m == n, B != A.

#include "kernels/transpose/rung.cuh"

namespace myblas::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_threads) copy_shared(transpose_problem p) {
    __shared__ T smem[tile_side][tile_side]; // (j, i)
    const T* gmem_a = static_cast<const T*>(p.a);
    T* gmem_b = static_cast<T*>(p.b);
    const int lane = threadIdx.x % tile_side;
    const int warp = threadIdx.x / tile_side;
    const int64_t tiles_m = tiles_of(p.m, tile_side);
    const int64_t tiles = tiles_m * tiles_of(p.n, tile_side);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t i = tile % tiles_m * tile_side + lane;
        const int64_t j0 = tile / tiles_m * tile_side;
        for (int j = warp; j < tile_side; j += tile_step)
            if (i < p.m && j0 + j < p.n)
                smem[j][lane] = gmem_a[i + (j0 + j) * p.lda];
        __syncthreads(); // the tile is complete, as a transpose would need it
        for (int j = warp; j < tile_side; j += tile_step)
            if (i < p.m && j0 + j < p.n)
                gmem_b[i + (j0 + j) * p.ldb] = smem[j][lane];
        __syncthreads(); // the tile is free for the block's next one
    }
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_copy_shared = describe_rung(
    "copy_shared",
    "yardstick: copies A to B through shared memory without transposing",
    []<class T>(T) { return copy_shared<T>; },
    tile_side,
    out_of_place_square);

} // namespace myblas::cuda

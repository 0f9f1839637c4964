// Yardstick: copies A to B tile by tile, element by element; B becomes A, not its transpose.
//
// Shows what a kernel of the ladder's shape (a thread moves four elements, a warp 32 neighbours)
// reaches if both sides are coalesced. This is an upper bound for the rungs up to `diagonal`;
// compared with `copy_shared` it gives the price of the detour through shared memory.
//
// Bound: 2 m n elements moved.  Block: 256 threads, a tile of 32 x 32.  Accepts: m == n, B != A.

#include "kernels/transpose/rung.cuh"

namespace myblas::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_threads) copy(transpose_problem p) {
    const T* gmem_a = static_cast<const T*>(p.a);
    T* gmem_b = static_cast<T*>(p.b);
    const int64_t tiles_m = tiles_of(p.m, tile_side);
    const int64_t tiles = tiles_m * tiles_of(p.n, tile_side);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t i = tile % tiles_m * tile_side + threadIdx.x % tile_side;
        const int64_t j = tile / tiles_m * tile_side + threadIdx.x / tile_side;
        for (int k = 0; k < tile_side; k += tile_step)
            if (i < p.m && j + k < p.n)
                gmem_b[i + (j + k) * p.ldb] = gmem_a[i + (j + k) * p.lda];
    }
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_copy = describe_rung(
    "copy",
    "yardstick: copies A to B without transposing",
    []<class T>(T) { return copy<T>; },
    0,
    out_of_place_square);

} // namespace myblas::cuda

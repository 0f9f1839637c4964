// B = A^T, with one load and one store for each element.
//
// The simplest kernel: warps read 32 neighbours of a column of A and scatter them over 32 columns
// of B, so that every store of a warp touches 32 sectors.
//
// Bound: 2 m n elements moved.
// Launch: 256 threads, a tile of 32 x 32, four elements for each thread.
// Accepts: everything out of place.

#include "kernels/transpose/rung.cuh"

namespace myblas::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_threads) naive(transpose_problem p) {
    const T* gmem_a = static_cast<const T*>(p.a);
    T* gmem_b = static_cast<T*>(p.b);
    const int64_t tiles_m = tiles_of(p.m, tile_side);
    const int64_t tiles = tiles_m * tiles_of(p.n, tile_side);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t i = tile % tiles_m * tile_side + threadIdx.x % tile_side;
        const int64_t j = tile / tiles_m * tile_side + threadIdx.x / tile_side;
        for (int k = 0; k < tile_side; k += tile_step)
            if (i < p.m && j + k < p.n)
                gmem_b[j + k + i * p.ldb] = gmem_a[i + (j + k) * p.lda];
    }
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_naive = describe_rung(
    "naive", "coalesced reads, scattered writes", []<class T>(T) { return naive<T>; }, 0);

} // namespace myblas::cuda

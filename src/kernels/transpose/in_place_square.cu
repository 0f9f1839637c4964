// A = A^T in place, A square, by pairs of tiles.
//
// Adds to `shared_tile_padded`: a block loads a tile and its mirror image across the diagonal,
// before it stores each of them, transposed, in the other's place. A tile on the diagonal is its
// own mirror image.
//
// Bound: 2 n^2 elements moved.  Block: 256 threads, two tiles of 32 x 32, one stage.
// Accepts: B == A, m == n, lda == ldb, stride_a == stride_b.

#include "kernels/transpose/registry.h"
#include "kernels/transpose/tile.cuh"

namespace myblas::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_threads) in_place_square(transpose_problem p) {
    __shared__ T smem_upper[tile_side][padded_pitch<T, tile_side>]; // (j, i) of the tile (i0, j0)
    __shared__ T smem_lower[tile_side][padded_pitch<T, tile_side>]; // (j, i) of the tile (j0, i0)
    const int lane = threadIdx.x % tile_side;
    const int warp = threadIdx.x / tile_side;
    const int64_t tiles = tiles_of(p.n, tile_side);
    const int64_t pairs = tiles * (tiles + 1) / 2; // pairs of a matrix
    for (int64_t pair = blockIdx.x; pair < pairs * p.batch_count; pair += gridDim.x) {
        const int64_t batch = pair / pairs;
        const auto [tile_i, tile_j] = pair_of<int64_t>(pair - batch * pairs, tiles);
        const int64_t i0 = tile_i * tile_side, j0 = tile_j * tile_side;
        T* gmem = static_cast<T*>(p.b) + batch * p.stride_b;
        T* gmem_upper = gmem + i0 + j0 * p.lda;
        T* gmem_lower = gmem + j0 + i0 * p.lda;
        const bool upper_row = i0 + lane < p.n, lower_row = j0 + lane < p.n;
#pragma unroll
        for (int k = warp; k < tile_side; k += tile_step) {
            if (upper_row && j0 + k < p.n)
                smem_upper[k][lane] = gmem_upper[lane + k * p.lda];
            if (lower_row && i0 + k < p.n)
                smem_lower[k][lane] = gmem_lower[lane + k * p.lda];
        }
        __syncthreads(); // both tiles are in shared memory: A may be overwritten
#pragma unroll
        for (int k = warp; k < tile_side; k += tile_step) {
            if (upper_row && j0 + k < p.n)
                gmem_upper[lane + k * p.lda] = smem_lower[lane][k];
            if (lower_row && i0 + k < p.n && tile_i != tile_j)
                gmem_lower[lane + k * p.lda] = smem_upper[lane][k];
        }
        __syncthreads(); // the tiles are free for the block's next pair
    }
}

bool accepts_square(const transpose_problem& p, const device_info&) {
    return p.in_place() && p.m == p.n && p.lda == p.ldb && p.stride_a == p.stride_b;
}

myblasStatus_t launch_in_place_square(const transpose_problem& p, const launch_context& context) {
    const int64_t tiles = tiles_of(p.n, tile_side);
    return with_element(p.element_bytes, [&]<class T>(T) {
        return launch(in_place_square<T>,
                      grid_of(tiles * (tiles + 1) / 2 * p.batch_count),
                      tile_threads,
                      0,
                      context,
                      p);
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_in_place_square = {
    .name = "in_place_square",
    .description = "in place, square: pairs of tiles change places",
    .block_m = tile_side,
    .block_n = tile_side,
    .threads = tile_threads,
    .stages = 1,
    .smem_bytes = 2 * tile_side * padded_pitch<uint4, tile_side> * max_element_bytes,
    .accepts = accepts_square,
    .launch = launch_in_place_square,
};

} // namespace myblas::cuda

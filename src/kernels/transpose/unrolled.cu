// B = A^T, tile by tile through padded shared memory, several independent elements for each thread.
//
// Adds to `shared_tile_padded`: a thread issues all its loads, 16 for elements of up to 4 bytes,
// before it uses the first value. Enough bytes are then in flight to cover the latency of memory.
// Tiles are 64 x 64: a column of a tile, which may start anywhere, shares fewer of its sectors with
// the neighbouring tile. No alignment is needed beyond the element's: `unrolled` moves the matrices
// that `vectorised` does not accept.
//
// Bound: 2 m n elements moved.
// Launch: 256 threads, a tile of 64 x 64 (32 x 32 for elements of 8 and 16 bytes), one stage.
// Accepts: everything out of place.

#include "kernels/transpose/registry.h"
#include "kernels/transpose/tile.cuh"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;

template <class T>
constexpr int side = sizeof(T) <= 4 ? 64 : 32;

template <class T>
constexpr size_t tile_bytes = side<T>* padded_pitch<T, side<T>> * sizeof(T);

template <class T>
__global__ void __launch_bounds__(threads) unrolled(transpose_problem p) {
    constexpr int step = threads / side<T>; // columns that a block covers at once
    constexpr int per_thread = side<T> / step;
    __shared__ T smem[side<T>][padded_pitch<T, side<T>>]; // (j, i)

    const int row = threadIdx.x % side<T>;
    const int first = threadIdx.x / side<T>;
    const int64_t tiles_m = tiles_of(p.m, side<T>);
    const int64_t tiles = tiles_m * tiles_of(p.n, side<T>);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t i0 = tile % tiles_m * side<T>;
        const int64_t j0 = tile / tiles_m * side<T>;
        const int rows = static_cast<int>(min(int64_t{side<T>}, p.m - i0));
        const int cols = static_cast<int>(min(int64_t{side<T>}, p.n - j0));
        const T* gmem_a = static_cast<const T*>(p.a) + i0 + row + (j0 + first) * p.lda;
        T* gmem_b = static_cast<T*>(p.b) + j0 + row + (i0 + first) * p.ldb;

        T value[per_thread];
#pragma unroll
        for (int k = 0; k < per_thread; ++k)
            if (row < rows && first + k * step < cols)
                value[k] = gmem_a[k * step * p.lda];
#pragma unroll
        for (int k = 0; k < per_thread; ++k)
            smem[first + k * step][row] = value[k]; // elements outside the matrix are never read
        __syncthreads();                            // the tile is complete
#pragma unroll
        for (int k = 0; k < per_thread; ++k)
            if (row < cols && first + k * step < rows)
                gmem_b[k * step * p.ldb] = smem[row][first + k * step];
        __syncthreads(); // the tile is free for the block's next one
    }
}

myblasStatus_t launch_unrolled(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        const dim3 grid = grid_of(tiles_of(p.m, side<T>) * tiles_of(p.n, side<T>));
        return launch(unrolled<T>, grid, threads, 0, context, p);
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_unrolled = {
    .name = "unrolled",
    .description = "padded tiles, up to 16 independent elements a thread",
    .block_m = side<float>,
    .block_n = side<float>,
    .threads = threads,
    .stages = 1,
    .smem_bytes = std::max({tile_bytes<uint8_t>,
                            tile_bytes<uint16_t>,
                            tile_bytes<uint32_t>,
                            tile_bytes<uint64_t>,
                            tile_bytes<uint4>}),
    .accepts = out_of_place,
    .launch = launch_unrolled,
};

} // namespace myblas::cuda

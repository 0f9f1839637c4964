// Shared by the rungs of the transpose ladder: elements by size, tiles, and the move of one tile
// through shared memory.
#pragma once

#include "core/problem.h"
#include "kernels/common/launch.h"
#include "kernels/transpose/tile_pair.cuh"

#include <algorithm>
#include <cstdint>

namespace myblas::cuda {

// Calls function(T{}) with the integer type, or the vector, that has the size of an element.
template <class Function>
myblasStatus_t with_element(int element_bytes, Function function) {
    switch (element_bytes) {
    case 1:
        return function(uint8_t{});
    case 2:
        return function(uint16_t{});
    case 4:
        return function(uint32_t{});
    case 8:
        return function(uint64_t{});
    default:
        return function(uint4{});
    }
}

inline constexpr size_t max_element_bytes = 16;

// The same with the element of every size in turn, until one fails.
template <class Function>
myblasStatus_t with_every_element(Function function) {
    for (const int element_bytes : {1, 2, 4, 8, 16})
        if (const myblasStatus_t status = with_element(element_bytes, function))
            return status;
    return MYBLAS_STATUS_SUCCESS;
}

// Threads that a multiprocessor of the architecture being compiled for holds at once. CUDA C++
// Programming Guide, compute capabilities.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 &&                      \
    __CUDA_ARCH__ != 1000 && __CUDA_ARCH__ != 1030
inline constexpr int resident_threads = 1536;
#else
inline constexpr int resident_threads = 2048;
#endif

// The rungs up to `diagonal` have tiles of 32 x 32 elements and 32 x 8 threads: a warp spans a
// side.
inline constexpr int tile_side = 32;
inline constexpr int tile_threads = 256;
inline constexpr int tile_step = tile_threads / tile_side; // columns that a block covers at once

// Elements between the columns of a padded tile in shared memory: an odd number of banks, or of
// elements if they are wider than a bank. A warp then reads a row of the tile without conflicts.
template <class T, int side>
inline constexpr int padded_pitch = side + (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);

// The largest extents and leading dimensions that give 32-bit offsets in a tile of `tile_cols`
// columns.
constexpr int64_t most_extent(int tile_cols) { return (int64_t{1} << 31) / tile_cols; }

__host__ __device__ inline int64_t tiles_of(int64_t extent, int side) {
    return ceil_div<int64_t>(extent, side);
}

// A grid of one block for each tile; kernels loop, so that no number of tiles is too large.
inline dim3 grid_of(int64_t tiles) {
    return dim3(static_cast<unsigned>(std::min(tiles, max_grid_x)));
}

inline dim3 tile_grid(const transpose_problem& p) {
    return grid_of(tiles_of(p.m, tile_side) * tiles_of(p.n, tile_side));
}

// One matrix, out of place: accepted by the rungs up to `vectorised`.
inline bool out_of_place(const transpose_problem& p, const device_info&) {
    return !p.in_place() && p.batch_count == 1;
}

// Yardsticks write an m x n matrix where the transpose would be n x m.
inline bool out_of_place_square(const transpose_problem& p, const device_info& device) {
    return out_of_place(p, device) && p.m == p.n;
}

// Transposes the tile that starts at (i0, j0), with 32 x 8 threads.
template <class T, int pitch>
__device__ void
transpose_tile(const transpose_problem& p, int64_t i0, int64_t j0, T (&smem)[tile_side][pitch]) {
    const int lane = threadIdx.x % tile_side;
    const int warp = threadIdx.x / tile_side;
    const T* gmem_a = static_cast<const T*>(p.a) + i0 + j0 * p.lda;
    T* gmem_b = static_cast<T*>(p.b) + j0 + i0 * p.ldb;
    for (int j = warp; j < tile_side; j += tile_step)
        if (i0 + lane < p.m && j0 + j < p.n)
            smem[j][lane] = gmem_a[lane + j * p.lda];
    __syncthreads(); // the tile is complete
    for (int i = warp; i < tile_side; i += tile_step)
        if (j0 + lane < p.n && i0 + i < p.m)
            gmem_b[lane + i * p.ldb] = smem[lane][i];
    __syncthreads(); // the tile is free for the block's next one
}

} // namespace myblas::cuda

// B = A^T, tile by tile through shared memory, 16 bytes at a time everywhere.
//
// Adds to `unrolled`: all accesses to global and shared memory are of 16 bytes, a quarter of the
// instructions with 4-byte elements. A thread loads a square of elements, v vectors of v elements,
// transposes it in registers, and stores it to shared memory by rows. The block then regroups the
// vectors into runs along B.
//
// Padding would break the alignment. Instead an XOR permutes the vectors of a run, so that 8 lanes
// (one phase of a 16-byte access) always access 8 different groups of four banks.
//
// Blocks take the tiles along B's columns (mover.cuh): the blocks in flight write long stretches of
// a few columns. Memory writes fast only in whole pages, and reads fast in any order. For the same
// reason tiles are wide: a row of a tile is 512 bytes of B. Stores to B stream past the caches.
// Loads of A do not, although A is read only once: A shall evict from the L2 cache what earlier
// kernels have left there. Streaming loads would replace only their own cache lines.
//
// Bound: 2 m n elements moved. One stage. Tile, threads, shared memory of a block, and the blocks
// on a multiprocessor that registers are limited to allow, by the element's size:
//      bytes   v   tile       threads   shared   blocks
//          1  16   128 x 128       64   16 KiB        5
//          2   8   128 x 128      256   32 KiB        2
//          4   4    64 x 64       256   16 KiB        5
//                   64 x 128      512   32 KiB        2      if it fills as well
//          8   2    32 x 64       256   16 KiB        4
//         16   1    16 x 64       256   16 KiB        6
// Accepts: out of place, with pointers and leading dimensions that are multiples of 16 bytes; m and
// n are free.
//
//      A                     registers          smem, a row of A = a column of B
//      v columns x 1 vector  ->  transposed ->  row i: vectors j / v, at (j / v) ^ (i / v & 7)

#include "kernels/common/overlap.cuh"
#include "kernels/transpose/mover.cuh"
#include "kernels/transpose/registry.h"
#include "kernels/transpose/square.cuh"

#include <cstring>

namespace myblas::cuda {
namespace {

// is_wide: twice as many columns.
template <class Element, bool is_wide>
struct tiling {
    using T = Element;
    static constexpr int v = vector_elements<T>;
    static constexpr int lanes_m = sizeof(T) == 1 ? 8 : 16; // squares along m
    static constexpr int lanes_n = is_wide ? 2 * lanes_m : lanes_m;
    static constexpr int repeats = v >= 4 ? 1 : 4 / v; // squares of a thread, along n
    static constexpr int rows = lanes_m * v;           // of A
    static constexpr int cols = lanes_n * v * repeats; // of A
    static constexpr int threads = lanes_m * lanes_n;
    static constexpr int units = cols / v; // vectors of a row in shared memory
    static constexpr int min_blocks = is_wide || v == 8 ? 2 : v == 2 ? 4 : v == 1 ? 6 : 5;
    static constexpr int swizzle = 7; // 8 lanes make a phase
    static constexpr size_t smem_bytes = sizeof(T) * rows * cols;
    static_assert(units % (swizzle + 1) == 0, "the XOR must stay inside a row");
    static_assert(smem_bytes <= 48 * 1024);
};

// The place of vector `unit` of row i in shared memory, in vectors.
template <class shape>
__device__ int place(int i, int unit) {
    return i * shape::units + (unit ^ (i / shape::v & shape::swizzle));
}

// The first `count` elements at `from`; at most a vector.
template <class T>
__device__ vector16 load_part(const T* from, int count) {
    if (count >= vector_elements<T>)
        return *reinterpret_cast<const vector16*>(from);
    T part[vector_elements<T>]{};
#pragma unroll
    for (int k = 0; k < vector_elements<T>; ++k)
        if (k < count)
            part[k] = from[k];
    vector16 value;
    std::memcpy(&value, part, sizeof(value));
    return value;
}

template <class T>
__device__ void store_part(T* to, const vector16& value, int count) {
    if (count >= vector_elements<T>)
        return store_streaming(to, value);
    T part[vector_elements<T>];
    std::memcpy(part, &value, sizeof(value));
#pragma unroll
    for (int k = 0; k < vector_elements<T>; ++k)
        if (k < count)
            to[k] = part[k];
}

// is_cut: rows or columns end inside a vector.
template <class shape, bool is_cut, class T = typename shape::T>
__device__ void move_tile(
    const T* gmem_a, int64_t lda, T* gmem_b, int64_t ldb, int rows, int cols, vector16* smem) {
    constexpr int v = shape::v;
    const int i = threadIdx.x % shape::lanes_m * v;
    const int first_square = threadIdx.x / shape::lanes_m;
    vector16 square[shape::repeats][v];
#pragma unroll
    for (int s = 0; s < shape::repeats; ++s) {
        const int j = (first_square + s * shape::lanes_n) * v;
        if (i < rows && j < cols)
#pragma unroll
            for (int c = 0; c < v; ++c) {
                const T* from = gmem_a + i + (j + c) * lda;
                if constexpr (is_cut)
                    square[s][c] = load_part(from, j + c < cols ? rows - i : 0);
                else
                    square[s][c] = *reinterpret_cast<const vector16*>(from);
            }
    }
#pragma unroll
    for (int s = 0; s < shape::repeats; ++s) {
        vector16 transposed[v];
        transpose_square<T>(square[s], transposed);
#pragma unroll
        for (int r = 0; r < v; ++r) // elements outside the matrix are never read
            smem[place<shape>(i + r, first_square + s * shape::lanes_n)] = transposed[r];
    }
    __syncthreads(); // the tile is complete
    const int unit = threadIdx.x % shape::units;
    const int first = threadIdx.x / shape::units;
    constexpr int step = shape::threads / shape::units; // rows that a block covers at once
#pragma unroll
    for (int k = 0; k < shape::rows / step; ++k) {
        const int row = first + k * step;
        if (row < rows && unit * v < cols) {
            T* to = gmem_b + unit * v + row * ldb;
            if constexpr (is_cut)
                store_part(to, smem[place<shape>(row, unit)], cols - unit * v);
            else
                store_streaming(to, smem[place<shape>(row, unit)]);
        }
    }
}

template <class shape>
__global__ void __launch_bounds__(shape::threads, shape::min_blocks)
    vectorised(transpose_problem p, tile_order order) {
    using T = typename shape::T;
    __shared__ vector16 smem[shape::rows * shape::units];
    grid_dependency_sync();

    const mover_tile tile = order(blockIdx.x);
    const int64_t i0 = tile.row * shape::rows, j0 = tile.col * shape::cols;
    const int rows = static_cast<int>(min(int64_t{shape::rows}, p.m - i0));
    const int cols = static_cast<int>(min(int64_t{shape::cols}, p.n - j0));
    const T* gmem_a = static_cast<const T*>(p.a) + i0 + j0 * p.lda;
    T* gmem_b = static_cast<T*>(p.b) + j0 + i0 * p.ldb;
    if (rows % shape::v == 0 && cols % shape::v == 0)
        move_tile<shape, false>(gmem_a, p.lda, gmem_b, p.ldb, rows, cols, smem);
    else
        move_tile<shape, true>(gmem_a, p.lda, gmem_b, p.ldb, rows, cols, smem);
}

bool accepts_aligned(const transpose_problem& p, const device_info& device) {
    const uint64_t misfit = reinterpret_cast<uintptr_t>(p.a) | reinterpret_cast<uintptr_t>(p.b) |
                            static_cast<uint64_t>(p.lda) * p.element_bytes |
                            static_cast<uint64_t>(p.ldb) * p.element_bytes;
    return out_of_place(p, device) && misfit % sizeof(vector16) == 0 && fits_tile_order(p.m, p.n);
}

template <class shape>
myblasStatus_t launch_tiles(const transpose_problem& p, const launch_context& context) {
    const tile_order order = order_of(tiles_of(p.m, shape::rows), tiles_of(p.n, shape::cols), 1);
    return launch_overlapped(
        vectorised<shape>, dim3(order.tiles), shape::threads, context, p, order);
}

myblasStatus_t launch_vectorised(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        if constexpr (sizeof(T) == 4)
            if (fills_wide<tiling<T, true>, tiling<T, false>>(p.n))
                return launch_tiles<tiling<T, true>>(p, context);
        return launch_tiles<tiling<T, false>>(p, context);
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_vectorised = {
    .name = "vectorised",
    .description = "16-byte accesses, squares transposed in registers, swizzled shared memory",
    .block_m = tiling<uint32_t, true>::rows,
    .block_n = tiling<uint32_t, true>::cols,
    .threads = tiling<uint32_t, true>::threads,
    .stages = 1,
    .smem_bytes = tiling<uint16_t, false>::smem_bytes,
    .alignment_bytes = sizeof(vector16),
    .accepts = accepts_aligned,
    .launch = launch_vectorised,
};

} // namespace myblas::cuda

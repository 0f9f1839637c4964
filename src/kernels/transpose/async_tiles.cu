// B = A^T, one tile for each block, by asynchronous copies of 16 bytes.
//
// Adds to `vectorised`: the loads bypass the registers and go to shared memory, where the tile lies
// as in A. After a single barrier, a thread reads a square from there, transposes it and stores it
// straight to B. A tile needs few threads: with 32 x 32 floats and two warps, matrices of a few
// hundred rows fill the device. Batches are one launch.
//
// Bound: 2 m n elements moved.  One stage.  Tile and threads, by the element's size:
//                  small_tiles              large_tiles
//      bytes   v   tile       threads       tile        threads
//          1  16   128 x 128       64       256 x 256       256
//          2   8    64 x 64        64       128 x 128       256
//          4   4    32 x 32        64        64 x 64        256
//          8   2    16 x 32       128        32 x 64        256
//         16   1     8 x 32       128        16 x 64        256
// Accepts: out of place; pointers, strides, leading dimensions, rows and columns that are all
// multiples of 16 bytes.
//
//      A                    smem (mover.cuh)                 registers        B
//      columns of vectors   column j: vector u at          v x v elements   rows of vectors
//                           u ^ (j / v & 7)                transposed

#include "kernels/common/overlap.cuh"
#include "kernels/transpose/mover.cuh"
#include "kernels/transpose/registry.h"

namespace myblas::cuda {
namespace {

template <class T>
constexpr int few_groups = sizeof(T) == 8    ? 16
                           : sizeof(T) == 16 ? 32
                                             : 8;
template <class T>
constexpr int many_groups = sizeof(T) == 8    ? 32
                            : sizeof(T) == 16 ? 64
                                              : 16;

template <class T>
using small_tile = vector_tile<T, 8, few_groups<T>, sizeof(T) <= 4 ? 64 : 128>;
template <class T>
using large_tile = vector_tile<T, 16, many_groups<T>, 256>;

template <class tile>
__global__ void __launch_bounds__(tile::threads)
    async_tiles(transpose_problem p, tile_order order) {
    using T = typename tile::T;
    extern __shared__ vector16 smem[];

    const mover_tile tile_at = order(blockIdx.x);
    const T* gmem_a = static_cast<const T*>(p.a) + tile_at.batch * p.stride_a;
    T* gmem_b = static_cast<T*>(p.b) + tile_at.batch * p.stride_b;
    const tile_region at{p.m, p.n, tile_at.row * tile::rows, tile_at.col * tile::cols};

    grid_dependency_sync();
    tile::load(smem, gmem_a, p.lda, at);
    wait_for_tile();
    tile::for_each_square(at, [&](int, int i, int j) {
        vector16 row[tile::v];
        tile::read(smem, i, j, row);
        T* to = gmem_b + at.j0 + j + (at.i0 + i) * p.ldb;
#pragma unroll
        for (int r = 0; r < tile::v; ++r)
            store_streaming(to + r * p.ldb, row[r]);
    });
}

bool accepts_aligned(const transpose_problem& p, const device_info&) {
    const int64_t extents = p.lda | p.ldb | p.stride_a | p.stride_b | p.m | p.n;
    const uint64_t misfit = reinterpret_cast<uintptr_t>(p.a) | reinterpret_cast<uintptr_t>(p.b) |
                            static_cast<uint64_t>(extents) * p.element_bytes;
    return !p.in_place() && misfit % sizeof(vector16) == 0 && fits_tile_order(p.m, p.n);
}

template <template <class> class tile_of>
myblasStatus_t prepare(const device_info&) {
    return with_every_element(
        []<class T>(T) { return allow_smem(async_tiles<tile_of<T>>, tile_of<T>::smem_bytes); });
}

template <template <class> class tile_of>
myblasStatus_t launch_async_tiles(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        using tile = tile_of<T>;
        return launch_parts(p,
                            tiles_of(p.m, tile::rows),
                            tiles_of(p.n, tile::cols),
                            [&](const transpose_problem& part, const tile_order& order) {
                                return launch_clusters(async_tiles<tile>,
                                                       dim3(order.tiles),
                                                       1,
                                                       true,
                                                       tile::threads,
                                                       tile::smem_bytes,
                                                       context,
                                                       part,
                                                       order);
                            });
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_large_tiles = {
    .name = "large_tiles",
    .description = "16-byte asynchronous copies, batches in one launch",
    .block_m = large_tile<uint32_t>::rows,
    .block_n = large_tile<uint32_t>::cols,
    .threads = large_tile<uint32_t>::threads,
    .stages = 1,
    .smem_bytes = large_tile<uint8_t>::smem_bytes,
    .alignment_bytes = sizeof(vector16),
    .accepts = accepts_aligned,
    .prepare = prepare<large_tile>,
    .launch = launch_async_tiles<large_tile>,
};

constinit const kernel_entry<transpose_problem> transpose_small_tiles = {
    .name = "small_tiles",
    .description = "16-byte asynchronous copies, tiles for matrices that stay in the L2 cache",
    .block_m = small_tile<uint32_t>::rows,
    .block_n = small_tile<uint32_t>::cols,
    .threads = small_tile<uint32_t>::threads,
    .stages = 1,
    .smem_bytes = small_tile<uint8_t>::smem_bytes,
    .alignment_bytes = sizeof(vector16),
    .accepts = accepts_aligned,
    .prepare = prepare<small_tile>,
    .launch = launch_async_tiles<small_tile>,
};

} // namespace myblas::cuda

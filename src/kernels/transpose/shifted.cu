// B = A^T, one tile for each block, at any alignment.
//
// Adds to `unrolled`: each row of a tile is shifted so that it starts on a sector boundary of B.
// Sectors are then written whole and by one block, also with odd leading dimensions. Elements of 4
// bytes and more move one at a time (mover.cuh). Elements of 1 and 2 bytes are copied to shared
// memory 16 bytes at a time and leave it as words (image_tile.cuh). Loads bypass the registers,
// except for elements of 4 bytes. Batches are one launch.
//
// Unaligned matrices are limited by the L2 cache and by instructions, not by memory. 64 rows of a
// column are 9 sectors, not 8, and columns at the edge of a tile are read twice. If there are many
// tiles of 4-byte elements, they are therefore wide, and tiles inside the matrix are moved without
// bounds checks.
//
// Bound: 2 m n elements moved. One stage. Tile, columns of it that are loaded twice, threads, and
// the blocks on a multiprocessor that registers are limited to allow:
//      bytes   tile        overlap   threads   blocks
//          1   128 x 256        32       512        3
//          2   128 x 128        16       512        3
//          4    64 x 128         8       512        3
//               64 x 64          8       512        4      if fewer, or if it fills better
//          8    32 x 64          4       256
//         16    16 x 64          0       256
// Accepts: everything out of place.

#include "kernels/common/overlap.cuh"
#include "kernels/transpose/image_tile.cuh"
#include "kernels/transpose/mover.cuh"
#include "kernels/transpose/registry.h"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;

template <class T>
struct tiling;
template <>
struct tiling<uint8_t> : image_tile<uint8_t, 128, 256, 2 * threads> {};
template <>
struct tiling<uint16_t> : image_tile<uint16_t, 128, 128, 2 * threads> {};
template <>
struct tiling<uint32_t> : word_tile<uint32_t, 64, 128, 8, 2 * threads> {};
struct narrow_tiling : word_tile<uint32_t, 64, 64, 8, 2 * threads> {};
template <>
struct tiling<uint64_t> : word_tile<uint64_t, 32, 64, 4, threads> {};
template <>
struct tiling<uint4> : word_tile<uint4, 16, 64, 0, threads> {};

template <class tile>
constexpr size_t smem_bytes(int64_t lda) {
    if constexpr (sizeof(typename tile::T) >= 4)
        return tile::smem_bytes;
    else
        return tile::smem_bytes_of(lda);
}

// The most, over all leading dimensions.
constexpr size_t most_smem_bytes = smem_bytes<tiling<uint8_t>>(15);
static_assert(most_smem_bytes <= 48 * 1024 && smem_bytes<tiling<uint16_t>>(7) <= most_smem_bytes);

// Blocks on a multiprocessor that registers are limited to allow. 0: no limit.
template <class tile>
constexpr int min_blocks = sizeof(typename tile::T) <= 4 ? 3 : 0;
template <>
constexpr int min_blocks<narrow_tiling> = resident_threads / narrow_tiling::threads;

template <class tile>
__global__ void __launch_bounds__(tile::threads, min_blocks<tile>)
    shifted(transpose_problem p, tile_order order) {
    using T = typename tile::T;
    extern __shared__ __align__(16) unsigned char smem_raw[];

    const mover_tile tile_at = order(blockIdx.x);
    const T* gmem_a = static_cast<const T*>(p.a) + tile_at.batch * p.stride_a;
    T* gmem_b = static_cast<T*>(p.b) + tile_at.batch * p.stride_b;
    const tile_region at{p.m, p.n, tile_at.row * tile::rows, tile_at.col * tile::cols};

    grid_dependency_sync();
    if constexpr (sizeof(T) == 4) {
        T* smem = reinterpret_cast<T*>(smem_raw);
        tile::load_through_registers(smem, gmem_a, p.lda, at);
        __syncthreads(); // the tile is complete
        tile::for_each_element(gmem_b, p.ldb, at, [&](int, int64_t i, int64_t j, int place) {
            __stcs(gmem_b + j + i * p.ldb, smem[place]);
        });
    } else if constexpr (sizeof(T) > 4) {
        T* smem = reinterpret_cast<T*>(smem_raw);
        tile::load(smem, gmem_a, p.lda, at);
        wait_for_tile();
        tile::for_each_element(gmem_b, p.ldb, at, [&](int, int64_t i, int64_t j, int place) {
            gmem_b[j + i * p.ldb] = smem[place];
        });
    } else {
        tile::load(smem_raw, gmem_a, p.lda, at);
        wait_for_tile();
        tile::store(smem_raw, gmem_a, p.lda, gmem_b, p.ldb, at);
    }
}

bool accepts(const transpose_problem& p, const device_info&) {
    return !p.in_place() && fits_tile_order(p.m, p.n);
}

template <class tile>
myblasStatus_t launch_tiles(const transpose_problem& p, const launch_context& context) {
    return launch_parts(p,
                        tiles_of(p.m, tile::rows),
                        tiles_of(p.n + tile::overlap_rest, tile::cols),
                        [&](const transpose_problem& part, const tile_order& order) {
                            return launch_clusters(shifted<tile>,
                                                   dim3(order.tiles),
                                                   1,
                                                   true,
                                                   tile::threads,
                                                   smem_bytes<tile>(p.lda),
                                                   context,
                                                   part,
                                                   order);
                        });
}

// Whether wide tiles leave few columns empty, and are many: then an incomplete last wave matters
// little.
bool takes_wide(const transpose_problem& p, const device_info& device) {
    using wide = tiling<uint32_t>;
    constexpr int waves = 8;
    const int64_t tiles = tiles_of(p.m, wide::rows) * tiles_of(p.n, wide::cols) * p.batch_count;
    return tiles >= int64_t{waves} * min_blocks<wide> * device.sm_count &&
           fills_wide<wide, narrow_tiling>(p.n + wide::overlap_rest);
}

myblasStatus_t launch_shifted(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        if constexpr (sizeof(T) == 4)
            if (!takes_wide(p, *context.device))
                return launch_tiles<narrow_tiling>(p, context);
        return launch_tiles<tiling<T>>(p, context);
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_shifted = {
    .name = "shifted",
    .description = "any alignment: rows of a tile start where sectors of B do",
    .block_m = tiling<uint32_t>::rows,
    .block_n = tiling<uint32_t>::cols,
    .threads = tiling<uint8_t>::threads,
    .stages = 1,
    .smem_bytes = most_smem_bytes,
    .accepts = accepts,
    .launch = launch_shifted,
};

} // namespace myblas::cuda

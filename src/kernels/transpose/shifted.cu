// B = A^T, a tile a block, by asynchronous copies of words: whatever the alignment.
//
// Adds to `unrolled`: the loads go past the registers to shared memory, and each row of a tile is
// shifted so that it starts where a sector of B does, so that with odd leading dimensions, too, sectors
// are written whole and by one block. Elements of 4 bytes and more travel one by one (mover.h), those of 1
// and 2 bytes 16 bytes at a time to shared memory and as words from there (image_tile.h). Batches are one
// launch.
//
// Bound: 2 m n elements moved.  One stage.  256 threads.  Tile, and columns of it loaded twice:
//      bytes   tile        overlap
//          1   128 x 224        32
//          2   128 x 112        16
//          4    64 x 64          8
//          8    32 x 64          4
//         16    16 x 64          0
// Accepts: everything out of place.

#include "kernels/common/overlap.h"
#include "kernels/transpose/image_tile.h"
#include "kernels/transpose/mover.h"
#include "kernels/transpose/registry.h"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;

template <class T>
struct tiling : word_tile<T, 64, 64, 8, threads> {};
template <>
struct tiling<uint8_t> : image_tile<uint8_t, 8, 2, threads> {};
template <>
struct tiling<uint16_t> : image_tile<uint16_t, 16, 2, threads> {};
template <>
struct tiling<uint64_t> : word_tile<uint64_t, 32, 64, 4, threads> {};
template <>
struct tiling<uint4> : word_tile<uint4, 16, 64, 0, threads> {};

static_assert(tiling<uint8_t>::smem_bytes <= 48 * 1024);

template <class T>
__global__ void __launch_bounds__(threads) shifted(transpose_problem p, tile_order order) {
    using tile = tiling<T>;
    extern __shared__ __align__(16) unsigned char smem_raw[];

    const mover_tile tile_at = order(blockIdx.x);
    const T* gmem_a = static_cast<const T*>(p.a) + tile_at.batch * p.stride_a;
    T* gmem_b = static_cast<T*>(p.b) + tile_at.batch * p.stride_b;
    const tile_region at{p.m, p.n, tile_at.row * tile::rows, tile_at.col * tile::cols};

    wait_for_earlier_work();
    if constexpr (sizeof(T) >= 4) {
        T* smem = reinterpret_cast<T*>(smem_raw);
        tile::load(smem, gmem_a, p.lda, at);
        wait_for_tile();
        tile::for_each_element(gmem_b, p.ldb, at, [&](int, int64_t i, int64_t j, int place) {
            gmem_b[j + i * p.ldb] = smem[place];
        });
    } else {
        vector16* smem = reinterpret_cast<vector16*>(smem_raw);
        tile::load(smem, gmem_a, p.lda, at);
        wait_for_tile();
        tile::store(smem, gmem_a, p.lda, gmem_b, p.ldb, at);
    }
}

bool accepts(const transpose_problem& p, const device_info&) {
    return !p.in_place() && fits_tile_order(p.m, p.n);
}

myblasStatus_t launch_shifted(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        using tile = tiling<T>;
        return launch_parts(p,
                            tiles_of(p.m, tile::rows),
                            tiles_of(p.n + tile::overlap_rest, tile::cols),
                            [&](const transpose_problem& part, const tile_order& order) {
                                return launch_clusters(shifted<T>,
                                                       dim3(order.tiles),
                                                       1,
                                                       true,
                                                       threads,
                                                       tile::smem_bytes,
                                                       context,
                                                       part,
                                                       order);
                            });
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_shifted = {
    .name = "shifted",
    .description = "any alignment: rows of a tile start where sectors of B do",
    .block_m = tiling<uint32_t>::rows,
    .block_n = tiling<uint32_t>::cols,
    .threads = threads,
    .stages = 1,
    .smem_bytes = tiling<uint8_t>::smem_bytes,
    .accepts = accepts,
    .launch = launch_shifted,
};

} // namespace myblas::cuda

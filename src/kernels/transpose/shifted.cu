// B = A^T, a tile a block, whatever the alignment.
//
// Adds to `unrolled`: each row of a tile is shifted so that it starts where a sector of B does, so that with
// odd leading dimensions, too, sectors are written whole and by one block. Elements of 4 bytes and more travel
// one by one (mover.h), those of 1 and 2 bytes 16 bytes at a time to shared memory and as words from there
// (image_tile.h). The loads go past the registers to shared memory, but those of 4 bytes, which have the
// L2 cache fetch 256 bytes; their rows are dealt to threads so that all of a thread have the same shift.
// Batches are one launch.
//
// Bound: 2 m n elements moved.  One stage.  Tile, columns of it loaded twice, threads, and the blocks on a
// multiprocessor that registers are kept down for:
//      bytes   tile        overlap   threads   blocks
//          1   128 x 256        32       512        3
//          2   128 x 128        16       512        3
//          4    64 x 64          8       512        4
//          8    32 x 64          4       256
//         16    16 x 64          0       256
// Accepts: everything out of place.

#include "kernels/common/overlap.h"
#include "kernels/transpose/image_tile.h"
#include "kernels/transpose/mover.h"
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
struct tiling<uint32_t> : word_tile<uint32_t, 64, 64, 8, 2 * threads> {};
template <>
struct tiling<uint64_t> : word_tile<uint64_t, 32, 64, 4, threads> {};
template <>
struct tiling<uint4> : word_tile<uint4, 16, 64, 0, threads> {};

template <class T>
constexpr size_t smem_bytes(int64_t lda) {
    if constexpr (sizeof(T) >= 4)
        return tiling<T>::smem_bytes;
    else
        return tiling<T>::smem_bytes_of(lda);
}

constexpr size_t most_smem_bytes = smem_bytes<uint8_t>(15); // of all leading dimensions
static_assert(most_smem_bytes <= 48 * 1024 && smem_bytes<uint16_t>(7) <= most_smem_bytes);

template <class T>
constexpr int min_blocks = sizeof(T) <= 2   ? 3
                           : sizeof(T) == 4 ? resident_threads / tiling<T>::threads
                                            : 0; // 0: as many as there are

template <class T>
__global__ void __launch_bounds__(tiling<T>::threads, min_blocks<T>)
    shifted(transpose_problem p, tile_order order) {
    using tile = tiling<T>;
    extern __shared__ __align__(16) unsigned char smem_raw[];

    const mover_tile tile_at = order(blockIdx.x);
    const T* gmem_a = static_cast<const T*>(p.a) + tile_at.batch * p.stride_a;
    T* gmem_b = static_cast<T*>(p.b) + tile_at.batch * p.stride_b;
    const tile_region at{p.m, p.n, tile_at.row * tile::rows, tile_at.col * tile::cols};

    wait_for_earlier_work();
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
                                                       tile::threads,
                                                       smem_bytes<T>(p.lda),
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
    .threads = tiling<uint8_t>::threads,
    .stages = 1,
    .smem_bytes = most_smem_bytes,
    .accepts = accepts,
    .launch = launch_shifted,
};

} // namespace myblas::cuda

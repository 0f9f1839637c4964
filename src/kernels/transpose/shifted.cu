// B = A^T, a tile a block, by asynchronous copies of words: whatever the alignment.
//
// Adds to `unrolled`: the loads go past the registers to shared memory, and each row of a tile is
// shifted so that it starts where a sector of B does, so that with odd leading dimensions, too, sectors
// are written whole and by one block (mover.h). Elements of 1 and 2 bytes travel as words of 4 bytes:
// those of A's columns are shifted to the tile's rows as they are read, turned by squares of v x v, and
// shifted to B's words. Batches are one launch.
//
// Bound: 2 m n elements moved.  One stage.  256 threads.  Tile, and columns of it loaded twice:
//      bytes   v   tile        overlap
//          1   4   128 x 256         4
//          2   2    64 x 128         2
//          4   1    64 x 64          8
//          8   1    32 x 64          4
//         16   1    16 x 64          0
// Accepts: everything out of place.

#include "kernels/transpose/mover.h"
#include "kernels/transpose/registry.h"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;

template <class T>
struct tiling : word_tile<T, 64, 64, 8, threads> {};
template <>
struct tiling<uint8_t> : word_tile<uint8_t, 128, 256, 4, threads> {};
template <>
struct tiling<uint16_t> : word_tile<uint16_t, 64, 128, 2, threads> {};
template <>
struct tiling<uint64_t> : word_tile<uint64_t, 32, 64, 4, threads> {};
template <>
struct tiling<uint4> : word_tile<uint4, 16, 64, 0, threads> {};

static_assert(tiling<uint8_t>::smem_bytes <= 48 * 1024);

template <class T>
__global__ void __launch_bounds__(threads) shifted(transpose_problem p, tile_order order) {
    using tile = tiling<T>;
    using word = typename tile::word;
    extern __shared__ __align__(16) unsigned char smem_raw[];
    word* smem = reinterpret_cast<word*>(smem_raw);

    const mover_tile tile_at = order(blockIdx.x);
    const T* gmem_a = static_cast<const T*>(p.a) + tile_at.batch * p.stride_a;
    T* gmem_b = static_cast<T*>(p.b) + tile_at.batch * p.stride_b;
    const tile_region at{p.m, p.n, tile_at.row * tile::rows, tile_at.col * tile::cols};

    tile::load(smem, gmem_a, p.lda, at);
    wait_for_tile();
    if constexpr (tile::v == 1) {
        tile::for_each_element(gmem_b, p.ldb, at, [&](int, int64_t i, int64_t j, int place) {
            gmem_b[j + i * p.ldb] = smem[place];
        });
    } else {
        const auto store = [&](int64_t i, int64_t j, word value) {
            T* target = gmem_b + j + i * p.ldb;
            if (j >= 0 && j + tile::v <= p.n) {
                *reinterpret_cast<word*>(target) = value;
                return;
            }
            for (int k = 0; k < tile::v; ++k) // a word that a row starts or ends in
                if (j + k >= 0 && j + k < p.n)
                    target[k] = static_cast<T>(value >> (8 * sizeof(T) * k));
        };
        tile::for_each_word(smem, gmem_a, p.lda, gmem_b, p.ldb, at, store);
    }
}

bool accepts(const transpose_problem& p, const device_info&) {
    return !p.in_place() && fits_tile_order(p.m, p.n);
}

myblasStatus_t launch_shifted(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        using tile = tiling<T>;
        return launch_parts(
            p,
            tiles_of(p.m, tile::rows),
            tiles_of(p.n + tile::overlap_rest, tile::cols),
            [&](const transpose_problem& part, const tile_order& order) {
                return launch(
                    shifted<T>, dim3(order.tiles), threads, tile::smem_bytes, context, part, order);
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

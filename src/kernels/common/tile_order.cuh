// The order in which blocks take the tiles of a matrix.
#pragma once

#include "kernels/common/launch.h"

#include <type_traits>

namespace myblas::cuda {

// First element of a tile. Index: of 64 bits where the extents may need them.
template <class Index>
struct tile_position {
    Index row, col;
};

// Column by column, for `rows` rows of the matrix.
template <int block_m, int block_n>
__device__ __forceinline__ tile_position<int64_t> column_order(unsigned block, int64_t rows) {
    const int64_t tiles_m = ceil_div<int64_t>(rows, block_m);
    return {block % tiles_m * block_m, block / tiles_m * block_n};
}

// Blocks that run at the same time take a patch of tiles as square as possible, `patch` tiles high, so that
// they share in the L2 cache what is read for rows and columns of tiles.
template <class Shape, class Index = int64_t>
__device__ __forceinline__ tile_position<Index> patch_order(std::type_identity_t<Index> block,
                                                            std::type_identity_t<Index> m,
                                                            std::type_identity_t<Index> n) {
    constexpr int patch = 1024 / Shape::block_m;
    const Index tiles_m = ceil_div<Index>(m, Shape::block_m);
    const Index tiles_n = ceil_div<Index>(n, Shape::block_n);
    const Index band = block / (patch * tiles_n), rest = block % (patch * tiles_n);
    const Index band_height = tiles_m - band * patch < patch ? tiles_m - band * patch : patch;
    return {(band * patch + rest % band_height) * Shape::block_m,
            rest / band_height * Shape::block_n};
}

} // namespace myblas::cuda

// The order in which blocks take the tiles of a matrix.
#pragma once

#include "kernels/common/launch.h"

#include <type_traits>

namespace myblas::cuda {

// First element of a tile. Index has 64 bits where the extents may need them.
template <class Index>
struct tile_position {
    Index row, col;
};

// Column by column of tiles, in a matrix of `rows` rows.
template <int block_m, int block_n>
__device__ __forceinline__ tile_position<int64_t> column_order(unsigned block, int64_t rows) {
    const int64_t tiles_m = ceil_div<int64_t>(rows, block_m);
    return {block % tiles_m * block_m, block / tiles_m * block_n};
}

// Blocks that run at the same time take a patch of tiles that is nearly square, `patch` tiles high.
// In the L2 cache they share the operands of a row or a column of tiles.
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

// Patches as above, in bands of rows of tiles (by_rows) or of columns of tiles, from the last to
// the first where `reversed`.
template <int patch>
__device__ __forceinline__ tile_position<int>
band_order(int tile, bool by_rows, bool reversed, int tiles_m, int tiles_n) {
    const int along = by_rows ? tiles_m : tiles_n, across = by_rows ? tiles_n : tiles_m;
    const int band = tile / (patch * across), rest = tile % (patch * across);
    const int height = min(along - band * patch, patch);
    const int place = band * patch + rest % height;
    const int line = reversed ? along - 1 - place : place, other = rest / height;
    return by_rows ? tile_position<int>{line, other} : tile_position<int>{other, line};
}

// The unit of work that a persistent block takes in a round. Later units are smaller, so odd rounds
// go backwards: all blocks then get about the same amount of work.
__device__ __forceinline__ int unit_back_and_forth(int round, int blocks) {
    const int block = static_cast<int>(blockIdx.x);
    return round * blocks + (round % 2 ? blocks - 1 - block : block);
}

// Patches over the tiles that touch a triangle of a square matrix: bands of `patch` rows of tiles,
// each band one column of tiles after the other. The height of a tile is `ratio` times its width.
//
//   lower          upper
//   0              0 1 3 5    The numbers of the tiles with bands of 2 rows and ratio 1.
//   1 2              2 4 6
//   3 5 7              7 8
//   4 6 8 9              9
//
// In each band the diagonal crosses some columns. In a lower triangle these columns come last, and
// the g-th of them begins g rows lower. In an upper triangle they come first, and the g-th of them
// ends after g + 1 rows.
template <int patch, int ratio>
__device__ __forceinline__ tile_position<int>
triangle_order(int tile, bool upper, int tiles_m, int tiles_n) {
    int first = 0; // row of the band
    for (;; first += patch) {
        const int height = min(tiles_m - first, patch);
        const int crossed = ratio * height * (height + 1) / 2; // tiles of crossed columns
        // The band's columns that the diagonal does not cross. (Where the edge of the matrix cuts
        // off crossed columns, no tile of the band comes after them.)
        const int whole = max(upper ? tiles_n - (first + height) * ratio : first * ratio, 0);
        const int all = crossed + whole * height;
        if (tile >= all && first + height < tiles_m) {
            tile -= all;
            continue;
        }
        int col = upper ? (first + height) * ratio : 0;
        int in_crossed = upper ? tile : tile - whole * height;
        if (in_crossed < 0 || in_crossed >= crossed) {
            const int in_whole = upper ? tile - crossed : tile;
            return {first + in_whole % height, col + in_whole / height};
        }
        // A group of columns of tiles is as wide as a tile is high.
        int group = 0, rows = upper ? 1 : height;
        while (in_crossed >= ratio * rows) {
            in_crossed -= ratio * rows;
            rows += upper ? 1 : -1;
            ++group;
        }
        return {first + in_crossed % rows + (upper ? 0 : group),
                (first + group) * ratio + in_crossed / rows};
    }
}

} // namespace myblas::cuda

// The square tiles of a triangle and its diagonal.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

struct tile_place {
    int row, column; // in tiles
};

inline int64_t triangle_tiles(int64_t blocks) { return blocks * (blocks + 1) / 2; }

// The place of tile t, below 2^31, in a triangle of `blocks` block rows. Tiles are numbered block
// column by block column, each from the top.
__device__ inline tile_place place_of(int64_t t, int blocks, bool upper) {
    const int64_t from_end = int64_t{blocks} * (blocks + 1) / 2 - 1 - t;
    const int64_t index = upper ? t : from_end; // in columns of 1, 2, 3, ... tiles
    auto column = static_cast<int64_t>((sqrtf(8 * static_cast<float>(index) + 1) - 1) / 2);
    column += (column + 1) * (column + 2) / 2 <= index; // corrects the root's rounding
    column -= column * (column + 1) / 2 > index;
    const auto place = static_cast<int>(index - column * (column + 1) / 2);
    const auto own = static_cast<int>(column);
    return upper ? tile_place{place, own} : tile_place{blocks - 1 - place, blocks - 1 - own};
}

} // namespace myblas::cuda

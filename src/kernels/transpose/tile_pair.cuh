// The order in which in-place transposes take the pairs of tiles that change places.
#pragma once

#include "kernels/common/launch.h"

namespace myblas::cuda {

// The upper triangle of tiles, diagonal included, is folded into a rectangle: each row is followed
// by the row that completes it to the common width. A block's number then gives its pair without a
// search. With four tiles a side:
//
//      0 0   0 1   0 2   0 3 | 3 3
//      1 1   1 2   1 3 | 2 2   2 3
//      1 1   1 2   1 3 | 2 2   2 3
template <class Integer>
struct tile_pair {
    Integer i, j;
};

template <class Integer>
__device__ tile_pair<Integer> pair_at(Integer row, Integer rest, Integer tiles) {
    if (rest < tiles - row)
        return {row, row + rest};
    const Integer i = tiles - row - (tiles % 2 == 0);
    return {i, i + rest - (tiles - row)};
}
template <class Integer>
__host__ __device__ Integer pair_width(Integer tiles) {
    return tiles | 1;
}
template <class Integer>
__device__ tile_pair<Integer> pair_of(Integer pair, Integer tiles) {
    const Integer width = pair_width(tiles);
    return pair_at(pair / width, pair % width, tiles);
}

// The same, with the pairs of a square of tiles, side x side, in a row: both tiles of a pair then
// have neighbours above and below that are moved at nearly the same time. Some numbers are of no
// pair: i > j, or j is beyond the last tile. pairs_in_squares: how many numbers there are.
template <class Integer>
__host__ __device__ Integer pairs_in_squares(Integer tiles, Integer side) {
    const Integer squares = ceil_div(tiles, side);
    return squares * (squares + 1) / 2 * side * side;
}
template <class Integer>
__device__ tile_pair<Integer> pair_in_squares(Integer number, Integer tiles, Integer side) {
    const auto [i, j] = pair_of(number / (side * side), ceil_div(tiles, side));
    return {i * side + number % side, j * side + number % (side * side) / side};
}

} // namespace myblas::cuda

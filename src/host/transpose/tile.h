// Square tiles of which two or three fit the first-level cache, and the walk over a matrix by tiles.
#pragma once

#include <algorithm>
#include <cstdint>

namespace myblas::host {

inline constexpr int tile_edge = 32; // 4 KiB of floats; a column is two cache lines

// Calls visit(i, j, rows, cols) for each tile of an m x n matrix, down the columns of tiles.
template <class Visit>
void for_each_tile(int64_t m, int64_t n, Visit visit) {
    for (int64_t j = 0; j < n; j += tile_edge) {
        const int cols = static_cast<int>(std::min<int64_t>(tile_edge, n - j));
        for (int64_t i = 0; i < m; i += tile_edge)
            visit(i, j, static_cast<int>(std::min<int64_t>(tile_edge, m - i)), cols);
    }
}

// B = A^T, A m x n, without overlap: the lines of B that a tile covers are filled while they are near.
template <class T>
void transpose_tiles(int64_t m, int64_t n, const T* a, int64_t lda, T* b, int64_t ldb) {
    for_each_tile(m, n, [=](int64_t i, int64_t j, int rows, int cols) {
        const T* from = a + i + j * lda;
        T* to = b + j + i * ldb;
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < cols; ++column)
                to[column + row * ldb] = from[row + column * lda];
    });
}

} // namespace myblas::host

// The loop over the tiles of a matrix, which are transposed in registers (host/transpose_block.h),
// and transpositions of whole matrices.
//
// Large results pass through a buffer. Whole cache lines are stored from there past the caches
// (host/stream.h). The target is written in strips of columns, one tile after another down a strip.
// A tile is two cache lines of each column. Elements that do not fill a cache line wait in the
// buffer for the next tile.
#pragma once

#include "host/instructions.h"
#include "host/stream.h"
#include "host/threads.h"
#include "host/transpose_block.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace myblas::host {

// The side of tiles that are stored directly. Parts for threads are multiples of it.
inline constexpr int tile_edge = 64;

// Calls visit(i, j, rows, cols) for each tile of an m x n matrix, down the columns of tiles.
template <class Visit>
void for_each_tile(int64_t m, int64_t n, Visit visit) {
    for (int64_t j = 0; j < n; j += tile_edge)
        for (int64_t i = 0; i < m; i += tile_edge)
            visit(i,
                  j,
                  static_cast<int>(std::min<int64_t>(tile_edge, m - i)),
                  static_cast<int>(std::min<int64_t>(tile_edge, n - j)));
}

// Calls work(i, j, rows, cols) for parts of an m x n matrix, on several threads if it is large. The
// parts are pieces of its longer side.
template <class Work>
void for_each_part(int64_t m, int64_t n, int64_t bytes_an_element, const Work& work) {
    if (m > n)
        for_each_piece(m, n * bytes_an_element, tile_edge, [&](int64_t first, int64_t end) {
            work(first, int64_t{0}, end - first, n);
        });
    else
        for_each_piece(n, m * bytes_an_element, tile_edge, [&](int64_t first, int64_t end) {
            work(int64_t{0}, first, m, end - first);
        });
}

// ---- Strips -------------------------------------------------------------------------------------

// A tile of the target in the buffer: `length` elements of up to strip_columns columns. Pieces of
// the source's columns must be this long to keep the processor's prefetch going.
inline constexpr int strip_columns = 512;

template <class T>
struct strip_tile {
    static constexpr int line = line_bytes / sizeof(T); // the end of the previous tile
    static constexpr int length = 2 * line;
    T columns[strip_columns][line + length]; // 96 KiB

    T* begin() { return columns[0] + line; } // element (i, j) is at begin()[i + j * pitch]
    static constexpr int64_t pitch = line + length;

    // Stores rows first ... first + rows - 1 of `cols` columns of a target with `all_rows` rows.
    [[gnu::always_inline]] void
    put(T* target, int64_t ld, int64_t first, int64_t rows, int64_t cols, int64_t all_rows) {
        const int64_t bytes = rows * static_cast<int64_t>(sizeof(T));
        for (int64_t j = 0; j < cols; ++j) {
            T* const to = target + first + j * ld;
            const int64_t start = first == 0 ? 0 : -bytes_into_line(to);
            const int64_t stop =
                first + rows == all_rows ? bytes : bytes - bytes_into_line(to + rows);
            stream_copy(reinterpret_cast<char*>(to) + start,
                        reinterpret_cast<const char*>(begin() + j * pitch) + start,
                        static_cast<size_t>(stop - start));
            std::memcpy(columns[j], columns[j] + length, line_bytes);
        }
    }
};

// Calls visit(i, j, rows, cols) for the tiles of an m x n target: strip by strip, each from the
// top.
template <class T, class Visit>
void for_each_strip_tile(int64_t m, int64_t n, Visit visit) {
    constexpr int64_t length = strip_tile<T>::length;
    for (int64_t j = 0; j < n; j += strip_columns)
        for (int64_t i = 0; i < m; i += length)
            visit(i, j, std::min(length, m - i), std::min<int64_t>(strip_columns, n - j));
}

// ---- Whole matrices -----------------------------------------------------------------------------

// B = A^T, A m x n. A and B do not overlap.
template <int vector_bytes, class T>
[[gnu::always_inline]] inline void
transpose_directly(int64_t m, int64_t n, const T* a, int64_t lda, T* b, int64_t ldb) {
    for_each_tile(m, n, [=](int64_t i, int64_t j, int rows, int cols) {
        transpose_block<vector_bytes>(a + i + j * lda, lda, rows, cols, b + j + i * ldb, ldb);
    });
}

template <int vector_bytes, class T>
[[gnu::always_inline]] inline void
transpose_streaming(int64_t m, int64_t n, const T* a, int64_t lda, T* b, int64_t ldb) {
    strip_tile<T> t;
    for_each_strip_tile<T>(n, m, [&](int64_t i, int64_t j, int64_t rows, int64_t cols) {
        transpose_block<vector_bytes>(
            a + j + i * lda, lda, cols, rows, t.begin(), strip_tile<T>::pitch);
        t.put(b + j * ldb, ldb, i, rows, cols, n);
    });
    finish_streaming();
}

// On several threads if A is large.
template <class T>
void transpose_tiles(int64_t m, int64_t n, const T* a, int64_t lda, T* b, int64_t ldb) {
    // Columns of only a few cache lines are not worth the buffer.
    const bool streams = m * n * static_cast<int64_t>(sizeof(T)) >= least_streamed_bytes &&
                         n >= 2 * strip_tile<T>::length;
    for_each_part(m, n, 2 * sizeof(T), [=](int64_t i, int64_t j, int64_t rows, int64_t cols) {
        const T* const from = a + i + j * lda;
        T* const to = b + j + i * ldb;
        run_best([=](auto length) {
            if (streams)
                transpose_streaming<length.value>(rows, cols, from, lda, to, ldb);
            else
                transpose_directly<length.value>(rows, cols, from, lda, to, ldb);
        });
    });
}

} // namespace myblas::host

// The transposition of blocks in registers, and the walk over a matrix by tiles.
//
// Squares of as many elements as a vector has go from columns to columns:
//
//   source              registers             target
//   w columns of w      log2(w) rounds that   w columns of w
//                       interleave halves
//
// Large results go through a buffer, from which whole lines are stored past the caches (host/stream.h): strips of the
// source, with a tile of two lines of each column of the target after the other. What does not fill a line waits in the
// buffer for the next tile.
#pragma once

#include "host/instructions.h"
#include "host/stream.h"
#include "host/threads.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace myblas::host {

inline constexpr int tile_edge =
    64; // of tiles that go directly, and of those that threads share a matrix by

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

// Calls work(i, j, rows, cols) for parts of an m x n matrix, for several threads where it is large: pieces of its
// longer side.
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

// ---- In registers ----------------------------------------------------------------------------------

// The halves of a and b, low or high, an element of each in turn.
template <bool high, class Vector, size_t... lane>
[[gnu::always_inline]] inline void
interleave(Vector& to, const Vector& a, const Vector& b, std::index_sequence<lane...>) {
    constexpr size_t width = sizeof...(lane);
    to = __builtin_shufflevector(
        a, b, (lane % 2 ? width : 0) + (high ? width / 2 : 0) + lane / 2 ...);
}

// A square of as many elements as a vector has, from columns to columns.
template <class Bits, int vector_bytes>
[[gnu::always_inline]] inline void
transpose_square(const void* from, int64_t ld_bytes, void* to, int64_t to_ld_bytes) {
    using vector = vector_of<Bits, vector_bytes>;
    constexpr int width = vector_bytes / sizeof(Bits);
    constexpr auto lanes = std::make_index_sequence<width>{};
    vector now[width], next[width];
#pragma GCC unroll 16
    for (int i = 0; i < width; ++i)
        load(now[i], static_cast<const char*>(from) + i * ld_bytes);
#pragma GCC unroll 4
    for (int round = 1; round < width; round *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < width / 2; ++i) {
            interleave<false>(next[2 * i], now[i], now[i + width / 2], lanes);
            interleave<true>(next[2 * i + 1], now[i], now[i + width / 2], lanes);
        }
#pragma GCC unroll 16
        for (int i = 0; i < width; ++i)
            now[i] = next[i];
    }
#pragma GCC unroll 16
    for (int i = 0; i < width; ++i)
        store(static_cast<char*>(to) + i * to_ld_bytes, now[i]);
}

template <size_t bytes>
struct bits_of;
template <>
struct bits_of<1> {
    using type = uint8_t;
};
template <>
struct bits_of<2> {
    using type = uint16_t;
};
template <>
struct bits_of<4> {
    using type = uint32_t;
};
template <>
struct bits_of<8> {
    using type = uint64_t;
};

// to = from^T, from rows x cols, element by element.
template <class T>
[[gnu::always_inline]] inline void
transpose_scalars(const T* from, int64_t ld, int64_t rows, int64_t cols, T* to, int64_t to_ld) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            to[j + i * to_ld] = from[i + j * ld];
}

// The same by squares, and their edges by squares of the shortest vectors and then by elements.
template <int vector_bytes, class T>
[[gnu::always_inline]] inline void
transpose_block(const T* from, int64_t ld, int64_t rows, int64_t cols, T* to, int64_t to_ld) {
    constexpr int shortest = 16;
    // Bytes and pairs of them fill the shortest vectors: others would need instructions of later processors.
    constexpr int bytes = sizeof(T) < 4 ? shortest : vector_bytes;
    constexpr int64_t size = sizeof(T), width = bytes / size;
    if constexpr (size > 8) {
        transpose_scalars(from, ld, rows, cols, to, to_ld);
    } else {
        const int64_t whole_rows = rows - rows % width, whole_cols = cols - cols % width;
        for (int64_t j = 0; j < whole_cols; j += width)
            for (int64_t i = 0; i < whole_rows; i += width)
                transpose_square<typename bits_of<sizeof(T)>::type, bytes>(
                    from + i + j * ld, ld * size, to + j + i * to_ld, to_ld * size);
        const auto transpose_edge = [=](int64_t i, int64_t j, int64_t height, int64_t length) {
            const T* const edge = from + i + j * ld;
            T* const target = to + j + i * to_ld;
            if constexpr (bytes > shortest)
                transpose_block<shortest>(edge, ld, height, length, target, to_ld);
            else
                transpose_scalars(edge, ld, height, length, target, to_ld);
        };
        transpose_edge(whole_rows, 0, rows - whole_rows, whole_cols);
        transpose_edge(0, whole_cols, rows, cols - whole_cols);
    }
}

// ---- Strips ----------------------------------------------------------------------------------------

// A tile of the target, on its way there: `length` elements of up to strip_columns columns.
inline constexpr int strip_columns =
    512; // pieces of the source's columns that long keep the processor's prefetch going

template <class T>
struct strip_tile {
    static constexpr int line = line_bytes / sizeof(T); // the last of the tile before
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

// Calls visit(i, j, rows, cols) for the tiles of an m x n target: down one strip after the other.
template <class T, class Visit>
void for_each_strip_tile(int64_t m, int64_t n, Visit visit) {
    constexpr int64_t length = strip_tile<T>::length;
    for (int64_t j = 0; j < n; j += strip_columns)
        for (int64_t i = 0; i < m; i += length)
            visit(i, j, std::min(length, m - i), std::min<int64_t>(strip_columns, n - j));
}

// ---- Of whole matrices -------------------------------------------------------------------------------

// B = A^T, A m x n, without overlap.
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
        transpose_block<vector_bytes>(a + j + i * lda, lda, cols, rows, t.begin(), t.pitch);
        t.put(b + j * ldb, ldb, i, rows, cols, n);
    });
    finish_streaming();
}

// On several threads where A is large.
template <class T>
void transpose_tiles(int64_t m, int64_t n, const T* a, int64_t lda, T* b, int64_t ldb) {
    // Columns of a few lines are not worth the buffer.
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

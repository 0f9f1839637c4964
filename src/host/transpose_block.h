// The transposition of a block in registers. Squares with as many rows and columns as a vector has
// elements go from columns to columns:
//
//   source              registers             target
//   w columns of w      log2(w) rounds that   w columns of w
//                       interleave halves
#pragma once

#include "host/instructions.h"

#include <cstdint>
#include <utility>

namespace myblas::host {

// to = the elements of the low or high halves of a and b, alternating.
template <bool high, class Vector, size_t... lane>
[[gnu::always_inline]] inline void
interleave(Vector& to, const Vector& a, const Vector& b, std::index_sequence<lane...>) {
    constexpr size_t width = sizeof...(lane);
    to = __builtin_shufflevector(
        a, b, (lane % 2 ? width : 0) + (high ? width / 2 : 0) + lane / 2 ...);
}

// Transposes a square with as many rows and columns as a vector has elements, from columns to
// columns.
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

// The same by squares. Edges go by squares of the shortest vectors, and then by elements.
template <int vector_bytes, class T>
[[gnu::always_inline]] inline void
transpose_block(const T* from, int64_t ld, int64_t rows, int64_t cols, T* to, int64_t to_ld) {
    constexpr int shortest = 16;
    // Elements of 1 and 2 bytes use the shortest vectors: longer ones would need instructions of
    // later processors.
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

} // namespace myblas::host

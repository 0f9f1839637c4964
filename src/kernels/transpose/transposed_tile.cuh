// Small tiles. A thread transposes a few bytes of up to 4 columns in registers: it has few
// elements, so that there are many threads. Rows meet in shared memory as pieces of 16-byte
// vectors, which are then stored. An XOR replaces padding. All numbers except addresses are 32-bit.
#pragma once

#include "kernels/transpose/square.cuh"
#include "kernels/transpose/tile.cuh"

#include <cstring>

namespace myblas::cuda {

template <int bytes>
struct words_of;
template <>
struct words_of<4> {
    using type = uint32_t;
};
template <>
struct words_of<8> {
    using type = uint2;
};
template <>
struct words_of<16> {
    using type = uint4;
};

// A thread's part of a tile, and the operations of the `threads` threads that share a tile: a
// block, or one of several such groups in it.
template <class T>
struct transposed_tile {
    // In A: the bytes and rows that a thread reads in a column, and its number of columns.
    static constexpr int read_bytes = sizeof(T) >= 8 ? 16 : 8, thread_rows = read_bytes / sizeof(T);
    static constexpr int thread_cols = sizeof(T) <= 4 ? 4 : 16 / sizeof(T);
    static constexpr int lanes_m = sizeof(T) == 4 ? 16 : 8; // threads along m
    static constexpr int rows = lanes_m * thread_rows;
    static constexpr int cols = sizeof(T) == 1 ? 128 : sizeof(T) == 2 ? 64 : 32;
    static constexpr int threads = lanes_m * cols / thread_cols;
    static constexpr int v = vector_elements<T>;
    static constexpr int units = cols / v; // vectors of a row in shared memory
    static constexpr int vectors = rows * units;
    using read_type = words_of<read_bytes>::type;
    using piece_type = words_of<thread_cols * sizeof(T)>::type; // of a vector
    static constexpr int pieces = sizeof(vector16) / sizeof(piece_type);
    static_assert(units % 8 == 0 && lanes_m % 8 == 0);

    read_type column[thread_cols];

    // The place of vector `unit` of row i in shared memory, in vectors. Threads that are neighbours
    // along m write the same unit: to 8 different groups of four banks.
    static __device__ __forceinline__ int place(int i, int unit) {
        return i * units + (unit ^ (i / thread_rows & 7));
    }

    static __device__ __forceinline__ unsigned thread() { return threadIdx.x % threads; }
    // The thread's first row; its columns start at `square` * thread_cols.
    static __device__ __forceinline__ int first_row() { return thread() % lanes_m * thread_rows; }
    static __device__ __forceinline__ int square() { return thread() / lanes_m; }

    // Loads from a tile of A. rows_left, cols_left: rows and columns of the matrix from the tile's
    // first on. keeps: A stays in the caches.
    template <bool keeps>
    __device__ __forceinline__ void load(const T* gmem, int ld, int rows_left, int cols_left) {
        const int i = first_row(), j = square() * thread_cols;
        if (i < rows_left && j < cols_left)
#pragma unroll
            for (int c = 0; c < thread_cols; ++c) {
                const auto* from = reinterpret_cast<const read_type*>(gmem + i + (j + c) * ld);
                column[c] = keeps ? *from : __ldcs(from);
            }
    }

    // Elements outside the matrix are never read: rows end there, and columns of B end with whole
    // vectors.
    __device__ __forceinline__ void put(vector16* smem) const {
        piece_type row[thread_rows];
        turn(row);
#pragma unroll
        for (int r = 0; r < thread_rows; ++r)
            reinterpret_cast<piece_type*>(
                &smem[place(first_row() + r, square() / pieces)])[square() % pieces] = row[r];
    }

    // Stores to the tile of B, which has a column for each row of this tile.
    static __device__ __forceinline__ void
    store(const vector16* smem, T* gmem, int ld, int rows_left, int cols_left) {
        const int unit = thread() % units, first = thread() / units;
        constexpr int step = threads / units; // rows that the threads cover at once
#pragma unroll
        for (int k = 0; k < rows / step; ++k) {
            const int at = first + k * step;
            if (at < rows_left && unit * v < cols_left)
                store_streaming(gmem + unit * v + at * ld, smem[place(at, unit)]);
        }
    }

private:
    // Element r of column[c] becomes element c of row[r].
    __device__ __forceinline__ void turn(piece_type (&row)[thread_rows]) const {
        uint32_t from[thread_cols][sizeof(read_type) / 4], to[thread_rows][sizeof(piece_type) / 4];
        std::memcpy(from, column, sizeof(from));
        constexpr int e = sizeof(T) < 4 ? 4 / sizeof(T) : 1; // elements of a word
        constexpr int w = sizeof(T) < 4 ? 1 : sizeof(T) / 4; // words of an element
#pragma unroll
        for (int c = 0; c < thread_cols; c += e)
#pragma unroll
            for (int r = 0; r < thread_rows; r += e) {
                if constexpr (e == 1) {
#pragma unroll
                    for (int k = 0; k < w; ++k)
                        to[r][c * w + k] = from[c][r * w + k];
                } else {
                    uint32_t square[e], transposed[e];
#pragma unroll
                    for (int k = 0; k < e; ++k)
                        square[k] = from[c + k][r / e];
                    transpose_word_square<T>(square, transposed);
#pragma unroll
                    for (int k = 0; k < e; ++k)
                        to[r + k][c / e] = transposed[k];
                }
            }
        std::memcpy(row, to, sizeof(row));
    }
};

} // namespace myblas::cuda

// The tile mover for elements of 1 and 2 bytes at any alignment: columns of A come to shared memory 16 bytes
// at a time, as images with the 16-byte grid of their own memory; lanes turn squares of words in registers;
// rows of B leave as words, in windows that start where sectors of B do.
//
// A lane takes a vector of each of v neighbouring columns, v elements to a word. Columns start anywhere in
// their images, so it reads the next vector too and shifts the pair: by words where lanes differ, then by
// bytes, which the columns v apart have in common. v words of v columns are then a square to turn, whose
// rows are words of B, up to v - 1 elements off B's grid; the lane to the right has what is missing.
//
//      image of a column   |..aa aaaa|aaaa aaaa|aaaa ..|      the tile starts at the first a
//      row of B            |bbbb|bbbb|bbbb|bbbb|              |..bb|bbbb|b...| of one lane and the next
//
// Rows of B start anywhere in their sectors, each somewhere else. A tile loads `overlap` columns, a sector,
// more than it stores, and of each row stores a window of `cols` elements, shifted to the left so that it
// starts on a sector's boundary: no two blocks write parts of one sector.
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/reduce.h"
#include "kernels/transpose/mover.h"
#include "kernels/transpose/square.h"

namespace myblas::cuda {

// vectors: of a column of the tile; squares: of words, that a lane has at a time.
template <class Element, int vectors_, int squares_, int threads_>
struct image_tile {
    using T = Element;
    static constexpr int v = 4 / sizeof(T);          // elements of a word
    static constexpr int of_vector = 16 / sizeof(T); // elements of a vector
    static constexpr int overlap = 32 / sizeof(T);   // elements of a sector
    static constexpr int vectors = vectors_, squares = squares_, threads = threads_;
    static constexpr int rows = vectors * of_vector;
    static constexpr int loaded_cols = warp_size * v * squares, cols = loaded_cols - overlap;
    static constexpr int overlap_rest = overlap - 1; // as word_tile's
    static constexpr int pitch =
        (vectors + 1) | 1; // vectors; odd: a phase of 8 lanes meets all banks
    static constexpr int plane = loaded_cols / v * pitch; // columns j, j + v, j + 2 v ...
    static constexpr size_t smem_bytes = sizeof(vector16) * plane * v;
    static_assert(v > 1 && cols > 0);

    static __device__ __forceinline__ int place(int vector, int col) {
        return col % v * plane + col / v * pitch + vector;
    }

    // Issues the copies of a tile of A, from column at.j0 - overlap on.
    static __device__ __forceinline__ void
    load(vector16* smem, const T* matrix, int64_t ld, const tile_region& at) {
        constexpr int step = threads / vectors; // columns that the block covers at once
        static_assert(threads % vectors == 0 && loaded_cols % step == 0 && step % v == 0);
        const int64_t j0 = at.j0 - overlap, rest = at.m - at.i0; // rows left
        const auto* const memory = reinterpret_cast<const unsigned char*>(matrix);
        const int64_t last =
            static_cast<int64_t>(((at.n - 1) * ld + at.m) * sizeof(T)) - sizeof(vector16);
        // The vector that holds `element` of column j0 + col. It may hold elements of the columns before
        // and after, and is copied element by element where it begins before the matrix or ends after.
        const auto load_vector = [&](int vector, int col, const T* element) {
            if (j0 + col < 0 || j0 + col >= at.n)
                return;
            vector16* const target = smem + place(vector, col);
            const auto* const source = reinterpret_cast<const unsigned char*>(
                reinterpret_cast<uintptr_t>(element) & ~uintptr_t{sizeof(vector16) - 1});
            const int64_t offset = source - memory;
            if (offset >= 0 && offset <= last) {
                cp_async_of_line<16>(target, source);
                return;
            }
            for (int k = 0; k < of_vector; ++k) {
                const int64_t byte = offset + k * static_cast<int64_t>(sizeof(T));
                if (byte >= 0 && byte < last + static_cast<int64_t>(sizeof(vector16)))
                    reinterpret_cast<T*>(target)[k] = *reinterpret_cast<const T*>(memory + byte);
            }
        };
        const int vector = threadIdx.x % vectors, first = threadIdx.x / vectors;
        if (vector * of_vector - (of_vector - 1) < rest) {
            const T* element = matrix + at.i0 + vector * of_vector + (j0 + first) * ld;
#pragma unroll 8
            for (int k = 0; k < loaded_cols / step; ++k, element += step * ld)
                load_vector(vector, first + k * step, element);
        }
        if (rows - (of_vector - 1) <
            rest) // one more for the columns that start late in their images
            for (int col = threadIdx.x; col < loaded_cols; col += threads)
                load_vector(vectors, col, matrix + at.i0 + rows + (j0 + col) * ld);
    }

    // Stores the tile. `source`, lda: the matrix that it was loaded from.
    static __device__ __forceinline__ void store(const vector16* smem,
                                                 const T* source,
                                                 int64_t lda,
                                                 T* target,
                                                 int64_t ldb,
                                                 const tile_region& at) {
        const int lane = threadIdx.x % warp_size;
        const int64_t j0 = at.j0 - overlap;
        // Columns of the matrix, from j0 on.
        const int begin = j0 < 0 ? static_cast<int>(-j0) : 0;
        const int end = static_cast<int>(min(at.n - j0, int64_t{loaded_cols}));
        int shift[v]; // bytes of column c of the lane's square past the grid of its image
#pragma unroll
        for (int c = 0; c < v; ++c)
            shift[c] = static_cast<int>(
                reinterpret_cast<uintptr_t>(source + at.i0 + (j0 + lane * v + c) * lda) %
                sizeof(vector16));

        for (int vector = threadIdx.x / warp_size; vector < vectors;
             vector += threads / warp_size) {
            const int64_t i0 = at.i0 + vector * of_vector;
            if (i0 >= at.m)
                return;
            uint32_t columns[squares][v][4]; // words, from row i0 on
#pragma unroll
            for (int s = 0; s < squares; ++s)
#pragma unroll
                for (int c = 0; c < v; ++c)
                    read_column(smem + place(vector, (s * warp_size + lane) * v + c),
                                shift[c],
                                columns[s][c]);
            T* row = target + i0 * ldb + j0;
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                uint32_t turned[squares][v];
#pragma unroll
                for (int s = 0; s < squares; ++s) {
                    uint32_t square[v];
#pragma unroll
                    for (int c = 0; c < v; ++c)
                        square[c] = columns[s][c][w];
                    transpose_word_square<T>(square, turned[s]);
                }
#pragma unroll
                for (int r = 0; r < v; ++r, row += ldb) {
                    uint32_t words[squares];
#pragma unroll
                    for (int s = 0; s < squares; ++s)
                        words[s] = turned[s][r];
                    store_row(words, row, i0 + w * v + r < at.m, begin, end);
                }
            }
        }
    }

private:
    // The four words that start `shift` bytes into a pair of vectors.
    static __device__ __forceinline__ void
    read_column(const vector16* pair, int shift, uint32_t (&words)[4]) {
        const vector16 first = pair[0], second = pair[1];
        uint32_t word[8];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            word[k] = first.word[k];
            word[k + 4] = second.word[k];
        }
#pragma unroll
        for (int k = 0; k < 6; ++k)
            word[k] = shift & 8 ? word[k + 2] : word[k];
#pragma unroll
        for (int k = 0; k < 5; ++k)
            word[k] = shift & 4 ? word[k + 1] : word[k];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            words[k] = __funnelshift_r(word[k], word[k + 1], 8 * (shift & 3));
    }

    // Stores the window of a row, whose words the lanes hold side by side; row: where the first belongs.
    static __device__ __forceinline__ void
    store_row(const uint32_t (&words)[squares], T* row, bool exists, int begin, int end) {
        constexpr int sector_words = 8;
        const int lane = threadIdx.x % warp_size;
        const uint32_t address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(row));
        const int late = static_cast<int>(address % 4); // bytes past B's grid
        const int first = sector_words - 1 - static_cast<int>(address / 4 % sector_words);
        const uint32_t count = exists ? cols / v : 0;
        T* const to =
            row + v - late / static_cast<int>(sizeof(T)); // on B's grid, in the first word
#pragma unroll
        for (int s = 0; s < squares; ++s) {
            uint32_t next = __shfl_sync(full_warp, words[s], lane + 1);
            if (s + 1 < squares) {
                const uint32_t beyond = __shfl_sync(full_warp, words[(s + 1) % squares], 0);
                next = lane == warp_size - 1 ? beyond : next;
            }
            const uint32_t word = __funnelshift_rc(words[s], next, 32 - 8 * late);
            const int at = s * warp_size + lane;
            if (static_cast<uint32_t>(at - first) >= count)
                continue;
            const int col = (at + 1) * v - late / static_cast<int>(sizeof(T));
            if (col >= begin && col + v <= end) {
                *reinterpret_cast<uint32_t*>(to + at * v) = word;
            } else {
                for (int k = 0; k < v; ++k) // a word that the row starts or ends in
                    if (col + k >= begin && col + k < end)
                        to[at * v + k] = static_cast<T>(word >> (8 * sizeof(T) * k));
            }
        }
    }
};

} // namespace myblas::cuda

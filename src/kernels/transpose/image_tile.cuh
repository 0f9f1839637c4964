// The tile mover for elements of 1 and 2 bytes at any alignment. Columns of A are copied to shared
// memory 16 bytes at a time. Each becomes an image, with the same offset from a 16-byte boundary as
// in memory. Words of B are gathered from the images element by element. Rows of a tile are stored
// to B as words, in windows that start on sector boundaries.
//
// Images are `pitch` elements apart; the pitch equals A's leading dimension modulo 16 bytes. Shared
// memory is then a matrix too, of any alignment: element (i, j) of the tile is i + j * pitch
// elements after the first.
//
//      image of a column   |..aa aaaa|aaaa aaaa|aaaa ..|      the tile starts at the first a
//
// A word of B consists of one element from each of v columns. Lanes with neighbouring words of a
// row read addresses that are `pitch` words apart: in all banks, if the pitch is odd. If it is
// even, lanes have words of two or four rows, each a word further down the columns. If it is a
// multiple of eight, each group of v columns is moved on by one more vector, so that groups are an
// odd multiple of four words apart.
//
// Each row of B starts anywhere in a sector. A tile loads `overlap` columns (one sector) more than
// it stores. A window of `cols` elements of each row is stored, shifted to the left so that it
// starts on a sector boundary. No two blocks write to the same sector.
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/transpose/mover.cuh"
#include "kernels/transpose/square.cuh"

namespace myblas::cuda {

template <class Element, int rows_, int cols_, int threads_>
struct image_tile {
    using T = Element;
    static constexpr int v = 4 / sizeof(T);          // elements of a word
    static constexpr int of_vector = 16 / sizeof(T); // elements of a vector
    static constexpr int overlap = 32 / sizeof(T);   // elements of a sector
    static constexpr int rows = rows_, cols = cols_, threads = threads_;
    static constexpr int loaded_cols = cols + overlap;
    static constexpr int overlap_rest = overlap - 1; // as in word_tile
    // 16-byte vectors of an image, not counting one more in which the image may end.
    static constexpr int vectors = rows / of_vector;
    static constexpr int words = cols / (v * warp_size); // words of a lane in each row
    static_assert(v > 1 && threads % vectors == 0);
    static_assert(rows % overlap == 0 && cols % (v * warp_size) == 0);

    // Elements of shared memory between neighbouring columns, and between groups of v columns.
    struct pitches {
        int col, group;

        __device__ __forceinline__ int operator()(int j) const {
            return j / v * group + j % v * col;
        }
    };
    static constexpr __host__ __device__ pitches pitches_of(int64_t ld) {
        const int col = rows + of_vector + static_cast<int>(ld % of_vector);
        return {col, v * col + (col % 8 == 0 ? of_vector : 0)};
    }
    static constexpr size_t smem_bytes_of(int64_t ld) {
        return sizeof(vector16) + sizeof(T) * (loaded_cols / v) * pitches_of(ld).group;
    }

    // Issues the copies of a tile of A, from column at.j0 - overlap on.
    static __device__ __forceinline__ void
    load(unsigned char* smem, const T* matrix, int64_t ld, const tile_region& at) {
        constexpr int step = threads / vectors; // columns that a block covers at once
        const pitches place = pitches_of(ld);
        const int64_t j0 = at.j0 - overlap, rest = at.m - at.i0; // rows left
        const int first_byte = late_of(matrix + at.i0 + j0 * ld);
        const auto* const memory = reinterpret_cast<const unsigned char*>(matrix);
        const int64_t last =
            static_cast<int64_t>(((at.n - 1) * ld + at.m) * sizeof(T)) - sizeof(vector16);
        // True if vectors may begin before the matrix or end after it; these are copied element by
        // element.
        const bool has_rim = j0 < of_vector || at.n - j0 < loaded_cols + of_vector;
        // Copies the 16-byte vector with element `vector * of_vector` of column j0 + col. The
        // vector may also hold elements of the columns before and after.
        const auto load_vector = [&](int vector, int col, const T* element) {
            unsigned char* const target =
                smem + ((first_byte + (vector * of_vector + place(col)) * int{sizeof(T)}) &
                        -int{sizeof(vector16)});
            const unsigned char* const source =
                reinterpret_cast<const unsigned char*>(element) - late_of(element);
            if (has_rim) {
                if (j0 + col < 0 || j0 + col >= at.n)
                    return;
                const int64_t offset = source - memory;
                if (offset < 0 || offset > last) {
#pragma unroll 1
                    for (int k = 0; k < of_vector; ++k) {
                        const int64_t byte = offset + k * int64_t{sizeof(T)};
                        if (byte >= 0 && byte < last + int64_t{sizeof(vector16)})
                            reinterpret_cast<T*>(target)[k] =
                                *reinterpret_cast<const T*>(memory + byte);
                    }
                    return;
                }
            }
            cp_async_of_line<16>(target, source);
        };
        const int vector = threadIdx.x % vectors, first = threadIdx.x / vectors;
        if (vector * of_vector - (of_vector - 1) < rest) {
            const T* element = matrix + at.i0 + vector * of_vector + (j0 + first) * ld;
#pragma unroll 4
            for (int col = first; col < loaded_cols; col += step, element += step * ld)
                load_vector(vector, col, element);
        }
        if (rows - (of_vector - 1) < rest)
            // One more vector for columns that start late in their images.
            for (int col = threadIdx.x; col < loaded_cols; col += threads)
                load_vector(vectors, col, matrix + at.i0 + rows + (j0 + col) * ld);
    }

    // Stores the tile, which was loaded from the matrix `source` with leading dimension lda.
    static __device__ __forceinline__ void store(const unsigned char* smem,
                                                 const T* source,
                                                 int64_t lda,
                                                 T* target,
                                                 int64_t ldb,
                                                 const tile_region& at) {
        const pitches place = pitches_of(lda);
        const T* const tile =
            reinterpret_cast<const T*>(smem + late_of(source + at.i0 + (at.j0 - overlap) * lda));
        T* const to = target + at.j0 + at.i0 * ldb;
        const auto first = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(to) / sizeof(T));
        // Elements by which the window of row i is shifted to the left.
        const auto shift_of = [&](int i) {
            return static_cast<int>((first + i * static_cast<uint32_t>(ldb)) % overlap);
        };
        if (at.i0 + rows <= at.m && at.j0 >= overlap && at.j0 + cols <= at.n) {
            store_words<false>(tile, place, to, ldb, shift_of, at);
        } else {
            store_words<true>(tile, place, to, ldb, shift_of, at);
            store_rims(tile, place, to, ldb, shift_of, at);
        }
    }

private:
    // Bytes between `element` and the 16-byte boundary before it.
    static __device__ __forceinline__ int late_of(const T* element) {
        return static_cast<int>(reinterpret_cast<uintptr_t>(element) % sizeof(vector16));
    }

    // A word of one element from each of v columns, at `offset` in the column.
    static __device__ __forceinline__ uint32_t gather(const T* const (&col)[v], int offset) {
        if constexpr (sizeof(T) == 1)
            return __byte_perm(__byte_perm(col[0][offset], col[1][offset], 0x0040),
                               __byte_perm(col[2][offset], col[3][offset], 0x0040),
                               0x5410);
        else
            return __byte_perm(col[0][offset], col[1][offset], 0x5410);
    }

    // Columns [begin, end) of a window shifted by `shift` are inside the matrix.
    struct span {
        int begin, end;
    };
    static __device__ __forceinline__ span span_of(int shift, const tile_region& at) {
        return {static_cast<int>(max(shift - at.j0, int64_t{0})),
                static_cast<int>(min(at.n - at.j0 + shift, int64_t{cols}))};
    }

    // Stores whole words. is_cut: the tile is partly outside the matrix. A thread stores rows that
    // are `overlap` apart: their windows have the same shift. The lanes of a warp share 2^k rows, v
    // apart. A part is the work of one warp: 1 / 2^k of the words of these rows.
    template <bool is_cut, class Shift>
    static __device__ __forceinline__ void store_words(
        const T* tile, pitches place, T* to, int64_t ldb, Shift shift_of, const tile_region& at) {
        constexpr int log2_warp = 5, most_log2_rows = 2;
        const int log2_rows = min(__ffs(place.group / v) - 1, most_log2_rows);
        const int log2_words = log2_warp - log2_rows; // of a row, that the lanes cover at once
        const int lane = threadIdx.x % warp_size;
        const int word = lane & ((1 << log2_words) - 1), row = lane >> log2_words;
        const int log2_groups = __ffs(overlap) - 1 - log2_rows; // groups of rows
#pragma unroll 1
        for (int part = threadIdx.x / warp_size; part < overlap; part += threads / warp_size) {
            const int group = part & ((1 << log2_groups) - 1), slice = part >> log2_groups;
            const int i = group % v + ((group / v << log2_rows) + row) * v;
            const int at_word = (slice * words << log2_words) + word, shift = shift_of(i);
            const span inside = span_of(shift, at);
            const T* from[v];
#pragma unroll
            for (int c = 0; c < v; ++c)
                from[c] = tile + i + place(overlap - shift + c) + at_word * place.group;
            T* window = to + i * ldb - shift + at_word * v;
#pragma unroll
            for (int k = 0; k < rows; k += overlap, window += overlap * ldb)
#pragma unroll
                for (int w = 0; w < words; ++w) {
                    const int further = w << log2_words; // words
                    if constexpr (is_cut)
                        if (at.i0 + i + k >= at.m || (at_word + further) * v < inside.begin ||
                            (at_word + further + 1) * v > inside.end)
                            continue;
                    *reinterpret_cast<uint32_t*>(window + further * v) =
                        gather(from, further * place.group + k);
                }
        }
    }

    // Stores the elements of words that a row begins or ends in, one element for each lane.
    template <class Shift>
    static __device__ __forceinline__ void store_rims(
        const T* tile, pitches place, T* to, int64_t ldb, Shift shift_of, const tile_region& at) {
        constexpr int rims = 2 * v; // lanes for a row
        static_assert(threads % rims == 0 && v == (v & -v));
        const bool is_end = threadIdx.x / v % 2 == 1;
#pragma unroll 1
        for (int i = threadIdx.x / rims; i < rows && at.i0 + i < at.m; i += threads / rims) {
            const int shift = shift_of(i);
            const span inside = span_of(shift, at);
            const int first_word = (inside.begin + v - 1) & -v; // where whole words start
            const int last_word = max(inside.end & -v, first_word);
            const int col = (is_end ? last_word : inside.begin) + threadIdx.x % v;
            if (col < (is_end ? inside.end : min(first_word, inside.end)))
                to[i * ldb - shift + col] = tile[i + place(overlap - shift + col)];
        }
    }
};

} // namespace myblas::cuda

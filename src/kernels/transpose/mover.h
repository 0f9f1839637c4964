// The tile mover that the fast kernels of transpose and geam share: a block copies one tile to shared
// memory asynchronously, past the registers, and stores it turned. What one block waits for, the others
// on the multiprocessor overlap: blocks that stay and copy ahead were slower (docs/experiments).
//
// Two kinds of tile:
//   vector_tile  16 bytes at a time on both sides; everything is a multiple of 16 bytes.
//   word_tile    a word (4 bytes, or the element where it is larger) at a time; any alignment.
//
// A vector_tile holds columns of A as vectors, permuted by an XOR, so that 8 lanes (one phase of a
// 16-byte access) meet 8 different groups of four banks both when a column is written and when
// neighbouring lanes read the same vector of every v-th column.
//
//      vector u of column j of A: column j, at u ^ (j / v & 7)      v: elements of a vector
//
// A word_tile deals with alignments that change from column to column. The words of A are those of
// A's memory, so a column starts up to v - 1 elements into its first one; the words of B are those
// of B's memory, so a row's words start at columns that differ from row to row. Each row of the tile
// thus covers `cols` columns, shifted to the left so that it starts on a boundary of B's memory:
// sectors of B are written whole, at the price of reading `overlap` columns twice.
//
//      row i      |---- cols ----|            stored, shifted by up to overlap elements
//      row i+1  |---- cols ----|
//      loaded  |-overlap-|---- cols ----|
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/transpose/square.h"
#include "kernels/transpose/tile.h"

namespace myblas::cuda {

// ---- Order of the tiles --------------------------------------------------------------------------

struct mover_tile {
    int64_t batch, row, col; // row, col: in tiles
};

// Along the rows of tiles: blocks that run at the same time write neighbouring stretches of the same
// columns of B.
struct tile_order {
    uint32_t tiles_m, tiles_n; // of a matrix
    uint32_t tiles;            // of the batch

    __device__ mover_tile operator()(uint32_t tile) const {
        const uint32_t of_matrix = tiles_m * tiles_n;
        const uint32_t batch = tile / of_matrix;
        tile -= batch * of_matrix;
        const uint32_t row = tile / tiles_n;
        return {batch, row, tile - row * tiles_n};
    }
};

// Tiles of a launch, a block for each.
inline constexpr int64_t max_tiles = int64_t{1} << 30;

// Whether the tiles of one matrix are not too many, for tiles of at least 8 x 8.
inline bool fits_tile_order(int64_t m, int64_t n) {
    return tiles_of(m, 8) <= max_tiles / tiles_of(n, 8);
}

// Calls launch(part, order) for a batch of matrices of tiles_m x tiles_n tiles, in as many parts as
// their number asks for: nearly always one.
template <class Launch>
myblasStatus_t
launch_parts(const transpose_problem& p, int64_t tiles_m, int64_t tiles_n, Launch launch) {
    const int64_t most = max_tiles / (tiles_m * tiles_n);
    for (int64_t first = 0; first < p.batch_count; first += most) {
        const int64_t count = std::min(most, p.batch_count - first);
        const tile_order order{static_cast<uint32_t>(tiles_m),
                               static_cast<uint32_t>(tiles_n),
                               static_cast<uint32_t>(tiles_m * tiles_n * count)};
        if (const myblasStatus_t status = launch(p.part(first, count), order))
            return status;
    }
    return MYBLAS_STATUS_SUCCESS;
}

// Where a tile lies: it starts at (i0, j0) of an m x n matrix.
struct tile_region {
    int64_t m, n, i0, j0;
};

// Waits for the copies of this thread, then for those of the block.
__device__ __forceinline__ void wait_for_tile() {
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
}

// ---- Vectors -------------------------------------------------------------------------------------

// units: vectors of a column of A; groups: of v columns of A, that is vectors of a column of B.
template <class Element, int units_, int groups_, int threads_>
struct vector_tile {
    using T = Element;
    static constexpr int v = vector_elements<T>;
    static constexpr int units = units_, groups = groups_, threads = threads_;
    static constexpr int rows = units * v, cols = groups * v; // of A
    static constexpr int vectors = units * cols;
    static constexpr size_t smem_bytes = vectors * sizeof(vector16);
    static_assert(units % 8 == 0 && groups % 8 == 0, "a phase of 8 lanes stays in a column");
    static_assert(threads % units == 0 && threads % groups == 0);

    static __device__ __forceinline__ int place(int unit, int col) {
        return col * units + (unit ^ (col / v & 7));
    }

    // Issues the copies of a tile of A, as far as it is inside the matrix.
    static __device__ __forceinline__ void
    load(vector16* smem, const T* matrix, int64_t ld, const tile_region& at) {
        constexpr int step = threads / units; // columns that the block covers at once
        const int unit = threadIdx.x % units, first = threadIdx.x / units;
        if (at.i0 + unit * v >= at.m)
            return;
        const T* from = matrix + at.i0 + unit * v + (at.j0 + first) * ld;
#pragma unroll
        for (int col = first; col < first + cols; col += step) {
            if (at.j0 + col < at.n)
                cp_async<16>(smem + place(unit, col), from, true);
            from += step * ld;
        }
    }

    // The same of a matrix that lies as B does: each thread copies, to slots of its own, the vectors
    // of the squares that for_each_square gives it.
    static __device__ __forceinline__ void
    load_straight(vector16* smem, const T* matrix, int64_t ld, const tile_region& at) {
        for_each_square(at, [&](int square, int i, int j) {
            const T* from = matrix + at.j0 + j + (at.i0 + i) * ld;
#pragma unroll
            for (int r = 0; r < v; ++r)
                cp_async<16>(slot(smem, square, r), from + r * ld, true);
        });
    }

    // Calls visit(square, i, j) for the thread's squares inside the matrix: v x v elements from
    // (i, j) of the tile on.
    template <class Visit>
    static __device__ __forceinline__ void for_each_square(const tile_region& at, Visit visit) {
        constexpr int step = threads / groups; // units that the block covers at once
        const int j = threadIdx.x % groups * v;
#pragma unroll
        for (int square = 0; square < ceil_div(units, step); ++square) {
            const int unit = square * step + threadIdx.x / groups;
            if (unit < units && at.i0 + unit * v < at.m && at.j0 + j < at.n)
                visit(square, unit * v, j);
        }
    }

    // Element c of row[r] is element (i + r, j + c).
    static __device__ __forceinline__ void
    read(const vector16* smem, int i, int j, vector16 (&row)[v]) {
        vector16 column[v];
#pragma unroll
        for (int c = 0; c < v; ++c)
            column[c] = smem[place(i / v, j + c)];
        transpose_square<T>(column, row);
    }

    static __device__ __forceinline__ void
    read_straight(const vector16* smem, int square, vector16 (&row)[v]) {
#pragma unroll
        for (int r = 0; r < v; ++r)
            row[r] = *slot(smem, square, r);
    }

private:
    template <class Vector>
    static __device__ __forceinline__ Vector* slot(Vector* smem, int square, int r) {
        return smem + (square * v + r) * threads + threadIdx.x;
    }
};

// ---- Words ---------------------------------------------------------------------------------------

template <class T>
using word_of = std::conditional_t<(sizeof(T) < 4), uint32_t, T>;

// overlap: elements of B between the boundaries that rows are shifted to.
template <class Element, int rows_, int cols_, int overlap_, int threads_>
struct word_tile {
    using T = Element;
    using word = word_of<T>;
    static constexpr int v = sizeof(word) / sizeof(T);
    static constexpr int rows = rows_, cols = cols_, overlap = overlap_, threads = threads_;
    static constexpr int loaded_cols = cols + overlap;
    // Columns beyond the matrix by which the last tile may have to reach, since rows are shifted left.
    static constexpr int overlap_rest = overlap == 0 ? 0 : overlap - 1;
    static constexpr int words = rows / v + (v > 1); // of a column of A
    static constexpr int pitch = words | 1; // odd: lanes in successive columns meet all banks
    static constexpr int plane = loaded_cols / v * pitch; // columns j, j + v, j + 2 v ...
    static constexpr int total_words = plane * v;
    static constexpr size_t smem_bytes = total_words * sizeof(word);
    static_assert(overlap % v == 0 && cols % v == 0 && rows % v == 0);

    static __device__ __forceinline__ int place(int w, int col) {
        return col % v * plane + col / v * pitch + w;
    }

    // Issues the copies of a tile of A, as far as it is inside the matrix, from column j0 - overlap on.
    static __device__ __forceinline__ void
    load(word* smem, const T* matrix, int64_t ld, const tile_region& at) {
        constexpr int across = rows / v; // words of a column, without the one that a shift adds
        constexpr int step = threads / across;
        static_assert(threads % across == 0);
        const int w = threadIdx.x % across, first = threadIdx.x / across;
        const T* column = matrix + (at.j0 - overlap + first) * ld;
#pragma unroll 4
        for (int col = first; col < loaded_cols; col += step) {
            const int64_t j = at.j0 - overlap + col;
            if (j >= 0 && j < at.n)
                load_word(smem + place(w, col), column, at.m, first_element(column, at.i0) + w * v);
            column += step * ld;
        }
        if constexpr (v > 1) {
            for (int col = threadIdx.x; col < loaded_cols; col += threads) {
                const int64_t j = at.j0 - overlap + col;
                const T* last = matrix + j * ld;
                if (j >= 0 && j < at.n)
                    load_word(
                        smem + place(across, col), last, at.m, first_element(last, at.i0) + rows);
            }
        }
    }

    // Calls visit(slot, i, j, place) for the elements that the thread stores, whose B is `target`:
    // (i, j) of the matrix, at `place` in shared memory.
    template <class Visit>
    static __device__ __forceinline__ void for_each_element(const T* target,
                                                            int64_t ldb,
                                                            const tile_region& at,
                                                            Visit visit) requires(v == 1) {
        constexpr int step = threads / cols;
        static_assert(threads % cols == 0 && rows % step == 0);
        const int x = threadIdx.x % cols, first = threadIdx.x / cols;
#pragma unroll 8
        for (int slot = 0; slot < rows / step; ++slot) {
            const int i = first + slot * step;
            const int shift = shift_of_row(target, ldb, at.i0 + i);
            const int64_t j = at.j0 + x - shift;
            if (at.i0 + i < at.m && j >= 0 && j < at.n)
                visit(slot, at.i0 + i, j, place(i, overlap + x - shift));
        }
    }

    // Calls visit(i, j, word) for the words that the thread stores: elements (i, j) to (i, j + v - 1),
    // the first or last of which may lie outside the matrix.
    template <class Visit>
    static __device__ __forceinline__ void for_each_word(const word* smem,
                                                         const T* source,
                                                         int64_t lda,
                                                         const T* target,
                                                         int64_t ldb,
                                                         const tile_region& at,
                                                         Visit visit) requires(v > 1) {
        constexpr int across = cols / v; // words of a row
        constexpr int step = threads / across;
        constexpr int bits = 8 * sizeof(T);
        static_assert(threads % across == 0 && overlap == v);
        const int x = threadIdx.x % across;
        int shift_a[v], shift_b[v]; // of columns c, c + v ...; of rows r, r + v ...
#pragma unroll
        for (int c = 0; c < v; ++c) {
            shift_a[c] = bits * shift_of(source + at.i0 + (at.j0 - overlap + c) * lda);
            shift_b[c] = shift_of_row(target, ldb, at.i0 + c);
        }
        for (int u = threadIdx.x / across; u < rows / v; u += step) {
            // The squares at columns x v and (x + 1) v of the tile; rows of B start in between.
            uint32_t left[v], right[v], turned_left[v], turned_right[v];
#pragma unroll
            for (int c = 0; c < v; ++c) {
                const word* pair = smem + place(u, x * v + c);
                left[c] = __funnelshift_r(pair[0], pair[1], shift_a[c]);
                right[c] = __funnelshift_r(pair[pitch], pair[pitch + 1], shift_a[c]);
            }
            transpose_word_square<T>(left, turned_left);
            transpose_word_square<T>(right, turned_right);
#pragma unroll
            for (int r = 0; r < v; ++r) {
                const int64_t i = at.i0 + u * v + r, j = at.j0 + x * v - shift_b[r];
                if (i < at.m && j < at.n)
                    visit(i,
                          j,
                          __funnelshift_rc(
                              turned_left[r], turned_right[r], bits * (overlap - shift_b[r])));
            }
        }
    }

    // The same of a matrix that lies as B does: each thread copies the elements that it stores, to
    // slots of its own.
    static __device__ __forceinline__ void load_straight(word* smem,
                                                         const T* matrix,
                                                         int64_t ld,
                                                         const T* target,
                                                         int64_t ldb,
                                                         const tile_region& at) {
        for_each_element(target, ldb, at, [&](int slot, int64_t i, int64_t j, int) {
            cp_async<sizeof(word)>(smem + slot * threads + threadIdx.x, matrix + j + i * ld, true);
        });
    }

    static __device__ __forceinline__ word read_straight(const word* smem, int slot) {
        return smem[slot * threads + threadIdx.x];
    }

private:
    // Elements that `gmem` lies behind a boundary of words.
    static __device__ __forceinline__ int shift_of(const T* gmem) {
        return static_cast<int>(reinterpret_cast<uintptr_t>(gmem) % sizeof(word) / sizeof(T));
    }

    // The first element of the word that element i of a column lies in; it may be before the column.
    static __device__ __forceinline__ int64_t first_element(const T* column, int64_t i) {
        return v == 1 ? i : i - shift_of(column + i);
    }

    // Copies the word of elements i to i + v - 1, or those of them that a column of m elements has.
    static __device__ __forceinline__ void
    load_word(word* target, const T* column, int64_t m, int64_t i) {
        if (i >= 0 && i + v <= m) {
            if constexpr (sizeof(word) < 16)
                cp_async_of_line<sizeof(word)>(target, column + i);
            else
                cp_async<16>(target, column + i, true);
        } else if constexpr (v > 1) {
            for (int k = 0; k < v; ++k)
                if (i + k >= 0 && i + k < m)
                    reinterpret_cast<T*>(target)[k] = column[i + k];
        }
    }

    // Elements by which row i is stored further to the left.
    static __device__ __forceinline__ int shift_of_row(const T* target, int64_t ldb, int64_t i) {
        if constexpr (overlap == 0)
            return 0;
        else
            return static_cast<int>(
                static_cast<uint32_t>(reinterpret_cast<uintptr_t>(target) / sizeof(T) + i * ldb) %
                overlap);
    }
};

} // namespace myblas::cuda

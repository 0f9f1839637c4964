// The tile mover of the fast kernels of transpose and geam: a block copies one tile to shared
// memory asynchronously, past the registers, and stores it transposed. While a block waits, the
// others on the multiprocessor work: persistent blocks that copy ahead were slower
// (docs/experiments).
//
// Two kinds of tile:
//   vector_tile  16 bytes at a time on both sides; everything is a multiple of 16 bytes.
//   word_tile    one element of 4, 8 or 16 bytes at a time; any alignment.
// (Elements of 1 and 2 bytes: image_tile.cuh.)
//
// A vector_tile holds columns of A as vectors, permuted by an XOR: 8 lanes (one phase of a 16-byte
// access) access 8 different groups of four banks, both when a column is written and when
// neighbouring lanes read the same vector of every v-th column.
//
//      vector u of column j of A: column j, at u ^ (j / v & 7)      v: elements of a vector
//
// Rows of a word_tile are shifted if they do not start on sector boundaries of B. Each row of the
// tile covers `cols` columns, shifted to the left so that it starts on a boundary. Sectors of B are
// then written whole, but `overlap` columns are read twice.
//
//      row i      |---- cols ----|            stored, shifted by up to overlap elements
//      row i+1  |---- cols ----|
//      loaded  |-overlap-|---- cols ----|
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/load.cuh"
#include "kernels/transpose/square.cuh"
#include "kernels/transpose/tile.cuh"

namespace myblas::cuda {

// ---- Order of the tiles -------------------------------------------------------------------------

struct mover_tile {
    int64_t batch, row, col; // row, col: in tiles
};

// The order of tiles: along the rows of tiles of a panel, which is some columns of tiles. Blocks
// that run at the same time write neighbouring stretches of the same columns of B. The next row,
// which shares sectors of A's columns with this one, follows while the L2 cache still has them. If
// A is short, a panel is narrow, so that all of it is in flight at once.
struct tile_order {
    uint32_t tiles_m, tiles_n; // of a matrix
    uint32_t panel;            // columns of tiles
    uint32_t tiles;            // of the batch

    __device__ mover_tile operator()(uint32_t tile) const {
        const uint32_t of_matrix = tiles_m * tiles_n;
        const uint32_t batch = tile / of_matrix;
        tile -= batch * of_matrix;
        const uint32_t first = tile / (panel * tiles_m) * panel; // column of tiles
        tile -= first * tiles_m;
        const uint32_t width = min(panel, tiles_n - first);
        const uint32_t row = tile / width;
        return {batch, row, first + tile - row * width};
    }
};

// The order of `matrices` matrices of tiles_m x tiles_n tiles.
inline tile_order order_of(int64_t tiles_m, int64_t tiles_n, int64_t matrices) {
    const int64_t panel = std::min<int64_t>(tiles_n, tiles_m <= 32 ? 16 : 256);
    return {static_cast<uint32_t>(tiles_m),
            static_cast<uint32_t>(tiles_n),
            static_cast<uint32_t>(panel),
            static_cast<uint32_t>(tiles_m * tiles_n * matrices)};
}

// The most tiles of a launch, which has a block for each.
inline constexpr int64_t max_tiles = int64_t{1} << 30;

// Whether one matrix has at most max_tiles tiles, if tiles are at least 8 x 8.
inline bool fits_tile_order(int64_t m, int64_t n) {
    return tiles_of(m, 8) <= max_tiles / tiles_of(n, 8);
}

// Whether wide tiles cover at most 9 / 8 of the columns, empty ones included, that narrow tiles
// cover.
template <class wide, class narrow>
bool fills_wide(int64_t n) {
    return 8 * tiles_of(n, wide::cols) * wide::cols <= 9 * tiles_of(n, narrow::cols) * narrow::cols;
}

// Calls launch(part, order) for a batch of matrices of tiles_m x tiles_n tiles, once for each part
// of at most max_tiles tiles. One part nearly always suffices.
template <class Launch>
myblasStatus_t
launch_parts(const transpose_problem& p, int64_t tiles_m, int64_t tiles_n, Launch launch) {
    const int64_t most = max_tiles / (tiles_m * tiles_n);
    for (int64_t first = 0; first < p.batch_count; first += most) {
        const int64_t count = std::min(most, p.batch_count - first);
        if (const myblasStatus_t status =
                launch(p.part(first, count), order_of(tiles_m, tiles_n, count)))
            return status;
    }
    return MYBLAS_STATUS_SUCCESS;
}

// The place of a tile: it starts at (i0, j0) of an m x n matrix.
struct tile_region {
    int64_t m, n, i0, j0;
};

// Waits for the copies of this thread, then for all threads of the block.
__device__ __forceinline__ void wait_for_tile() {
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
}

// ---- Vectors ------------------------------------------------------------------------------------

// units: vectors of a column of A; groups: groups of v columns of A, each a vector of a column of
// B.
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

    // Issues the copies of a tile of A, except for elements outside the matrix.
    static __device__ __forceinline__ void
    load(vector16* smem, const T* matrix, int64_t ld, const tile_region& at) {
        constexpr int step = threads / units; // columns that a block covers at once
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

    // The same for a matrix that is stored as B is. Each thread copies the vectors of its squares,
    // as for_each_square passes them, to its own slots.
    static __device__ __forceinline__ void
    load_straight(vector16* smem, const T* matrix, int64_t ld, const tile_region& at) {
        for_each_square(at, [&](int square, int i, int j) {
            const T* from = matrix + at.j0 + j + (at.i0 + i) * ld;
#pragma unroll
            for (int r = 0; r < v; ++r)
                cp_async<16>(slot(smem, square, r), from + r * ld, true);
        });
    }

    // Calls visit(square, i, j) for the thread's squares inside the matrix: v x v elements, the
    // first at (i, j) of the tile.
    template <class Visit>
    static __device__ __forceinline__ void for_each_square(const tile_region& at, Visit visit) {
        constexpr int step = threads / groups; // units that a block covers at once
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

// ---- Words --------------------------------------------------------------------------------------

// overlap: elements between the boundaries of B on which shifted rows start.
template <class Element, int rows_, int cols_, int overlap_, int threads_>
struct word_tile {
    using T = Element;
    static_assert(sizeof(T) >= 4);
    static constexpr int rows = rows_, cols = cols_, overlap = overlap_, threads = threads_;
    static constexpr int loaded_cols = cols + overlap;
    // Columns beyond the matrix that the last tile may have to cover, because rows are shifted to
    // the left.
    static constexpr int overlap_rest = overlap == 0 ? 0 : overlap - 1;
    static constexpr int pitch = rows | 1; // odd: lanes in neighbouring columns access all banks
    static constexpr size_t smem_bytes = sizeof(T) * pitch * loaded_cols;

    static __device__ __forceinline__ int place(int row, int col) { return col * pitch + row; }

    // Issues the copies of a tile of A from column j0 - overlap on, except for elements outside the
    // matrix.
    static __device__ __forceinline__ void
    load(T* smem, const T* matrix, int64_t ld, const tile_region& at) {
        constexpr int step = threads / rows; // columns that a block covers at once
        static_assert(threads % rows == 0);
        const int row = threadIdx.x % rows, first = threadIdx.x / rows;
        if (at.i0 + row >= at.m)
            return;
        const T* from = matrix + at.i0 + row + (at.j0 - overlap + first) * ld;
#pragma unroll 4
        for (int col = first; col < loaded_cols; col += step) {
            const int64_t j = at.j0 - overlap + col;
            if (j >= 0 && j < at.n)
                cp_async_of_line<sizeof(T)>(smem + place(row, col), from);
            from += step * ld;
        }
    }

    // The same through registers, for elements of 4 bytes. A tile inside the matrix needs no bounds
    // checks. Instructions are scarce: a multiprocessor of an H200 has time for 60 of them for each
    // 32 elements.
    static __device__ __forceinline__ void
    load_through_registers(T* smem, const T* matrix, int64_t ld, const tile_region& at) {
        constexpr int step = threads / rows; // columns that a block covers at once
        constexpr int count = loaded_cols / step;
        static_assert(threads % rows == 0 && loaded_cols % step == 0);
        const int row = threadIdx.x % rows, first = threadIdx.x / rows;
        const T* from = matrix + at.i0 + row + (at.j0 - overlap + first) * ld;
        T value[count];
        if (at.i0 + rows <= at.m && at.j0 >= overlap && at.j0 + cols <= at.n) {
#pragma unroll
            for (int k = 0; k < count; ++k, from += step * ld)
                value[k] = load_amid_128(from);
        } else {
            // Loads k with begin <= k * step < end are inside the matrix.
            const int begin = static_cast<int>(max(overlap - at.j0, int64_t{0})) - first;
            const int end =
                static_cast<int>(min(at.n - at.j0 + overlap, int64_t{loaded_cols})) - first;
            const bool has_row = at.i0 + row < at.m;
#pragma unroll
            for (int k = 0; k < count; ++k, from += step * ld)
                if (has_row && k * step >= begin && k * step < end)
                    value[k] = load_amid_128(from);
        }
#pragma unroll
        for (int k = 0; k < count; ++k) // elements outside the matrix are never read
            smem[place(row, first + k * step)] = value[k];
    }

    // Calls visit(slot, i, j, place) for the elements that the thread stores to B, which is
    // `target`: element (i, j) of the matrix, at `place` in shared memory. Rows a multiple of
    // `overlap` apart have the same shift. In one turn a thread has only such rows.
    template <class Visit>
    static __device__ __forceinline__ void
    for_each_element(const T* target, int64_t ldb, const tile_region& at, Visit visit) {
        constexpr int step = threads / cols;
        constexpr int turns = overlap > step ? overlap / step : 1;
        static_assert(threads % cols == 0 && rows % (step * turns) == 0);
        const int x = threadIdx.x % cols, first = threadIdx.x / cols;
        const int left = static_cast<int>(min(at.m - at.i0, int64_t{rows})); // rows
#pragma unroll
        for (int turn = 0; turn < turns; ++turn) {
            const int shift = shift_of_row(target, ldb, at.i0 + first + turn * step);
            const int64_t j = at.j0 + x - shift;
            if (j < 0 || j >= at.n)
                continue;
#pragma unroll
            for (int slot = turn; slot < rows / step; slot += turns) {
                const int i = first + slot * step;
                if (i < left)
                    visit(slot, at.i0 + i, j, place(i, overlap + x - shift));
            }
        }
    }

    // The same for a matrix that is stored as B is. Each thread copies the elements that it stores,
    // to its own slots.
    static __device__ __forceinline__ void load_straight(
        T* smem, const T* matrix, int64_t ld, const T* target, int64_t ldb, const tile_region& at) {
        for_each_element(target, ldb, at, [&](int slot, int64_t i, int64_t j, int) {
            cp_async<sizeof(T)>(smem + slot * threads + threadIdx.x, matrix + j + i * ld, true);
        });
    }

    static __device__ __forceinline__ T read_straight(const T* smem, int slot) {
        return smem[slot * threads + threadIdx.x];
    }

private:
    // Elements by which row i is shifted to the left.
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

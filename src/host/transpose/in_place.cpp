// A = A^T in place: square with any leading dimension, or m x n with tight ones (lda == m,
// ldb == n).
//
// Square: tiles on both sides of the diagonal change places. Rectangular, by the size of the
// workspace:
//   the matrix      transposed there by tiles and copied back; 4 elements moved for each of A
//   a bit for each  the cycles of the permutation are followed; bits tell which elements have moved
//   less            the same without bits: a cycle is followed only from its smallest index. Each
//                   index walks its cycle until it meets a smaller one, to find out
// Following cycles works against the latency of memory, about one cache miss for each element.
#include "host/registry.h"
#include "host/transpose/element.h"
#include "host/transpose/tile.h"

#include <cstring>
#include <utility>

namespace myblas::host {
namespace {

template <class T>
void transpose_square(int64_t n, T* a, int64_t lda) {
    T above_transposed[tile_edge * tile_edge];
    run_best([&](auto length) {
        for_each_tile(n, n, [&](int64_t i, int64_t j, int rows, int cols) {
            if (i > j)
                return; // moved together with the tile above the diagonal
            T* const above = a + i + j * lda;
            T* const below = a + j + i * lda;
            transpose_block<length.value>(above, lda, rows, cols, above_transposed, tile_edge);
            if (i != j)
                transpose_block<length.value>(below, lda, cols, rows, above, lda);
            for (int row = 0; row < rows; ++row)
                std::copy_n(above_transposed + row * tile_edge, cols, below + row * lda);
        });
    });
}

// The new index of the element at `index`, in the tight transpose of an m x n matrix.
struct permutation {
    int64_t m, n;

    int64_t operator()(int64_t index) const { return index % m * n + index / m; }
};

// Carries each element of the cycle through `start` to its place, and calls moved(index) for each.
template <class T, class Moved>
void rotate_cycle(T* a, const permutation& target, int64_t start, Moved moved) {
    T carried = a[start];
    int64_t index = start;
    do {
        index = target(index);
        std::swap(carried, a[index]);
        moved(index);
    } while (index != start);
}

template <class T>
void transpose_with_bits(T* a, const permutation& target, uint8_t* bits) {
    const int64_t count = target.m * target.n;
    std::memset(bits, 0, static_cast<size_t>((count + 7) / 8));
    for (int64_t start = 0; start < count; ++start)
        if (!(bits[start / 8] >> (start % 8) & 1))
            rotate_cycle(a, target, start, [bits](int64_t index) {
                bits[index / 8] |= static_cast<uint8_t>(1u << (index % 8));
            });
}

template <class T>
void transpose_by_leaders(T* a, const permutation& target) {
    for (int64_t start = 0; start < target.m * target.n; ++start) {
        int64_t index = target(start);
        while (index > start)
            index = target(index);
        if (index == start)
            rotate_cycle(a, target, start, [](int64_t) {});
    }
}

template <class T>
void transpose_rectangle(const transpose_problem& p, const launch_context& context) {
    T* a = static_cast<T*>(p.b);
    const size_t count = static_cast<size_t>(p.m) * static_cast<size_t>(p.n);
    if (count <= context.workspace_bytes / sizeof(T)) {
        T* copy = static_cast<T*>(context.workspace);
        transpose_tiles(p.m, p.n, a, p.m, copy, p.n);
        std::copy_n(copy, count, a);
    } else if ((count + 7) / 8 <= context.workspace_bytes) {
        transpose_with_bits(a, {p.m, p.n}, static_cast<uint8_t*>(context.workspace));
    } else {
        transpose_by_leaders(a, permutation{p.m, p.n});
    }
}

bool is_square(const transpose_problem& p) { return p.m == p.n && p.lda == p.ldb; }

bool accepts(const transpose_problem& p, const device_info&) {
    return p.in_place() && (is_square(p) || (p.lda == p.m && p.ldb == p.n && p.batch_count == 1));
}

size_t best_workspace_bytes(const transpose_problem& p, const device_info&) {
    return is_square(p) ? 0
                        : static_cast<size_t>(p.m) * static_cast<size_t>(p.n) *
                              static_cast<size_t>(p.element_bytes);
}

myblasStatus_t launch(const transpose_problem& p, const launch_context& context) {
    return with_element(p, [&]<class T>(T) {
        if (is_square(p))
            for (int64_t i = 0; i < p.batch_count; ++i)
                transpose_square(p.n, static_cast<T*>(p.part(i, 1).b), p.ldb);
        else
            transpose_rectangle<T>(p, context);
        return MYBLAS_STATUS_SUCCESS;
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_in_place{
    .name = "in_place",
    .description = "in place: tiles of a square, the cycles of a rectangle",
    .block_m = tile_edge,
    .block_n = tile_edge,
    .accepts = accepts,
    .best_workspace_bytes = best_workspace_bytes,
    .launch = launch,
};

} // namespace myblas::host

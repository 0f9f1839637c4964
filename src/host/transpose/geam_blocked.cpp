// C = alpha * op(A) + beta * op(B) by square tiles that stay in the caches near a core (tile.h).
//
// Adds to `naive`: a transposed operand is transposed tile by tile, so that each of its cache lines
// is moved once. All else runs down columns in vector instructions, on several threads if C is
// large.
// Works against memory: 3 elements moved for each element of C.
// Accepts every problem, also in place with op(X) = X: an element of C depends only on the same
// elements of A and B.
#include "host/registry.h"
#include "host/scalar.h"
#include "host/transpose/tile.h"

namespace myblas::host {
namespace {

constexpr int64_t column_piece = 512; // elements

struct operand {
    float factor;
    bool transposed;
    const float* x;
    int64_t ld;
};

// A part of op(X) that is stored as columns.
struct columns {
    const float* first;
    int64_t ld;
};

struct result {
    float* first;
    int64_t ld;
};

// Zeros in place of an operand with factor 0, which is not read and may be null.
columns zeroes() {
    static constexpr float zero[column_piece] = {};
    return {zero, 0};
}

// A tile of op(X), where it is stored. A transposed tile is copied to `copy`.
template <int vector_bytes>
[[gnu::always_inline]] inline columns read_tile(const operand& o,
                                                int64_t i,
                                                int64_t j,
                                                int64_t rows,
                                                int64_t cols,
                                                float* copy,
                                                int64_t copy_ld) {
    if (o.factor == 0)
        return zeroes();
    if (!o.transposed)
        return {o.x + i + j * o.ld, o.ld};
    transpose_block<vector_bytes>(o.x + j + i * o.ld, o.ld, cols, rows, copy, copy_ld);
    return {copy, copy_ld};
}

// to = alpha * a + beta * b. `to` may be a or b.
template <int vector_bytes>
[[gnu::always_inline]] inline void
add(float alpha, const float* a, float beta, const float* b, int64_t count, float* to) {
    using vector = vector_of<float, vector_bytes>;
    constexpr int width = vector_bytes / sizeof(float);
    int64_t i = 0;
    for (; i + width <= count; i += width) {
        vector from_a, from_b;
        load(from_a, a + i);
        load(from_b, b + i);
        const vector sum = alpha * from_a + beta * from_b;
        store(to + i, sum);
    }
    for (; i < count; ++i)
        to[i] = alpha * a[i] + beta * b[i];
}

// Column by column; no operand is transposed.
template <bool streams, int vector_bytes>
[[gnu::always_inline]] inline void
add_columns(const operand& a, const operand& b, const result& c, int64_t m, int64_t n) {
    const columns from_a = a.factor == 0 ? zeroes() : columns{a.x, a.ld};
    const columns from_b = b.factor == 0 ? zeroes() : columns{b.x, b.ld};
    for (int64_t j = 0; j < n; ++j) {
        float* const column = c.first + j * c.ld;
        // Pieces begin on cache lines.
        int64_t count = column_piece - bytes_into_line(column) / 4;
        for (int64_t i = 0; i < m; i += count, count = column_piece) {
            count = std::min(count, m - i);
            const float* const piece_a = from_a.first + (a.factor == 0 ? 0 : i + j * from_a.ld);
            const float* const piece_b = from_b.first + (b.factor == 0 ? 0 : i + j * from_b.ld);
            float sum[column_piece];
            float* const to = streams ? sum : column + i;
            add<vector_bytes>(a.factor, piece_a, b.factor, piece_b, count, to);
            if constexpr (streams)
                stream_copy(column + i, sum, static_cast<size_t>(count) * sizeof(float));
        }
    }
}

// The same for the columns of a tile.
template <int vector_bytes>
[[gnu::always_inline]] inline void add(float alpha,
                                       const columns& a,
                                       float beta,
                                       const columns& b,
                                       int64_t rows,
                                       int64_t cols,
                                       const result& to) {
    for (int64_t j = 0; j < cols; ++j)
        add<vector_bytes>(
            alpha, a.first + j * a.ld, beta, b.first + j * b.ld, rows, to.first + j * to.ld);
}

template <int vector_bytes>
[[gnu::always_inline]] inline void
add_tiles(const operand& a, const operand& b, const result& c, int64_t m, int64_t n) {
    float copy_a[tile_edge * tile_edge], copy_b[tile_edge * tile_edge];
    for_each_tile(m, n, [&](int64_t i, int64_t j, int rows, int cols) {
        const columns tile_a = read_tile<vector_bytes>(a, i, j, rows, cols, copy_a, tile_edge);
        const columns tile_b = read_tile<vector_bytes>(b, i, j, rows, cols, copy_b, tile_edge);
        add<vector_bytes>(
            a.factor, tile_a, b.factor, tile_b, rows, cols, {c.first + i + j * c.ld, c.ld});
    });
}

template <int vector_bytes>
[[gnu::always_inline]] inline void
add_strips(const operand& a, const operand& b, const result& c, int64_t m, int64_t n) {
    constexpr int64_t pitch = strip_tile<float>::pitch;
    strip_tile<float> sum, copy;
    for_each_strip_tile<float>(m, n, [&](int64_t i, int64_t j, int64_t rows, int64_t cols) {
        const columns tile_a = read_tile<vector_bytes>(a, i, j, rows, cols, sum.begin(), pitch);
        const columns tile_b = read_tile<vector_bytes>(b, i, j, rows, cols, copy.begin(), pitch);
        add<vector_bytes>(a.factor, tile_a, b.factor, tile_b, rows, cols, {sum.begin(), pitch});
        sum.put(c.first + j * c.ld, c.ld, i, rows, cols, m);
    });
}

template <bool streams, int vector_bytes>
[[gnu::always_inline]] inline void
add_part(const operand& a, const operand& b, const result& c, int64_t m, int64_t n) {
    if (!a.transposed && !b.transposed)
        add_columns<streams, vector_bytes>(a, b, c, m, n);
    else if constexpr (streams)
        add_strips<vector_bytes>(a, b, c, m, n);
    else
        add_tiles<vector_bytes>(a, b, c, m, n);
    if constexpr (streams)
        finish_streaming();
}

// The operand that starts at element (i, j) of op(X).
operand part_of(operand o, int64_t i, int64_t j) {
    if (o.factor != 0)
        o.x += o.transposed ? j + i * o.ld : i + j * o.ld;
    return o;
}

myblasStatus_t launch(const geam_problem& p, const launch_context&) {
    const operand whole_a{resolve(p.alpha), p.transa, p.a, p.lda};
    const operand whole_b{resolve(p.beta), p.transb, p.b, p.ldb};
    const int64_t bytes = p.m * p.n * static_cast<int64_t>(sizeof(float));
    // Results in place are not streamed: C has just been read, and is in the caches.
    const bool streams = bytes >= least_streamed_bytes && p.c != p.a && p.c != p.b;
    for_each_part(
        p.m, p.n, 3 * sizeof(float), [&](int64_t i, int64_t j, int64_t rows, int64_t cols) {
            const operand a = part_of(whole_a, i, j), b = part_of(whole_b, i, j);
            const result c{p.c + i + j * p.ldc, p.ldc};
            run_best([=](auto length) {
                if (streams)
                    add_part<true, length.value>(a, b, c, rows, cols);
                else
                    add_part<false, length.value>(a, b, c, rows, cols);
            });
        });
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<geam_problem> geam_blocked{
    .name = "blocked",
    .description = "cache tiles",
    .block_m = tile_edge,
    .block_n = tile_edge,
    .launch = launch,
};

} // namespace myblas::host

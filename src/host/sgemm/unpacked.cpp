// C = alpha * op(A) * op(B) + beta * C of small matrices, which are read where they are stored.
//
// Unlike `blocked`, packs nothing except a transposed A, which is transposed into the workspace,
// and the last rows. Register tiles have up to two vectors by 8 columns. A term is rounded as in
// `blocked`, so that C has the same bits.
//
//               up to 8
//             +--------+      columns of A are loaded, elements of B broadcast
//   vectors   |  acc   |
//             +--------+
//
// Works against the multiply-add pipes, with A and B in the first-level cache. Threads divide a
// batch by its products.
// Accepts products of at most most_work multiply-adds and a depth of at most block_k, if A fits the
// cache.
#include "host/instructions.h"
#include "host/registry.h"
#include "host/sgemm/micro_kernel.h"
#include "host/sgemm/products.h"
#include "host/transpose_block.h"

namespace myblas::host {
namespace {

constexpr int64_t most_work = 80 * 80 * 80; // beyond this, `blocked` is as fast
constexpr int64_t most_a = 8192;            // elements, 32 KiB

// Columns of op(A), and elements (l, j) of op(B) at b[l * depth_b + j * column_b].
struct operands {
    const float* a;
    int64_t lda;
    const float* b;
    int64_t depth_b, column_b;
    int64_t depth;
};

// The result: `rows` rows of C. At the edge there are fewer rows than the vectors have.
struct target {
    float alpha, beta;
    float* c;
    int64_t ldc;
    int64_t rows;
};

template <instruction_set set, int vector_bytes, int vectors, int cols, bool is_edge>
[[gnu::always_inline]] inline void multiply_tile(const operands& o, const target& to) {
    using vector = vector_of<float, vector_bytes>;
    constexpr int width = vector_bytes / sizeof(float);
    vector acc[cols][vectors] = {};
    for (int64_t l = 0; l < o.depth; ++l) {
        vector frag_a[vectors];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v)
            load(frag_a[v], o.a + l * o.lda + v * width);
#pragma GCC unroll 8
        for (int j = 0; j < cols; ++j)
#pragma GCC unroll 2
            for (int v = 0; v < vectors; ++v)
                multiply_add<set>(acc[j][v], frag_a[v], o.b[l * o.depth_b + j * o.column_b]);
    }
#pragma GCC unroll 8
    for (int j = 0; j < cols; ++j) {
        float* const column = to.c + j * to.ldc;
        if constexpr (is_edge) {
            float whole[width] = {};
            if (to.beta != 0)
                std::copy_n(column, to.rows, whole);
            update_vector<set>(whole, acc[j][0], to.alpha, to.beta);
            std::copy_n(whole, to.rows, column);
        } else {
#pragma GCC unroll 2
            for (int v = 0; v < vectors; ++v)
                update_vector<set>(column + v * width, acc[j][v], to.alpha, to.beta);
        }
    }
}

// Computes columns of C from the first on, `cols` at a time; the last step may have fewer.
template <instruction_set set, int vector_bytes, int vectors, int cols, bool is_edge>
[[gnu::always_inline]] inline void multiply_columns(operands o, int64_t n, target to) {
    for (; n >= cols; n -= cols) {
        multiply_tile<set, vector_bytes, vectors, cols, is_edge>(o, to);
        o.b += cols * o.column_b;
        to.c += cols * to.ldc;
    }
    if constexpr (cols > 1)
        multiply_columns<set, vector_bytes, vectors, cols / 2, is_edge>(o, n, to);
}

constexpr int most_cols = 8; // of a tile; 4 of two vectors if there are 16 registers

// Computes fewer rows than a vector has, from a copy of A that is filled up with zeroes.
template <instruction_set set, int vector_bytes>
[[gnu::always_inline]] inline void multiply_edge(operands o, int64_t n, const target& to) {
    constexpr int width = vector_bytes / sizeof(float);
    if constexpr (width > 4)
        if (to.rows <= width / 2)
            return multiply_edge<set, vector_bytes / 2>(o, n, to);
    float whole[block_k * width];
    if (to.rows < width) {
        for (int64_t l = 0; l < o.depth; ++l) {
            std::copy_n(o.a + l * o.lda, to.rows, whole + l * width);
            std::fill_n(whole + l * width + to.rows, width - to.rows, 0.0f);
        }
        o.a = whole;
        o.lda = width;
    }
    multiply_columns<set, vector_bytes, 1, most_cols, true>(o, n, to);
}

// Computes rows of C from the first on: two vectors at a time, then one vector. If beta is 0, the
// last vector may overlap rows that are already computed.
template <instruction_set set, int vector_bytes>
[[gnu::always_inline]] inline void multiply(operands o, int64_t n, target to) {
    constexpr int width = vector_bytes / sizeof(float);
    constexpr int cols = vector_bytes == 64 ? most_cols : most_cols / 2;
    const int64_t m = to.rows;
    const auto advance = [&o, &to](int64_t rows) {
        o.a += rows;
        to.c += rows;
        to.rows -= rows;
    };
    if constexpr (width > 4)
        if (m < width)
            return multiply<set, vector_bytes / 2>(o, n, to);
    for (; to.rows >= 2 * width; advance(2 * width))
        multiply_columns<set, vector_bytes, 2, cols, false>(o, n, to);
    if (to.rows > 0 && to.rows < width && m >= width && to.beta == 0)
        advance(to.rows - width);
    if (to.rows >= width) {
        multiply_columns<set, vector_bytes, 1, most_cols, false>(o, n, to);
        advance(width);
        if (to.rows > 0 && to.beta == 0) {
            advance(to.rows - width);
            multiply_columns<set, vector_bytes, 1, most_cols, false>(o, n, to);
            return;
        }
    }
    if (to.rows > 0)
        multiply_edge<set, vector_bytes>(o, n, to);
}

int64_t transposed_floats(const sgemm_problem& p) {
    return p.transa ? (p.m * p.k + 15) / 16 * 16 : 0; // whole cache lines
}

bool accepts(const sgemm_problem& p, const device_info&) {
    // (m * k alone could overflow.)
    return p.k <= block_k && p.m <= most_a && p.m * p.k <= most_a && work_of(p) <= most_work;
}

size_t bytes_for(const sgemm_problem& p, int threads) {
    return static_cast<size_t>(transposed_floats(p)) * sizeof(float) * static_cast<size_t>(threads);
}

size_t workspace_bytes(const sgemm_problem& p, const device_info&) { return bytes_for(p, 1); }

size_t best_workspace_bytes(const sgemm_problem& p, const device_info&) {
    return bytes_for(p, threads_for_batch(p));
}

myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
    int threads = threads_for_batch(p);
    while (threads > 1 && bytes_for(p, threads) > context.workspace_bytes)
        threads /= 2;
    return for_each_product(p, threads, [&](const product& q, int thread) {
        float* const transposed =
            static_cast<float*>(context.workspace) + thread * transposed_floats(p);
        run_best([&](auto length) {
            operands o{q.a, p.lda, q.b, p.transb ? p.ldb : 1, p.transb ? 1 : p.ldb, p.k};
            if (p.transa) {
                transpose_block<length.value>(q.a, p.lda, p.k, p.m, transposed, p.m);
                o.a = transposed;
                o.lda = p.m;
            }
            multiply<length.instructions, length.value>(o, p.n, {q.alpha, q.beta, q.c, p.ldc, p.m});
        });
    });
}

} // namespace

constinit const kernel_entry<sgemm_problem> sgemm_unpacked{
    .name = "unpacked",
    .description = "register tiles of small products, nothing packed",
    .has_epilogue = true,
    .accepts = accepts,
    .accepts_what = "products of up to 80 x 80 x 80",
    .workspace_bytes = workspace_bytes,
    .best_workspace_bytes = best_workspace_bytes,
    .launch = launch,
};

} // namespace myblas::host

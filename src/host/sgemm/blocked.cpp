// C = alpha * op(A) * op(B) + beta * C on packed blocks that stay in cache (Goto and van de Geijn,
// Anatomy of High-Performance Matrix Multiplication).
//
//   for each block_n columns of C
//     for each block_k of the depth        pack block_k x block_n of op(B)      (last-level cache)
//       for each block_m rows of C         pack block_m x block_k of op(A)      (second-level cache)
//         for each panel of B              tile_n wide                          (first-level cache)
//           for each panel of A            tile_m high: one register tile
//
// Packing makes every access of the inner loops contiguous, whatever the leading dimensions, absorbs
// transpositions, and pads edges with zeros so that the register tile knows no edges but in C.
// Works against the multiply-add pipes: a block of B is used m times, a block of A block_n times.
// At most block_k + k / block_k + 2 roundings touch a term, never more than k + 2.
// One thread; the processor's vector length is found at run time (micro_kernel.h).
// Accepts every problem for which the packed blocks fit the workspace.
#include "host/sgemm/micro_kernel.h"
#include "host/sgemm/products.h"
#include "host/sgemm/registry.h"

#include <algorithm>

namespace myblas::host {
namespace {

constexpr int block_m = 192;
constexpr int block_n = 1536;
constexpr int block_k = 256;

constexpr int64_t round_up(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// Cuts `extent` into as few pieces as `block` allows, all of nearly the same size: a multiple of
// `multiple`, which divides block.
int64_t even_block(int64_t extent, int64_t block, int64_t multiple) {
    const int64_t pieces = (extent + block - 1) / block;
    return pieces == 0 ? 0 : round_up((extent + pieces - 1) / pieces, multiple);
}

// What a problem is cut into. Panels are whole, so m and n are rounded up to the register tile.
struct blocking {
    int64_t m, n, k;

    blocking(const sgemm_problem& p, const micro_kernel& kernel)
        : m(even_block(p.m, block_m, kernel.tile_m)), n(even_block(p.n, block_n, kernel.tile_n)),
          k(even_block(p.k, block_k, 1)) {}

    // The panels of A come first; 64 bytes keep those of B on cache lines.
    int64_t packed_a_floats() const { return round_up(m * k, 16); }
    size_t workspace_bytes() const {
        return static_cast<size_t>(packed_a_floats() + n * k) * sizeof(float);
    }
};

size_t workspace_bytes(const sgemm_problem& p, const device_info&) {
    return blocking(p, best_micro_kernel()).workspace_bytes();
}

// Updates the rows x cols block at c from packed blocks of A and B.
void multiply_block(const micro_kernel& kernel,
                    int64_t depth,
                    const float* packed_a,
                    const float* packed_b,
                    int64_t rows,
                    int64_t cols,
                    tile_update update) {
    float* c = update.c;
    for (int64_t j = 0; j < cols; j += kernel.tile_n) {
        update.cols = static_cast<int>(std::min<int64_t>(kernel.tile_n, cols - j));
        for (int64_t i = 0; i < rows; i += kernel.tile_m) {
            update.rows = static_cast<int>(std::min<int64_t>(kernel.tile_m, rows - i));
            update.c = c + i + j * update.ldc;
            kernel.multiply(depth, packed_a + i * depth, packed_b + j * depth, update);
        }
    }
}

void multiply(const sgemm_problem& p,
              const product& q,
              const micro_kernel& kernel,
              const blocking& block,
              float* workspace) {
    float* packed_a = workspace;
    float* packed_b = workspace + block.packed_a_floats();
    // Strides of op(A) and op(B): along the lanes, which are rows of op(A) and columns of op(B), and
    // along the depth.
    const int64_t row_a = p.transa ? p.lda : 1, depth_a = p.transa ? 1 : p.lda;
    const int64_t column_b = p.transb ? 1 : p.ldb, depth_b = p.transb ? p.ldb : 1;

    for (int64_t j = 0; j < p.n; j += block.n) {
        const int64_t cols = std::min(block.n, p.n - j);
        for (int64_t l = 0; l < p.k; l += block.k) {
            const int64_t depth = std::min(block.k, p.k - l);
            kernel.pack_b(
                {q.b + l * depth_b + j * column_b, column_b, depth_b}, cols, depth, packed_b);
            const float beta = l == 0 ? q.beta : 1.0f; // later slabs add to what the first left
            for (int64_t i = 0; i < p.m; i += block.m) {
                const int64_t rows = std::min(block.m, p.m - i);
                kernel.pack_a(
                    {q.a + i * row_a + l * depth_a, row_a, depth_a}, rows, depth, packed_a);
                multiply_block(kernel,
                               depth,
                               packed_a,
                               packed_b,
                               rows,
                               cols,
                               {.alpha = q.alpha,
                                .beta = beta,
                                .c = q.c + i + j * p.ldc,
                                .ldc = p.ldc,
                                .rows = 0,
                                .cols = 0});
            }
        }
    }
}

myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
    const micro_kernel& kernel = best_micro_kernel();
    const blocking block(p, kernel);
    float* workspace = static_cast<float*>(context.workspace);
    return for_each_product(p, [&](const product& q) { multiply(p, q, kernel, block, workspace); });
}

} // namespace

constinit const kernel_entry<sgemm_problem> sgemm_blocked{
    .name = "blocked",
    .description = "packed cache blocks and vectorised register tiles (AVX-512, AVX2 or baseline)",
    .block_m = block_m,
    .block_n = block_n,
    .block_k = block_k,
    .finishes = true,
    .takes_backwards = true,
    .workspace_bytes = workspace_bytes,
    .launch = launch,
};

} // namespace myblas::host

// C = alpha * op(A) * op(B) + beta * C on packed blocks that stay in cache (Goto and van de Geijn,
// Anatomy of High-Performance Matrix Multiplication).
//
//   for each block_n columns of C
//     for each block_k of the depth        pack block_k x block_n of op(B)   (last-level cache)
//       for each block_m rows of C         pack block_m x block_k of op(A)   (second-level cache)
//         for each panel of B              tile_n wide                       (first-level cache)
//           for each panel of A            tile_m high: one register tile
//
// Packing makes every access of the inner loops contiguous at any leading dimension, absorbs
// transpositions, and pads edges with zeros: the register tile has edges in C only.
// Works against the multiply-add pipes: a block of B is used m times, a block of A block_n times.
// At most block_k + k / block_k + 2 roundings touch a term, never more than k + 2.
// The processor's vector length is found at run time (micro_kernel.h).
//
// Threads divide a batch by its products, and a large C into regions of whole register tiles. Each
// thread has its own packed blocks, so that no thread waits for another. All regions, those on the
// edges of C included, are cut into blocks of the same size, which determines the workspace. The
// bits of C do not depend on the regions.
// Accepts every problem if the packed blocks of one thread fit the workspace.
#include "host/registry.h"
#include "host/sgemm/micro_kernel.h"
#include "host/sgemm/products.h"

#include <algorithm>

namespace myblas::host {
namespace {

constexpr int block_m = 192;
constexpr int block_n = 1536;

constexpr int64_t round_up(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// Cuts `extent` into as few pieces as `block` allows, all of nearly the same size: a multiple of
// `multiple`, which divides block.
int64_t even_block(int64_t extent, int64_t block, int64_t multiple) {
    const int64_t pieces = (extent + block - 1) / block;
    return pieces == 0 ? 0 : round_up((extent + pieces - 1) / pieces, multiple);
}

// The blocks into which a region of C is cut. Panels are whole, so m and n are rounded up to the
// register tile. A smaller region has blocks of the same size, or a part of one. If it were cut by
// its own size, its blocks could be larger (192 rows make one block of 192, 210 rows two of 112).
struct blocking {
    int64_t m = 0, n = 0, k = 0;

    blocking() = default;
    blocking(int64_t rows, int64_t cols, int64_t depth, const micro_kernel& kernel)
        : m(even_block(rows, block_m, kernel.tile_m)), n(even_block(cols, block_n, kernel.tile_n)),
          k(even_block(depth, block_k, 1)) {}

    // The panels of A come first. Rounding to 64 bytes keeps the panels of B on cache lines.
    int64_t packed_a_floats() const { return round_up(m * k, 16); }
    int64_t floats() const { return packed_a_floats() + round_up(n * k, 16); }
};

// How threads divide the work: by products of the batch, or by regions of C.
struct sharing {
    int threads = 1;
    int64_t rows, cols; // of a region
    int64_t regions_m = 1, regions_n = 1;
    blocking block; // of every region

    sharing(const sgemm_problem& p, const micro_kernel& kernel, int most_threads)
        : rows(p.m), cols(p.n) {
        const int for_batch = std::min(threads_for_batch(p), most_threads);
        const int for_regions = std::min(threads_for(work_of(p), work_a_thread), most_threads);
        threads = std::max(for_batch, for_regions);
        if (for_regions > for_batch)
            cut(p, kernel, for_regions);
        block = blocking(rows, cols, p.k, kernel);
    }

    bool has_regions() const { return regions_m * regions_n > 1; }
    size_t bytes() const {
        return static_cast<size_t>(threads) * static_cast<size_t>(block.floats()) * sizeof(float);
    }

private:
    // Halves the longer side until there is a region for each thread, and no region is so large
    // that the other threads would wait for a thread that started late. Smaller regions would be
    // packed more often for each use.
    void cut(const sgemm_problem& p, const micro_kernel& kernel, int wanted) {
        constexpr int64_t most_elements = int64_t{1} << 20;
        const auto count = [](int64_t extent, int64_t piece) {
            return (extent + piece - 1) / piece;
        };
        while (regions_m * regions_n < wanted || rows * cols > most_elements) {
            const int64_t before = regions_m * regions_n;
            if (rows > cols)
                rows = round_up((rows + 1) / 2, kernel.tile_m);
            else
                cols = round_up((cols + 1) / 2, kernel.tile_n);
            regions_m = count(p.m, rows);
            regions_n = count(p.n, cols);
            if (regions_m * regions_n == before)
                break; // a single register tile
        }
        threads = static_cast<int>(std::min<int64_t>(threads, regions_m * regions_n));
    }
};

size_t workspace_bytes(const sgemm_problem& p, const device_info&) {
    return sharing(p, best_micro_kernel(), 1).bytes();
}

size_t best_workspace_bytes(const sgemm_problem& p, const device_info& device) {
    // Regions for two threads may take less workspace than all of C for one.
    return std::max(workspace_bytes(p, device),
                    sharing(p, best_micro_kernel(), thread_count()).bytes());
}

// The best sharing whose packed blocks fit the workspace.
sharing share_work(const sgemm_problem& p, const micro_kernel& kernel, size_t workspace_bytes) {
    int threads = thread_count();
    for (;;) {
        const sharing found(p, kernel, threads);
        if (found.bytes() <= workspace_bytes || threads == 1)
            return found;
        threads = std::max(1, threads / 2);
    }
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

// A part of C.
struct region {
    int64_t row, col, rows, cols;
};

void multiply(const sgemm_problem& p,
              const product& q,
              const micro_kernel& kernel,
              const blocking& block,
              const region& of,
              float* workspace) {
    float* packed_a = workspace;
    float* packed_b = workspace + block.packed_a_floats();
    // Strides of op(A) and op(B): along the lanes, which are rows of op(A) and columns of op(B),
    // and along the depth.
    const int64_t row_a = p.transa ? p.lda : 1, depth_a = p.transa ? 1 : p.lda;
    const int64_t column_b = p.transb ? 1 : p.ldb, depth_b = p.transb ? p.ldb : 1;
    const float* const a = q.a + of.row * row_a;
    const float* const b = q.b + of.col * column_b;
    float* const c = q.c + of.row + of.col * p.ldc;

    for (int64_t j = 0; j < of.cols; j += block.n) {
        const int64_t cols = std::min(block.n, of.cols - j);
        for (int64_t l = 0; l < p.k; l += block.k) {
            const int64_t depth = std::min(block.k, p.k - l);
            kernel.pack_b(
                {b + l * depth_b + j * column_b, column_b, depth_b}, cols, depth, packed_b);
            const float beta = l == 0 ? q.beta : 1.0f; // later slabs add to the result of the first
            for (int64_t i = 0; i < of.rows; i += block.m) {
                const int64_t rows = std::min(block.m, of.rows - i);
                kernel.pack_a({a + i * row_a + l * depth_a, row_a, depth_a}, rows, depth, packed_a);
                multiply_block(kernel,
                               depth,
                               packed_a,
                               packed_b,
                               rows,
                               cols,
                               {.alpha = q.alpha,
                                .beta = beta,
                                .c = c + i + j * p.ldc,
                                .ldc = p.ldc,
                                .rows = 0,
                                .cols = 0});
            }
        }
    }
}

myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
    const micro_kernel& kernel = best_micro_kernel();
    const sharing by = share_work(p, kernel, context.workspace_bytes);
    const auto compute = [&](const product& q, const region& of, int thread) {
        float* const workspace = static_cast<float*>(context.workspace);
        multiply(p, q, kernel, by.block, of, workspace + thread * by.block.floats());
    };
    if (!by.has_regions())
        return for_each_product(p, by.threads, [&](const product& q, int thread) {
            compute(q, {0, 0, p.m, p.n}, thread);
        });
    return for_each_product(p, [&](const product& q) {
        for_each_task(by.regions_m * by.regions_n, by.threads, [&](int64_t task, int thread) {
            const int64_t i = task % by.regions_m * by.rows, j = task / by.regions_m * by.cols;
            compute(q, {i, j, std::min(by.rows, p.m - i), std::min(by.cols, p.n - j)}, thread);
        });
    });
}

} // namespace

constinit const kernel_entry<sgemm_problem> sgemm_blocked{
    .name = "blocked",
    .description = "packed cache blocks and vectorised register tiles (AVX-512, AVX2 or baseline)",
    .block_m = block_m,
    .block_n = block_n,
    .block_k = block_k,
    .has_epilogue = true,
    .takes_backwards = true,
    .workspace_bytes = workspace_bytes,
    .best_workspace_bytes = best_workspace_bytes,
    .launch = launch,
};

} // namespace myblas::host

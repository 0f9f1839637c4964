// C = alpha * op(A) * op(B) + beta * C in reproducible mode (myblas.h): the products of an element
// are added by fused multiply-adds, from the first k to the last.
//
//   for each tile of C, rows x cols
//     sums = 0
//     for each `depth` of k, in order    pack rows x depth of op(A) and depth x cols of op(B)
//       for each register tile           continue its sums
//     C = alpha * sums, then bias, beta * C, aux and activation
//
// Unlike `blocked`, keeps sums between pieces of k, so the cut of k leaves no trace. Panels are
// padded by zeros along m and n, never along k.
// Works against the multiply-add pipes. Packing takes some 20% of the time, since a tile, its
// operands and its sums are on the stack: 68 KiB, and no workspace. Processors without FMA
// instructions call std::fma, which is exact and slow.
// Threads divide the tiles of all products.
// Accepts every problem.
#include "host/registry.h"
#include "host/sgemm/micro_kernel.h"
#include "host/sgemm/products.h"

#include <algorithm>
#include <cmath>

namespace myblas::host {
namespace {

constexpr int rows = 64, cols = 48; // multiples of every register tile
constexpr int depth = 128;

// A tile of C, inside one product of the batch.
struct tile {
    int64_t batch;
    int64_t row, col; // its first element
    int m, n;         // its extents
};

// sums[register tile][column][row], register tiles down the columns.
void add_products(const sgemm_problem& p, const tile& at, const micro_kernel& kernel, float* sums) {
    const int64_t row_a = p.transa ? p.lda : 1, depth_a = p.transa ? 1 : p.lda;
    const int64_t column_b = p.transb ? 1 : p.ldb, depth_b = p.transb ? p.ldb : 1;
    const float* a = batch_operand(p.a, p.stride_a, p.a_array, at.batch) + at.row * row_a;
    const float* b = batch_operand(p.b, p.stride_b, p.b_array, at.batch) + at.col * column_b;
    alignas(64) float packed_a[rows * depth], packed_b[cols * depth];
    for (int64_t first = 0; first < p.k; first += depth) {
        const int64_t steps = std::min<int64_t>(depth, p.k - first);
        kernel.pack_a({a + first * depth_a, row_a, depth_a}, at.m, steps, packed_a);
        kernel.pack_b({b + first * depth_b, column_b, depth_b}, at.n, steps, packed_b);
        float* next = sums;
        for (int j = 0; j < at.n; j += kernel.tile_n)
            for (int i = 0; i < at.m; i += kernel.tile_m) {
                kernel.continue_sums(steps, packed_a + i * steps, packed_b + j * steps, next);
                next += kernel.tile_m * kernel.tile_n;
            }
    }
}

// One column of the tile, whose sums are `tile_rows` at a time, `distance` apart.
void write_column(const sgemm_problem& p,
                  const tile& at,
                  int j,
                  float alpha,
                  float beta,
                  const float* sums,
                  int tile_rows,
                  int distance) {
    const product_epilogue& f = p.epilogue;
    const int64_t col = at.col + j;
    float* const c = batch_operand(p.c, p.stride_c, p.c_array, at.batch) + at.row + col * p.ldc;
    const float* const old =
        f.source ? f.source + at.batch * f.stride_source + at.row + col * f.ld_source : c;
    const float* const bias = f.bias ? f.bias + at.batch * f.stride_bias : nullptr;
    float* const aux = f.aux ? f.aux + at.batch * f.stride_aux + at.row + col * f.ld_aux : nullptr;
    for (int i = 0; i < at.m; ++i) {
        const float sum = sums[i / tile_rows * distance + i % tile_rows];
        float x = alpha * sum;
        if (sum == 0 && x == 0)
            x = 0; // fma(alpha, sum, +0)
        if (bias)
            x += bias[f.is_bias_of_columns ? col : at.row + i]; // not fused: -ffp-contract=off
        if (beta != 0)
            x = std::fma(beta, old[i], x);
        if (aux)
            aux[i] = x;
        c[i] = x;
    }
    activate(f.activation, c, at.m);
}

void compute(const sgemm_problem& p, const tile& at, const micro_kernel& kernel) {
    alignas(64) float sums[rows * cols] = {};
    const float alpha = resolve(p.alpha);
    const bool multiplies = alpha != 0 && p.k > 0;
    if (multiplies)
        add_products(p, at, kernel, sums);
    const int tile_floats = kernel.tile_m * kernel.tile_n;
    const int tiles_m = (at.m + kernel.tile_m - 1) / kernel.tile_m;
    for (int j = 0; j < at.n; ++j)
        write_column(p,
                     at,
                     j,
                     multiplies ? alpha : 0,
                     resolve(p.beta),
                     sums + j / kernel.tile_n * tiles_m * tile_floats +
                         j % kernel.tile_n * kernel.tile_m,
                     kernel.tile_m,
                     tile_floats);
}

myblasStatus_t launch(const sgemm_problem& p, const launch_context&) {
    const micro_kernel& kernel = best_micro_kernel();
    const int64_t tiles_m = (p.m + rows - 1) / rows, tiles = tiles_m * ((p.n + cols - 1) / cols);
    const int64_t tasks = tiles * p.batch_count;
    for_each_task(tasks, threads_for_tasks(p, tasks), [&](int64_t task, int) {
        const int64_t row = task % tiles % tiles_m * rows, col = task % tiles / tiles_m * cols;
        compute(p,
                {task / tiles,
                 row,
                 col,
                 static_cast<int>(std::min<int64_t>(rows, p.m - row)),
                 static_cast<int>(std::min<int64_t>(cols, p.n - col))},
                kernel);
    });
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<sgemm_problem> sgemm_ordered{
    .name = "ordered",
    .description = "packed tiles whose sums are kept in the order of k, for reproducible mode",
    .block_m = rows,
    .block_n = cols,
    .block_k = depth,
    .has_epilogue = true,
    .takes_backwards = true,
    .keeps_k_order = true,
    .launch = launch,
};

} // namespace myblas::host

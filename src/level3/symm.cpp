#include "level3/plan.h"

#include <algorithm>
#include <cmath>

namespace myblas {
namespace {

// Rows or columns [first, first + count).
struct range {
    int64_t first, count;
};

// C_rows = alpha * A(rows, cols) * B_cols + beta * C_rows. With A on the right, rows and cols are
// columns: C_rows = alpha * B_cols * A(cols, rows) + beta * C_rows. `a` is the block of A, stored
// in full.
sgemm_problem product(const symm_problem& p,
                      range rows,
                      range cols,
                      const float* a,
                      int64_t lda,
                      bool is_transposed,
                      scalar beta) {
    sgemm_problem q{.math = p.math, .k = cols.count, .alpha = p.alpha, .beta = beta, .ldc = p.ldc};
    if (p.right) {
        q.transb = is_transposed;
        q.m = p.m;
        q.n = rows.count;
        q.a = p.b + cols.first * p.ldb;
        q.lda = p.ldb;
        q.b = a;
        q.ldb = lda;
        q.c = p.c + rows.first * p.ldc;
    } else {
        q.transa = is_transposed;
        q.m = rows.count;
        q.n = p.n;
        q.a = a;
        q.lda = lda;
        q.b = p.b + cols.first;
        q.ldb = p.ldb;
        q.c = p.c + rows.first;
    }
    return q;
}

// The product with a block off the diagonal. Either the block is stored, or its mirror image.
sgemm_problem stored_product(const symm_problem& p, range rows, range cols) {
    const range down = p.right ? cols : rows, across = p.right ? rows : cols; // of the block of A
    const bool is_stored = p.upper ? down.first < across.first : down.first > across.first;
    const range i = is_stored ? down : across, j = is_stored ? across : down;
    return product(p, rows, cols, p.a + i.first + j.first * p.lda, p.lda, !is_stored, {1});
}

} // namespace

workspace_range workspace_need(const symm_problem& p, const device_info&) {
    if (!may_be_nonzero(p.alpha))
        return {0, 0};
    // Several blocks would cut k.
    const bool is_single = p.math == MYBLAS_FP32_REPRODUCIBLE_MATH;
    const int64_t least = is_single ? p.order() : std::min(p.order(), least_block);
    return {tile_bytes(least), tile_bytes(p.order())};
}

void make_plan(const symm_problem& p,
               const device_info&,
               plan_workspace workspace,
               plan_steps& steps) {
    const int64_t n = p.order();
    if (!may_be_nonzero(p.alpha))
        return steps.take(product(p, {0, n}, {0, 0}, nullptr, n, false, p.beta));
    int64_t block = n;
    if (tile_bytes(n) > workspace.bytes) {
        const auto floats = static_cast<double>(workspace.bytes) / sizeof(float);
        const auto side = static_cast<int64_t>(std::sqrt(floats));
        block = std::max(least_block, side / least_block * least_block);
    }
    float* const whole = static_cast<float*>(workspace.memory);
    for (int64_t first = 0; first < n; first += block) {
        const range here{first, std::min(block, n - first)};
        const range before{0, first}, after{first + here.count, n - first - here.count};
        const int64_t pitch = pitch_of(here.count);
        steps.take(mirror_step{.upper = p.upper,
                               .n = here.count,
                               .a = p.a + first * (1 + p.lda),
                               .lda = p.lda,
                               .w = whole,
                               .ldw = pitch,
                               .gate = p.alpha});
        steps.take(product(p, here, here, whole, pitch, false, p.beta));
        for (const range& other : {before, after})
            if (other.count)
                steps.take(stored_product(p, here, other));
    }
}

} // namespace myblas

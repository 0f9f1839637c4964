// Substitution in a chain of blocks that wait for one another, in one launch: of trsv, and of trsm with one line.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

// op(A) as a lower triangle: an upper one is counted from its last unknown. Element (u, v), v <= u, is at
// a[u * row_step + v * column_step], unknown u at x[u * incx].
struct lower_view {
    int64_t n;
    const float* a;
    int64_t row_step, column_step;
    float* x;
    int64_t incx;
    bool unit;
};

// As many blocks as there are counters for, and one that none waits for.
inline constexpr int chain_block = 128; // unknowns
inline constexpr int64_t most_chain_order = int64_t{counter_count - 1} * chain_block;

// X = L^-1 * alpha * X, or 0 where `gate` is zero; is_across: rows of L lie along memory. In level2/trsv_chain.cu.
myblasStatus_t
solve_chain(const lower_view&, scalar alpha, scalar gate, bool is_across, const launch_context&);

} // namespace myblas::cuda

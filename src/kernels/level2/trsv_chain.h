// Triangular substitution in one launch, by a chain of blocks, where each block waits for the
// blocks before it (trsv_chain.cu). For trsv, and for trsm with a single right-hand side.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

// op(A) seen as a lower triangle. An upper triangle is numbered from its last unknown. Element (u,
// v), v <= u, is at a[u * row_step + v * column_step], and unknown u at x[u * incx].
struct lower_view {
    int64_t n;
    const float* a;
    int64_t row_step, column_step;
    float* x;
    int64_t incx;
    bool unit;
};

// Counter 0 numbers the blocks of a chain. Each block has one of the other counters.
inline constexpr int chain_block = 128; // unknowns
inline constexpr int64_t most_chain_order = int64_t{counter_count - 1} * chain_block;

// For kernel_entry::prepare of kernels that launch solve_chain.
myblasStatus_t prepare_chain();

// X = L^-1 * alpha * X, or 0 where `gate` is zero. is_across: rows of L are contiguous in memory.
myblasStatus_t
solve_chain(const lower_view&, scalar alpha, scalar gate, bool is_across, const launch_context&);

} // namespace myblas::cuda

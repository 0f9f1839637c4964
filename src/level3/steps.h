// The small steps of level 3's plans, except products: plain data, and the table of each backend's
// functions for them (host/level3/steps.cpp, kernels/level3/steps.cu).
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

#include <cstddef>
#include <cstdint>

namespace myblas {

// w = the symmetric n x n matrix with one triangle stored in `a`. Does nothing if `gate` is zero.
struct mirror_step {
    bool upper;
    int64_t n;
    const float* a;
    int64_t lda;
    float* w;
    int64_t ldw;
    scalar gate;
};

// Updates one triangle of each diagonal block c_i of the n x n matrix c. Blocks have `block` rows,
// the last one perhaps fewer:
//   c_i = t_i + beta * c_i, or with `twice` t_i + t_i^T + beta * c_i.
// t_i is at t + i * stride_t. If t is null, t_i is zero.
struct store_step {
    bool upper, twice;
    int64_t n, block;
    const float* t;
    int64_t ldt, stride_t;
    scalar beta;
    float* c;
    int64_t ldc;
};

// The start of a matrix in each product of a batch: `offset` elements after array[i], or after
// base + i * stride if `array` is null.
template <class T>
struct batch_base {
    T* base;
    int64_t stride = 0;
    T* const* array = nullptr;
    int64_t offset = 0;
};

// w = [a b a], each rows x cols; with `below` they are stacked vertically. Rows of zeroes follow
// each matrix, up to padded_rows; there are none unless `below`.
struct join_step {
    bool below;
    int64_t rows, padded_rows, cols;
    const float* a;
    int64_t lda;
    const float* b;
    int64_t ldb;
    float* w;
    int64_t ldw;
};

// L is the lower triangular n x n matrix with element (i, j) at a + i * a_row + j * a_col. Only
// elements with j <= i are read, with `unit` only j < i. Element i of a line of X or Y is at
// i * along; lines are `across` apart. For each diagonal block of `block` rows (the last may be
// smaller) and each line:
//   multiply   Y_i = alpha * L_i * X_i
//   solve      Y_i = L_i^-1 * alpha * X_i, by substitution; only for a single block: n <= block
// Y may be X. If alpha or `gate` is zero, nothing is read and Y is zero. Strides may be negative. A
// batch of more than one has n <= block.
struct triangle_step {
    bool is_solve, unit;
    int64_t n, block, lines;
    scalar alpha, gate;
    batch_base<const float> a;
    int64_t a_row, a_col;
    batch_base<const float> x;
    int64_t x_along, x_across;
    batch_base<float> y;
    int64_t y_along, y_across;
    int64_t batch_count;
};

inline constexpr int64_t most_triangle_block = 128;
inline constexpr int64_t most_cuda_solve_block = 256; // for a GPU's `solve`
// The same for a single line in place, outside a batch: a counter for each block
// (level2/trsv_chain.cu).
inline constexpr int64_t most_chain_rows = (1 << 19) - 128;

// *result = 0 if *alpha is 0, else -1: the factor of a product that must read nothing if alpha is
// zero.
struct zero_if_alpha_zero {
    const float* alpha;
    float* result;
};

// targets[o * count + i] = arrays[o][i] + offsets[o], o = 0, 1, 2.
struct pointers_step {
    int64_t count;
    const float* const* arrays[3];
    ptrdiff_t offsets[3];
    const float** targets;
};

// w = the triangle of the n x n matrix a, with zeros in its other half and, with `unit`, ones on
// its diagonal. found[i] != 0 for some i < found_count if the rows x cols matrix b has an Inf or a
// NaN. copy = b, unless `copy` is null. If `gate` is zero, all of `found` is zero and nothing else
// is written.
struct zero_fill_step {
    bool upper, unit;
    int64_t n;
    const float* a;
    int64_t lda;
    float* w;
    int64_t ldw;
    int64_t rows, cols;
    const float* b;
    int64_t ldb;
    float* copy;
    int64_t ld_copy;
    scalar gate;
    unsigned* found;
    int found_count;
};

// The product with a triangle, in one block and no batch. Computed only if found[i] != 0 for some
// i.
struct nonfinite_fixup {
    triangle_step product;
    const unsigned* found;
    int found_count;
};

// A backend's functions for the steps; null for a step that its plans do not have.
struct step_functions {
    myblasStatus_t (*mirror)(const mirror_step&, const launch_context&);
    myblasStatus_t (*store)(const store_step&, const launch_context&);
    myblasStatus_t (*join)(const join_step&, const launch_context&);
    myblasStatus_t (*triangle)(const triangle_step&, const launch_context&);
    myblasStatus_t (*gate)(const zero_if_alpha_zero&, const launch_context&);
    myblasStatus_t (*pointers)(const pointers_step&, const launch_context&);
    myblasStatus_t (*zero_fill)(const zero_fill_step&, const launch_context&);
    myblasStatus_t (*fix_nonfinite)(const nonfinite_fixup&, const launch_context&);
};

const step_functions& host_steps();
const step_functions& cuda_steps();

} // namespace myblas

// The small steps of level 3's plans beside products: plain data, and the table in which each backend has a function for
// each of them. (host/level3/parts.cpp, kernels/level3/parts.cu)
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

#include <cstddef>
#include <cstdint>

namespace myblas {

// w = the symmetric n x n matrix of which `a` has one triangle. Nothing is done where `gate` is zero.
struct mirror_part {
    bool upper;
    int64_t n;
    const float* a;
    int64_t lda;
    float* w;
    int64_t ldw;
    scalar gate;
};

// On one triangle of each diagonal block of c, which is n x n, in blocks of `block`, the last may be smaller:
//   c_i = t_i + beta * c_i, or with `twice` t_i + t_i^T + beta * c_i.
// t_i is at t + i * stride_t. t == nullptr: zero.
struct store_part {
    bool upper, twice;
    int64_t n, block;
    const float* t;
    int64_t ldt, stride_t;
    scalar beta;
    float* c;
    int64_t ldc;
};

// Where a matrix of each product of a batch starts: offset elements behind array[i], or behind base + i * stride.
template <class T>
struct batch_base {
    T* base;
    int64_t stride = 0;
    T* const* array = nullptr;
    int64_t offset = 0;
};

// w = [a b a], each rows x cols, or with `below` one of them below the other.
struct join_part {
    bool below;
    int64_t rows, cols;
    const float* a;
    int64_t lda;
    const float* b;
    int64_t ldb;
    float* w;
    int64_t ldw;
};

// L is the n x n matrix whose element (i, j) is at a + i * a_row + j * a_col; of it only elements with j <= i are read, and
// of these, with `unit`, only j < i. The lines of X and Y have their element i at i * along; lines are `across` apart.
// On each diagonal block of `block` rows (the last may be smaller), for each line:
//   multiply   Y_i = alpha * L_i * X_i
//   solve      Y_i = L_i^-1 * alpha * X_i, by substitution; there is but one block: n <= block
// Y may be X. Where alpha or `gate` is zero nothing is read and Y is zero. Strides may be negative. n <= block for a batch
// of more than one.
struct triangle_part {
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
// The same of one line in place, not in a batch: as many as there are counters for (level2/trsv_chain.cu).
inline constexpr int64_t most_chain_rows = (1 << 19) - 128;

// *result = 0 where *alpha is 0, else -1: what a product is multiplied by that must read nothing where alpha is zero.
struct gate_part {
    const float* alpha;
    float* result;
};

// targets[o * count + i] = arrays[o][i] + offsets[o], o = 0, 1, 2.
struct pointers_part {
    int64_t count;
    const float* const* arrays[3];
    ptrdiff_t offsets[3];
    const float** targets;
};

// w = the triangle of the n x n matrix a, with zeroes beside it and, with `unit`, ones on its diagonal. found[i] != 0, for
// an i below found_count, where the matrix b, rows x cols, has an Inf or a NaN. copy = b, unless it is null. Where `gate` is
// zero nothing is found, and nothing else written.
struct zero_fill_part {
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

// The product of one triangle, in one block and no batch, if found[i] != 0 for any i.
struct exact_part {
    triangle_part product;
    const unsigned* found;
    int found_count;
};

// A backend's functions for them; null for parts of plans that it does not make.
struct part_kernels {
    myblasStatus_t (*mirror)(const mirror_part&, const launch_context&);
    myblasStatus_t (*store)(const store_part&, const launch_context&);
    myblasStatus_t (*join)(const join_part&, const launch_context&);
    myblasStatus_t (*triangle)(const triangle_part&, const launch_context&);
    myblasStatus_t (*gate)(const gate_part&, const launch_context&);
    myblasStatus_t (*pointers)(const pointers_part&, const launch_context&);
    myblasStatus_t (*zero_fill)(const zero_fill_part&, const launch_context&);
    myblasStatus_t (*exact)(const exact_part&, const launch_context&);
};

const part_kernels& host_parts();
const part_kernels& cuda_parts();

} // namespace myblas

// thin: outputs of which one side is short. Of op(A) and op(B) one is the long operand, whose lines (rows of op(A),
// columns of op(B)) are the long side of C, the other the short one. Nothing of the long operand is used more than
// once or by other threads, so it goes straight to registers.
#pragma once

#include "kernels/common/cluster.cuh"
#include "kernels/common/overlap.h"
#include "kernels/common/reduce.h"
#include "kernels/sgemm/parts/operands.cuh"

namespace myblas::cuda {

// Where the operands lie, by their lines.
struct thin_layout {
    bool swapped;      // B is the long operand
    bool k_contiguous; // in the long operand
    bool finishes;     // product_finish is not empty
    int64_t lines, short_lines;
    int64_t ld;                       // of the long operand
    int64_t short_k_step, short_step; // in the short one, from k to k and from line to line
    int64_t c_step, short_c_step;     // in C, from line to line
};

inline thin_layout layout_of(const sgemm_problem& p) {
    if (p.n > p.m)
        return {.swapped = true,
                .k_contiguous = !p.transb,
                .finishes = !p.finish.is_empty(),
                .lines = p.n,
                .short_lines = p.m,
                .ld = p.ldb,
                .short_k_step = p.transa ? 1 : p.lda,
                .short_step = p.transa ? p.lda : 1,
                .c_step = p.ldc,
                .short_c_step = 1};
    return {.swapped = false,
            .k_contiguous = bool{p.transa},
            .finishes = !p.finish.is_empty(),
            .lines = p.m,
            .short_lines = p.n,
            .ld = p.lda,
            .short_k_step = p.transb ? p.ldb : 1,
            .short_step = p.transb ? 1 : p.ldb,
            .c_step = 1,
            .short_c_step = p.ldc};
}

} // namespace myblas::cuda

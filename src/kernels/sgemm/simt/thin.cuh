// thin: outputs with one short side. One of op(A) and op(B) is the long operand: its lines (rows of
// op(A), columns of op(B)) are along the long side of C. The other is the short operand. Each
// element of the long operand is used once, by one thread, so it is loaded directly into registers.
#pragma once

#include "kernels/common/cluster.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/sgemm/components/operands.cuh"

namespace myblas::cuda {

// The layout of the operands, in lines.
struct thin_layout {
    bool swap_ab;      // B is the long operand
    bool k_contiguous; // in the long operand
    bool has_epilogue; // product_epilogue is not empty
    int64_t lines, short_lines;
    int64_t ld; // of the long operand
    // Distances in the short operand, from k to k and from line to line.
    int64_t short_k_step, short_step;
    // Distances in C, from line to line.
    int64_t c_step, short_c_step;
};

inline thin_layout layout_of(const sgemm_problem& p) {
    // A single line whose elements are neighbours in memory, although lines would be too.
    const auto is_vector = [](int64_t lines, int64_t ld) { return lines == 1 && ld == 1; };
    if (p.n > p.m)
        return {.swap_ab = true,
                .k_contiguous = !p.transb,
                .has_epilogue = !p.epilogue.is_empty(),
                .lines = p.n,
                .short_lines = p.m,
                .ld = p.ldb,
                .short_k_step = p.transa ? 1 : p.lda,
                .short_step = p.transa ? p.lda : 1,
                .c_step = p.ldc,
                .short_c_step = 1};
    return {.swap_ab = false,
            .k_contiguous = p.transa || is_vector(p.m, p.lda),
            .has_epilogue = !p.epilogue.is_empty(),
            .lines = p.m,
            .short_lines = p.n,
            .ld = p.transa || !is_vector(p.m, p.lda) ? p.lda : p.k,
            .short_k_step = p.transb ? p.ldb : 1,
            .short_step = p.transb ? 1 : p.ldb,
            .c_step = 1,
            .short_c_step = p.ldc};
}

// Adds the products of one k to sums[line][short line]. x has its elements of the long operand, and
// `row`, in shared memory, those of the short one.
template <int lines, int side>
__device__ __forceinline__ void
add_products(float (&sums)[lines * side], const float (&x)[lines], const float* row) {
#pragma unroll
    for (int quad = 0; quad < side; quad += 4) {
        float y[4];
        load_quad(y, row + quad);
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
            for (int l = 0; l < lines; ++l)
                sums[l * side + quad + e] = fmaf(x[l], y[e], sums[l * side + quad + e]);
    }
}

} // namespace myblas::cuda

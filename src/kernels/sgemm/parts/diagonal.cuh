// Writing a tile of a triangle of C that the diagonal crosses, or an edge of C.
#pragma once

#include "kernels/sgemm/parts/operands.cuh"

namespace myblas::cuda {

// store_c of `count` elements, place(e) from c, of which is_computed(e) holds. All are read before the first is written, as
// loads do not pass stores: one after the other they would each wait for memory.
template <int count, class Place, class IsComputed>
__device__ __forceinline__ void store_some(float* c,
                                           float alpha,
                                           const float* product,
                                           float beta,
                                           Place&& place,
                                           IsComputed&& is_computed) {
    float old[count] = {};
    if (beta != 0) {
#pragma unroll
        for (int e = 0; e < count; ++e)
            if (is_computed(e))
                old[e] = c[place(e)];
    }
#pragma unroll
    for (int e = 0; e < count; ++e)
        if (is_computed(e)) {
            const float scaled = alpha * product[e];
            c[place(e)] = beta == 0 ? scaled : fmaf(beta, old[e], scaled);
        }
}

// Of a quad of rows, the first at (row, col) in its tile, with `rows` left in C, those that the mask has.
__device__ __forceinline__ void store_c4(float* c,
                                         float alpha,
                                         const float (&product)[4],
                                         float beta,
                                         int64_t rows,
                                         const diagonal_mask& mask,
                                         int row,
                                         int col) {
    store_some<4>(
        c,
        alpha,
        product,
        beta,
        [](int e) { return e; },
        [&](int e) { return e < rows && mask.has(row + e, col); });
}

} // namespace myblas::cuda

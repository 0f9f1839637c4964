// Operands of a product whose vectors may run backwards (runs_backwards).
#pragma once

#include "kernels/sgemm/parts/operands.cuh"

namespace myblas::cuda {

// As resolve_operands. Of what an array points to, the stride is the way from there to element 0.
__device__ __forceinline__ sgemm_operands resolve_vectors(const sgemm_problem& p, int64_t batch) {
    sgemm_operands o = resolve_operands(p, batch);
    if (p.a_array && o.k != 0)
        o.a += p.stride_a;
    if (p.b_array && o.k != 0)
        o.b += p.stride_b;
    if (p.c_array)
        o.c += p.stride_c;
    return o;
}

} // namespace myblas::cuda

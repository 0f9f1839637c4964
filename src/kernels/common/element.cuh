// The value of an element of C from its sum over k. Reproducible mode promises these expressions
// (myblasMath_t in myblas.h). Kernels of all modes use them.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// alpha * sum + bias, rounded twice, which the compiler must not fuse. Where there is no bias, +0
// is added: it makes -0 to +0, so that the zeroes with which kernels pad k leave no trace.
__device__ __forceinline__ float scaled_sum(float alpha, float sum, float bias = 0) {
    return __fadd_rn(__fmul_rn(alpha, sum), bias);
}

// *c = alpha * sum + beta * *c. If beta is zero, C is not read.
__device__ __forceinline__ void store_c(float* c, float alpha, float sum, float beta) {
    const float scaled = scaled_sum(alpha, sum);
    *c = beta == 0 ? scaled : fmaf(beta, *c, scaled);
}

} // namespace myblas::cuda

// The value of an element of C from its sum over k. Reproducible mode promises these expressions
// (myblasMath_t in myblas.h). Kernels of all modes use them.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// alpha * sum. Adding +0 turns -0 into +0, so that the zeroes with which kernels pad k leave no
// trace.
__device__ __forceinline__ float scaled_sum(float alpha, float sum) {
    return fmaf(alpha, sum, 0.0f);
}

// *c = alpha * sum + beta * *c. If beta is zero, C is not read.
__device__ __forceinline__ void store_c(float* c, float alpha, float sum, float beta) {
    const float scaled = scaled_sum(alpha, sum);
    *c = beta == 0 ? scaled : fmaf(beta, *c, scaled);
}

} // namespace myblas::cuda

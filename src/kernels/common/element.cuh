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

// Whether the L2 cache may add x to an element of C. It flushes subnormal numbers to zero (PTX ISA,
// "red"). From 2^-101 on this makes no difference. There x is a multiple of 2^-124, so x plus a
// normal number is not subnormal. A subnormal old value is less than half of the distance from x to
// its neighbours.
__device__ __forceinline__ bool is_added_in_memory(float x) {
    return fabsf(x) >= 0x1p-101f; // false for NaN
}
template <int rows, int cols>
__device__ __forceinline__ bool are_added_in_memory(const float (&x)[rows][cols]) {
    bool all = true;
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
        for (int j = 0; j < cols; ++j)
            all = all && is_added_in_memory(x[i][j]);
    return all;
}

// *c = x + *c by the L2 cache, for an x that it may add. The thread does not wait for the old
// value, and no other thread may change *c meanwhile. The bits are those of fmaf(1, *c, x), as for
// every C = alpha A B + C.
__device__ __forceinline__ void reduce_to_memory(float* c, float x) {
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(c), "f"(x) : "memory");
}
// For a quad that is aligned to 16 bytes.
__device__ __forceinline__ void reduce_quad_to_memory(float* c, const float (&x)[4]) {
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(c),
                 "f"(x[0]),
                 "f"(x[1]),
                 "f"(x[2]),
                 "f"(x[3])
                 : "memory");
#else
    for (int i = 0; i < 4; ++i)
        reduce_to_memory(c + i, x[i]);
#endif
}
__device__ __forceinline__ void add_in_memory(float* c, float x) { // any x
    if (is_added_in_memory(x))
        reduce_to_memory(c, x);
    else
        *c = x + *c;
}

} // namespace myblas::cuda

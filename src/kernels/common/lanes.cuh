// What lanes of a warp find out together, and each of them by itself.
#pragma once

#include "kernels/common/reduce.h"

namespace myblas::cuda {

// threadIdx.x, as if it were unknown: what follows from it is computed where it is needed, and takes no
// registers through the loops over chunks, which have none to spare.
__device__ __forceinline__ unsigned fresh_thread() {
    unsigned thread = threadIdx.x;
    asm volatile("" : "+r"(thread));
    return thread;
}

// Of 4 lanes that are `step` apart.
template <int step>
__device__ __forceinline__ unsigned max_of_4(unsigned value) {
    value = max(value, __shfl_xor_sync(full_warp, value, step));
    return max(value, __shfl_xor_sync(full_warp, value, 2 * step));
}
template <int step>
__device__ __forceinline__ int sum_of_4(int value) {
    value += __shfl_xor_sync(full_warp, value, step);
    return value + __shfl_xor_sync(full_warp, value, 2 * step);
}

// NaN if one of them is. PTX ISA, "Floating Point Instructions: max".
__device__ __forceinline__ float max_or_nan(float a, float b) {
    float greater;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(a), "f"(b));
    return greater;
}

} // namespace myblas::cuda

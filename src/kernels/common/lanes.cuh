// Operations on the lanes of a warp, and on single lanes.
#pragma once

#include "kernels/common/reduce.cuh"

namespace myblas::cuda {

// threadIdx.x, hidden from the compiler. Values derived from it are computed again where they are
// used, and occupy no registers during the loops over chunks, which have none to spare.
__device__ __forceinline__ unsigned rematerialised_tid() {
    unsigned thread = threadIdx.x;
    asm volatile("" : "+r"(thread));
    return thread;
}

// Maximum and sum over 4 lanes that are `step` apart.
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

// The greater of a and b; NaN if one of them is NaN. PTX ISA, "Floating Point Instructions: max".
__device__ __forceinline__ float max_or_nan(float a, float b) {
    float greater;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(a), "f"(b));
    return greater;
}

} // namespace myblas::cuda

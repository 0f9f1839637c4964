// Loads with hints for the caches.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

// Lets the L2 cache fetch the 128 bytes around the word, for memory that other threads will read
// too. PTX ISA, "Data Movement and Conversion Instructions: ld", .level::prefetch_size.
__device__ __forceinline__ uint32_t load_amid_128(const uint32_t* gmem) {
    uint32_t value;
    asm volatile("ld.global.L2::128B.u32 %0, [%1];" : "=r"(value) : "l"(gmem) : "memory");
    return value;
}

// For memory that is read once and is larger than the L1 cache. The L2 cache also evicts such lines
// sooner. PTX ISA, "Data Movement and Conversion Instructions: ld", .level::eviction_priority.
__device__ __forceinline__ float4 load_past_l1(const float4* gmem) {
    float4 value;
    asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "l"(gmem)
                 : "memory");
    return value;
}

__device__ __forceinline__ double2 load_past_l1(const double2* gmem) {
    double2 value;
    asm volatile("ld.global.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
                 : "=d"(value.x), "=d"(value.y)
                 : "l"(gmem)
                 : "memory");
    return value;
}

// Four neighbouring floats that are read once. With `partial`, only the first `valid` are read, and
// the others are zero.
template <bool partial>
__device__ __forceinline__ float4 load_4(const float* x, int64_t valid) {
    if constexpr (!partial)
        return __ldcs(reinterpret_cast<const float4*>(x));
    float4 v;
    v.x = valid > 0 ? x[0] : 0;
    v.y = valid > 1 ? x[1] : 0;
    v.z = valid > 2 ? x[2] : 0;
    v.w = valid > 3 ? x[3] : 0;
    return v;
}

} // namespace myblas::cuda

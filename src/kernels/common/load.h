// Loads that tell the L2 cache more than what they read.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

// The L2 cache fetches the 256 bytes around, of memory that other threads will ask for.
// PTX ISA, "Data Movement and Conversion Instructions: ld", .level::prefetch_size.
__device__ __forceinline__ uint32_t load_amid_256(const uint32_t* gmem) {
    uint32_t value;
    asm volatile("ld.global.L2::256B.u32 %0, [%1];" : "=r"(value) : "l"(gmem) : "memory");
    return value;
}

} // namespace myblas::cuda

// Atomic accesses of words that bypass the L1 cache and order no other memory. PTX ISA, "Data
// Movement and Conversion Instructions: ld, st"; "Memory Consistency Model: relaxed operations at
// gpu scope".
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

__device__ inline uint64_t load_relaxed(const uint64_t* word) {
    uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

__device__ inline void store_relaxed(uint64_t* word, uint64_t value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ inline uint32_t load_relaxed(const uint32_t* word) {
    uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

__device__ inline void store_relaxed(uint32_t* word, uint32_t value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

} // namespace myblas::cuda

// Counters in global memory that blocks of one launch tell each other by.
// PTX ISA, "Data Movement and Conversion Instructions: ld", "Parallel Synchronization and Communication Instructions:
// membar/fence" and "atom".
#pragma once

namespace myblas::cuda {

// What another block wrote before it counted is visible after a fence_device.
__device__ __forceinline__ unsigned load_counter(const unsigned* x) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(x) : "memory");
    return value;
}

// What another block wrote before it counted is visible at once. Unlike a fence this does not wait for the writes of other
// warps.
__device__ __forceinline__ unsigned load_counter_and_acquire(const unsigned* x) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(x) : "memory");
    return value;
}

// Orders memory accesses of this thread, and those before that it knows of, for the device. Unlike __threadfence not
// sequentially consistent, which takes longer.
__device__ __forceinline__ void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// Adds one, and returns the value before. Unlike atomicAdd not gathered from the lanes of a warp, which would wait for the
// result.
__device__ __forceinline__ unsigned count_one(unsigned* x) {
    unsigned before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(x) : "memory");
    return before;
}

} // namespace myblas::cuda

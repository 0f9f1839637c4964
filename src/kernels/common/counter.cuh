// Counters in global memory, by which the blocks of one launch signal each other. PTX ISA, "Data
// Movement and Conversion Instructions: ld", "Parallel Synchronization and Communication
// Instructions: membar/fence" and "atom".
#pragma once

namespace myblas::cuda {

// Acquiring load. Writes that another block made before it counted are visible at once; after
// load_relaxed (relaxed.cuh), only after a fence_device. Unlike a fence, it does not wait for the
// writes of other warps.
__device__ __forceinline__ unsigned load_counter_and_acquire(const unsigned* x) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(x) : "memory");
    return value;
}

// Orders the memory accesses that this thread has made or observed, for the whole device. Unlike
// __threadfence it is not sequentially consistent, which would take longer.
__device__ __forceinline__ void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// Adds one and returns the value before. The compiler combines the lanes' atomicAdd calls into one,
// and then waits for its result; it leaves this instruction alone.
__device__ __forceinline__ unsigned count_one(unsigned* x) {
    unsigned before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(x) : "memory");
    return before;
}

} // namespace myblas::cuda

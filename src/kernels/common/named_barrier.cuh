// Barriers of some of a block's warps, by number: 1 to 15, as 0 is __syncthreads.
// PTX ISA, "Parallel Synchronization and Communication Instructions: bar".
#pragma once

namespace myblas::cuda {

// Waits until `threads` threads have arrived, this one among them. Orders their accesses of memory.
template <int number, int threads>
__device__ __forceinline__ void sync_at() {
    asm volatile("bar.sync %0, %1;" ::"n"(number), "n"(threads) : "memory");
}
template <int threads>
__device__ __forceinline__ void sync_at(int number) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(threads) : "memory");
}

// Arrives without waiting.
template <int threads>
__device__ __forceinline__ void arrive_at(int number) {
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "n"(threads) : "memory");
}

} // namespace myblas::cuda

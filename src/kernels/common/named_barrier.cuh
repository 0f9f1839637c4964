// Named barriers for some of a block's warps. Numbers are 1 to 15, as 0 is __syncthreads. PTX ISA,
// "Parallel Synchronization and Communication Instructions: bar".
#pragma once

namespace myblas::cuda {

// Waits until `threads` threads have arrived, including this one. Orders their memory accesses.
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

// Two groups of warps, `threads` threads together, take turns by the barriers `first` and `first` +
// 1. Group 0 begins. If not `are_taken`, no barrier is used.
template <int threads, int first>
class turns_of_two {
public:
    __device__ __forceinline__ turns_of_two(int group, bool are_taken)
        : group_(group), are_taken_(are_taken) {
        if (are_taken_ && group_ != 0)
            pass();
    }
    __device__ __forceinline__ void take() const { sync_at<threads>(first + group_); }
    __device__ __forceinline__ void pass() const { arrive_at<threads>(first + 1 - group_); }
    // Called after both groups have taken the same number of turns.
    __device__ __forceinline__ ~turns_of_two() {
        if (are_taken_ && group_ == 0)
            take(); // the other group's last pass()
    }

private:
    int group_;
    bool are_taken_;
};

} // namespace myblas::cuda

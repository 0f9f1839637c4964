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

// Turns of two groups, of `threads` threads together, by the barriers `first` and the one behind it. Group 0 begins. Without
// `are_taken` there are none.
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
    // After as many turns of both groups.
    __device__ __forceinline__ ~turns_of_two() {
        if (are_taken_ && group_ == 0)
            take(); // the other group's last one
    }

private:
    int group_;
    bool are_taken_;
};

} // namespace myblas::cuda

// Sums over the threads of a warp and of a block, in a fixed order.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

inline constexpr int warp_size = 32;
inline constexpr unsigned full_warp = 0xffffffffu;

// The type that carries a sum after the few additions that a thread makes in T itself. Additions to
// a carrier lose almost nothing. A carrier is trivially constructible, since it lives in shared
// memory; carrier{} is zero. A carrier consists of 64-bit words. packed() turns a word into the
// form in which it travels through memory where zero means "not written yet" (mailbox.cuh);
// unpacked() turns it back.
template <class T>
struct carrier;

// The bits of a double, with -0 in place of zero. Adding -0 changes nothing either.
__device__ inline uint64_t without_zero(uint64_t bits) {
    const double value = __longlong_as_double(static_cast<long long>(bits));
    return __double_as_longlong(value == 0 ? -0.0 : value);
}

// For float: a double, which has 29 more bits.
template <>
struct carrier<float> {
    double sum;

    __device__ void add(carrier other) { sum += other.sum; }
    __device__ void add(float value) { sum += value; }
    __device__ carrier& operator+=(carrier other) {
        add(other);
        return *this;
    }
    __device__ float rounded() const { return static_cast<float>(sum); }
    __device__ carrier shuffled(int lane_mask) const {
        return {__shfl_xor_sync(full_warp, sum, lane_mask)};
    }
    __device__ static uint64_t packed(uint64_t word) { return without_zero(word); }
    __device__ static uint64_t unpacked(uint64_t word) { return word; }
};

// For double: a pair of doubles. `rest` holds what `sum` lost to rounding (Knuth's TwoSum).
template <>
struct carrier<double> {
    double sum;
    double rest;

    __device__ void add(double value) {
        const double total = sum + value;
        const double kept = total - sum;
        rest += (sum - (total - kept)) + (value - kept);
        sum = total;
    }
    __device__ void add(carrier other) {
        add(other.sum);
        rest += other.rest;
    }
    __device__ carrier& operator+=(carrier other) {
        add(other);
        return *this;
    }
    // Once the sum is infinite, the rest is NaN and must not be added.
    __device__ double rounded() const { return isfinite(sum) ? sum + rest : sum; }
    __device__ carrier shuffled(int lane_mask) const {
        return {__shfl_xor_sync(full_warp, sum, lane_mask),
                __shfl_xor_sync(full_warp, rest, lane_mask)};
    }
    __device__ static uint64_t packed(uint64_t word) { return without_zero(word); }
    __device__ static uint64_t unpacked(uint64_t word) { return word; }
};

// The sum over the warp, in every lane, of numbers or of carriers. All 32 lanes call it. With
// `lanes`, a power of two, the sum is taken over each group of `lanes` neighbouring lanes.
template <int lanes = warp_size, class Value>
__device__ Value warp_sum(Value value) {
    for (int mask = lanes / 2; mask > 0; mask /= 2)
        if constexpr (requires { value.shuffled(mask); })
            value += value.shuffled(mask);
        else
            value += __shfl_xor_sync(full_warp, value, mask);
    return value;
}

// Butterfly reduction over the lanes that differ in the bits `distance`, distance / 2, ..., `last`.
// As long as a lane holds more than one value, each step halves the number of values that it keeps.
// Returns the index of the first value that the lane kept.
template <int count, int distance, int last, int size>
__device__ __forceinline__ int scatter_sums(float (&value)[size]) {
    if constexpr (distance < last) {
        return 0;
    } else if constexpr (count == 1) {
        value[0] += __shfl_xor_sync(full_warp, value[0], distance);
        return scatter_sums<1, distance / 2, last>(value);
    } else {
        const bool upper = threadIdx.x & distance;
#pragma unroll
        for (int i = 0; i < count / 2; ++i) {
            const float sent = upper ? value[i] : value[i + count / 2];
            const float kept = upper ? value[i + count / 2] : value[i];
            value[i] = kept + __shfl_xor_sync(full_warp, sent, distance);
        }
        return (upper ? count / 2 : 0) + scatter_sums<count / 2, distance / 2, last>(value);
    }
}

// The sum over a block of `threads` threads, in thread 0. All threads call it. A barrier must
// precede the next call.
template <int threads, class Value>
__device__ Value block_sum(Value value) {
    static_assert(threads % warp_size == 0 && threads / warp_size <= warp_size);
    constexpr int warps = threads / warp_size;
    value = warp_sum(value);
    if constexpr (warps > 1) {
        __shared__ Value smem[warps];
        const int lane = threadIdx.x % warp_size;
        const int warp = threadIdx.x / warp_size;
        if (lane == 0)
            smem[warp] = value;
        __syncthreads(); // the warps' sums are complete
        if (warp == 0)
            value = warp_sum<warps>(smem[lane % warps]);
    }
    return value;
}

// The same by one warp, which reads the values of all threads from shared memory: one round of
// shuffles, each two instructions for 64 bits, in place of two rounds. This saves 0.15 us on an
// H100.
template <int threads, class Value>
__device__ Value block_sum_by_warp(Value value) {
    static_assert(threads % warp_size == 0);
    if constexpr (threads > warp_size) {
        __shared__ Value smem[threads];
        smem[threadIdx.x] = value;
        __syncthreads(); // the values are complete
        if (threadIdx.x >= warp_size)
            return value;
#pragma unroll
        for (int first = warp_size; first < threads; first += warp_size)
            value += smem[first + threadIdx.x];
    }
    return warp_sum(value);
}

} // namespace myblas::cuda

// Reads for the deterministic sums: batches of 16-byte vectors, and a fixed map of elements to
// threads.
//
// A batch is threads * loads * v elements, v = 16 bytes / sizeof(T). Load k of thread t has
// elements (k * threads + t) * v + 0 ... v - 1 of the batch. A thread adds its loads * v terms of a
// batch as a tree in T, log2(loads * v) roundings deep (4 for float, 3 for double). The result is
// added to a carrier (reduce.cuh) that loses almost nothing. The map depends neither on the
// alignment of x nor on the increment: the same values give the same bits wherever they lie.
#pragma once

#include "core/problem.h"
#include "kernels/common/reduce.cuh"
#include "kernels/sum/tree.cuh"

#include <cstdint>

namespace myblas::cuda {

inline constexpr int batch_loads = 4; // independent vector loads of a thread in flight

template <class T>
inline constexpr int vector_elements = 16 / static_cast<int>(sizeof(T));

template <class T, int threads>
inline constexpr int64_t batch_elements = int64_t{threads} * batch_loads* vector_elements<T>;

// Whether x can be read by aligned vectors.
template <class T>
bool is_contiguous(const sum_problem<T>& p) {
    return p.incx == 1 && reinterpret_cast<uintptr_t>(p.x) % 16 == 0;
}

__device__ inline void load_vector(float (&value)[4], const float* x) {
    const float4 v = __ldcs(reinterpret_cast<const float4*>(x));
    value[0] = v.x, value[1] = v.y, value[2] = v.z, value[3] = v.w;
}

__device__ inline void load_vector(double (&value)[2], const double* x) {
    const double2 v = __ldcs(reinterpret_cast<const double2*>(x));
    value[0] = v.x, value[1] = v.y;
}

// The sum of the thread's elements in batches first, first + step, ... contiguous:
// is_contiguous(p).
template <class T, int threads, bool contiguous, bool absolute>
__device__ carrier<T> thread_sum(const sum_problem<T>& p, int64_t first, int64_t step) {
    constexpr int v = vector_elements<T>;
    constexpr int64_t elements = batch_elements<T, threads>;
    const int64_t full_batches = p.n / elements;
    T value[batch_loads][v];
    carrier<T> total{};

    int64_t batch = first;
#pragma unroll 1
    for (; batch < full_batches; batch += step) {
        const T* x = p.x + (batch * elements + threadIdx.x * v) * p.incx;
#pragma unroll
        for (int k = 0; k < batch_loads; ++k) {
            if constexpr (contiguous) {
                load_vector(value[k], x + k * threads * v);
            } else {
#pragma unroll
                for (int c = 0; c < v; ++c, x += p.incx)
                    value[k][c] = *x;
                x += (threads - 1) * v * p.incx;
            }
        }
        total.add(tree_sum(value, absolute));
    }

    if (batch * elements < p.n) { // the last batch, which n cuts, is this block's
#pragma unroll
        for (int k = 0; k < batch_loads; ++k)
#pragma unroll
            for (int c = 0; c < v; ++c) {
                const int64_t i = batch * elements + (k * threads + threadIdx.x) * v + c;
                value[k][c] = i < p.n ? p.x[i * p.incx] : 0;
            }
        total.add(tree_sum(value, absolute));
    }
    return total;
}

} // namespace myblas::cuda

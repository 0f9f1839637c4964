// Reads for the reductions of any size: rows of 16-byte vectors, dealt to blocks, and a fixed map
// of elements to threads.
//
// A row is threads * v elements, v = 16 bytes / sizeof(T): as many for each thread. A thread
// passes the vectors of `loads` rows of its block, all in flight at once, to the reduction
// (reductions.cuh). Sums add them as a tree in T, log2(loads * v) roundings deep, and add the
// result to a carrier (reduce.cuh) that loses almost nothing. Rows are dealt one at a time, so that
// blocks differ by at most one row, or `loads` at a time, which DRAM serves faster.
#pragma once

#include "core/problem.h"
#include "kernels/common/launch.h"
#include "kernels/common/load.cuh"
#include "kernels/sum/reductions.cuh"

#include <cstdint>

namespace myblas::cuda {

template <class T>
inline constexpr int vector_elements = 16 / static_cast<int>(sizeof(T));

template <class T, int threads>
inline constexpr int row_elements = threads* vector_elements<T>;

// How vectors lie in memory: on 16-byte boundaries, or as single elements, unaligned or strided.
enum class layout { vectors, elements };

template <class Reduction>
layout layout_of(const typename Reduction::problem& p) {
    for (int o = 0; o < Reduction::operands; ++o) {
        const auto v = Reduction::vector_of(p, o);
        if (v.increment != 1 || reinterpret_cast<uintptr_t>(v.element_0) % 16 != 0)
            return layout::elements;
    }
    return layout::vectors;
}

template <class Reduction>
__device__ bool are_contiguous(const typename Reduction::problem& p) {
    bool are = true;
#pragma unroll
    for (int o = 0; o < Reduction::operands; ++o)
        are &= Reduction::vector_of(p, o).increment == 1;
    return are;
}

// The order in which rows are dealt.
enum class dealing { singly, in_batches };
// Whether loads use the L1 cache. What is loaded past it is also the first to leave the L2 cache.
// With `keep_first`, only the first elements use it. The last elements then do not replace them in
// the L2 cache, where a later call finds them.
enum class caching { keep, pass, keep_first };

// Plain and volatile loads stay after grid_dependency_sync(). The compiler may move an __ldg
// before it.
template <caching policy>
__device__ void load_vector(float (&value)[4], const float* x) {
    const float4* const vector = reinterpret_cast<const float4*>(x);
    const float4 v = policy == caching::keep ? *vector : load_past_l1(vector);
    value[0] = v.x, value[1] = v.y, value[2] = v.z, value[3] = v.w;
}

template <caching policy>
__device__ void load_vector(double (&value)[2], const double* x) {
    const double2* const vector = reinterpret_cast<const double2*>(x);
    const double2 v = policy == caching::keep ? *vector : load_past_l1(vector);
    value[0] = v.x, value[1] = v.y;
}

template <class Reduction, int loads>
using round_values = typename Reduction::element[Reduction::operands][loads]
                                                [vector_elements<typename Reduction::element>];

template <class Reduction, int loads>
__device__ void clear(round_values<Reduction, loads>& value) {
#pragma unroll
    for (int o = 0; o < Reduction::operands; ++o)
#pragma unroll
        for (int k = 0; k < loads; ++k)
#pragma unroll
            for (int c = 0; c < vector_elements<typename Reduction::element>; ++c)
                value[o][k][c] = Reduction::missing();
}

// The thread's part of the result, in block `block` of `blocks`. One compact loop does whole and
// cut rounds: small sums wait for every cache line of instructions. kept: the number of elements
// that `keep_first` keeps.
template <class Reduction, int threads, int loads, layout where, dealing order, caching policy>
__device__ typename Reduction::carrier
add_rows(const typename Reduction::problem& p, int64_t block, int64_t blocks, int64_t kept = 0) {
    using T = typename Reduction::element;
    constexpr int operands = Reduction::operands;
    constexpr int v = vector_elements<T>, row = row_elements<T, threads>;
    constexpr bool singly = order == dealing::singly;
    // A thread has v neighbouring elements, or elements `threads` apart if increments spread
    // neighbours over sectors.
    const int apart = where == layout::vectors || are_contiguous<Reduction>(p) ? 1 : threads;
    const int64_t begin = block * (singly ? row : loads * row) + threadIdx.x * (apart == 1 ? v : 1);
    const int64_t step = singly ? blocks * row : row; // between loads
    const int64_t round = blocks * loads * row;
    const T* x[operands];
    int64_t incx[operands];
#pragma unroll
    for (int o = 0; o < operands; ++o) {
        const strided_vector<T> vector = Reduction::vector_of(p, o);
        incx[o] = where == layout::elements ? vector.increment : 1;
        x[o] = vector.element_0 + begin * incx[o];
    }
    typename Reduction::carrier total{};

#pragma unroll 1
    for (int64_t left = p.n - begin; left > 0; left -= round) {
        round_values<Reduction, loads> value;
        clear<Reduction, loads>(value);
#pragma unroll
        for (int k = 0; k < loads; ++k) {
            const int64_t rest = left - k * step; // elements from the vector on
#pragma unroll
            for (int o = 0; o < operands; ++o) {
                const T* const vector = x[o] + k * step * incx[o];
                if constexpr (where == layout::vectors) {
                    if (rest >= v) {
                        if (policy != caching::keep_first)
                            load_vector<policy>(value[o][k], vector);
                        else if (p.n - left < kept)
                            load_vector<caching::keep>(value[o][k], vector);
                        else
                            load_vector<caching::pass>(value[o][k], vector);
                    }
                } else {
#pragma unroll
                    for (int c = 0; c < v; ++c)
                        if (c * apart < rest)
                            value[o][k][c] = vector[c * apart * incx[o]];
                }
            }
        }
        if constexpr (where == layout::vectors) {
            if (p.n % v != 0 && left < round) { // one thread has the vector that n cuts
#pragma unroll
                for (int k = 0; k < loads; ++k) {
                    const int64_t rest = left - k * step;
                    if (rest > 0 && rest < v)
#pragma unroll
                        for (int o = 0; o < operands; ++o)
#pragma unroll
                            for (int c = 0; c < v - 1; ++c)
                                if (c < rest)
                                    value[o][k][c] = x[o][k * step + c];
                }
            }
        }
        Reduction::add(total, value, p, p.n - left, step, apart);
#pragma unroll
        for (int o = 0; o < operands; ++o)
            x[o] += round * incx[o];
    }
    return total;
}

} // namespace myblas::cuda

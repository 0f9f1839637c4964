// Sums that a thread adds in T itself, as a tree: first over loads, then over a vector's elements.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// Adds the loads element by element; the sums are in the first one.
template <int loads, int width, class T>
__device__ void add_loads(T (&value)[loads][width]) {
#pragma unroll
    for (int half = loads / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < half; ++k)
#pragma unroll
            for (int c = 0; c < width; ++c)
                value[k][c] += value[k + half][c];
}

// The sum of a vector's elements. It overwrites the vector.
template <int width, class T>
__device__ T add_elements(T (&value)[width]) {
#pragma unroll
    for (int half = width / 2; half > 0; half /= 2)
#pragma unroll
        for (int c = 0; c < half; ++c)
            value[c] += value[c + half];
    return value[0];
}

template <int loads, int width, class T>
__device__ T tree_sum(T (&value)[loads][width], bool absolute) {
#pragma unroll
    for (int k = 0; k < loads; ++k)
#pragma unroll
        for (int c = 0; c < width; ++c)
            value[k][c] = absolute ? fabs(value[k][c]) : value[k][c];
    add_loads(value);
    return add_elements(value[0]);
}

} // namespace myblas::cuda

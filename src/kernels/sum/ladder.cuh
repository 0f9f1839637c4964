// Shared by the rungs of the sum ladder: one element for each thread, and blocks that each add
// their sum to the result with one atomic. The hardware decides the order of these additions, so
// the bits may differ from run to run. Float atomics in global memory flush subnormal sums to zero
// (PTX ISA, red: .add.f32).
#pragma once

#include "core/problem.h"
#include "kernels/common/launch.h"

#include <algorithm>
#include <cstdint>

namespace myblas::cuda {

inline constexpr int ladder_threads = 1024;

// The term that element i contributes.
template <class T>
__device__ T term(const sum_problem<T>& p, int64_t i) {
    const T value = p.x[i * p.incx];
    return p.absolute ? fabs(value) : value;
}

// All threads of a block call `block_total` with a value each. Thread 0 gets the sum over the
// block.
template <class T, T block_total(T)>
__global__ void __launch_bounds__(ladder_threads) add_by_block(sum_problem<T> p) {
    const int64_t step = int64_t{gridDim.x} * ladder_threads;
    for (int64_t i0 = int64_t{blockIdx.x} * ladder_threads; i0 < p.n; i0 += step) {
        const int64_t i = i0 + threadIdx.x;
        const T total = block_total(i < p.n ? term(p, i) : 0);
        if (threadIdx.x == 0)
            atomicAdd(p.result, total);
    }
}

// Zeroes the result, then launches one thread for each element.
template <class T>
[[nodiscard]] myblasStatus_t launch_ladder(void (*kernel)(sum_problem<T>),
                                           const sum_problem<T>& p,
                                           const launch_context& context) {
    if (const cudaError_t error = cudaMemsetAsync(p.result, 0, sizeof(T), context.stream);
        error != cudaSuccess || p.n == 0)
        return to_status(error);
    const int64_t blocks = std::min(ceil_div<int64_t>(p.n, ladder_threads), max_grid_x);
    return launch(kernel, dim3(static_cast<unsigned>(blocks)), ladder_threads, 0, context, p);
}

} // namespace myblas::cuda

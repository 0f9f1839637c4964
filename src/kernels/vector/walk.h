// How the kernels of axpy and copy walk over two vectors. Each routine gives them an operation with
//   bool  idle()                     nothing is to be done: x may not be read
//   float apply(float x, float y)    the new y; y is only read where `reads_y`
// and they give it the ladder:
//   naive       one thread for each element; unit increments
//   vectorised  adds 16-byte accesses, four of each vector in flight, in a grid that fits the device;
//               unit increments, x and y equally far from a 16-byte boundary
//   strided     element by element, any increments; one thread, in order, when all updates meet in
//               one element
#pragma once

#include "core/device.h"
#include "kernels/common/launch.h"

#include <algorithm>
#include <cstdint>

namespace myblas::cuda {

inline constexpr int walk_threads = 256;
inline constexpr int walk_loads = 4;  // independent vector loads of a thread in flight
inline constexpr int walk_vector = 4; // floats of a 16-byte vector
inline constexpr int walk_elements = walk_threads * walk_loads * walk_vector; // of a block at once

// Blocks of 256 threads in a grid that fills the device and loops.
inline dim3 walk_grid(int64_t blocks, const device_info& device) {
    constexpr int blocks_per_sm = 16; // twice what fits, against the tail
    return dim3(static_cast<unsigned>(
        std::clamp<int64_t>(blocks, 1, int64_t{blocks_per_sm} * device.sm_count)));
}

// Floats before the first 16-byte boundary at or after ptr.
inline __host__ __device__ int misalignment(const float* ptr) {
    return static_cast<int>((0 - reinterpret_cast<uintptr_t>(ptr) / sizeof(float)) % walk_vector);
}

template <class Problem>
bool has_unit_increments(const Problem& p, const device_info&) {
    return p.incx == 1 && p.incy == 1;
}

template <class Problem>
bool is_equally_aligned(const Problem& p, const device_info&) {
    return p.incx == 1 && p.incy == 1 && misalignment(p.x) == misalignment(p.y);
}

template <class Operation>
__device__ void update(const Operation& op, const float* x, float* y) {
    *y = op.apply(*x, Operation::reads_y ? *y : 0);
}

template <class Operation, class Problem>
__global__ void __launch_bounds__(walk_threads) walk_naive(Problem p) {
    const Operation op(p);
    const int64_t i = int64_t{blockIdx.x} * walk_threads + threadIdx.x;
    if (i < p.n && !op.idle())
        update(op, p.x + i, p.y + i);
}

template <class Operation, class Problem>
__global__ void __launch_bounds__(walk_threads) walk_vectorised(Problem p) {
    const Operation op(p);
    if (op.idle())
        return;
    const int64_t head = min(int64_t{misalignment(p.y)}, p.n);
    const int64_t vectors = (p.n - head) / walk_vector;
    const int64_t tail = head + vectors * walk_vector;
    const float4* x = reinterpret_cast<const float4*>(p.x + head);
    float4* y = reinterpret_cast<float4*>(p.y + head);

    constexpr int span = walk_threads * walk_loads;
    for (int64_t first = int64_t{blockIdx.x} * span + threadIdx.x; first < vectors;
         first += int64_t{gridDim.x} * span) {
        float4 value_x[walk_loads], value_y[walk_loads] = {};
#pragma unroll
        for (int k = 0; k < walk_loads; ++k)
            if (first + k * walk_threads < vectors) {
                value_x[k] = __ldcs(x + first + k * walk_threads);
                if constexpr (Operation::reads_y)
                    value_y[k] = __ldcs(y + first + k * walk_threads);
            }
#pragma unroll
        for (int k = 0; k < walk_loads; ++k)
            if (first + k * walk_threads < vectors)
                __stcs(y + first + k * walk_threads,
                       make_float4(op.apply(value_x[k].x, value_y[k].x),
                                   op.apply(value_x[k].y, value_y[k].y),
                                   op.apply(value_x[k].z, value_y[k].z),
                                   op.apply(value_x[k].w, value_y[k].w)));
    }

    // At most three elements before the first vector, and three after the last.
    if (blockIdx.x == 0 && threadIdx.x < walk_vector) {
        const int64_t i = tail + threadIdx.x;
        if (threadIdx.x < head)
            update(op, p.x + threadIdx.x, p.y + threadIdx.x);
        if (i < p.n)
            update(op, p.x + i, p.y + i);
    }
}

template <class Operation, class Problem>
__global__ void __launch_bounds__(walk_threads) walk_strided(Problem p) {
    const Operation op(p);
    if (op.idle())
        return;
    const int64_t step = int64_t{gridDim.x} * walk_threads;
#pragma unroll 4
    for (int64_t i = int64_t{blockIdx.x} * walk_threads + threadIdx.x; i < p.n; i += step)
        update(op, p.x + i * p.incx, p.y + i * p.incy);
}

// incy == 0: every update is of y[0], one after the other.
template <class Operation, class Problem>
__global__ void walk_in_order(Problem p) {
    const Operation op(p);
    if (op.idle())
        return;
    float y = Operation::reads_y ? *p.y : 0;
    for (int64_t i = Operation::reads_y ? 0 : p.n - 1; i < p.n; ++i)
        y = op.apply(p.x[i * p.incx], y);
    *p.y = y;
}

// A grid of one block for 256 elements stays within a grid's limit up to 2^39 of them.
template <class Operation, class Problem>
myblasStatus_t launch_naive(const Problem& p, const launch_context& context) {
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.n, walk_threads)));
    return launch(walk_naive<Operation, Problem>, grid, walk_threads, 0, context, p);
}

template <class Operation, class Problem>
myblasStatus_t launch_vectorised(const Problem& p, const launch_context& context) {
    const dim3 grid = walk_grid(ceil_div<int64_t>(p.n, walk_elements), *context.device);
    return launch(walk_vectorised<Operation, Problem>, grid, walk_threads, 0, context, p);
}

template <class Operation, class Problem>
myblasStatus_t launch_strided(const Problem& p, const launch_context& context) {
    if (p.incy == 0)
        return launch(walk_in_order<Operation, Problem>, dim3(1), 1, 0, context, p);
    const dim3 grid = walk_grid(ceil_div<int64_t>(p.n, walk_threads), *context.device);
    return launch(walk_strided<Operation, Problem>, grid, walk_threads, 0, context, p);
}

} // namespace myblas::cuda

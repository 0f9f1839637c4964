// How kernels traverse two vectors x and y, or one vector, called y. A routine provides an
// operation with
//   x_use, y_use                    constants: how it uses elements of x and y
//   bool idle()                     true if there is nothing to do: no element is read
//   void apply(float& x, float& y)  computes the new elements; x_use and y_use say which are read
//                                   before and which are stored after
// and becomes three kernels:
//   naive       one thread for each element; unit increments
//   vectorised  adds 16-byte accesses, one to each vector for each thread; unit increments, x and y
//               equally far from a 16-byte boundary. (1.01 of the rate of a device copy; several
//               accesses in a loop, on a grid that fits the device, reach 0.90:
//               docs/experiments/vectors.md.)
//   strided     element by element, any increments; if all updates change one element, one thread
//               makes them in order
// Launches overlap the previous kernel: launch latency is most of the time of a short walk.
#pragma once

#include "core/device.h"
#include "kernels/common/launch.h"
#include "kernels/common/overlap.cuh"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace myblas::cuda {

inline constexpr int walk_threads = 256;
inline constexpr int walk_vector = 4;                            // floats of a 16-byte vector
inline constexpr int walk_elements = walk_threads * walk_vector; // of a block

// Floats before the first 16-byte boundary at or after ptr.
inline __host__ __device__ int misalignment(const float* ptr) {
    return static_cast<int>((0 - reinterpret_cast<uintptr_t>(ptr) / sizeof(float)) % walk_vector);
}

// The vectors: pointers to their elements 0, for positive and negative increments.
struct vectors {
    int64_t n;
    float* x;
    int64_t incx;
    float* y;
    int64_t incy;
};

template <class Problem>
__host__ __device__ vectors vectors_of(const Problem& p) {
    if constexpr (requires { p.y; })
        return {p.n, const_cast<float*>(p.x), p.incx, p.y, p.incy};
    else
        return {p.n, p.x, p.incx, p.x, p.incx};
}

// How an operation uses the elements of a vector.
enum class use { none, reads, writes, updates };

constexpr __host__ __device__ bool is_read(use what) {
    return what == use::reads || what == use::updates;
}
constexpr __host__ __device__ bool is_written(use what) {
    return what == use::writes || what == use::updates;
}

template <class Problem>
bool has_unit_increments(const Problem& p, const device_info&) {
    const vectors v = vectors_of(p);
    return v.incx == 1 && v.incy == 1;
}

template <class Problem>
bool is_equally_aligned(const Problem& p, const device_info& device) {
    const vectors v = vectors_of(p);
    return has_unit_increments(p, device) && misalignment(v.x) == misalignment(v.y);
}

template <class Operation>
__device__ void update(const Operation& op, float* x, float* y) {
    float value_x = is_read(Operation::x_use) ? *x : 0;
    float value_y = is_read(Operation::y_use) ? *y : 0;
    op.apply(value_x, value_y);
    if constexpr (is_written(Operation::x_use))
        *x = value_x;
    if constexpr (is_written(Operation::y_use))
        *y = value_y;
}

template <class Operation, class Problem>
__global__ void __launch_bounds__(walk_threads) walk_naive(Problem p) {
    grid_dependency_sync();
    const Operation op(p);
    const vectors v = vectors_of(p);
    const int64_t i = int64_t{blockIdx.x} * walk_threads + threadIdx.x;
    if (i < v.n && !op.idle())
        update(op, v.x + i, v.y + i);
}

template <class Operation, class Problem>
__global__ void __launch_bounds__(walk_threads) walk_vectorised(Problem p) {
    grid_dependency_sync();
    const Operation op(p);
    if (op.idle())
        return;
    const vectors v = vectors_of(p);
    const int64_t head = min(int64_t{misalignment(v.y)}, v.n);
    const int64_t count = (v.n - head) / walk_vector; // 16-byte vectors
    const int64_t tail = head + count * walk_vector;
    float4* x = reinterpret_cast<float4*>(v.x + head);
    float4* y = reinterpret_cast<float4*>(v.y + head);

    const int64_t own = int64_t{blockIdx.x} * walk_threads + threadIdx.x;
    if (own < count) {
        float4 value_x{}, value_y{};
        if constexpr (is_read(Operation::x_use))
            value_x = __ldcs(x + own);
        if constexpr (is_read(Operation::y_use))
            value_y = __ldcs(y + own);
        op.apply(value_x.x, value_y.x);
        op.apply(value_x.y, value_y.y);
        op.apply(value_x.z, value_y.z);
        op.apply(value_x.w, value_y.w);
        if constexpr (is_written(Operation::x_use))
            __stcs(x + own, value_x);
        if constexpr (is_written(Operation::y_use))
            __stcs(y + own, value_y);
    }

    // At most three elements before the first 16-byte vector, and three after the last.
    if (blockIdx.x == 0 && threadIdx.x < walk_vector) {
        const int64_t i = tail + threadIdx.x;
        if (threadIdx.x < head)
            update(op, v.x + threadIdx.x, v.y + threadIdx.x);
        if (i < v.n)
            update(op, v.x + i, v.y + i);
    }
}

// A thread has `count` elements, which it loads before it stores any.
template <int count, class Operation, class Problem>
__global__ void __launch_bounds__(walk_threads) walk_strided(Problem p) {
    grid_dependency_sync();
    const Operation op(p);
    if (op.idle())
        return;
    const vectors v = vectors_of(p);
    const int64_t first = int64_t{blockIdx.x} * (walk_threads * count) + threadIdx.x;
    const auto index = [&](int c) { return first + c * walk_threads; };
    float x[count] = {}, y[count] = {};
#pragma unroll
    for (int c = 0; c < count; ++c)
        if (index(c) < v.n) {
            if constexpr (is_read(Operation::x_use))
                x[c] = v.x[index(c) * v.incx];
            if constexpr (is_read(Operation::y_use))
                y[c] = v.y[index(c) * v.incy];
        }
#pragma unroll
    for (int c = 0; c < count; ++c)
        if (index(c) < v.n) {
            op.apply(x[c], y[c]);
            if constexpr (is_written(Operation::x_use))
                v.x[index(c) * v.incx] = x[c];
            if constexpr (is_written(Operation::y_use))
                v.y[index(c) * v.incy] = y[c];
        }
}

// An increment of zero: the updates change one element, in order and in a register.
template <class Operation, class Problem>
__global__ void walk_in_order(Problem p) {
    constexpr use x_use = Operation::x_use, y_use = Operation::y_use;
    grid_dependency_sync();
    const Operation op(p);
    if (op.idle())
        return;
    const vectors v = vectors_of(p);
    float x = is_read(x_use) ? *v.x : 0, y = is_read(y_use) ? *v.y : 0;
    // If each update overwrites the previous one, only the last is made.
    const bool overwrites = !is_written(x_use) && y_use == use::writes && v.incy == 0;
    for (int64_t i = overwrites ? v.n - 1 : 0; i < v.n; ++i) {
        if (is_read(x_use) && v.incx != 0)
            x = v.x[i * v.incx];
        if (is_read(y_use) && v.incy != 0)
            y = v.y[i * v.incy];
        op.apply(x, y);
        if (is_written(x_use) && v.incx != 0)
            v.x[i * v.incx] = x;
        if (is_written(y_use) && v.incy != 0)
            v.y[i * v.incy] = y;
    }
    if (is_written(x_use) && v.incx == 0)
        *v.x = x;
    if (is_written(y_use) && v.incy == 0)
        *v.y = y;
}

// Whether all updates change one element. Threads of a grid would overwrite each other's results.
template <class Operation>
bool is_in_order(const vectors& v) {
    return (is_written(Operation::x_use) && v.incx == 0) ||
           (is_written(Operation::y_use) && v.incy == 0);
}

// A block for 256 or 1024 elements, or 256 16-byte vectors: at most 2^31 - 1 blocks up to 2^39
// elements.
template <class Operation, class Problem>
myblasStatus_t launch_naive(const Problem& p, const launch_context& context) {
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.n, walk_threads)));
    return launch_overlapped(walk_naive<Operation, Problem>, grid, walk_threads, context, p);
}

template <class Operation, class Problem>
myblasStatus_t launch_vectorised(const Problem& p, const launch_context& context) {
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.n, walk_elements)));
    return launch_overlapped(walk_vectorised<Operation, Problem>, grid, walk_threads, context, p);
}

template <class Operation, class Problem>
myblasStatus_t launch_strided(const Problem& p, const launch_context& context) {
    if (is_in_order<Operation>(vectors_of(p)))
        return launch_overlapped(walk_in_order<Operation, Problem>, dim3(1), 1, context, p);
    constexpr int count = 4;
    const auto start = [&](auto kernel, int elements) {
        const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.n, elements)));
        return launch_overlapped(kernel, grid, walk_threads, context, p);
    };
    // A thread has one element if vectors are short, if both change, or if nearly each element is
    // in another sector. In the latter case, sectors that are read would leave the caches before
    // they are written.
    constexpr bool both_change =
        Operation::x_use == use::updates && Operation::y_use == use::updates;
    constexpr int64_t far = 3;
    const vectors v = vectors_of(p);
    const bool are_far = std::min(std::abs(v.incx), std::abs(v.incy)) >= far;
    const bool is_short = p.n <= int64_t{count} * 2 * walk_threads * context.device->sm_count;
    return is_short || both_change || are_far
               ? start(walk_strided<1, Operation, Problem>, walk_threads)
               : start(walk_strided<count, Operation, Problem>, walk_threads * count);
}

// ---- The ladder ---------------------------------------------------------------------------------

template <class Operation, class Problem>
constexpr kernel_entry<Problem> naive_entry = {
    .name = "naive",
    .description = "one thread for each element; unit increments",
    .threads = walk_threads,
    .accepts = has_unit_increments<Problem>,
    .launch = launch_naive<Operation, Problem>,
};

template <class Operation, class Problem>
constexpr kernel_entry<Problem> vectorised_entry = {
    .name = "vectorised",
    .description = "16-byte accesses, one of a thread; unit increments, vectors aligned alike",
    .threads = walk_threads,
    .accepts = is_equally_aligned<Problem>,
    .launch = launch_vectorised<Operation, Problem>,
};

template <class Operation, class Problem>
constexpr kernel_entry<Problem> strided_entry = {
    .name = "strided",
    .description = "element by element, any increments",
    .threads = walk_threads,
    .launch = launch_strided<Operation, Problem>,
};

} // namespace myblas::cuda

// Triangles seen as lower triangles, and sums over blocks of their rows. For symv, trmv and trsv.
#pragma once

#include "core/problem.h"
#include "kernels/common/reduce.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/level2/trsv_chain.h"

#include <cstdint>

namespace myblas::cuda {

template <bool solve>
lower_view view_of(const triangular_problem<solve>& p) {
    const int64_t row_step = p.trans ? p.lda : 1, column_step = p.trans ? 1 : p.lda;
    const int64_t incx = p.n == 1 ? 1 : p.incx; // so that -incx does not overflow
    if (p.op_is_lower())
        return {p.n, p.a, row_step, column_step, p.x, incx, p.unit};
    const int64_t last = p.n - 1;
    return {
        p.n, p.a + last * (p.lda + 1), -row_step, -column_step, p.x + last * incx, -incx, p.unit};
}

// A symmetric matrix stored in its lower triangle. An upper triangle is indexed backwards from its
// last row and column, which makes it a lower one. Element (u, v) of the triangle, u >= v, is
// a[u * row_step + v * column_step].
struct symmetric_view {
    int64_t n;
    scalar alpha, beta;
    const float* a;
    int64_t row_step, column_step;
    const float* x;
    int64_t incx;
    float* y;
    int64_t incy;

    // Element (u, v) of the whole matrix.
    __device__ __forceinline__ float at(int64_t u, int64_t v) const {
        return u >= v ? a[u * row_step + v * column_step] : a[v * row_step + u * column_step];
    }
    __device__ __forceinline__ void store(int64_t u, double sum) const {
        const double factor = resolve(alpha), kept = resolve(beta);
        float& result = y[u * incy];
        const double scaled = factor == 0 ? 0 : factor * sum;
        result = static_cast<float>(kept == 0 ? scaled : scaled + kept * result);
    }
};

inline symmetric_view view_of(const symv_problem& p) {
    const int64_t incx = p.n == 1 ? 1 : p.incx, incy = p.n == 1 ? 1 : p.incy;
    if (!p.upper)
        return {p.n, p.alpha, p.beta, p.a, 1, p.lda, p.x, incx, p.y, incy};
    const int64_t last = p.n - 1;
    const float* const x = p.x ? p.x + last * incx : nullptr; // x and A are null if alpha is zero
    const float* const a = p.a ? p.a + last * (p.lda + 1) : nullptr;
    return {p.n, p.alpha, p.beta, a, -1, -p.lda, x, -incx, p.y + last * incy, -incy};
}

// Blocks of `rows` rows by `width` columns, divided among 256 threads: a block of 4096 elements
// gives each thread 16.
//
//   across = false   contiguous columns: lanes have neighbouring rows, warps neighbouring columns
//   across = true    contiguous rows: lanes have neighbouring columns, warps neighbouring rows
template <int rows, int width, bool across>
struct row_block {
    static constexpr int threads = 256, warps = threads / warp_size;
    static constexpr int row_count = across ? rows / warps : rows / warp_size; // rows of a thread
    static constexpr int column_count = across ? width / warp_size : width / warps;
    using elements = float[row_count][column_count];
    using sums = float[row_count];

    // Index in the block of the thread's row r or column c.
    static __device__ __forceinline__ int row(int r) {
        const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
        return across ? warp * row_count + r : lane + r * warp_size;
    }
    static __device__ __forceinline__ int column(int c) {
        const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
        return across ? lane + c * warp_size : warp * column_count + c;
    }

    // `a` is the block's first element. Rows from `count` on are read as row count - 1.
    static __device__ __forceinline__ void
    load(elements& value, const float* a, int64_t row_step, int64_t column_step, int count) {
#pragma unroll
        for (int r = 0; r < row_count; ++r)
#pragma unroll
            for (int c = 0; c < column_count; ++c)
                value[r][c] = a[min(row(r), count - 1) * row_step + column(c) * column_step];
    }

    // x(c): the factor of the thread's column c.
    template <class Factors>
    static __device__ __forceinline__ void multiply(sums& sum, const elements& value, Factors&& x) {
#pragma unroll
        for (int c = 0; c < column_count; ++c) {
            const float factor = x(c);
#pragma unroll
            for (int r = 0; r < row_count; ++r)
                sum[r] = fmaf(value[r][c], factor, sum[r]);
        }
    }

    // Adds element(u, v) * x(v) for each element of the block with is_read(u, v). The block starts
    // at (first_row, first_column).
    template <class Element, class Factors, class Test>
    static __device__ __forceinline__ void multiply_some(sums& sum,
                                                         int64_t first_row,
                                                         int64_t first_column,
                                                         Element&& element,
                                                         Factors&& x,
                                                         Test&& is_read) {
        // All loads are issued before the first value is used. An element that is not read
        // adds 0 * 0.
        elements value, factor;
#pragma unroll
        for (int r = 0; r < row_count; ++r)
#pragma unroll
            for (int c = 0; c < column_count; ++c) {
                const int64_t u = first_row + row(r), v = first_column + column(c);
                const bool reads = is_read(u, v);
                value[r][c] = reads ? element(u, v) : 0;
                factor[r][c] = reads ? x(v) : 0;
            }
#pragma unroll
        for (int r = 0; r < row_count; ++r)
#pragma unroll
            for (int c = 0; c < column_count; ++c)
                sum[r] = fmaf(value[r][c], factor[r][c], sum[r]);
    }

    // The whole block. `x` is the factor of its column 0; incx is the increment; rows as in load().
    static __device__ __forceinline__ void multiply_all(sums& sum,
                                                        const float* a,
                                                        int64_t row_step,
                                                        int64_t column_step,
                                                        int count,
                                                        const float* x,
                                                        int64_t incx) {
        elements value;
        load(value, a, row_step, column_step, count);
        if constexpr (across) {
            float own[column_count];
#pragma unroll
            for (int c = 0; c < column_count; ++c)
                own[c] = x[column(c) * incx];
            multiply(sum, value, [&](int c) { return own[c]; });
        } else {
            // Each lane loads the factor of one of the warp's columns.
            const int lane = threadIdx.x % warp_size;
            const float own = x[(column(0) + lane % column_count) * incx];
            multiply(sum, value, [&](int c) { return __shfl_sync(full_warp, own, c); });
        }
    }

    // Partial sums of the rows in shared memory: one sum for each warp, or if `across` the whole
    // sum in parts[0].
    using parts = float[across ? 1 : warps][rows];

    // The caller puts a barrier between leave() and total().
    static __device__ __forceinline__ void leave(parts& part, sums& sum) {
        const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
        if constexpr (across) {
            const int kept = scatter_sums<row_count, warp_size / 2, 1>(sum);
            if (lane % (warp_size / row_count) == 0) // neighbouring lanes hold the same sum
                part[0][warp * row_count + kept] = sum[0];
        } else {
#pragma unroll
            for (int r = 0; r < row_count; ++r)
                part[warp][row(r)] = sum[r];
        }
    }

    static __device__ __forceinline__ float total(const parts& part, int row) {
        float sum = part[0][row];
        if constexpr (!across)
#pragma unroll
            for (int w = 1; w < warps; ++w)
                sum += part[w][row];
        return sum;
    }
};

// The block's number in the order in which blocks start, the same in all its threads. A block that
// waits only for lower numbers waits only for blocks that run or have ended. The counter starts at
// zero; the caller's last block resets it.
__device__ inline unsigned take_number(unsigned* counter) {
    __shared__ unsigned number;
    if (threadIdx.x == 0)
        number = atomicAdd(counter, 1);
    __syncthreads(); // `number` is written
    return number;
}

} // namespace myblas::cuda

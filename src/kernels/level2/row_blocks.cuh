// Triangles seen as lower, and sums of blocks of their rows: what symv, trmv and trsv share.
#pragma once

#include "core/problem.h"
#include "kernels/common/lower_chain.h"
#include "kernels/common/reduce.h"
#include "kernels/common/scalar.h"

#include <cstdint>

namespace myblas::cuda {

template <bool solve>
lower_view view_of(const triangular_problem<solve>& p) {
    const int64_t row_step = p.trans ? p.lda : 1, column_step = p.trans ? 1 : p.lda;
    const int64_t incx = p.n == 1 ? 1 : p.incx; // so that its negative exists
    if (p.op_is_lower())
        return {p.n, p.a, row_step, column_step, p.x, incx, p.unit};
    const int64_t last = p.n - 1;
    return {
        p.n, p.a + last * (p.lda + 1), -row_step, -column_step, p.x + last * incx, -incx, p.unit};
}

// A symmetric matrix in its lower triangle: an upper one is counted from its last row. Element (u, v) of the lower
// triangle as above.
struct symmetric_view {
    int64_t n;
    scalar alpha, beta;
    const float* a;
    int64_t row_step, column_step;
    const float* x;
    int64_t incx;
    float* y;
    int64_t incy;

    // Of the whole matrix.
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
    const float* const x = p.x ? p.x + last * incx : nullptr; // null where alpha is zero
    const float* const a = p.a ? p.a + last * (p.lda + 1) : nullptr;
    return {p.n, p.alpha, p.beta, a, -1, -p.lda, x, -incx, p.y + last * incy, -incy};
}

// A block of `rows` rows by `width` columns at a time, shared by 256 threads: 16 elements a thread where it has 4096.
//
//   across = false   memory runs down a column: lanes have neighbouring rows, warps neighbouring columns
//   across = true    memory runs along a row: lanes have neighbouring columns, warps neighbouring rows
template <int rows, int width, bool across>
struct row_block {
    static constexpr int threads = 256, warps = threads / warp_size;
    static constexpr int row_count = across ? rows / warps : rows / warp_size; // of a thread
    static constexpr int column_count = across ? width / warp_size : width / warps;
    using elements = float[row_count][column_count];
    using sums = float[row_count];

    // In the block.
    static __device__ __forceinline__ int row(int r) {
        const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
        return across ? warp * row_count + r : lane + r * warp_size;
    }
    static __device__ __forceinline__ int column(int c) {
        const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
        return across ? lane + c * warp_size : warp * column_count + c;
    }

    // `a` is the first element of the block. Rows from `count` on are read as the last before.
    static __device__ __forceinline__ void
    load(elements& value, const float* a, int64_t row_step, int64_t column_step, int count) {
#pragma unroll
        for (int r = 0; r < row_count; ++r)
#pragma unroll
            for (int c = 0; c < column_count; ++c)
                value[r][c] = a[min(row(r), count - 1) * row_step + column(c) * column_step];
    }

    // x(c): what multiplies the thread's column c.
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

    // Adds element(u, v) * x(v) for the rows and columns from first_row and first_column on, where is_read(u, v).
    template <class Element, class Factors, class Test>
    static __device__ __forceinline__ void multiply_some(sums& sum,
                                                         int64_t first_row,
                                                         int64_t first_column,
                                                         Element&& element,
                                                         Factors&& x,
                                                         Test&& is_read) {
        // All are on their way before the first is used. What is not read adds zero times zero.
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

    // All of the block, x given by its element 0 and increment; row as in load().
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
            // A lane has the factor of one of the warp's columns.
            const int lane = threadIdx.x % warp_size;
            const float own = x[(column(0) + lane % column_count) * incx];
            multiply(sum, value, [&](int c) { return __shfl_sync(full_warp, own, c); });
        }
    }

    // Parts of the rows' sums in shared memory: a part of each warp, or the whole in part 0.
    using parts = float[across ? 1 : warps][rows];

    // A barrier before total().
    static __device__ __forceinline__ void leave(parts& part, sums& sum) {
        const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
        if constexpr (across) {
            const int kept = scatter_sums<row_count, warp_size / 2, 1>(sum);
            if (lane % (warp_size / row_count) == 0) // the lanes beside have the same
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

// The block's number in the order in which blocks come, the same in all its threads. Whoever waits for lower numbers
// alone waits for blocks that run or have ended. The counter is zero before; the last block leaves it zero.
__device__ inline unsigned take_number(unsigned* counter) {
    __shared__ unsigned number;
    if (threadIdx.x == 0)
        number = atomicAdd(counter, 1);
    __syncthreads(); // the number is there
    return number;
}

} // namespace myblas::cuda

// What every SGEMM rung shares: operands of one product of a batch, index arithmetic, the write of C,
// and the launch over a batch.
#pragma once

#include "core/kernel_entry.h"
#include "kernels/common/launch.h"
#include "kernels/common/scalar.h"

#include <cstdint>
#include <type_traits>

namespace myblas::cuda {

// One product, with its scalars resolved. k is 0 where A and B must not be read.
struct sgemm_operands {
    const float* a;
    const float* b;
    float* c;
    float alpha, beta;
    int64_t k;
};

__device__ __forceinline__ sgemm_operands resolve_operands(const sgemm_problem& p, int64_t batch) {
    sgemm_operands o;
    o.alpha = resolve(p.alpha);
    o.beta = resolve(p.beta);
    o.k = o.alpha == 0 ? 0 : p.k;
    if (o.k == 0) // the product is then exactly zero, also for an alpha of Inf or NaN
        o.alpha = 0;
    // A pointer array may be absent, or hold anything, where its operand is not read.
    const bool reads = o.k != 0;
    o.a = p.a_array ? (reads ? p.a_array[batch] : nullptr) : p.a + batch * p.stride_a;
    o.b = p.b_array ? (reads ? p.b_array[batch] : nullptr) : p.b + batch * p.stride_b;
    o.c = p.c_array ? p.c_array[batch] : p.c + batch * p.stride_c;
    return o;
}

// Index of element (row, col) of op(X), X stored with leading dimension ld.
template <bool trans>
__device__ __forceinline__ int64_t op_index(int64_t row, int64_t col, int64_t ld) {
    return trans ? col + row * ld : row + col * ld;
}

// *c = alpha * product + beta * *c, without reading C when beta is zero.
__device__ __forceinline__ void store_c(float* c, float alpha, float product, float beta) {
    const float scaled = alpha * product;
    *c = beta == 0 ? scaled : fmaf(beta, *c, scaled);
}

// The same for four consecutive rows, of which `rows` (perhaps fewer or more than 4) lie inside C.
// `vector` says that C's columns are aligned to 16 bytes.
__device__ __forceinline__ void
store_c4(float* c, float alpha, const float (&product)[4], float beta, int64_t rows, bool vector) {
    if (vector && rows >= 4) {
        float4 result = make_float4(
            alpha * product[0], alpha * product[1], alpha * product[2], alpha * product[3]);
        if (beta != 0) {
            const float4 old = *reinterpret_cast<const float4*>(c);
            result.x = fmaf(beta, old.x, result.x);
            result.y = fmaf(beta, old.y, result.y);
            result.z = fmaf(beta, old.z, result.z);
            result.w = fmaf(beta, old.w, result.w);
        }
        *reinterpret_cast<float4*>(c) = result;
        return;
    }
    float result[4];
#pragma unroll
    for (int e = 0; e < 4; ++e)
        result[e] = alpha * product[e];
    if (beta != 0) {
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (e < rows)
                result[e] = fmaf(beta, c[e], result[e]);
    }
#pragma unroll
    for (int e = 0; e < 4; ++e)
        if (e < rows)
            c[e] = result[e];
}

// Whether all columns of a matrix start at a multiple of 16 bytes.
__host__ __device__ inline bool aligned16(const float* x, int64_t ld) {
    return reinterpret_cast<uintptr_t>(x) % 16 == 0 && ld % 4 == 0;
}

// Number of block tiles of C.
inline int64_t tile_count(const sgemm_problem& p, int block_m, int block_n) {
    return ceil_div<int64_t>(p.m, block_m) * ceil_div<int64_t>(p.n, block_n);
}

// For kernel_entry::accepts of kernels with a block a tile.
template <int block_m, int block_n>
bool fits_grid(const sgemm_problem& p, const device_info&) {
    return tile_count(p, block_m, block_n) <= max_grid_x;
}

// Calls f with the two transpositions as compile-time constants.
template <class F>
myblasStatus_t with_transposition(const sgemm_problem& p, F&& f) {
    if (p.transa)
        return p.transb ? f(std::true_type{}, std::true_type{})
                        : f(std::true_type{}, std::false_type{});
    return p.transb ? f(std::false_type{}, std::true_type{})
                    : f(std::false_type{}, std::false_type{});
}

__device__ __forceinline__ void add_quad(float4& sum, const float4& value) {
    sum.x += value.x, sum.y += value.y, sum.z += value.z, sum.w += value.w;
}

// Calls f with a problem of each pair of transpositions, for kernel_entry::prepare. The first failure ends it.
template <class F>
[[nodiscard]] myblasStatus_t for_each_transposition(F&& f) {
    for (int pair = 0; pair < 4; ++pair) {
        sgemm_problem p;
        p.transa = pair & 1;
        p.transb = pair & 2;
        if (const myblasStatus_t failure = f(p))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

// Launches blocks_x blocks for each product of the batch. The kernel takes (problem, first batch, extra
// arguments) and works on product first + blockIdx.z.
template <class Kernel, class... Extra>
[[nodiscard]] myblasStatus_t launch_batch(Kernel kernel,
                                          int64_t blocks_x,
                                          int threads,
                                          size_t smem_bytes,
                                          const sgemm_problem& p,
                                          const launch_context& context,
                                          const Extra&... extra) {
    for (int64_t first = 0; first < p.batch_count; first += max_grid_z) {
        const int64_t products = std::min(p.batch_count - first, max_grid_z);
        const dim3 grid(static_cast<unsigned>(blocks_x), 1, static_cast<unsigned>(products));
        const myblasStatus_t status =
            launch(kernel, grid, threads, smem_bytes, context, p, first, extra...);
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas::cuda

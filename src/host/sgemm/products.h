// Shared by SGEMM's host kernels: the loop over a batch, products that do not read A and B, and
// epilogues.
#pragma once

#include "host/batch.h"
#include "host/scalar.h"
#include "host/sgemm/epilogue.h"
#include "host/threads.h"

#include "core/problem.h"
#include "myblas/myblas.h"

#include <algorithm>
#include <cstdint>

namespace myblas::host {

// One element of a batch: C = alpha * op(A) * op(B) + beta * C with alpha != 0 and k > 0.
struct product {
    float alpha, beta;
    const float* a;
    const float* b;
    float* c;
};

// C = beta * C, without reading C when beta is 0.
inline void scale_matrix(float beta, int64_t m, int64_t n, float* c, int64_t ldc) {
    if (beta == 1.0f)
        return;
    for (int64_t j = 0; j < n; ++j) {
        float* column = c + j * ldc;
        if (beta == 0.0f)
            std::fill_n(column, m, 0.0f);
        else
            std::transform(column, column + m, column, [beta](float x) { return beta * x; });
    }
}

// Calls multiply(product, thread) for each product of the batch, on up to `threads` threads.
// Products that must not read A and B, whose pointers may be null, are computed here instead.
template <class Multiply>
myblasStatus_t for_each_product(const sgemm_problem& p, int threads, const Multiply& multiply) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    for_each_task(p.batch_count, threads, [&](int64_t i, int thread) {
        float* c = batch_operand(p.c, p.stride_c, p.c_array, i);
        if (p.epilogue.source && beta != 0.0f)
            copy_source(p, i, c);
        if (alpha == 0.0f || p.k == 0)
            scale_matrix(beta, p.m, p.n, c, p.ldc);
        else
            multiply(product{alpha,
                             beta,
                             batch_operand(p.a, p.stride_a, p.a_array, i),
                             batch_operand(p.b, p.stride_b, p.b_array, i),
                             c},
                     thread);
        if (!p.epilogue.is_empty())
            apply_epilogue(p, i, c);
    });
    return MYBLAS_STATUS_SUCCESS;
}

template <class Multiply>
myblasStatus_t for_each_product(const sgemm_problem& p, const Multiply& multiply) {
    return for_each_product(p, 1, [&](const product& q, int) { multiply(q); });
}

// Multiply-adds of a product that are worth a thread: about 20 us.
inline constexpr int64_t work_a_thread = int64_t{1} << 20;

// Multiply-adds of one product of the batch, at most INT64_MAX; for estimates.
inline int64_t work_of(const sgemm_problem& p) {
    int64_t work = 0;
    const bool is_more = __builtin_mul_overflow(p.m, p.n, &work) ||
                         __builtin_mul_overflow(work, std::max<int64_t>(p.k, 1), &work);
    return is_more ? INT64_MAX : work;
}

// The number of threads for a kernel that divides a batch into `tasks`.
inline int threads_for_tasks(const sgemm_problem& p, int64_t tasks) {
    int64_t work = 0;
    if (__builtin_mul_overflow(work_of(p), p.batch_count, &work))
        work = INT64_MAX;
    return static_cast<int>(
        std::min<int64_t>(threads_for(work, work_a_thread), std::max<int64_t>(tasks, 1)));
}

// The same for a kernel that divides a batch by its products.
inline int threads_for_batch(const sgemm_problem& p) { return threads_for_tasks(p, p.batch_count); }

} // namespace myblas::host

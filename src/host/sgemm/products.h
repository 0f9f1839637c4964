// What SGEMM's host kernels share: the walk over a batch, the products that do not read A and B, and the end of those that
// are finished.
#pragma once

#include "host/batch.h"
#include "host/scalar.h"
#include "host/sgemm/finish.h"

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

// Calls multiply(product) for each element of the batch. Where A and B must not be read their
// pointers may be null: these elements are settled here.
template <class Multiply>
myblasStatus_t for_each_product(const sgemm_problem& p, Multiply multiply) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    for (int64_t i = 0; i < p.batch_count; ++i) {
        float* c = batch_operand(p.c, p.stride_c, p.c_array, i);
        if (p.finish.source && beta != 0.0f)
            copy_source(p, i, c);
        if (alpha == 0.0f || p.k == 0)
            scale_matrix(beta, p.m, p.n, c, p.ldc);
        else
            multiply(product{alpha,
                             beta,
                             batch_operand(p.a, p.stride_a, p.a_array, i),
                             batch_operand(p.b, p.stride_b, p.b_array, i),
                             c});
        if (!p.finish.is_empty())
            finish_product(p, i, c);
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas::host

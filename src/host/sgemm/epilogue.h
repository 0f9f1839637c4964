// Products with an epilogue (product_epilogue) on the host. The matrix that beta multiplies is
// copied to C before the product. Bias, aux and activation are a pass over C after the product.
#pragma once

#include "core/problem.h"

#include <cstdint>

namespace myblas::host {

// C = the source, for one product of the batch.
void copy_source(const sgemm_problem& p, int64_t batch, float* c);

// Applies bias, aux and activation to C, which holds alpha * op(A) * op(B) + beta * source.
void apply_epilogue(const sgemm_problem& p, int64_t batch, float* c);

// x = activation(x)
void activate(myblasActivation_t activation, float* x, int64_t count);

} // namespace myblas::host

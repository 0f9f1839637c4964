// Products that have a product_finish, on the host: what beta multiplies is copied to C before the product, and the rest is a
// pass over C behind it.
#pragma once

#include "core/problem.h"

#include <cstdint>

namespace myblas::host {

// C = the source, of a product of the batch.
void copy_source(const sgemm_problem& p, int64_t batch, float* c);

// Bias, aux and activation, once C holds alpha * op(A) * op(B) + beta * source.
void finish_product(const sgemm_problem& p, int64_t batch, float* c);

} // namespace myblas::host

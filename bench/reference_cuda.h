// Data and checks of results on the GPU: products and sums in higher precision, all else element by
// element.
#pragma once

#include "matrix_data.h"
#include "reference.h"

#include <cuda_runtime.h>

#include <cstdint>

namespace bench {

// Raises *worst, the bits of a non-negative double, to the largest relative error of the given
// columns of C. All pointers are device memory.
void launch_product_error(const product_view&,
                          const int64_t* columns,
                          int64_t column_count,
                          unsigned long long* worst,
                          cudaStream_t);

// Raises *result in the same way, or adds the number of wrong elements to it.
void launch_compare(const comparison&, unsigned long long* result, cudaStream_t);

void launch_fill(const generated_data&, cudaStream_t);

// All of AB and |A||B|, m x n and tight. All pointers are device memory.
void launch_sgemm_reference(const product_view&, double* product, double* magnitude, cudaStream_t);

// A part of a sum. value + error has about twice double precision.
struct partial_sum {
    double value, error, magnitude;
};
inline constexpr int sum_partial_count = 1 << 16;

// Adds up a vector or, with y, the products of two vectors' elements, in sum_partial_count parts.
// All pointers are device memory.
void launch_sum_exactly(
    const shape&, const void* x, const void* y, partial_sum* parts, cudaStream_t);

} // namespace bench

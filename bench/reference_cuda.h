// The checks of results on the GPU: products and sums in higher precision, transposes element by
// element.
#pragma once

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

// Adds to *changed the number of elements of C's memory that are outside of the results and have
// changed.
void launch_count_changed(const product_view&,
                          const float* memory,
                          int64_t count,
                          unsigned long long* changed,
                          cudaStream_t);

// Raises *worst, in the same way, to the largest error of all elements.
void launch_pair_error(const pair_view&, unsigned long long* worst, cudaStream_t);

// Adds to *count the number of elements that isamax or isamin should have found instead of element
// `found`.
void launch_count_preceding(
    const shape&, const float* x, int64_t found, unsigned long long* count, cudaStream_t);

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

// Adds to *wrong the number of elements that are not where moved_to() says. All pointers are device
// memory.
void launch_count_misplaced(const shape&,
                            const void* source,
                            const void* target,
                            bool as_copy,
                            unsigned long long* wrong,
                            cudaStream_t);

} // namespace bench

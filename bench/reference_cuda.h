// The checks of results on the GPU: a product against float64, a transpose element by element.
#pragma once

#include "reference.h"

#include <cuda_runtime.h>

#include <cstdint>

namespace bench {

// Raises *worst, the bits of a non-negative double, to the largest relative error of the given columns of
// C. All pointers are device memory.
void launch_sgemm_error(const product_view&,
                        const int64_t* columns,
                        int64_t column_count,
                        unsigned long long* worst,
                        cudaStream_t);

// Adds to *wrong the number of elements that are not where moved_to() says. All pointers are device memory.
void launch_count_misplaced(const shape&,
                            const void* source,
                            const void* target,
                            bool as_copy,
                            unsigned long long* wrong,
                            cudaStream_t);

} // namespace bench

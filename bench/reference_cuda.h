// The float64 reference of a product on the GPU.
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

} // namespace bench

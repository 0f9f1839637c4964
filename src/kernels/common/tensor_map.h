// Descriptors of matrices for the tensor memory accelerator (TMA) of sm_90.
#pragma once

#include "myblas/myblas.h"

#include <cuda.h>

#include <cstdint>

namespace myblas::cuda {

// A matrix of floats as TMA sees it: `along` elements next to each other in memory, `across` such lines
// at a distance of ld, copied in boxes of box_along x box_across (each at most 256).
struct tensor_shape {
    const float* base;
    int64_t along, across, ld;
    int box_along, box_across;
    CUtensorMapSwizzle swizzle;
};

// Whether TMA can read the matrix: 16-byte steps, and sizes within its fields.
bool fits_tensor_map(const float* base, int64_t along, int64_t across, int64_t ld);

myblasStatus_t make_tensor_map(const tensor_shape& shape, CUtensorMap* map);

} // namespace myblas::cuda

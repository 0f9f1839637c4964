// Descriptors of matrices for the tensor memory accelerator (TMA) of sm_90.
#pragma once

#include "myblas/myblas.h"

#include <cuda.h>

#include <cstdint>

namespace myblas::cuda {

// A matrix of floats as TMA sees it: `across` lines, ld apart, of `along` elements that are
// contiguous in memory. TMA copies boxes of box_along x box_across elements (each at most 256). If
// matrices > 0, the map has a third dimension: that many matrices, `stride` apart. With a stride of
// 0, all are the same matrix.
struct tensor_shape {
    const float* base;
    int64_t along, across, ld;
    int box_along, box_across;
    CUtensorMapSwizzle swizzle;
    int64_t matrices = 0, stride = 0;
    CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
};

// Whether TMA can read the matrix: it is aligned to 16 bytes, and its sizes are within the limits
// that NVIDIA documents for cuTensorMapEncodeTiled.
bool fits_tensor_map(const float* base, int64_t along, int64_t across, int64_t ld);

// The same for a batch, whose matrices may overlap or be the same one.
bool fits_tensor_map(const tensor_shape& shape);

// Makes the map of a shape that fits. NOT_SUPPORTED: the driver refuses the shape. No driver
// is known to, but NVIDIA's formula for strides has no room for matrices that overlap or are
// interleaved.
myblasStatus_t make_tensor_map(const tensor_shape& shape, CUtensorMap* map);

} // namespace myblas::cuda

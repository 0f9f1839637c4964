// The operands of tf32x3 and tf32x3_batch as TMA sees them.
#pragma once

#include "core/problem.h"
#include "kernels/common/tensor_map.h"

namespace myblas::cuda {

// An operand of a product whose slabs have 32 k. Its boxes have the lines of a tile if k runs along
// memory, otherwise 32 lines.
inline tensor_shape tf32_operand(const sgemm_problem& p,
                                 const float* base,
                                 bool k_contiguous,
                                 int64_t lines,
                                 int64_t ld,
                                 int64_t stride,
                                 int lines_of_tile) {
    return {.base = base,
            .along = k_contiguous ? p.k : lines,
            .across = k_contiguous ? lines : p.k,
            .ld = ld,
            .box_along = 32,
            .box_across = k_contiguous ? lines_of_tile : 32,
            .swizzle = CU_TENSOR_MAP_SWIZZLE_128B,
            .matrices = p.batch_count,
            .stride = p.batch_count > 1 ? stride : 0};
}

} // namespace myblas::cuda

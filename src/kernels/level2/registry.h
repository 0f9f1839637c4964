// The CUDA kernels of level 2 on triangles, and of ger. gemv is computed as a product.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

extern const kernel_entry<symv_problem> symv_warps, symv_rows, symv_tiles, symv_strips;
extern const kernel_entry<syr_problem> syr_tiles;
extern const kernel_entry<trmv_problem> trmv_single_block, trmv_rows;
extern const kernel_entry<trsv_problem> trsv_single_block, trsv_chain;

} // namespace myblas::cuda

// The SGEMM kernels of the CUDA backend. Each rung of the ladder is one kernel; a family is a table
// of variants.
#pragma once

#include "core/kernel_entry.h"

#include <array>

namespace myblas::cuda {

using sgemm_kernel = kernel_entry<sgemm_problem>;

extern const sgemm_kernel sgemm_naive;
extern const sgemm_kernel sgemm_coalesced;
extern const sgemm_kernel sgemm_grid_stride;
extern const sgemm_kernel sgemm_shared_rows;
extern const sgemm_kernel sgemm_shared_tile;
extern const sgemm_kernel sgemm_shared_tile_grid_stride;
extern const sgemm_kernel sgemm_register_tile_strided;
extern const sgemm_kernel sgemm_register_tile;
extern const sgemm_kernel sgemm_register_tile_2x2;
extern const sgemm_kernel sgemm_register_tile_packed;
extern const sgemm_kernel sgemm_vectorised;
extern const sgemm_kernel sgemm_warp_quadrants;
extern const sgemm_kernel sgemm_double_buffered;
extern const sgemm_kernel sgemm_multistage;
extern const std::array<sgemm_kernel, 3> sgemm_warp_tile;
extern const std::array<sgemm_kernel, 1> sgemm_warp_tile_narrow;
extern const sgemm_kernel sgemm_split_k;
extern const std::array<sgemm_kernel, 3> sgemm_stream_k;
extern const std::array<sgemm_kernel, 8> sgemm_small_tile;
extern const std::array<sgemm_kernel, 4> sgemm_small_tile_clusters;
extern const sgemm_kernel sgemm_tiny;
extern const sgemm_kernel sgemm_tall_skinny;
bool suits_tall_skinny(const sgemm_problem&); // it is the fastest
extern const sgemm_kernel sgemm_short_k;
extern const std::array<sgemm_kernel, 1> sgemm_group_tile;
extern const sgemm_kernel sgemm_skinny;
extern const sgemm_kernel sgemm_gemv;
extern const sgemm_kernel sgemm_thin_panel;

extern const std::array<sgemm_kernel, 2> sgemm_bf16x6;
extern const std::array<sgemm_kernel, 2> sgemm_fp16x3;
extern const std::array<sgemm_kernel, 3> sgemm_tf32x3;
extern const std::array<sgemm_kernel, 2> sgemm_tf32x3_batch;

} // namespace myblas::cuda

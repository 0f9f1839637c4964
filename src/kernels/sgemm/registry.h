// The SGEMM kernels of the cuda backend.
#pragma once

#include "core/kernel_entry.h"

#include <array>

namespace myblas::cuda {

extern const kernel_entry<sgemm_problem> sgemm_naive;
extern const kernel_entry<sgemm_problem> sgemm_coalesced;
extern const kernel_entry<sgemm_problem> sgemm_grid_stride;
extern const kernel_entry<sgemm_problem> sgemm_shared_rows;
extern const kernel_entry<sgemm_problem> sgemm_shared_tile;
extern const kernel_entry<sgemm_problem> sgemm_shared_tile_grid_stride;
extern const kernel_entry<sgemm_problem> sgemm_register_tile_strided;
extern const kernel_entry<sgemm_problem> sgemm_register_tile;
extern const kernel_entry<sgemm_problem> sgemm_register_tile_2x2;
extern const kernel_entry<sgemm_problem> sgemm_vectorised;
extern const kernel_entry<sgemm_problem> sgemm_double_buffered;
extern const kernel_entry<sgemm_problem> sgemm_warp_tile;
extern const kernel_entry<sgemm_problem> sgemm_warp_tile_128x128;
extern const kernel_entry<sgemm_problem> sgemm_warp_tile_64x64;
extern const kernel_entry<sgemm_problem> sgemm_warp_tile_64x128;
extern const kernel_entry<sgemm_problem> sgemm_split_k;
extern const kernel_entry<sgemm_problem> sgemm_matvec;
extern const kernel_entry<sgemm_problem> sgemm_thin;
extern const kernel_entry<sgemm_problem> sgemm_skinny;
extern const kernel_entry<sgemm_problem> sgemm_short_k;
extern const kernel_entry<sgemm_problem> sgemm_long_k;
extern const kernel_entry<sgemm_problem> sgemm_long_k_64x64;
extern const kernel_entry<sgemm_problem> sgemm_long_k_128x64;
extern const kernel_entry<sgemm_problem> sgemm_long_k_128x128;
extern const kernel_entry<sgemm_problem> sgemm_stream_k;
extern const kernel_entry<sgemm_problem> sgemm_stream_k_128x128;
extern const kernel_entry<sgemm_problem> sgemm_stream_k_parts;
extern const kernel_entry<sgemm_problem> sgemm_stream_k_parts_128x128;
extern const kernel_entry<sgemm_problem> sgemm_stream_k_lanes;
extern const kernel_entry<sgemm_problem> sgemm_sliced_16x16_short;
extern const kernel_entry<sgemm_problem> sgemm_sliced_16x16;
extern const kernel_entry<sgemm_problem> sgemm_sliced_32x16;
extern const kernel_entry<sgemm_problem> sgemm_sliced_32x16_cluster;
extern const kernel_entry<sgemm_problem> sgemm_sliced_32x16_cluster_4;
extern const kernel_entry<sgemm_problem> sgemm_sliced_32x32;
extern const kernel_entry<sgemm_problem> sgemm_sliced_32x32_long;
extern const kernel_entry<sgemm_problem> sgemm_sliced_32x32_cluster;
extern const kernel_entry<sgemm_problem> sgemm_sliced_32x32_cluster_long;
extern const kernel_entry<sgemm_problem> sgemm_sliced_32x32_cluster_8;
extern const kernel_entry<sgemm_problem> sgemm_sliced_64x32_short;
extern const kernel_entry<sgemm_problem> sgemm_sliced_64x32;
extern const kernel_entry<sgemm_problem> sgemm_sliced_64x32_cluster;
extern const kernel_entry<sgemm_problem> sgemm_sliced_32x64_cluster;
extern const kernel_entry<sgemm_problem> sgemm_sliced_64x64_cluster;
extern const kernel_entry<sgemm_problem> sgemm_sliced_64x64;
extern const kernel_entry<sgemm_problem> sgemm_packed_16x16;
extern const kernel_entry<sgemm_problem> sgemm_packed_32x32;
extern const std::array<kernel_entry<sgemm_problem>, 2> sgemm_bf16x6;
extern const std::array<kernel_entry<sgemm_problem>, 2> sgemm_fp16x3;
extern const std::array<kernel_entry<sgemm_problem>, 3> sgemm_tf32x3;

} // namespace myblas::cuda

#include "kernels/sgemm/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<sgemm_problem> cuda_kernels<sgemm_problem>() {
    static constexpr const kernel_entry<sgemm_problem>* kernels[] = {
        &cuda::sgemm_naive,
        &cuda::sgemm_coalesced,
        &cuda::sgemm_grid_stride,
        &cuda::sgemm_shared_rows,
        &cuda::sgemm_shared_tile,
        &cuda::sgemm_shared_tile_grid_stride,
        &cuda::sgemm_register_tile_strided,
        &cuda::sgemm_register_tile,
        &cuda::sgemm_register_tile_2x2,
        &cuda::sgemm_vectorised,
        &cuda::sgemm_double_buffered,
        &cuda::sgemm_warp_tile,
        &cuda::sgemm_warp_tile_128x128,
        &cuda::sgemm_warp_tile_64x64,
        &cuda::sgemm_warp_tile_64x128,
        &cuda::sgemm_split_k,
        &cuda::sgemm_matvec,
        &cuda::sgemm_thin,
        &cuda::sgemm_skinny,
        &cuda::sgemm_short_k,
        &cuda::sgemm_long_k,
        &cuda::sgemm_long_k_64x64,
        &cuda::sgemm_long_k_128x64,
        &cuda::sgemm_long_k_128x128,
        &cuda::sgemm_stream_k,
        &cuda::sgemm_stream_k_128x128,
        &cuda::sgemm_stream_k_parts,
        &cuda::sgemm_stream_k_parts_128x128,
        &cuda::sgemm_stream_k_lanes,
        &cuda::sgemm_sliced_16x16_short,
        &cuda::sgemm_sliced_16x16,
        &cuda::sgemm_sliced_32x16,
        &cuda::sgemm_sliced_32x16_cluster,
        &cuda::sgemm_sliced_32x16_cluster_4,
        &cuda::sgemm_sliced_32x32,
        &cuda::sgemm_sliced_32x32_long,
        &cuda::sgemm_sliced_32x32_cluster,
        &cuda::sgemm_sliced_32x32_cluster_long,
        &cuda::sgemm_sliced_32x32_cluster_8,
        &cuda::sgemm_sliced_64x32_short,
        &cuda::sgemm_sliced_64x32,
        &cuda::sgemm_sliced_64x32_cluster,
        &cuda::sgemm_sliced_32x64_cluster,
        &cuda::sgemm_sliced_64x64_cluster,
        &cuda::sgemm_sliced_64x64,
        &cuda::sgemm_packed_16x16,
        &cuda::sgemm_packed_32x32,
        &cuda::sgemm_bf16x6[0],
        &cuda::sgemm_bf16x6[1],
        &cuda::sgemm_fp16x3[0],
        &cuda::sgemm_fp16x3[1],
        &cuda::sgemm_tf32x3[0],
        &cuda::sgemm_tf32x3[1],
        &cuda::sgemm_tf32x3[2],
    };
    return kernels;
}

} // namespace myblas

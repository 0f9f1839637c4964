// The CUDA kernels of all routines.
#include "core/routine.h"
#include "kernels/histogram/registry.h"
#include "kernels/level2/registry.h"
#include "kernels/level3/registry.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sum/registry.h"
#include "kernels/transpose/registry.h"
#include "kernels/vector/registry.h"

#include <array>
#include <span>

namespace myblas {
namespace {

// The kernels of families (arrays), and single kernels.
using family = std::span<const cuda::sgemm_kernel>;
constexpr family of(const cuda::sgemm_kernel& kernel) { return {&kernel, 1}; }
constexpr family of(family kernels) { return kernels; }
template <const auto&... members>
constexpr std::array families = [] {
    std::array<const cuda::sgemm_kernel*, (of(members).size() + ...)> all{};
    size_t next = 0;
    for (const family& f : {of(members)...})
        for (const cuda::sgemm_kernel& kernel : f)
            all[next++] = &kernel;
    return all;
}();

// clang-format off
constexpr kernel_lists kernels = {
    families<cuda::sgemm_naive, cuda::sgemm_coalesced, cuda::sgemm_grid_stride,
             cuda::sgemm_shared_rows, cuda::sgemm_shared_tile, cuda::sgemm_shared_tile_grid_stride,
             cuda::sgemm_register_tile_strided, cuda::sgemm_register_tile,
             cuda::sgemm_register_tile_2x2, cuda::sgemm_register_tile_packed,
             cuda::sgemm_vectorised, cuda::sgemm_warp_quadrants, cuda::sgemm_double_buffered,
             cuda::sgemm_multistage, cuda::sgemm_warp_tile, cuda::sgemm_warp_tile_narrow,
             cuda::sgemm_split_k,
             cuda::sgemm_stream_k, cuda::sgemm_small_tile, cuda::sgemm_small_tile_clusters,
             cuda::sgemm_tiny, cuda::sgemm_tall_skinny, cuda::sgemm_short_k,
             cuda::sgemm_group_tile, cuda::sgemm_skinny, cuda::sgemm_gemv, cuda::sgemm_thin_panel,
             cuda::sgemm_bf16x6, cuda::sgemm_fp16x3, cuda::sgemm_tf32x3, cuda::sgemm_tf32x3_batch>,
    ladder<cuda::transpose_copy, cuda::transpose_copy_shared, cuda::transpose_naive,
           cuda::transpose_shared_tile, cuda::transpose_shared_tile_padded,
           cuda::transpose_diagonal, cuda::transpose_unrolled, cuda::transpose_vectorised,
           cuda::transpose_small_squares, cuda::transpose_small_elements,
           cuda::transpose_small_tiles, cuda::transpose_large_tiles, cuda::transpose_shifted,
           cuda::transpose_interleaved, cuda::transpose_in_place_square,
           cuda::transpose_in_place_pairs, cuda::transpose_in_place_workspace,
           cuda::transpose_in_place_cycles>,
    ladder<cuda::geam_naive, cuda::geam_shared_tile, cuda::geam_async_tiles>,
    ladder<cuda::sum_atomic, cuda::sum_shared_serial, cuda::sum_shared_interleaved,
           cuda::sum_shared_strided, cuda::sum_shared_sequential, cuda::sum_warp_shuffle,
           cuda::sum_vectorised_two_level, cuda::sum_single_block, cuda::sum_cluster,
           cuda::sum_polled>,
    ladder<cuda::dsum_atomic, cuda::dsum_warp_shuffle, cuda::dsum_vectorised_two_level,
           cuda::dsum_single_block, cuda::dsum_cluster, cuda::dsum_polled>,
    ladder<cuda::axpy_naive, cuda::axpy_vectorised, cuda::axpy_strided>,
    ladder<cuda::copy_naive, cuda::copy_vectorised, cuda::copy_strided>,
    ladder<cuda::gemsum_naive, cuda::gemsum_row_tiles, cuda::gemsum_row_clusters,
           cuda::gemsum_column_groups>,
    ladder<cuda::histogram_global_atomics, cuda::histogram_shared_atomics,
           cuda::histogram_lane_counters>,
    ladder<cuda::dot_cluster, cuda::dot_polled>,
    ladder<cuda::nrm2_cluster, cuda::nrm2_polled>,
    ladder<cuda::extremum_cluster, cuda::extremum_polled>,
    ladder<cuda::scal_naive, cuda::scal_vectorised, cuda::scal_strided>,
    ladder<cuda::swap_naive, cuda::swap_vectorised, cuda::swap_strided>,
    ladder<cuda::rot_naive, cuda::rot_vectorised, cuda::rot_strided>,
    ladder<cuda::rotm_naive, cuda::rotm_vectorised, cuda::rotm_strided>,
    ladder<cuda::rotg_one_thread>,
    ladder<cuda::rotmg_one_thread>,
    ladder<cuda::symv_warps, cuda::symv_rows, cuda::symv_tiles, cuda::symv_strips>,
    ladder<cuda::syr_tiles>,
    ladder<cuda::trmv_single_block, cuda::trmv_rows>,
    ladder<cuda::trsv_single_block, cuda::trsv_chain>,
    ladder<cuda::syrk_naive, cuda::syrk_products>,
    ladder<cuda::syr2k_naive, cuda::syr2k_products>,
    ladder<cuda::symm_naive, cuda::symm_products, cuda::symm_small>,
    ladder<cuda::trmm_naive, cuda::trmm_products, cuda::trmm_small>,
    ladder<cuda::trsm_naive, cuda::trsm_products>,
};
// clang-format on

} // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define MYBLAS_KERNELS(NAME, problem)                                                              \
    template <>                                                                                    \
    kernel_list<problem> cuda_kernels() {                                                          \
        return std::get<kernel_list<problem>>(kernels);                                            \
    }
MYBLAS_ROUTINES(MYBLAS_KERNELS)
#undef MYBLAS_KERNELS
// NOLINTEND(bugprone-macro-parentheses)

} // namespace myblas

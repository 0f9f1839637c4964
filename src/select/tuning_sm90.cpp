// Rules of the cuda backend for compute capability 9.0.
// Provenance: myblas-bench -f sgemm --kernel all on an H100 80GB HBM3, CUDA 13.0, 2026-11-21: squares of
// 64 to 4096 and the long and thin shapes of docs/experiments/sgemm.md; batches follow from the tile
// that a single product of their size takes. Sums, transposes: the ladder sweep of the same day.
#include "kernels/sgemm/registry.h"
#include "kernels/sum/registry.h"
#include "kernels/transpose/registry.h"
#include "kernels/vector/registry.h"
#include "select/tuning.h"

namespace myblas {
namespace {

// clang-format off
constexpr rule<sgemm_problem> sgemm[] = {
    // forms    m              n              k               batch * m * n
    {any_form, {at_most(32),   at_most(32),   at_most(128),   any},                   &cuda::sgemm_shared_rows},
    {any_form, {at_most(192),  at_most(192),  at_most(192),   at_most(192 * 192)},    &cuda::sgemm_shared_rows},
    {any_form, {any,           any,           at_least(256),  at_most(768 * 768)},    &cuda::sgemm_split_k},
    {any_form, {any,           any,           at_least(4096), at_most(1024 * 1024)},  &cuda::sgemm_split_k},
    {any_form, {any,           any,           any,            at_most(1024 * 1024)},  &cuda::sgemm_warp_tile_64x64},
    {any_form, {at_most(64),   any,           any,            any},                   &cuda::sgemm_warp_tile_64x64},
    {any_form, {any,           at_most(64),   any,            any},                   &cuda::sgemm_warp_tile_64x64},
    {any_form, {at_most(192),  at_most(192),  any,            any},                   &cuda::sgemm_warp_tile_64x64},
    {any_form, {at_most(256),  at_most(256),  any,            any},                   &cuda::sgemm_warp_tile_128x128},
    {any_form, {any,           any,           any,            at_most(1408 * 1408)},  &cuda::sgemm_warp_tile_128x128},
    {any_form, {any,           any,           any,            at_most(1664 * 1664)},  &cuda::sgemm_warp_tile_64x64},
    {any_form, {any,           any,           at_most(128),   any},                   &cuda::sgemm_warp_tile_128x128},
    {any_form, {any,           any,           any,            any},                   &cuda::sgemm_warp_tile},
    {any_form, {any,           any,           any,            any},                   &cuda::sgemm_shared_tile_grid_stride},
};

constexpr rule<transpose_problem> transpose[] = {
    // forms            m    n    min(m, n)    m * n
    {out_of_place_form, {any, any, at_most(48), any}, &cuda::transpose_unrolled},
    {out_of_place_form, {any, any, any,         any}, &cuda::transpose_vectorised},
    {out_of_place_form, {any, any, any,         any}, &cuda::transpose_unrolled},
    {in_place_form,     {any, any, any,         any}, &cuda::transpose_in_place_square},
    {in_place_form,     {any, any, any,         any}, &cuda::transpose_in_place_workspace},
    {in_place_form,     {any, any, any,         any}, &cuda::transpose_in_place_cycles},
};

constexpr rule<geam_problem> geam[] = {
    // forms    m    n    min(m, n)  m * n
    {any_form, {any, any, any, any}, &cuda::geam_shared_tile},
};

constexpr rule<sum_problem<float>> sum[] = {
    // forms    n               incx
    {any_form, {at_most(4096),  any, any, any}, &cuda::sum_vectorised_two_level},
    {any_form, {at_most(98304), any, any, any}, &cuda::sum_single_block},
    {any_form, {any,            any, any, any}, &cuda::sum_vectorised_two_level},
    {any_form, {any,            any, any, any}, &cuda::sum_single_block},
};

constexpr rule<sum_problem<double>> dsum[] = {
    // forms    n    incx
    {any_form, {any, any, any, any}, &cuda::dsum_vectorised_two_level},
    {any_form, {any, any, any, any}, &cuda::dsum_single_block},
};

constexpr rule<axpy_problem> axpy[] = {
    // forms    n    incx incy
    {any_form, {any, any, any, any}, &cuda::axpy_vectorised},
    {any_form, {any, any, any, any}, &cuda::axpy_strided},
};

constexpr rule<copy_problem> copy[] = {
    // forms    n    incx incy
    {any_form, {any, any, any, any}, &cuda::copy_vectorised},
    {any_form, {any, any, any, any}, &cuda::copy_strided},
};
// clang-format on

} // namespace

constinit const tuning tuning_sm90 = {90, {sgemm, transpose, geam, sum, dsum, axpy, copy}};

} // namespace myblas

// Rules of the cuda backend for compute capability 9.0. Products are chosen by the predictor
// (model_sm90.inc). The other rules are from measurements on an H100 80GB HBM3 with CUDA 13.0 on
// 2026-11-21 and 22. Those of transposes that move floats one by one are from an H200, 2026-11-29.
// Transposes are in docs/experiments/transpose.md, sums and histogram in sum.md.
#include "kernels/histogram/registry.h"
#include "kernels/level2/registry.h"
#include "kernels/level3/registry.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sum/registry.h"
#include "kernels/transpose/registry.h"
#include "kernels/vector/registry.h"
#include "select/tuning.h"

namespace myblas {
namespace {

using namespace cuda;

constexpr unsigned nn = 1;
constexpr unsigned unpadded_words = word_form & ~padded_word_form;

// clang-format off
// Products are chosen by predicted time. A product that no variant accepts goes to the kernel that
// accepts everything; with an epilogue, to one that accepts everything up to 2^31 tiles.
constexpr rule<sgemm_problem> sgemm[] = {
    {any_form, {any, any, any, any}, &sgemm_shared_tile_grid_stride},
    {any_form, {any, any, any, any}, &sgemm_warp_tile[1]},
    // Vectors that run backwards
    {any_form, {any, any, any, any}, &sgemm_gemv},
    {any_form, {any, any, any, any}, &sgemm_grid_stride},
};

constexpr rule<transpose_problem> transpose[] = {
    // forms             m    n    min(m, n)       m * n
    {word_form,          {any, any, any,            at_most(20000)},     &transpose_small_elements},
    {out_of_place_form,  {any, any, at_least(16),   at_most(1 << 18)},   &transpose_small_elements},
    {out_of_place_form,  {any, any, at_least(16),   at_most(1 << 22)},   &transpose_small_squares},
    {out_of_place_form,  {any, any, at_least(16),   at_most(1 << 22)},   &transpose_small_tiles},
    {byte_form, {any, at_most(64), at_least(16), at_most(1 << 24)}, &transpose_small_tiles},
    {byte_form,          {any, any, at_least(16),   at_most(1 << 24)},   &transpose_small_squares},
    {byte_form & whole_sectors_form, {any, any, at_least(64), any}, &transpose_large_tiles},
    {whole_sectors_form, {any, any, at_least(32),   any},                &transpose_vectorised},
    {whole_sectors_form, {any, any, at_least(32),   any},                &transpose_large_tiles},
    {unpadded_words,     {any, at_most(7), any,     at_least(3300000)},  &transpose_interleaved},
    {word_form,          {any, any, at_least(3),    at_most(6800000)},   &transpose_small_elements},
    {padded_word_form,   {any, any, {3, 32},        any},                &transpose_small_elements},
    {padded_word_form,   {any, any, at_least(33),   any},                &transpose_shifted},
    {out_of_place_form,  {any, any, at_least(1000), at_least(2500000)},  &transpose_shifted},
    {out_of_place_form,  {any, any, at_least(9),    at_most(130000)},    &transpose_small_elements},
    {out_of_place_form,  {any, any, at_least(17),   at_most(2600000)},   &transpose_small_elements},
    {out_of_place_form,  {any, any, at_most(40),    any},                &transpose_interleaved},
    {out_of_place_form,  {any, any, any,            at_most(5800000)},   &transpose_small_elements},
    {out_of_place_form,  {any, any, at_most(128),   any},                &transpose_interleaved},
    {out_of_place_form,  {any, any, any,            any},                &transpose_shifted},
    {out_of_place_form,  {any, any, any,            any},                &transpose_unrolled},
    {in_place_form, {any, any, any, any}, &transpose_in_place_pairs},
    {in_place_form, {any, any, any, any}, &transpose_in_place_square},
    {in_place_form, {any, any, any, any}, &transpose_in_place_workspace},
    {in_place_form, {any, any, any, any}, &transpose_in_place_cycles},
};

constexpr rule<geam_problem> geam[] = {
    // forms    m    n    min(m, n)  m * n
    {nn,       {any, any, any, at_least(1 << 21)}, &geam_shared_tile},
    {any_form, {any, any, any, any},               &geam_async_tiles},
    {any_form, {any, any, any, any},               &geam_shared_tile},
};

constexpr rule<sum_problem<float>> sum[] = {
    // forms    n                incx
    {any_form, {at_most(110000), at_most(1), any, any}, &sum_cluster},
    {any_form, {at_most(16384),  any,        any, any}, &sum_cluster},
    {any_form, {at_most(16384),  any,        any, any}, &sum_single_block},
    {any_form, {any,             any,        any, any}, &sum_polled},
};

constexpr rule<sum_problem<double>> dsum[] = {
    // forms    n               incx
    {any_form, {at_most(55000), at_most(1), any, any}, &dsum_cluster},
    {any_form, {at_most(8192),  any,        any, any}, &dsum_cluster},
    {any_form, {at_most(8192),  any,        any, any}, &dsum_single_block},
    {any_form, {any,            any,        any, any}, &dsum_polled},
};

constexpr rule<gemsum_problem> gemsum[] = {
    // forms    m                   n           m * n
    {any_form, {interval{5, 16384}, {8, 4096},  any, at_most(5000000)}, &gemsum_row_clusters},
    {any_form, {any,                any,        any, any},              &gemsum_row_tiles},
    {any_form, {any,                any,        any, any},              &gemsum_column_groups},
    {any_form, {any,                any,        any, any},              &gemsum_naive},
};

// ---- Level 1 ------------------------------------------------------------------------------------
// The bounds between the kernels are the same as for sum, in bytes read.

constexpr interval contiguous{-1, 1}; // increments of either sign

constexpr rule<dot_problem> dot[] = {
    // forms    n               incx        incy
    {any_form, {at_most(55000), contiguous, contiguous, any}, &dot_cluster},
    {any_form, {at_most(8192),  any,        any,        any}, &dot_cluster},
    {any_form, {any,            any,        any,        any}, &dot_polled},
};

constexpr rule<nrm2_problem> nrm2[] = {
    // forms    n                incx
    {any_form, {at_most(110000), at_most(1), any, any}, &nrm2_cluster},
    {any_form, {at_most(16384),  any,        any, any}, &nrm2_cluster},
    {any_form, {any,             any,        any, any}, &nrm2_polled},
};

constexpr rule<extremum_problem> extremum[] = {
    // forms    n                incx
    {any_form, {at_most(110000), at_most(1), any, any}, &extremum_cluster},
    {any_form, {at_most(16384),  any,        any, any}, &extremum_cluster},
    {any_form, {any,             any,        any, any}, &extremum_polled},
};

// ---- Level 2 ------------------------------------------------------------------------------------
// The last rule of a routine is for calls without workspace, or with more blocks than a stream has
// counters.

constexpr rule<symv_problem> symv[] = {
    // forms    n
    {any_form, {at_most(1200), any, any, any}, &symv_warps},
    {any_form, {at_least(5000), any, any, any}, &symv_strips},
    {any_form, {any, any, any, any}, &symv_tiles},
    {any_form, {any, any, any, any}, &symv_rows},
};

// ---- Level 3 ------------------------------------------------------------------------------------

constexpr rule<symm_problem> symm[] = {
    // forms    m    n    order
    {any_form, {at_most(8192), at_most(8192), at_most(64), any}, &symm_small},
    {any_form, {any, any, any, any}, &symm_products},
    {any_form, {any, any, any, any}, &symm_naive},
};

constexpr rule<trmm_problem> trmm[] = {
    // forms    m    n    order
    {trmm_in_place_form, {at_most(8192), at_most(8192), at_most(64), any}, &trmm_small},
    {trmm_in_place_form, {at_most(6300), at_most(6300), at_most(80), any}, &trmm_small},
    {trmm_in_place_form, {at_most(4200), at_most(4200), at_most(128), any}, &trmm_small},
    {any_form, {at_most(8192), at_most(8192), at_most(32), any}, &trmm_small},
    {any_form, {at_most(8192), at_most(64), at_most(64), any}, &trmm_small},
    {any_form, {at_most(64), at_most(5280), at_most(64), any}, &trmm_small},
    {any_form, {at_most(4096), at_most(4096), at_most(96), any}, &trmm_small},
    {any_form, {at_most(2048), at_most(2048), at_most(128), any}, &trmm_small},
    {any_form, {at_most(1024), at_most(1024), at_most(192), any}, &trmm_small},
    {any_form, {any, any, any, any}, &trmm_products},
    {any_form, {any, any, any, any}, &trmm_naive},
};
// clang-format on

} // namespace

// clang-format off
constinit const tuning tuning_sm90 = {90, {
    sgemm,
    transpose,
    geam,
    sum,
    dsum,
    in_order<axpy_vectorised, axpy_strided>,
    in_order<copy_vectorised, copy_strided>,
    gemsum,
    in_order<histogram_lane_counters>,
    dot,
    nrm2,
    extremum,
    in_order<scal_vectorised, scal_strided>,
    in_order<swap_vectorised, swap_strided>,
    in_order<rot_vectorised, rot_strided>,
    in_order<rotm_vectorised, rotm_strided>,
    in_order<rotg_one_thread>,
    in_order<rotmg_one_thread>,
    symv,
    in_order<syr_tiles>,
    in_order<trmv_rows, trmv_single_block>,
    in_order<trsv_chain, trsv_single_block>,
    in_order<syrk_products, syrk_naive>,
    in_order<syr2k_products, syr2k_naive>,
    symm,
    trmm,
    in_order<trsm_products, trsm_naive>,
}, sgemm_predictor_sm90};
// clang-format on

} // namespace myblas

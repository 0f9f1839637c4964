// Rules of the host backend: OpenBLAS if it can be loaded, else the best of the library's own
// kernels. A batch of many small products goes to the library's own kernel, which divides it among
// threads (docs/experiments/host.md).
#include "host/histogram/registry.h"
#include "host/level2/registry.h"
#include "host/level3/registry.h"
#include "host/sgemm/registry.h"
#include "host/sum/registry.h"
#include "host/transpose/registry.h"
#include "host/vector/registry.h"
#include "select/select.h"
#include "select/tuning.h"

namespace myblas {
namespace {

// clang-format off
constexpr rule<sgemm_problem> sgemm[] = {
    {any_form, {at_least(16), any, any, at_least(256)}, &host::sgemm_unpacked},
    {any_form, {any, any, any, any}, &host::sgemm_openblas},
    {any_form, {any, any, any, any}, &host::sgemm_unpacked},
    {any_form, {any, any, any, any}, &host::sgemm_blocked},
    {any_form, {any, any, any, any}, &host::sgemm_reference},
};

constexpr rule<transpose_problem> transpose[] = {
    {out_of_place_form, {any, any, any, any}, &host::transpose_blocked},
    {in_place_form,     {any, any, any, any}, &host::transpose_in_place},
};

constexpr rule<geam_problem> geam[] = {
    {any_form, {any, any, any, any}, &host::geam_blocked},
};

constexpr rule<sum_problem<float>> sum[] = {
    {any_form, {any, any, any, any}, &host::sum_pairwise},
};

constexpr rule<sum_problem<double>> dsum[] = {
    {any_form, {any, any, any, any}, &host::dsum_pairwise},
};

constexpr rule<axpy_problem> axpy[] = {
    {any_form, {any, any, any, any}, &host::axpy_reference},
};

constexpr rule<copy_problem> copy[] = {
    {any_form, {any, any, any, any}, &host::copy_reference},
};

constexpr rule<gemsum_problem> gemsum[] = {
    {any_form, {any, any, any, any}, &host::gemsum_runs},
};

constexpr rule<histogram_problem> histogram[] = {
    {any_form, {any, any, any, any}, &host::histogram_interleaved},
};

// ---- Level 1 ------------------------------------------------------------------------------------

constexpr rule<dot_problem> dot[] = {
    {any_form, {any, any, any, any}, &host::dot_lanes},
};

constexpr rule<nrm2_problem> nrm2[] = {
    {any_form, {any, any, any, any}, &host::nrm2_lanes},
};

constexpr rule<extremum_problem> extremum[] = {
    {any_form, {any, any, any, any}, &host::extremum_blocks},
};

constexpr rule<scal_problem> scal[] = {
    {any_form, {any, any, any, any}, &host::scal_reference},
};

constexpr rule<swap_problem> swap[] = {
    {any_form, {any, any, any, any}, &host::swap_reference},
};

constexpr rule<rot_problem> rot[] = {
    {any_form, {any, any, any, any}, &host::rot_reference},
};

constexpr rule<rotm_problem> rotm[] = {
    {any_form, {any, any, any, any}, &host::rotm_reference},
};

constexpr rule<rotg_problem> rotg[] = {
    {any_form, {any, any, any, any}, &host::rotg_reference},
};

constexpr rule<rotmg_problem> rotmg[] = {
    {any_form, {any, any, any, any}, &host::rotmg_reference},
};

// ---- Level 2 ------------------------------------------------------------------------------------

constexpr rule<symv_problem> symv[] = {
    {any_form, {any, any, any, any}, &host::symv_openblas},
    {any_form, {any, any, any, any}, &host::symv_reference},
};

constexpr rule<syr_problem> syr[] = {
    {any_form, {any, any, any, any}, &host::syr_openblas},
    {any_form, {any, any, any, any}, &host::syr_reference},
};

constexpr rule<trmv_problem> trmv[] = {
    {any_form, {any, any, any, any}, &host::trmv_openblas},
    {any_form, {any, any, any, any}, &host::trmv_reference},
};

constexpr rule<trsv_problem> trsv[] = {
    {any_form, {any, any, any, any}, &host::trsv_openblas},
    {any_form, {any, any, any, any}, &host::trsv_reference},
};

// ---- Level 3 ------------------------------------------------------------------------------------

constexpr rule<syrk_problem> syrk[] = {
    {any_form, {any, any, any, any}, &host::syrk_openblas},
    {any_form, {any, any, any, any}, &host::syrk_products},
    {any_form, {any, any, any, any}, &host::syrk_reference},
};

constexpr rule<syr2k_problem> syr2k[] = {
    {any_form, {any, any, any, any}, &host::syr2k_openblas},
    {any_form, {any, any, any, any}, &host::syr2k_products},
    {any_form, {any, any, any, any}, &host::syr2k_reference},
};

constexpr rule<symm_problem> symm[] = {
    {any_form, {any, any, any, any}, &host::symm_openblas},
    {any_form, {any, any, any, any}, &host::symm_products},
    {any_form, {any, any, any, any}, &host::symm_reference},
};

constexpr rule<trmm_problem> trmm[] = {
    {any_form, {any, any, any, any}, &host::trmm_openblas},
    {any_form, {any, any, any, any}, &host::trmm_products},
    {any_form, {any, any, any, any}, &host::trmm_reference},
};

constexpr rule<trsm_problem> trsm[] = {
    {any_form, {any, any, any, any}, &host::trsm_openblas},
    {any_form, {any, any, any, any}, &host::trsm_products},
    {any_form, {any, any, any, any}, &host::trsm_reference},
};
// clang-format on

} // namespace

constinit const tuning tuning_host = {0, {sgemm,  transpose, geam,  sum,   dsum,     axpy, copy,
                                          gemsum, histogram, dot,   nrm2,  extremum, scal, swap,
                                          rot,    rotm,      rotg,  rotmg, symv,     syr,  trmv,
                                          trsv,   syrk,      syr2k, symm,  trmm,     trsm}};

template <class Problem>
selection_table<Problem> host_table() {
    return tuning_host.of<Problem>();
}

#define MYBLAS_TABLE(NAME, problem) template selection_table<problem> host_table();
MYBLAS_ROUTINES(MYBLAS_TABLE)
#undef MYBLAS_TABLE

} // namespace myblas

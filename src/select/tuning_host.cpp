// Rules of the host backend: OpenBLAS if it can be loaded, else the best of the library's own
// kernels. A batch of many small products goes to the library's own kernel, which divides it among
// threads (docs/experiments/host.md).
#include "host/registry.h"
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
    {any_form, {any, any, any, any}, &host::sgemm_ordered}, // in reproducible mode
};

constexpr rule<transpose_problem> transpose[] = {
    {out_of_place_form, {any, any, any, any}, &host::transpose_blocked},
    {in_place_form,     {any, any, any, any}, &host::transpose_in_place},
};
// clang-format on

} // namespace

// clang-format off
constinit const tuning tuning_host = {0, {
    sgemm,
    transpose,
    in_order<host::geam_blocked>,
    in_order<host::sum_pairwise>,
    in_order<host::dsum_pairwise>,
    in_order<host::axpy_reference>,
    in_order<host::copy_reference>,
    in_order<host::gemsum_runs>,
    in_order<host::histogram_interleaved>,
    in_order<host::dot_lanes>,
    in_order<host::nrm2_lanes>,
    in_order<host::extremum_blocks>,
    in_order<host::scal_reference>,
    in_order<host::swap_reference>,
    in_order<host::rot_reference>,
    in_order<host::rotm_reference>,
    in_order<host::rotg_reference>,
    in_order<host::rotmg_reference>,
    in_order<host::symv_openblas, host::symv_reference>,
    in_order<host::syr_openblas, host::syr_reference>,
    in_order<host::trmv_openblas, host::trmv_reference>,
    in_order<host::trsv_openblas, host::trsv_reference>,
    in_order<host::syrk_openblas, host::syrk_products, host::syrk_reference>,
    in_order<host::syr2k_openblas, host::syr2k_products, host::syr2k_reference>,
    in_order<host::symm_openblas, host::symm_products, host::symm_reference>,
    in_order<host::trmm_openblas, host::trmm_products, host::trmm_reference>,
    in_order<host::trsm_openblas, host::trsm_products, host::trsm_reference>,
}};
// clang-format on

template <class Problem>
selection_table<Problem> host_table() {
    return tuning_host.of<Problem>();
}

#define MYBLAS_TABLE(NAME, problem) template selection_table<problem> host_table();
MYBLAS_ROUTINES(MYBLAS_TABLE)
#undef MYBLAS_TABLE

} // namespace myblas

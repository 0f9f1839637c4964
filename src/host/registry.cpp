#include "host/registry.h"

#include "core/routine.h"

namespace myblas {
namespace {

// clang-format off
constexpr kernel_lists kernels = {
    ladder<host::sgemm_reference, host::sgemm_unpacked, host::sgemm_blocked, host::sgemm_ordered,
           host::sgemm_openblas>,
    ladder<host::transpose_naive, host::transpose_blocked, host::transpose_in_place>,
    ladder<host::geam_naive, host::geam_blocked>,
    ladder<host::sum_serial, host::sum_pairwise>,
    ladder<host::dsum_serial, host::dsum_pairwise>,
    ladder<host::axpy_reference>,
    ladder<host::copy_reference>,
    ladder<host::gemsum_serial, host::gemsum_runs>,
    ladder<host::histogram_serial, host::histogram_interleaved>,
    ladder<host::dot_lanes>,
    ladder<host::nrm2_lanes>,
    ladder<host::extremum_blocks>,
    ladder<host::scal_reference>,
    ladder<host::swap_reference>,
    ladder<host::rot_reference>,
    ladder<host::rotm_reference>,
    ladder<host::rotg_reference>,
    ladder<host::rotmg_reference>,
    ladder<host::symv_reference, host::symv_openblas>,
    ladder<host::syr_reference, host::syr_openblas>,
    ladder<host::trmv_reference, host::trmv_openblas>,
    ladder<host::trsv_reference, host::trsv_openblas>,
    ladder<host::syrk_reference, host::syrk_products, host::syrk_openblas>,
    ladder<host::syr2k_reference, host::syr2k_products, host::syr2k_openblas>,
    ladder<host::symm_reference, host::symm_products, host::symm_openblas>,
    ladder<host::trmm_reference, host::trmm_products, host::trmm_openblas>,
    ladder<host::trsm_reference, host::trsm_products, host::trsm_openblas>,
};
// clang-format on

} // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define MYBLAS_KERNELS(NAME, problem)                                                              \
    template <>                                                                                    \
    kernel_list<problem> host_kernels() {                                                          \
        return std::get<kernel_list<problem>>(kernels);                                            \
    }
MYBLAS_ROUTINES(MYBLAS_KERNELS)
#undef MYBLAS_KERNELS
// NOLINTEND(bugprone-macro-parentheses)

} // namespace myblas

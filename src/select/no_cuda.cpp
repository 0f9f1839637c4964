// In place of the CUDA registries and tables in a build without CUDA: there are none.
#include "core/routine.h"
#include "level3/parts.h"
#include "select/select.h"

namespace myblas {

// clang-format off
template <> kernel_list<sgemm_problem> cuda_kernels() { return {}; }
template <> kernel_list<transpose_problem> cuda_kernels() { return {}; }
template <> kernel_list<geam_problem> cuda_kernels() { return {}; }
template <> kernel_list<sum_problem<float>> cuda_kernels() { return {}; }
template <> kernel_list<sum_problem<double>> cuda_kernels() { return {}; }
template <> kernel_list<axpy_problem> cuda_kernels() { return {}; }
template <> kernel_list<copy_problem> cuda_kernels() { return {}; }
template <> kernel_list<gemsum_problem> cuda_kernels() { return {}; }
template <> kernel_list<histogram_problem> cuda_kernels() { return {}; }
// Level 1
template <> kernel_list<dot_problem> cuda_kernels() { return {}; }
template <> kernel_list<nrm2_problem> cuda_kernels() { return {}; }
template <> kernel_list<extremum_problem> cuda_kernels() { return {}; }
template <> kernel_list<scal_problem> cuda_kernels() { return {}; }
template <> kernel_list<swap_problem> cuda_kernels() { return {}; }
template <> kernel_list<rot_problem> cuda_kernels() { return {}; }
template <> kernel_list<rotm_problem> cuda_kernels() { return {}; }
template <> kernel_list<rotg_problem> cuda_kernels() { return {}; }
template <> kernel_list<rotmg_problem> cuda_kernels() { return {}; }
// Level 2
template <> kernel_list<symv_problem> cuda_kernels() { return {}; }
template <> kernel_list<syr_problem> cuda_kernels() { return {}; }
template <> kernel_list<trmv_problem> cuda_kernels() { return {}; }
template <> kernel_list<trsv_problem> cuda_kernels() { return {}; }
// Level 3
template <> kernel_list<syrk_problem> cuda_kernels() { return {}; }
template <> kernel_list<syr2k_problem> cuda_kernels() { return {}; }
template <> kernel_list<symm_problem> cuda_kernels() { return {}; }
template <> kernel_list<trmm_problem> cuda_kernels() { return {}; }
template <> kernel_list<trsm_problem> cuda_kernels() { return {}; }
// clang-format on

template <class Problem>
selection_table<Problem> cuda_table(int) {
    return {};
}

template selection_table<sgemm_problem> cuda_table(int arch);
template selection_table<transpose_problem> cuda_table(int arch);
template selection_table<geam_problem> cuda_table(int arch);
template selection_table<sum_problem<float>> cuda_table(int arch);
template selection_table<sum_problem<double>> cuda_table(int arch);
template selection_table<axpy_problem> cuda_table(int arch);
template selection_table<copy_problem> cuda_table(int arch);
template selection_table<gemsum_problem> cuda_table(int arch);
template selection_table<histogram_problem> cuda_table(int arch);
// Level 1
template selection_table<dot_problem> cuda_table(int arch);
template selection_table<nrm2_problem> cuda_table(int arch);
template selection_table<extremum_problem> cuda_table(int arch);
template selection_table<scal_problem> cuda_table(int arch);
template selection_table<swap_problem> cuda_table(int arch);
template selection_table<rot_problem> cuda_table(int arch);
template selection_table<rotm_problem> cuda_table(int arch);
template selection_table<rotg_problem> cuda_table(int arch);
template selection_table<rotmg_problem> cuda_table(int arch);
// Level 2
template selection_table<symv_problem> cuda_table(int arch);
template selection_table<syr_problem> cuda_table(int arch);
template selection_table<trmv_problem> cuda_table(int arch);
template selection_table<trsv_problem> cuda_table(int arch);
// Level 3
template selection_table<syrk_problem> cuda_table(int arch);
template selection_table<syr2k_problem> cuda_table(int arch);
template selection_table<symm_problem> cuda_table(int arch);
template selection_table<trmm_problem> cuda_table(int arch);
template selection_table<trsm_problem> cuda_table(int arch);

const part_kernels& cuda_parts() {
    static constexpr part_kernels none{};
    return none;
}

} // namespace myblas

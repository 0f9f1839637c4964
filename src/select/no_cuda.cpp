// In place of the CUDA registries and rules in a build without CUDA: there are none.
#include "core/routine.h"
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
// clang-format on

template <class Problem>
rule_list<Problem> cuda_rules(int) {
    return {};
}

template rule_list<sgemm_problem> cuda_rules(int arch);
template rule_list<transpose_problem> cuda_rules(int arch);
template rule_list<geam_problem> cuda_rules(int arch);
template rule_list<sum_problem<float>> cuda_rules(int arch);
template rule_list<sum_problem<double>> cuda_rules(int arch);
template rule_list<axpy_problem> cuda_rules(int arch);
template rule_list<copy_problem> cuda_rules(int arch);

} // namespace myblas

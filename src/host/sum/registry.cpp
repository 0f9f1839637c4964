#include "host/sum/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<sum_problem<float>> host_kernels<sum_problem<float>>() {
    static constexpr const kernel_entry<sum_problem<float>>* ladder[] = {
        &host::sum_serial,
        &host::sum_pairwise,
    };
    return ladder;
}

template <>
kernel_list<sum_problem<double>> host_kernels<sum_problem<double>>() {
    static constexpr const kernel_entry<sum_problem<double>>* ladder[] = {
        &host::dsum_serial,
        &host::dsum_pairwise,
    };
    return ladder;
}

template <>
kernel_list<gemsum_problem> host_kernels<gemsum_problem>() {
    static constexpr const kernel_entry<gemsum_problem>* ladder[] = {
        &host::gemsum_serial,
        &host::gemsum_runs,
    };
    return ladder;
}

} // namespace myblas

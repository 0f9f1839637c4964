#include "kernels/sum/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<sum_problem<float>> cuda_kernels<sum_problem<float>>() {
    static constexpr const kernel_entry<sum_problem<float>>* kernels[] = {
        &cuda::sum_atomic,
        &cuda::sum_shared_serial,
        &cuda::sum_shared_interleaved,
        &cuda::sum_shared_strided,
        &cuda::sum_shared_sequential,
        &cuda::sum_warp_shuffle,
        &cuda::sum_vectorised_two_level,
        &cuda::sum_single_block,
    };
    return kernels;
}

template <>
kernel_list<sum_problem<double>> cuda_kernels<sum_problem<double>>() {
    static constexpr const kernel_entry<sum_problem<double>>* kernels[] = {
        &cuda::dsum_atomic,
        &cuda::dsum_warp_shuffle,
        &cuda::dsum_vectorised_two_level,
        &cuda::dsum_single_block,
    };
    return kernels;
}

} // namespace myblas

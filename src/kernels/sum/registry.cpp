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
        &cuda::sum_cluster,
        &cuda::sum_polled,
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
        &cuda::dsum_cluster,
        &cuda::dsum_polled,
    };
    return kernels;
}

template <>
kernel_list<gemsum_problem> cuda_kernels<gemsum_problem>() {
    static constexpr const kernel_entry<gemsum_problem>* kernels[] = {
        &cuda::gemsum_naive,
        &cuda::gemsum_row_tiles,
        &cuda::gemsum_row_clusters,
        &cuda::gemsum_column_groups,
    };
    return kernels;
}

// Level 1
template <>
kernel_list<dot_problem> cuda_kernels<dot_problem>() {
    static constexpr const kernel_entry<dot_problem>* kernels[] = {
        &cuda::dot_cluster,
        &cuda::dot_polled,
    };
    return kernels;
}

template <>
kernel_list<nrm2_problem> cuda_kernels<nrm2_problem>() {
    static constexpr const kernel_entry<nrm2_problem>* kernels[] = {
        &cuda::nrm2_cluster,
        &cuda::nrm2_polled,
    };
    return kernels;
}

template <>
kernel_list<extremum_problem> cuda_kernels<extremum_problem>() {
    static constexpr const kernel_entry<extremum_problem>* kernels[] = {
        &cuda::extremum_cluster,
        &cuda::extremum_polled,
    };
    return kernels;
}

} // namespace myblas

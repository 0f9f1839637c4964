#include "kernels/sum/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<sum_problem<float>> cuda_kernels() {
    return ladder<cuda::sum_atomic,
                  cuda::sum_shared_serial,
                  cuda::sum_shared_interleaved,
                  cuda::sum_shared_strided,
                  cuda::sum_shared_sequential,
                  cuda::sum_warp_shuffle,
                  cuda::sum_vectorised_two_level,
                  cuda::sum_single_block,
                  cuda::sum_cluster,
                  cuda::sum_polled>;
}

template <>
kernel_list<sum_problem<double>> cuda_kernels() {
    return ladder<cuda::dsum_atomic,
                  cuda::dsum_warp_shuffle,
                  cuda::dsum_vectorised_two_level,
                  cuda::dsum_single_block,
                  cuda::dsum_cluster,
                  cuda::dsum_polled>;
}

template <>
kernel_list<gemsum_problem> cuda_kernels() {
    return ladder<cuda::gemsum_naive,
                  cuda::gemsum_row_tiles,
                  cuda::gemsum_row_clusters,
                  cuda::gemsum_column_groups>;
}

// Level 1
template <>
kernel_list<dot_problem> cuda_kernels() {
    return ladder<cuda::dot_cluster, cuda::dot_polled>;
}

template <>
kernel_list<nrm2_problem> cuda_kernels() {
    return ladder<cuda::nrm2_cluster, cuda::nrm2_polled>;
}

template <>
kernel_list<extremum_problem> cuda_kernels() {
    return ladder<cuda::extremum_cluster, cuda::extremum_polled>;
}

} // namespace myblas

#include "host/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<sgemm_problem> host_kernels() {
    return ladder<host::sgemm_reference,
                  host::sgemm_unpacked,
                  host::sgemm_blocked,
                  host::sgemm_ordered,
                  host::sgemm_openblas>;
}

template <>
kernel_list<symv_problem> host_kernels() {
    return ladder<host::symv_reference, host::symv_openblas>;
}

template <>
kernel_list<syr_problem> host_kernels() {
    return ladder<host::syr_reference, host::syr_openblas>;
}

template <>
kernel_list<trmv_problem> host_kernels() {
    return ladder<host::trmv_reference, host::trmv_openblas>;
}

template <>
kernel_list<trsv_problem> host_kernels() {
    return ladder<host::trsv_reference, host::trsv_openblas>;
}

template <>
kernel_list<syrk_problem> host_kernels() {
    return ladder<host::syrk_reference, host::syrk_products, host::syrk_openblas>;
}

template <>
kernel_list<syr2k_problem> host_kernels() {
    return ladder<host::syr2k_reference, host::syr2k_products, host::syr2k_openblas>;
}

template <>
kernel_list<symm_problem> host_kernels() {
    return ladder<host::symm_reference, host::symm_products, host::symm_openblas>;
}

template <>
kernel_list<trmm_problem> host_kernels() {
    return ladder<host::trmm_reference, host::trmm_products, host::trmm_openblas>;
}

template <>
kernel_list<trsm_problem> host_kernels() {
    return ladder<host::trsm_reference, host::trsm_products, host::trsm_openblas>;
}

template <>
kernel_list<transpose_problem> host_kernels() {
    return ladder<host::transpose_naive, host::transpose_blocked, host::transpose_in_place>;
}

template <>
kernel_list<geam_problem> host_kernels() {
    return ladder<host::geam_naive, host::geam_blocked>;
}

template <>
kernel_list<sum_problem<float>> host_kernels() {
    return ladder<host::sum_serial, host::sum_pairwise>;
}

template <>
kernel_list<sum_problem<double>> host_kernels() {
    return ladder<host::dsum_serial, host::dsum_pairwise>;
}

template <>
kernel_list<gemsum_problem> host_kernels() {
    return ladder<host::gemsum_serial, host::gemsum_runs>;
}

template <>
kernel_list<histogram_problem> host_kernels() {
    return ladder<host::histogram_serial, host::histogram_interleaved>;
}

template <>
kernel_list<axpy_problem> host_kernels() {
    return ladder<host::axpy_reference>;
}

template <>
kernel_list<copy_problem> host_kernels() {
    return ladder<host::copy_reference>;
}

template <>
kernel_list<dot_problem> host_kernels() {
    return ladder<host::dot_lanes>;
}

template <>
kernel_list<nrm2_problem> host_kernels() {
    return ladder<host::nrm2_lanes>;
}

template <>
kernel_list<extremum_problem> host_kernels() {
    return ladder<host::extremum_blocks>;
}

template <>
kernel_list<scal_problem> host_kernels() {
    return ladder<host::scal_reference>;
}

template <>
kernel_list<swap_problem> host_kernels() {
    return ladder<host::swap_reference>;
}

template <>
kernel_list<rot_problem> host_kernels() {
    return ladder<host::rot_reference>;
}

template <>
kernel_list<rotm_problem> host_kernels() {
    return ladder<host::rotm_reference>;
}

template <>
kernel_list<rotg_problem> host_kernels() {
    return ladder<host::rotg_reference>;
}

template <>
kernel_list<rotmg_problem> host_kernels() {
    return ladder<host::rotmg_reference>;
}

} // namespace myblas

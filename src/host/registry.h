// The kernels of the host backend. The kernels of each routine are in ladder order.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

extern const kernel_entry<sgemm_problem> sgemm_reference, sgemm_unpacked, sgemm_blocked,
    sgemm_ordered, sgemm_openblas;

extern const kernel_entry<symv_problem> symv_reference, symv_openblas;
extern const kernel_entry<syr_problem> syr_reference, syr_openblas;
extern const kernel_entry<trmv_problem> trmv_reference, trmv_openblas;
extern const kernel_entry<trsv_problem> trsv_reference, trsv_openblas;

extern const kernel_entry<syrk_problem> syrk_reference, syrk_products, syrk_openblas;
extern const kernel_entry<syr2k_problem> syr2k_reference, syr2k_products, syr2k_openblas;
extern const kernel_entry<symm_problem> symm_reference, symm_products, symm_openblas;
extern const kernel_entry<trmm_problem> trmm_reference, trmm_products, trmm_openblas;
extern const kernel_entry<trsm_problem> trsm_reference, trsm_products, trsm_openblas;

extern const kernel_entry<transpose_problem> transpose_naive, transpose_blocked, transpose_in_place;
extern const kernel_entry<geam_problem> geam_naive, geam_blocked;

extern const kernel_entry<sum_problem<float>> sum_serial, sum_pairwise;
extern const kernel_entry<sum_problem<double>> dsum_serial, dsum_pairwise;
extern const kernel_entry<gemsum_problem> gemsum_serial, gemsum_runs;

extern const kernel_entry<histogram_problem> histogram_serial, histogram_interleaved;

extern const kernel_entry<axpy_problem> axpy_reference;
extern const kernel_entry<copy_problem> copy_reference;
extern const kernel_entry<dot_problem> dot_lanes;
extern const kernel_entry<nrm2_problem> nrm2_lanes;
extern const kernel_entry<extremum_problem> extremum_blocks;
extern const kernel_entry<scal_problem> scal_reference;
extern const kernel_entry<swap_problem> swap_reference;
extern const kernel_entry<rot_problem> rot_reference;
extern const kernel_entry<rotm_problem> rotm_reference;
extern const kernel_entry<rotg_problem> rotg_reference;
extern const kernel_entry<rotmg_problem> rotmg_reference;

} // namespace myblas::host

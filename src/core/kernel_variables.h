// Written by scripts/generate.py from myblas.h: the environment
// variables that force kernels, by myblasRoutine_t.
#pragma once

#include "myblas/myblas.h"

namespace myblas {

// clang-format off
inline constexpr const char* kernel_variables[MYBLAS_ROUTINE_COUNT] = {
    "MYBLAS_SGEMM_KERNEL",
    "MYBLAS_TRANSPOSE_KERNEL",
    "MYBLAS_GEAM_KERNEL",
    "MYBLAS_SUM_KERNEL",
    "MYBLAS_DSUM_KERNEL",
    "MYBLAS_AXPY_KERNEL",
    "MYBLAS_COPY_KERNEL",
    "MYBLAS_GEMSUM_KERNEL",
    "MYBLAS_HISTOGRAM_KERNEL",
    "MYBLAS_DOT_KERNEL",
    "MYBLAS_NRM2_KERNEL",
    "MYBLAS_IAMAX_KERNEL",
    "MYBLAS_SCAL_KERNEL",
    "MYBLAS_SWAP_KERNEL",
    "MYBLAS_ROT_KERNEL",
    "MYBLAS_ROTM_KERNEL",
    "MYBLAS_ROTG_KERNEL",
    "MYBLAS_ROTMG_KERNEL",
    "MYBLAS_SYMV_KERNEL",
    "MYBLAS_SYR_KERNEL",
    "MYBLAS_TRMV_KERNEL",
    "MYBLAS_TRSV_KERNEL",
    "MYBLAS_SYRK_KERNEL",
    "MYBLAS_SYR2K_KERNEL",
    "MYBLAS_SYMM_KERNEL",
    "MYBLAS_TRMM_KERNEL",
    "MYBLAS_TRSM_KERNEL",
};
// clang-format on

} // namespace myblas

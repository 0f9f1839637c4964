// The routines that have kernels to choose from, one row each: the number, MYBLAS_ROUTINE_<NAME>,
// and the problem. All other lists of routines are generated from this table, except the rules
// (select/tuning_*.cpp), written by hand in the table's order.
#pragma once

// clang-format off
#define MYBLAS_ROUTINES(ROW)                                                                       \
    ROW(SGEMM, sgemm_problem)                                                                      \
    ROW(TRANSPOSE, transpose_problem)                                                              \
    ROW(GEAM, geam_problem)                                                                        \
    ROW(SUM, sum_problem<float>)                                                                   \
    ROW(DSUM, sum_problem<double>)                                                                 \
    ROW(AXPY, axpy_problem)                                                                        \
    ROW(COPY, copy_problem)                                                                        \
    ROW(GEMSUM, gemsum_problem)                                                                    \
    ROW(HISTOGRAM, histogram_problem)                                                              \
    ROW(DOT, dot_problem)                                                                          \
    ROW(NRM2, nrm2_problem)                                                                        \
    ROW(IAMAX, extremum_problem)                                                                   \
    ROW(SCAL, scal_problem)                                                                        \
    ROW(SWAP, swap_problem)                                                                        \
    ROW(ROT, rot_problem)                                                                          \
    ROW(ROTM, rotm_problem)                                                                        \
    ROW(ROTG, rotg_problem)                                                                        \
    ROW(ROTMG, rotmg_problem)                                                                      \
    ROW(SYMV, symv_problem)                                                                        \
    ROW(SYR, syr_problem)                                                                          \
    ROW(TRMV, trmv_problem)                                                                        \
    ROW(TRSV, trsv_problem)                                                                        \
    ROW(SYRK, syrk_problem)                                                                        \
    ROW(SYR2K, syr2k_problem)                                                                      \
    ROW(SYMM, symm_problem)                                                                        \
    ROW(TRMM, trmm_problem)                                                                        \
    ROW(TRSM, trsm_problem)
// clang-format on

// Ties each problem type to its routine number and to the registries and rules of both backends.
// Implemented in kernels/*/registry.cpp (CUDA), host/*/registry.cpp and select/.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"
#include "myblas/myblas.h"

namespace myblas {

template <class Problem>
struct routine_traits;

template <>
struct routine_traits<sgemm_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_SGEMM;
    static constexpr const char* name = "SGEMM";
};
template <>
struct routine_traits<transpose_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_TRANSPOSE;
    static constexpr const char* name = "TRANSPOSE";
};
template <>
struct routine_traits<geam_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_GEAM;
    static constexpr const char* name = "GEAM";
};
template <>
struct routine_traits<sum_problem<float>> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_SUM;
    static constexpr const char* name = "SUM";
};
template <>
struct routine_traits<sum_problem<double>> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_DSUM;
    static constexpr const char* name = "DSUM";
};
template <>
struct routine_traits<axpy_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_AXPY;
    static constexpr const char* name = "AXPY";
};
template <>
struct routine_traits<copy_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_COPY;
    static constexpr const char* name = "COPY";
};

template <>
struct routine_traits<gemsum_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_GEMSUM;
    static constexpr const char* name = "GEMSUM";
};
template <>
struct routine_traits<histogram_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_HISTOGRAM;
    static constexpr const char* name = "HISTOGRAM";
};

// Level 1
template <>
struct routine_traits<dot_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_DOT;
    static constexpr const char* name = "DOT";
};
template <>
struct routine_traits<nrm2_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_NRM2;
    static constexpr const char* name = "NRM2";
};
template <>
struct routine_traits<extremum_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_IAMAX;
    static constexpr const char* name = "IAMAX";
};
template <>
struct routine_traits<scal_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_SCAL;
    static constexpr const char* name = "SCAL";
};
template <>
struct routine_traits<swap_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_SWAP;
    static constexpr const char* name = "SWAP";
};
template <>
struct routine_traits<rot_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_ROT;
    static constexpr const char* name = "ROT";
};
template <>
struct routine_traits<rotm_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_ROTM;
    static constexpr const char* name = "ROTM";
};
template <>
struct routine_traits<rotg_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_ROTG;
    static constexpr const char* name = "ROTG";
};
template <>
struct routine_traits<rotmg_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_ROTMG;
    static constexpr const char* name = "ROTMG";
};
// Level 2
template <>
struct routine_traits<symv_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_SYMV;
    static constexpr const char* name = "SYMV";
};
template <>
struct routine_traits<syr_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_SYR;
    static constexpr const char* name = "SYR";
};
template <>
struct routine_traits<trmv_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_TRMV;
    static constexpr const char* name = "TRMV";
};
template <>
struct routine_traits<trsv_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_TRSV;
    static constexpr const char* name = "TRSV";
};
// Level 3
template <>
struct routine_traits<syrk_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_SYRK;
    static constexpr const char* name = "SYRK";
};
template <>
struct routine_traits<syr2k_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_SYR2K;
    static constexpr const char* name = "SYR2K";
};
template <>
struct routine_traits<symm_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_SYMM;
    static constexpr const char* name = "SYMM";
};
template <>
struct routine_traits<trmm_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_TRMM;
    static constexpr const char* name = "TRMM";
};
template <>
struct routine_traits<trsm_problem> {
    static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_TRSM;
    static constexpr const char* name = "TRSM";
};

// The kernels in ladder order. The cuda lists are empty in a build without CUDA.
template <class Problem>
kernel_list<Problem> host_kernels();
template <class Problem>
kernel_list<Problem> cuda_kernels();

// clang-format off
template <> kernel_list<sgemm_problem> host_kernels();
template <> kernel_list<transpose_problem> host_kernels();
template <> kernel_list<geam_problem> host_kernels();
template <> kernel_list<sum_problem<float>> host_kernels();
template <> kernel_list<sum_problem<double>> host_kernels();
template <> kernel_list<axpy_problem> host_kernels();
template <> kernel_list<copy_problem> host_kernels();
template <> kernel_list<gemsum_problem> host_kernels();
template <> kernel_list<histogram_problem> host_kernels();
template <> kernel_list<sgemm_problem> cuda_kernels();
template <> kernel_list<transpose_problem> cuda_kernels();
template <> kernel_list<geam_problem> cuda_kernels();
template <> kernel_list<sum_problem<float>> cuda_kernels();
template <> kernel_list<sum_problem<double>> cuda_kernels();
template <> kernel_list<axpy_problem> cuda_kernels();
template <> kernel_list<copy_problem> cuda_kernels();
template <> kernel_list<gemsum_problem> cuda_kernels();
template <> kernel_list<histogram_problem> cuda_kernels();
// Level 1
template <> kernel_list<dot_problem> host_kernels();
template <> kernel_list<nrm2_problem> host_kernels();
template <> kernel_list<extremum_problem> host_kernels();
template <> kernel_list<scal_problem> host_kernels();
template <> kernel_list<swap_problem> host_kernels();
template <> kernel_list<rot_problem> host_kernels();
template <> kernel_list<rotm_problem> host_kernels();
template <> kernel_list<rotg_problem> host_kernels();
template <> kernel_list<rotmg_problem> host_kernels();
template <> kernel_list<dot_problem> cuda_kernels();
template <> kernel_list<nrm2_problem> cuda_kernels();
template <> kernel_list<extremum_problem> cuda_kernels();
template <> kernel_list<scal_problem> cuda_kernels();
template <> kernel_list<swap_problem> cuda_kernels();
template <> kernel_list<rot_problem> cuda_kernels();
template <> kernel_list<rotm_problem> cuda_kernels();
template <> kernel_list<rotg_problem> cuda_kernels();
template <> kernel_list<rotmg_problem> cuda_kernels();
// Level 2
template <> kernel_list<symv_problem> host_kernels();
template <> kernel_list<syr_problem> host_kernels();
template <> kernel_list<trmv_problem> host_kernels();
template <> kernel_list<trsv_problem> host_kernels();
template <> kernel_list<symv_problem> cuda_kernels();
template <> kernel_list<syr_problem> cuda_kernels();
template <> kernel_list<trmv_problem> cuda_kernels();
template <> kernel_list<trsv_problem> cuda_kernels();
// Level 3
template <> kernel_list<syrk_problem> host_kernels();
template <> kernel_list<syr2k_problem> host_kernels();
template <> kernel_list<symm_problem> host_kernels();
template <> kernel_list<trmm_problem> host_kernels();
template <> kernel_list<trsm_problem> host_kernels();
template <> kernel_list<syrk_problem> cuda_kernels();
template <> kernel_list<syr2k_problem> cuda_kernels();
template <> kernel_list<symm_problem> cuda_kernels();
template <> kernel_list<trmm_problem> cuda_kernels();
template <> kernel_list<trsm_problem> cuda_kernels();
// clang-format on

template <class Problem>
kernel_list<Problem> kernels_of(myblasBackend_t backend) {
    return backend == MYBLAS_BACKEND_HOST ? host_kernels<Problem>() : cuda_kernels<Problem>();
}

inline bool is_routine(myblasRoutine_t routine) {
    return static_cast<unsigned>(routine) < MYBLAS_ROUTINE_COUNT;
}

// visit.operator()<Problem>() with the problem type of a routine; INVALID_VALUE if there is no such
// routine.
template <class Visitor>
myblasStatus_t visit_routine(myblasRoutine_t routine, Visitor&& visit) {
    switch (routine) {
    case MYBLAS_ROUTINE_SGEMM:
        return visit.template operator()<sgemm_problem>();
    case MYBLAS_ROUTINE_TRANSPOSE:
        return visit.template operator()<transpose_problem>();
    case MYBLAS_ROUTINE_GEAM:
        return visit.template operator()<geam_problem>();
    case MYBLAS_ROUTINE_SUM:
        return visit.template operator()<sum_problem<float>>();
    case MYBLAS_ROUTINE_DSUM:
        return visit.template operator()<sum_problem<double>>();
    case MYBLAS_ROUTINE_AXPY:
        return visit.template operator()<axpy_problem>();
    case MYBLAS_ROUTINE_COPY:
        return visit.template operator()<copy_problem>();
    case MYBLAS_ROUTINE_GEMSUM:
        return visit.template operator()<gemsum_problem>();
    case MYBLAS_ROUTINE_HISTOGRAM:
        return visit.template operator()<histogram_problem>();
    case MYBLAS_ROUTINE_DOT:
        return visit.template operator()<dot_problem>();
    case MYBLAS_ROUTINE_NRM2:
        return visit.template operator()<nrm2_problem>();
    case MYBLAS_ROUTINE_IAMAX:
        return visit.template operator()<extremum_problem>();
    case MYBLAS_ROUTINE_SCAL:
        return visit.template operator()<scal_problem>();
    case MYBLAS_ROUTINE_SWAP:
        return visit.template operator()<swap_problem>();
    case MYBLAS_ROUTINE_ROT:
        return visit.template operator()<rot_problem>();
    case MYBLAS_ROUTINE_ROTM:
        return visit.template operator()<rotm_problem>();
    case MYBLAS_ROUTINE_ROTG:
        return visit.template operator()<rotg_problem>();
    case MYBLAS_ROUTINE_ROTMG:
        return visit.template operator()<rotmg_problem>();
    case MYBLAS_ROUTINE_SYMV:
        return visit.template operator()<symv_problem>();
    case MYBLAS_ROUTINE_SYR:
        return visit.template operator()<syr_problem>();
    case MYBLAS_ROUTINE_TRMV:
        return visit.template operator()<trmv_problem>();
    case MYBLAS_ROUTINE_TRSV:
        return visit.template operator()<trsv_problem>();
    case MYBLAS_ROUTINE_SYRK:
        return visit.template operator()<syrk_problem>();
    case MYBLAS_ROUTINE_SYR2K:
        return visit.template operator()<syr2k_problem>();
    case MYBLAS_ROUTINE_SYMM:
        return visit.template operator()<symm_problem>();
    case MYBLAS_ROUTINE_TRMM:
        return visit.template operator()<trmm_problem>();
    case MYBLAS_ROUTINE_TRSM:
        return visit.template operator()<trsm_problem>();
    }
    return MYBLAS_STATUS_INVALID_VALUE;
}

} // namespace myblas

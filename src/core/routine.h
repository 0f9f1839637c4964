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

// The kernels in ladder order. The cuda lists are empty in a build without CUDA.
template <class Problem>
kernel_list<Problem> host_kernels();
template <class Problem>
kernel_list<Problem> cuda_kernels();

} // namespace myblas

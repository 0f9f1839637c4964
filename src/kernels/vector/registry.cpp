#include "kernels/vector/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<axpy_problem> cuda_kernels<axpy_problem>() {
    static constexpr const kernel_entry<axpy_problem>* kernels[] = {
        &cuda::axpy_naive,
        &cuda::axpy_vectorised,
        &cuda::axpy_strided,
    };
    return kernels;
}

template <>
kernel_list<copy_problem> cuda_kernels<copy_problem>() {
    static constexpr const kernel_entry<copy_problem>* kernels[] = {
        &cuda::copy_naive,
        &cuda::copy_vectorised,
        &cuda::copy_strided,
    };
    return kernels;
}

template <>
kernel_list<scal_problem> cuda_kernels<scal_problem>() {
    static constexpr const kernel_entry<scal_problem>* kernels[] = {
        &cuda::scal_naive,
        &cuda::scal_vectorised,
        &cuda::scal_strided,
    };
    return kernels;
}

template <>
kernel_list<swap_problem> cuda_kernels<swap_problem>() {
    static constexpr const kernel_entry<swap_problem>* kernels[] = {
        &cuda::swap_naive,
        &cuda::swap_vectorised,
        &cuda::swap_strided,
    };
    return kernels;
}

template <>
kernel_list<rot_problem> cuda_kernels<rot_problem>() {
    static constexpr const kernel_entry<rot_problem>* kernels[] = {
        &cuda::rot_naive,
        &cuda::rot_vectorised,
        &cuda::rot_strided,
    };
    return kernels;
}

template <>
kernel_list<rotm_problem> cuda_kernels<rotm_problem>() {
    static constexpr const kernel_entry<rotm_problem>* kernels[] = {
        &cuda::rotm_naive,
        &cuda::rotm_vectorised,
        &cuda::rotm_strided,
    };
    return kernels;
}

template <>
kernel_list<rotg_problem> cuda_kernels<rotg_problem>() {
    static constexpr const kernel_entry<rotg_problem>* kernels[] = {
        &cuda::rotg_one_thread,
    };
    return kernels;
}

template <>
kernel_list<rotmg_problem> cuda_kernels<rotmg_problem>() {
    static constexpr const kernel_entry<rotmg_problem>* kernels[] = {
        &cuda::rotmg_one_thread,
    };
    return kernels;
}

} // namespace myblas

#include "kernels/vector/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<axpy_problem> cuda_kernels() {
    return ladder<cuda::axpy_naive, cuda::axpy_vectorised, cuda::axpy_strided>;
}

template <>
kernel_list<copy_problem> cuda_kernels() {
    return ladder<cuda::copy_naive, cuda::copy_vectorised, cuda::copy_strided>;
}

template <>
kernel_list<scal_problem> cuda_kernels() {
    return ladder<cuda::scal_naive, cuda::scal_vectorised, cuda::scal_strided>;
}

template <>
kernel_list<swap_problem> cuda_kernels() {
    return ladder<cuda::swap_naive, cuda::swap_vectorised, cuda::swap_strided>;
}

template <>
kernel_list<rot_problem> cuda_kernels() {
    return ladder<cuda::rot_naive, cuda::rot_vectorised, cuda::rot_strided>;
}

template <>
kernel_list<rotm_problem> cuda_kernels() {
    return ladder<cuda::rotm_naive, cuda::rotm_vectorised, cuda::rotm_strided>;
}

template <>
kernel_list<rotg_problem> cuda_kernels() {
    return ladder<cuda::rotg_one_thread>;
}

template <>
kernel_list<rotmg_problem> cuda_kernels() {
    return ladder<cuda::rotmg_one_thread>;
}

} // namespace myblas

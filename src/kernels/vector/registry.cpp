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

} // namespace myblas

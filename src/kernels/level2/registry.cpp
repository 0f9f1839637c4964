#include "kernels/level2/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<symv_problem> cuda_kernels<symv_problem>() {
    static constexpr const kernel_entry<symv_problem>* kernels[] = {
        &cuda::symv_warps,
        &cuda::symv_rows,
        &cuda::symv_tiles,
        &cuda::symv_strips,
    };
    return kernels;
}

template <>
kernel_list<syr_problem> cuda_kernels<syr_problem>() {
    static constexpr const kernel_entry<syr_problem>* kernels[] = {
        &cuda::syr_tiles,
    };
    return kernels;
}

template <>
kernel_list<trmv_problem> cuda_kernels<trmv_problem>() {
    static constexpr const kernel_entry<trmv_problem>* kernels[] = {
        &cuda::trmv_single_block,
        &cuda::trmv_rows,
    };
    return kernels;
}

template <>
kernel_list<trsv_problem> cuda_kernels<trsv_problem>() {
    static constexpr const kernel_entry<trsv_problem>* kernels[] = {
        &cuda::trsv_single_block,
        &cuda::trsv_chain,
    };
    return kernels;
}

} // namespace myblas

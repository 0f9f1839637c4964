#include "kernels/level2/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<symv_problem> cuda_kernels() {
    return ladder<cuda::symv_warps, cuda::symv_rows, cuda::symv_tiles, cuda::symv_strips>;
}

template <>
kernel_list<syr_problem> cuda_kernels() {
    return ladder<cuda::syr_tiles>;
}

template <>
kernel_list<trmv_problem> cuda_kernels() {
    return ladder<cuda::trmv_single_block, cuda::trmv_rows>;
}

template <>
kernel_list<trsv_problem> cuda_kernels() {
    return ladder<cuda::trsv_single_block, cuda::trsv_chain>;
}

} // namespace myblas

#include "kernels/level3/registry.h"

#include "core/routine.h"
#include "level3/plan.h"

namespace myblas {
namespace cuda {
namespace {

template <class Problem>
constexpr kernel_entry<Problem>
plan_of_products(myblasStatus_t (*prepare)(const device_info&) = nullptr) {
    return {.name = "products",
            .description = "a plan of products, as mysgemm selects them, and small kernels",
            .keeps_k_order = plan_keeps_k_order<Problem>,
            .workspace_bytes = least_plan_bytes<Problem>,
            .prepare = prepare};
}

} // namespace

constinit const kernel_entry<syrk_problem> syrk_products = plan_of_products<syrk_problem>();
constinit const kernel_entry<syr2k_problem> syr2k_products = plan_of_products<syr2k_problem>();
constinit const kernel_entry<symm_problem> symm_products = plan_of_products<symm_problem>();
constinit const kernel_entry<trmm_problem> trmm_products = plan_of_products<trmm_problem>();
constinit const kernel_entry<trsm_problem> trsm_products =
    plan_of_products<trsm_problem>(prepare_solve);

} // namespace cuda

template <>
kernel_list<syrk_problem> cuda_kernels() {
    return ladder<cuda::syrk_naive, cuda::syrk_products>;
}

template <>
kernel_list<syr2k_problem> cuda_kernels() {
    return ladder<cuda::syr2k_naive, cuda::syr2k_products>;
}

template <>
kernel_list<symm_problem> cuda_kernels() {
    return ladder<cuda::symm_naive, cuda::symm_products, cuda::symm_small>;
}

template <>
kernel_list<trmm_problem> cuda_kernels() {
    return ladder<cuda::trmm_naive, cuda::trmm_products, cuda::trmm_small>;
}

template <>
kernel_list<trsm_problem> cuda_kernels() {
    return ladder<cuda::trsm_naive, cuda::trsm_products>;
}

const step_functions& cuda_steps() {
    static constexpr step_functions steps{cuda::mirror,
                                          cuda::store,
                                          cuda::join,
                                          cuda::triangle,
                                          cuda::gate,
                                          cuda::pointers,
                                          cuda::zero_fill,
                                          cuda::fix_nonfinite};
    return steps;
}

} // namespace myblas

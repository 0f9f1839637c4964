#include "kernels/level3/registry.h"

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

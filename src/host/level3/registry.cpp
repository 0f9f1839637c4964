#include "host/level3/registry.h"

#include "core/routine.h"
#include "level3/plan.h"

namespace myblas {
namespace host {
namespace {

template <class Problem>
constexpr kernel_entry<Problem> products{
    .name = "products",
    .description = "a plan of products, as mysgemm selects them, and small steps",
    .workspace_bytes = least_plan_bytes<Problem>,
};

} // namespace

constinit const kernel_entry<syrk_problem> syrk_products = products<syrk_problem>;
constinit const kernel_entry<syr2k_problem> syr2k_products = products<syr2k_problem>;
constinit const kernel_entry<symm_problem> symm_products = products<symm_problem>;
constinit const kernel_entry<trmm_problem> trmm_products = products<trmm_problem>;
constinit const kernel_entry<trsm_problem> trsm_products = products<trsm_problem>;

} // namespace host

template <>
kernel_list<syrk_problem> host_kernels<syrk_problem>() {
    static constexpr const kernel_entry<syrk_problem>* ladder[] = {
        &host::syrk_reference, &host::syrk_products, &host::syrk_openblas};
    return ladder;
}

template <>
kernel_list<syr2k_problem> host_kernels<syr2k_problem>() {
    static constexpr const kernel_entry<syr2k_problem>* ladder[] = {
        &host::syr2k_reference, &host::syr2k_products, &host::syr2k_openblas};
    return ladder;
}

template <>
kernel_list<symm_problem> host_kernels<symm_problem>() {
    static constexpr const kernel_entry<symm_problem>* ladder[] = {
        &host::symm_reference, &host::symm_products, &host::symm_openblas};
    return ladder;
}

template <>
kernel_list<trmm_problem> host_kernels<trmm_problem>() {
    static constexpr const kernel_entry<trmm_problem>* ladder[] = {
        &host::trmm_reference, &host::trmm_products, &host::trmm_openblas};
    return ladder;
}

template <>
kernel_list<trsm_problem> host_kernels<trsm_problem>() {
    static constexpr const kernel_entry<trsm_problem>* ladder[] = {
        &host::trsm_reference, &host::trsm_products, &host::trsm_openblas};
    return ladder;
}

} // namespace myblas

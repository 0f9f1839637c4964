// Level 3 by products.
#include "host/registry.h"
#include "level3/plan.h"

namespace myblas::host {
namespace {

template <class Problem>
constexpr kernel_entry<Problem> products{
    .name = "products",
    .description = "a plan of products, as mysgemm selects them, and small steps",
    .keeps_k_order = plan_keeps_k_order<Problem>,
    .workspace_bytes = least_plan_bytes<Problem>,
};

} // namespace

constinit const kernel_entry<syrk_problem> syrk_products = products<syrk_problem>;
constinit const kernel_entry<syr2k_problem> syr2k_products = products<syr2k_problem>;
constinit const kernel_entry<symm_problem> symm_products = products<symm_problem>;
constinit const kernel_entry<trmm_problem> trmm_products = products<trmm_problem>;
constinit const kernel_entry<trsm_problem> trsm_products = products<trsm_problem>;

} // namespace myblas::host

// Level 3 by products.
#include "host/registry.h"
#include "level3/plan.h"

namespace myblas::host {

constinit const kernel_entry<syrk_problem> syrk_products = plan_of_products<syrk_problem>();
constinit const kernel_entry<syr2k_problem> syr2k_products = plan_of_products<syr2k_problem>();
constinit const kernel_entry<symm_problem> symm_products = plan_of_products<symm_problem>();
constinit const kernel_entry<trmm_problem> trmm_products = plan_of_products<trmm_problem>();
constinit const kernel_entry<trsm_problem> trsm_products = plan_of_products<trsm_problem>();

} // namespace myblas::host

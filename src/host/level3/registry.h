// Level 3's kernels on the host, in ladder order.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

extern const kernel_entry<syrk_problem> syrk_reference, syrk_products, syrk_openblas;
extern const kernel_entry<syr2k_problem> syr2k_reference, syr2k_products, syr2k_openblas;
extern const kernel_entry<symm_problem> symm_reference, symm_products, symm_openblas;
extern const kernel_entry<trmm_problem> trmm_reference, trmm_products, trmm_openblas;
extern const kernel_entry<trsm_problem> trsm_reference, trsm_products, trsm_openblas;

} // namespace myblas::host

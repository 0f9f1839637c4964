// Kernels of level 2 on the host, in ladder order.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

extern const kernel_entry<symv_problem> symv_reference;
extern const kernel_entry<symv_problem> symv_openblas;

extern const kernel_entry<syr_problem> syr_reference;
extern const kernel_entry<syr_problem> syr_openblas;

extern const kernel_entry<trmv_problem> trmv_reference;
extern const kernel_entry<trmv_problem> trmv_openblas;

extern const kernel_entry<trsv_problem> trsv_reference;
extern const kernel_entry<trsv_problem> trsv_openblas;

} // namespace myblas::host

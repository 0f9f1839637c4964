// SGEMM's kernels on the host, in ladder order.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

extern const kernel_entry<sgemm_problem> sgemm_reference;
extern const kernel_entry<sgemm_problem> sgemm_unpacked;
extern const kernel_entry<sgemm_problem> sgemm_blocked;
extern const kernel_entry<sgemm_problem> sgemm_openblas;

} // namespace myblas::host

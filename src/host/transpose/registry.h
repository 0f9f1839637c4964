// Kernels of transpose and geam on the host, in ladder order.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

extern const kernel_entry<transpose_problem> transpose_naive;
extern const kernel_entry<transpose_problem> transpose_blocked;
extern const kernel_entry<transpose_problem> transpose_in_place;

extern const kernel_entry<geam_problem> geam_naive;
extern const kernel_entry<geam_problem> geam_blocked;

} // namespace myblas::host

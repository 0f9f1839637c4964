// Loops that other kernels use as a fallback.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

myblasStatus_t multiply_by_loops(const trmm_problem& p, const launch_context&);

// One matrix of a batch: its triangle and its right-hand sides.
void solve_by_loops(const trsm_problem& p, const float* a, float* b);

} // namespace myblas::host

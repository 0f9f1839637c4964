// The CUDA kernels of histogram.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

extern const kernel_entry<histogram_problem> histogram_global_atomics, histogram_shared_atomics,
    histogram_lane_counters;

} // namespace myblas::cuda

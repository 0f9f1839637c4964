// The strict end of the sliced kernels (slices.cuh).
#pragma once

#include "core/kernel_entry.h"

namespace myblas::cuda {

struct slice_pass;
enum route : unsigned;

// Enqueues a pass on the FP32 units; it ends at once unless *taken is route_strict.
[[nodiscard]] myblasStatus_t launch_strict_pass(const sgemm_problem& p,
                                                const slice_pass& pass,
                                                const route* taken,
                                                const launch_context& context);

[[nodiscard]] myblasStatus_t prepare_strict_pass(const device_info& device);

} // namespace myblas::cuda

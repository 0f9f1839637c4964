// Shared by the histogram kernels.
#pragma once

#include "core/problem.h"
#include "kernels/common/launch.h"

#include <cstdint>

namespace myblas::cuda {

inline constexpr int bins = 256;

// Counts are 64-bit; atomicAdd has this width as unsigned long long only.
__device__ inline void add_count(uint64_t* count, uint64_t more) {
    atomicAdd(reinterpret_cast<unsigned long long*>(count), static_cast<unsigned long long>(more));
}

[[nodiscard]] inline myblasStatus_t clear_counts(uint64_t* counts, const launch_context& context) {
    return to_status(cudaMemsetAsync(counts, 0, bins * sizeof(uint64_t), context.stream));
}

} // namespace myblas::cuda

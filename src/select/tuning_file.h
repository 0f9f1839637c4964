// Costs as text, for GPUs other than those measured for the tables: what the environment variable
// MYBLAS_TUNING names and `myblas-bench tune` writes.
//
//   myblas-tuning 1
//   arch 90
//   # fixed, per wave, per step, per byte, in microseconds
//   sgemm warp_tile/256x128 NN 2.0 1.0 2.52 3.0e-07
//
// A record a line, in this order, its words apart by blanks or tabs. arch is the compute capability x 10
// of the devices that the costs are for. A line sgemm has a kernel, the transpositions of A and B, and the
// kernel's four costs for them: finite, not negative, not all 0. Each form needs a kernel; a kernel without
// a line for a form is not taken by cost for it. Empty lines and lines that begin with # may stand anywhere.
#pragma once

#include "core/kernel_entry.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace myblas {

struct tuning_file {
    int arch = 0;
    std::array<kernel_cost<sgemm_problem>, 64> costs{};
    size_t cost_count = 0;

    cost_list<sgemm_problem> sgemm_costs() const { return {costs.data(), cost_count}; }
};

// Why a text is no tuning file; `what` is null if it is one.
struct tuning_fault {
    int line; // from 1
    const char* what;
};

// Pure: `kernels` are those that the text may name. On a fault *file is half read.
[[nodiscard]] tuning_fault
parse_tuning(std::string_view text, kernel_list<sgemm_problem> kernels, tuning_file* file) noexcept;

} // namespace myblas

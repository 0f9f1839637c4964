// What block-tile kernels tell the selection of their work (kernel_entry::work).
#pragma once

#include "core/kernel_entry.h"

#include <cmath>

namespace myblas::cuda {

// A and B read once, C written once. What blocks read again comes from the L2 cache, in step with the
// slabs that need it.
inline double operand_bytes(const sgemm_problem& p) {
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const double k = static_cast<double>(p.k);
    return sizeof(float) * static_cast<double>(p.batch_count) * (m * k + k * n + m * n);
}

// Blocks that work through `slabs` slabs each; a multiprocessor holds blocks_per_sm of them at once.
//
// A step is a slab of a block that has its multiprocessor to itself. Blocks beside it fill its waits: r of
// them together take r + idle for what one alone takes 1 + idle. So a multiprocessor that runs `turns`
// blocks in `waves` rounds takes turns + waves * idle. The value of idle is the one that leaves the tuner's
// choices the least behind the best measured (docs/experiments/sgemm.md).
inline work_estimate
block_work(const device_info& device, double blocks, double slabs, int blocks_per_sm) {
    constexpr double idle = 0.25;
    const double turns = std::ceil(blocks / device.sm_count);
    const double waves = std::ceil(turns / blocks_per_sm);
    return {.waves = waves, .steps = slabs * (turns + waves * idle) / (1 + idle)};
}

} // namespace myblas::cuda

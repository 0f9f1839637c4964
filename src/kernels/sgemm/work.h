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
// A step is a slab of a block that has its multiprocessor to itself. Blocks beside it fill its waits: with
// w warps on a multiprocessor slabs come at a rate of w / (w + idle_warps). So a multiprocessor that runs
// `turns` blocks of `warps` warps in `waves` rounds takes turns * warps + waves * idle_warps for what one
// block alone takes warps + idle_warps. On an H100 (docs/experiments/sgemm.md) that holds within 8% for
// 64 x 64 and 128 x 128 tiles, with one block to four on a multiprocessor.
inline work_estimate
block_work(const device_info& device, double blocks, double slabs, int threads, int blocks_per_sm) {
    constexpr double idle_warps = 2;
    const double warps = threads / 32;
    const double turns = std::ceil(blocks / device.sm_count);
    const double waves = std::ceil(turns / blocks_per_sm);
    return {.waves = waves,
            .steps = slabs * (turns * warps + waves * idle_warps) / (warps + idle_warps)};
}

} // namespace myblas::cuda

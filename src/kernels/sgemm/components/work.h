// The description of a kernel's work for the model of times (kernel_entry::work). All quantities
// are floats, as predictions are no more precise, and a new shape asks some dozen kernels.
#pragma once

#include "core/device_costs.h"
#include "core/kernel_entry.h"
#include "kernels/sgemm/components/launcher.h"

#include <algorithm>
#include <cstdint>

namespace myblas::cuda {

// x rounded up to a whole number. If x is less than 1e-4 above a whole number, it is rounded to
// that number; above 2048 the result may be 1 too large. There are no branches, which would be
// unpredictable, and no call, which std::ceil is on plain x86-64: adding 2^23 leaves no bits for a
// fraction.
inline float whole_up(float x) {
    constexpr float no_fractions = 8388608;
    return x + 0.4999f + no_fractions - no_fractions;
}

// Cycles of FP32 FMAs on one multiprocessor.
inline float fma_cycles(const work_query& q, float fmas) {
    return fmas / static_cast<float>(costs_of(q.device).fmas_per_cycle);
}

// The number of clusters that run at the same time, if a multiprocessor holds `resident` blocks.
inline int64_t cluster_places(const device_info& device, int blocks, int resident = 1) {
    const device_costs& costs = costs_of(device);
    const int reach = resident == 1 || blocks <= 2
                          ? costs.cluster_reach[static_cast<size_t>(blocks)]
                      : resident == 2 ? costs.cluster_reach_of_two
                                      : costs.cluster_reach_of_more;
    return int64_t{device.sm_count} * resident * reach / 1000 / blocks;
}

// The distribution of blocks over the multiprocessors.
struct block_rounds {
    float turns;  // blocks of the busiest multiprocessor
    float rounds; // the turns, divided by the `resident` blocks that run at a time
    float wave_efficiency;

    // cluster: the number of blocks that are placed together. Clusters of more than 2 do not reach
    // all multiprocessors: a 31st cluster of 4, or a 16th of 8, shares multiprocessors with others.
    // The call then takes up to 1.7 times as long.
    block_rounds(const device_info& device, float blocks, float resident, int cluster = 1) {
        const auto count = static_cast<float>(device.sm_count);
        const auto reach = static_cast<float>(costs_of(device).cluster_reach_of_more) / 1000;
        const float sms =
            std::max(cluster <= 2   ? count
                     : resident > 1 ? count * reach
                                    : static_cast<float>(cluster_places(device, cluster) * cluster),
                     1.0f);
        turns = whole_up(blocks / sms);
        rounds = whole_up(turns / resident);
        wave_efficiency = blocks / (turns * sms);
    }
};

// A kernel that computes a tile of C with one block or with the blocks of a cluster.
struct tile_kernel {
    int block_m, block_n, slab_k;
    int groups = 1;  // of a block; each group has its own slab at the same time
    int sharing = 1; // groups of all blocks of a tile, which share its slabs
    int cluster = 1; // blocks of a cluster
    // Products of the batch that a block computes, one for each group. 1: all groups share one
    // product.
    int products = 1;
    int resident = 1; // blocks on a multiprocessor
    // Blocks whose warps together keep all schedulers equally busy. Fewer take as long.
    int balanced = 1;
    // Whether operands with k along memory are copied by quads, too.
    bool quads_of_k = true;
    bool whole_slabs = true; // whether the last slab costs the same as others
    float other_tiles = 0; // what blocks compute of a product outside of tiles, in times of a tile

    work_estimate work(const work_query& q) const {
        const float tiles_m = whole_up(q.m / static_cast<float>(block_m));
        const float tiles_n = whole_up(q.n / static_cast<float>(block_n));
        const float tiles_c = q.problem.triangle == triangle_of_c::none
                                  ? tiles_m * tiles_n
                                  : static_cast<float>(tile_count(q.problem, block_m, block_n));
        const float tiles =
            (tiles_c + other_tiles) * whole_up(q.batch / static_cast<float>(products));
        const block_rounds blocks(
            q.device, tiles * static_cast<float>(cluster), static_cast<float>(resident), cluster);
        const float slabs =
            whole_up(whole_up(q.k / static_cast<float>(slab_k)) / static_cast<float>(sharing));
        const float busy = products > 1 ? std::min(static_cast<float>(groups), q.batch)
                                        : static_cast<float>(groups);
        // Work of the busiest multiprocessor, over all its groups.
        const float depth =
            blocks.turns * busy * (whole_slabs ? slabs * static_cast<float>(slab_k) : q.k);
        const float block_lines = static_cast<float>(block_m + block_n);
        const float scalar_loads = 1.0f / 32;
        const sgemm_problem& p = q.problem;
        const float a = p.transa && !quads_of_k ? scalar_loads : q.copies_a;
        const float b = !p.transb && !quads_of_k ? scalar_loads : q.copies_b;
        work_estimate w;
        w.rounds = blocks.rounds;
        w.steps = blocks.rounds * slabs;
        const float full = static_cast<float>(balanced);
        const float idle = whole_up(blocks.turns / full) * full / blocks.turns;
        w.math_cycles = fma_cycles(q, depth * idle * static_cast<float>(block_m * block_n));
        w.copies = depth * (static_cast<float>(block_m) * a + static_cast<float>(block_n) * b);
        w.l2_bytes = depth * 4 * block_lines;
        w.memory_bytes = q.operand_bytes;
        w.wave_efficiency = blocks.wave_efficiency;
        w.tile_utilisation = q.c_elements / (tiles_c * static_cast<float>(block_m * block_n));
        return w;
    }
};

} // namespace myblas::cuda

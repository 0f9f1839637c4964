// What kernels tell the predictor of their work (kernel_entry::work). In float: a prediction is no more exact, and
// a new shape asks some dozen kernels.
#pragma once

#include "core/kernel_entry.h"

#include <algorithm>
#include <cstdint>

namespace myblas::cuda {

// The least whole number that is not below x, 0 <= x < 2^62. (std::ceil is a call on plain x86-64.)
inline float whole_up(float x) {
    const auto whole = static_cast<int64_t>(x);
    return static_cast<float>(whole + (static_cast<float>(whole) < x ? 1 : 0));
}

// The extents of a problem, none below 1.
struct float_extents {
    float m, n, k, batch;

    explicit float_extents(const sgemm_problem& p)
        : m(of(p.m)), n(of(p.n)), k(of(p.k)), batch(of(p.batch_count)) {}
    static float of(int64_t x) { return static_cast<float>(std::max<int64_t>(x, 1)); }

    // A and B read once, C written once.
    float operand_bytes() const { return 4 * batch * (m * k + k * n + m * n); }
};

// Copy instructions of a warp for a float of an operand: by quads where the operand is on the grid of 16 bytes.
// (Strides of batches need not be looked at: a batch off the grid is rare.)
inline float copies_per_float(const float* x, int64_t ld, const void* array) {
    return batch_aligned16(x, ld, 0, array, 1) ? 1.0f / 128 : 1.0f / 32;
}

// How blocks come to lie on the device.
struct block_rounds {
    float turns;  // blocks of the busiest multiprocessor
    float rounds; // of these one after the other, where it holds `resident` at a time
    float fill;

    // cluster: blocks that are placed together. Clusters of more than 2 do not reach all multiprocessors: 120 of 132
    // on an H100 (cudaOccupancyMaxActiveClusters).
    block_rounds(const device_info& device, float blocks, float resident, int cluster = 1) {
        int sms = cluster > 2 ? device.sm_count * 10 / 11 : device.sm_count;
        sms = std::max(sms / cluster * cluster, 1);
        turns = whole_up(blocks / static_cast<float>(sms));
        rounds = whole_up(turns / resident);
        fill = blocks / (turns * static_cast<float>(sms));
    }
};

// A kernel that computes a tile of C by a block, or by the blocks of a cluster.
struct tile_kernel {
    int block_m, block_n, slab_k;
    int groups = 1;          // of a block: each has a slab of its own at the same time
    int sharing = 1;         // groups of all blocks of a tile, over which its slabs are dealt out
    int cluster = 1;         // blocks
    int products = 1;        // of the batch that a block computes, a group each; 1: all groups share one
    int resident = 1;        // blocks on a multiprocessor
    bool quads_of_k = true;  // whether operands with k along memory are copied by quads, too
    bool whole_slabs = true; // whether the last slab costs as much as the others

    work_estimate work(const sgemm_problem& p, const device_info& device) const {
        const float_extents e(p);
        const float tiles_m = whole_up(e.m / static_cast<float>(block_m));
        const float tiles_n = whole_up(e.n / static_cast<float>(block_n));
        const float tiles = tiles_m * tiles_n * whole_up(e.batch / static_cast<float>(products));
        const block_rounds blocks(device,
                                  tiles * static_cast<float>(cluster),
                                  static_cast<float>(resident),
                                  cluster);
        const float slabs = whole_up(whole_up(e.k / static_cast<float>(slab_k)) /
                                     static_cast<float>(sharing));
        const float busy =
            products > 1 ? std::min(static_cast<float>(groups), e.batch) : static_cast<float>(groups);
        // What the busiest multiprocessor works through, over all its groups.
        const float depth = blocks.turns * busy * (whole_slabs ? slabs * static_cast<float>(slab_k) : e.k);
        const float block_lines = static_cast<float>(block_m + block_n);
        const float by_words = 1.0f / 32;
        const float a = p.transa && !quads_of_k ? by_words : copies_per_float(p.a, p.lda, p.a_array);
        const float b = !p.transb && !quads_of_k ? by_words : copies_per_float(p.b, p.ldb, p.b_array);
        work_estimate w;
        w.rounds = blocks.rounds;
        w.steps = blocks.rounds * slabs;
        w.math_cycles = depth * static_cast<float>(block_m * block_n) / 128;
        w.copies = depth * (static_cast<float>(block_m) * a + static_cast<float>(block_n) * b);
        w.l2_bytes = depth * 4 * block_lines;
        w.memory_bytes = e.operand_bytes();
        w.fill = blocks.fill;
        w.edge = e.m * e.n / (tiles_m * tiles_n * static_cast<float>(block_m * block_n));
        return w;
    }
};

} // namespace myblas::cuda

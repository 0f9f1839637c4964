// The part of the blocked SGEMM that depends on the processor: a register tile, its packing, and
// the choice of a tile for this processor.
#pragma once

#include "host/multiply_add.h"

#include <cstdint>

namespace myblas::host {

// Terms of C are added in registers along the depth, block_k at a time and in order (blocked.cpp).
inline constexpr int block_k = 256;

// An operand seen as lanes (rows of op(A), columns of op(B)) along the depth k. One stride is 1.
struct lane_view {
    const float* data;
    int64_t lane_stride, depth_stride;
};

// C = alpha * acc + beta * C on the `rows` x `cols` corner of a register tile.
struct tile_update {
    float alpha, beta;
    float* c;
    int64_t ldc;
    int rows, cols;
};

struct micro_kernel {
    int tile_m, tile_n; // the register tile, in elements of C

    // Copies `lanes` x `depth` elements to panels of tile_m (pack_a) or tile_n (pack_b) lanes. A
    // panel keeps its element (lane, l) at l * width + lane; lanes past the last are zero.
    void (*pack_a)(const lane_view&, int64_t lanes, int64_t depth, float* packed);
    void (*pack_b)(const lane_view&, int64_t lanes, int64_t depth, float* packed);

    // Multiplies a panel of A by a panel of B and updates C.
    void (*multiply)(int64_t depth, const float* panel_a, const float* panel_b, const tile_update&);

    // sums[j][i] = fma(a, b, sums[j][i]) for each step of the depth in turn, with elements a of
    // lane i and b of lane j; float sums[tile_n][tile_m].
    void (*continue_sums)(int64_t depth, const float* panel_a, const float* panel_b, float* sums);
};

// C = alpha * sum + beta * C of a vector, without reading C when beta is 0.
template <instruction_set set, class Vector>
[[gnu::always_inline]] inline void
update_vector(float* c, const Vector& sum, float alpha, float beta) {
    if (beta == 0.0f) {
        store(c, sum * alpha);
        return;
    }
    Vector value;
    load(value, c);
    value = value * beta;
    multiply_add<set>(value, sum, alpha);
    store(c, value);
}

// The best micro-kernel that this processor runs.
const micro_kernel& best_micro_kernel();

} // namespace myblas::host

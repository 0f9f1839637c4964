// Hot operands: many blocks read the same cache lines at the same time.
//
// Copies of 16 bytes bypass the L1 cache. Where lines run along memory and their distance is not a
// multiple of 64 bytes, each copy instruction reads parts of more cache lines. These are few and in
// few slices of L2, for which all blocks wait. Copies of 4 bytes go through L1.
#pragma once

#include "core/problem.h"

#include <cstdint>

namespace myblas::cuda {

// Whether all blocks read one and the same tile of an operand.
// For an operand of `tiles` tiles in each product, where `readers` blocks read each tile. The
// limits are measured (docs/experiments/sgemm_small.md).
inline bool
is_hot(int64_t tiles, int64_t readers, int64_t ld, int64_t k, bool is_shared, int64_t batch_count) {
    constexpr int64_t many_readers = 96, most_k = 1024;
    return tiles * (is_shared ? 1 : batch_count) == 1 &&
           readers * (is_shared ? batch_count : 1) >= many_readers && ld % 16 != 0 && k <= most_k;
}

struct hot_operands {
    bool a, b;

    hot_operands(const sgemm_problem& p, int64_t tiles_m, int64_t tiles_n)
        : a(is_hot(tiles_m, tiles_n, p.lda, p.k, shares_a(p), p.batch_count)),
          b(is_hot(tiles_n, tiles_m, p.ldb, p.k, shares_b(p), p.batch_count)) {}
};

} // namespace myblas::cuda

// *result = sum of x_i or of |x_i|, in vector lanes within blocks and by pairs of blocks above them.
//
// Adds to serial: lanes that do not wait for each other, and an error that grows with log2(n).
//
//   block of 16 x lanes elements    lane l adds elements l, l + lanes, ... in order, then the lanes
//                                   are added by halves: (x_0 + x_h), ..., then half of that, ...
//   blocks                          two neighbouring sums of 2^i blocks make one of 2^(i+1); what is
//                                   left at the end is added from the smallest up
//
// The order depends on n alone, not on addresses, increments or the processor.
// A term takes part in at most 15 + log2(lanes) additions in its block and log2(n / block) + 1 above
// it: error at most (log2(n) + 12) u sum |x_i|.
// Works against memory, n elements read. Accepts every problem.
#include "host/sum/registry.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace myblas::host {
namespace {

template <class T>
struct block_shape {
    using vector [[gnu::vector_size(16)]] = T;
    static constexpr int width = 16 / sizeof(T);
    static constexpr int vectors = 8; // enough to hide the latency of an addition
    static constexpr int lanes = width * vectors;
    static constexpr int elements = 16 * lanes;
};

// The sum of block_shape<T>::elements contiguous elements.
template <bool absolute, class T>
T sum_block(const T* x) {
    using shape = block_shape<T>;
    typename shape::vector acc[shape::vectors] = {};
    for (int first = 0; first < shape::elements; first += shape::lanes) {
#pragma GCC unroll 8
        for (int v = 0; v < shape::vectors; ++v) {
            typename shape::vector value;
            std::memcpy(&value, x + first + v * shape::width, sizeof(value));
            if constexpr (absolute)
                value = value < 0 ? -value : value;
            acc[v] += value;
        }
    }
    T lane[shape::lanes];
    std::memcpy(lane, acc, sizeof(lane));
    for (int half = shape::lanes / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l)
            lane[l] += lane[l + half];
    return lane[0];
}

// Sums of 1, 2, 4, ... blocks that wait for their neighbours: a binary counter.
template <class T>
class pending_sums {
public:
    void add(T sum) {
        int level = 0;
        for (; count_ >> level & 1; ++level)
            sum = level_[level] + sum;
        level_[level] = sum;
        ++count_;
    }

    T total() const {
        T sum = 0;
        for (int level = 0; level < 64; ++level)
            if (count_ >> level & 1)
                sum = level_[level] + sum;
        return sum;
    }

private:
    uint64_t count_ = 0; // bit i: level_[i] holds the sum of 2^i blocks
    T level_[64];
};

template <bool absolute, class T>
T sum(const sum_problem<T>& p) {
    constexpr int block = block_shape<T>::elements;
    pending_sums<T> pending;
    for (int64_t first = 0; first < p.n; first += block) {
        const T* x = p.x + first * p.incx;
        const int count = static_cast<int>(std::min<int64_t>(block, p.n - first));
        if (p.incx == 1 && count == block) {
            pending.add(sum_block<absolute>(x));
            continue;
        }
        T gathered[block];
        for (int i = 0; i < count; ++i)
            gathered[i] = x[i * p.incx];
        std::fill(gathered + count, gathered + block, T{0});
        pending.add(sum_block<absolute>(gathered));
    }
    return pending.total();
}

template <class T>
myblasStatus_t launch(const sum_problem<T>& p, const launch_context&) {
    *p.result = p.absolute ? sum<true>(p) : sum<false>(p);
    return MYBLAS_STATUS_SUCCESS;
}

template <class T>
constexpr kernel_entry<sum_problem<T>> entry{
    .name = "pairwise",
    .description = "vector lanes within blocks, blocks by pairs",
    .alignment_bytes = sizeof(T),
    .launch = launch<T>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_pairwise = entry<float>;
constinit const kernel_entry<sum_problem<double>> dsum_pairwise = entry<double>;

} // namespace myblas::host

// *result = sum of x_i or of |x_i|, in vector lanes within blocks, and by pairs of blocks.
//
// Adds to `serial`: lanes that do not wait for each other, and an error that grows only with
// log2(n).
//
//   block of 16 x lanes elements    lane l adds elements l, l + lanes, ... in order; then the lanes
//                                   are added by halves: (x_0 + x_h), ..., then half of that, ...
//   blocks                          two neighbouring sums of 2^i blocks make one of 2^(i+1); sums
//                                   left at the end are added from the smallest up
//
// Long vectors are cut into pieces of 2^i blocks, which several threads sum. The order of additions
// depends on n alone, not on addresses, increments, threads or the processor.
// A term takes part in at most 15 + log2(lanes) additions in its block and log2(n / block) + 1
// above it. The error is at most (log2(n) + 12) u sum |x_i|.
// Works against memory, n elements read. Accepts every problem.
#include "host/instructions.h"
#include "host/registry.h"
#include "host/threads.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace myblas::host {
namespace {

template <class T>
struct block_shape {
    static constexpr int lanes = 512 / sizeof(T);
    static constexpr int elements = 16 * lanes;
};

// Replaces each element by |x|.
template <class Vector>
[[gnu::always_inline]] inline void clear_signs(Vector& x) {
    using bits = decltype(x < x); // integers of the same size
    const Vector zeroes{};
    bits value, signs;
    load(value, &x);
    const Vector negative = -zeroes;
    load(signs, &negative);
    value &= ~signs;
    load(x, &value);
}

// The sum of `count` contiguous elements, at most block_shape<T>::elements.
template <bool absolute, int vector_bytes, class T>
[[gnu::always_inline]] inline T sum_block(const T* x, int count) {
    using vector = vector_of<T, vector_bytes>;
    constexpr int lanes = block_shape<T>::lanes;
    constexpr int vectors = 8; // accumulators at a time, enough to hide the latency of an addition
    constexpr int group = vectors * vector_bytes / sizeof(T); // lanes in these accumulators
    const int rows = count / lanes;
    T lane[lanes];
    for (int first = 0; first < lanes; first += group) {
        vector acc[vectors] = {};
        for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
                vector value;
                load(value, x + row * lanes + first + v * (group / vectors));
                if constexpr (absolute)
                    clear_signs(value);
                acc[v] += value;
            }
        }
        std::memcpy(lane + first, acc, sizeof(acc));
    }
    for (int l = 0; l < count - rows * lanes; ++l)
        lane[l] += absolute ? std::abs(x[rows * lanes + l]) : x[rows * lanes + l];
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l)
            lane[l] += lane[l + half];
    return lane[0];
}

// Sums of 1, 2, 4, ... blocks that wait for a neighbour of the same size: a binary counter.
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

    // The sum of all blocks, and of the elements after them (`sum`), which are added first.
    T total(T sum = 0) const {
        for (int level = 0; level < 64; ++level)
            if (count_ >> level & 1)
                sum = level_[level] + sum;
        return sum;
    }

private:
    uint64_t count_ = 0; // bit i: level_[i] holds the sum of 2^i blocks
    T level_[64];
};

// The sum of `count` elements from `first` on. `first` is a multiple of 2^i blocks, and `count` at
// most 2^i blocks.
template <bool absolute, int vector_bytes, class T>
[[gnu::always_inline]] inline T sum_piece(const sum_problem<T>& p, int64_t first, int64_t count) {
    constexpr int block = block_shape<T>::elements;
    pending_sums<T> pending;
    for (int64_t done = 0; done < count; done += block) {
        const T* x = p.x + (first + done) * p.incx;
        const int size = static_cast<int>(std::min<int64_t>(block, count - done));
        T gathered[block];
        if (p.incx != 1) {
            for (int i = 0; i < size; ++i)
                gathered[i] = x[i * p.incx];
            x = gathered;
        }
        pending.add(sum_block<absolute, vector_bytes>(x, size));
    }
    return pending.total();
}

template <bool absolute, class T>
T sum(const sum_problem<T>& p) {
    const auto sum_range = [&p](int64_t first, int64_t count) {
        return run_best(
            [=, &p](auto length) { return sum_piece<absolute, length.value>(p, first, count); });
    };
    const int threads = threads_for(p.n * static_cast<int64_t>(sizeof(T)), bytes_a_thread);
    if (threads == 1)
        return sum_range(0, p.n);
    // The largest pieces that are at least `least_pieces` in number.
    constexpr int least_pieces = 64;
    const uint64_t blocks = static_cast<uint64_t>(p.n / block_shape<T>::elements);
    const int64_t piece =
        block_shape<T>::elements *
        static_cast<int64_t>(std::bit_floor(std::max(blocks / least_pieces, uint64_t{1})));
    const int64_t pieces = p.n / piece; // and a rest
    T sums[2 * least_pieces + 1];
    for_each_task(pieces + 1, threads, [&](int64_t task, int) {
        sums[task] = sum_range(task * piece, std::min(piece, p.n - task * piece));
    });
    pending_sums<T> pending;
    for (int64_t i = 0; i < pieces; ++i)
        pending.add(sums[i]);
    return pending.total(sums[pieces]);
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

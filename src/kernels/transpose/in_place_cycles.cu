// A = A^T in place, for any shape with tight leading dimensions, without workspace.
//
// The transpose permutes positions: the element at i + j m moves to j + i n. Each thread follows
// the cycles of its positions, by arithmetic alone, until it meets a smaller position than its own.
// If it returns without meeting one, it leads the cycle and moves the elements one by one. Cycles
// are disjoint, so threads share no element. This is slow: the moves of a cycle depend on each
// other, and a long cycle, which may be the whole matrix, occupies a single thread.
//
// Bound: the latency of the longest cycle.  Launch: 256 threads.
// Accepts: B == A, lda == m, ldb == n, no batch.

#include "kernels/transpose/registry.h"
#include "kernels/transpose/tile.cuh"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int blocks_per_sm = 8; // 2048 threads: all that a multiprocessor holds

template <class T>
__global__ void __launch_bounds__(threads) in_place_cycles(transpose_problem p) {
    T* gmem = static_cast<T*>(p.b);
    const auto target = [&](int64_t position) {
        return position / p.m + position % p.m * p.n; // j + i n
    };
    const int64_t step = int64_t{gridDim.x} * threads;
    for (int64_t start = int64_t{blockIdx.x} * threads + threadIdx.x; start < p.m * p.n;
         start += step) {
        int64_t position = target(start);
        while (position > start)
            position = target(position);
        if (position < start)
            continue; // another thread leads this cycle
        T carried = gmem[start];
        do {
            position = target(position);
            const T displaced = gmem[position];
            gmem[position] = carried;
            carried = displaced;
        } while (position != start);
    }
}

bool accepts_tight(const transpose_problem& p, const device_info&) {
    return p.in_place() && p.lda == p.m && p.ldb == p.n && p.batch_count == 1;
}

myblasStatus_t launch_in_place_cycles(const transpose_problem& p, const launch_context& context) {
    const int64_t blocks = std::min<int64_t>(ceil_div<int64_t>(p.m * p.n, threads),
                                             blocks_per_sm * context.device->sm_count);
    return with_element(p.element_bytes, [&]<class T>(T) {
        return launch(in_place_cycles<T>, grid_of(blocks), threads, 0, context, p);
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_in_place_cycles = {
    .name = "in_place_cycles",
    .description = "in place, tight, without workspace: follows the cycles of the permutation",
    .threads = threads,
    .accepts = accepts_tight,
    .launch = launch_in_place_cycles,
};

} // namespace myblas::cuda

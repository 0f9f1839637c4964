// counts_v = how many of the bytes of x are v: each lane counts in a bank of its own.
//
// Adds to `shared_atomics`: 32 copies of the counts, one for each lane and all of a copy in one bank
// of shared memory, so that the additions of a warp never meet, whatever the bytes are; 16 bytes a
// load, two loads of a thread in flight; and no preparation: blocks add their counts to zeroes that
// the context keeps, and the block that comes last moves the totals to the result and leaves zeroes
// behind. The zeroing of shared memory overlaps the kernel before.
//
//   smem_count[v][lane]: byte address v * 128 + lane * 4, so the address of a byte's counter is the
//   byte shifted by 7: a shift, a mask and an addition take it out of a word of four bytes.
//
// A counter has 32 bits and sees 1 / 32 of a block's bytes: it cannot overflow below 2^44 bytes on 132
// multiprocessors.
// Bound: n bytes read.  Block: 1024 threads, batches of 32 KiB, 32 KiB of shared memory.
// Grid: two blocks on each multiprocessor at most.  Accepts: everything; bytes before the first and
// after the last 16-byte boundary are counted one by one.

#include "kernels/common/last_block.h"
#include "kernels/common/launch.h"
#include "kernels/common/overlap.h"
#include "kernels/common/reduce.h"
#include "kernels/histogram/bins.h"
#include "kernels/histogram/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 1024;
constexpr int blocks_per_sm = 2;
constexpr int loads = 2;
constexpr int lanes = warp_size;
constexpr int64_t least_bytes = 16384; // of a block: fewer blocks have fewer counts to add
static_assert(bins * lanes * sizeof(unsigned) == 32768 && threads >= bins);

// Zeroes that the context keeps, as the kernel uses them; null: counts are cleared beforehand.
struct accumulator {
    uint64_t* totals; // [bins]
    unsigned* blocks; // that are through
};
static_assert(bins * sizeof(uint64_t) + sizeof(unsigned) <= counter_count * sizeof(unsigned));

__device__ void count_byte(unsigned* lane_count, unsigned byte) {
    atomicAdd(lane_count + byte * lanes, 1u);
}

__device__ void count_word(unsigned* lane_count, unsigned word) {
#pragma unroll
    for (int byte = 0; byte < 4; ++byte)
        count_byte(lane_count, word >> (8 * byte) & 0xff);
}

__device__ void count_vector(unsigned* lane_count, uint4 vector) {
    count_word(lane_count, vector.x);
    count_word(lane_count, vector.y);
    count_word(lane_count, vector.z);
    count_word(lane_count, vector.w);
}

__global__ void __launch_bounds__(threads, blocks_per_sm)
    lane_counters(histogram_problem p, int head, accumulator sums) {
    __shared__ alignas(16) unsigned smem_count[bins][lanes];
    const int t = threadIdx.x;
    unsigned* const lane_count = &smem_count[0][t % lanes];
    for (int i = t; i < bins * lanes / 4; i += threads)
        reinterpret_cast<uint4*>(smem_count)[i] = uint4{};
    __syncthreads(); // the counters are zero
    wait_for_earlier_work();

    const int64_t vectors = (p.n - head) / 16;
    const uint4* const x = reinterpret_cast<const uint4*>(p.x + head);
    const int64_t step = int64_t{gridDim.x} * threads;
    int64_t i = int64_t{blockIdx.x} * threads + t;
#pragma unroll 1
    for (; i + (loads - 1) * step < vectors; i += loads * step) {
        uint4 value[loads];
#pragma unroll
        for (int k = 0; k < loads; ++k)
            value[k] = __ldcs(x + i + k * step);
#pragma unroll
        for (int k = 0; k < loads; ++k)
            count_vector(lane_count, value[k]);
    }
    for (; i < vectors; i += step)
        count_vector(lane_count, __ldcs(x + i));
    if (blockIdx.x == 0) {
        const int64_t tail = head + vectors * 16 + t;
        if (t < head)
            count_byte(lane_count, p.x[t]);
        if (tail < p.n)
            count_byte(lane_count, p.x[tail]);
    }
    __syncthreads(); // the counters are complete

    uint64_t total = 0;
    if (t < bins)
#pragma unroll
        for (int k = 0; k < lanes; ++k)
            total += smem_count[t][(t + k) % lanes]; // a bank for each thread of a warp
    if (gridDim.x == 1) {
        if (t < bins)
            p.counts[t] = total;
        return;
    }
    uint64_t* const target = sums.totals ? sums.totals : p.counts;
    if (t < bins && total > 0)
        add_count(target + t, total);
    if (!sums.totals || !is_last_block(sums.blocks, gridDim.x))
        return;
    if (t < bins) {
        p.counts[t] = __ldcg(sums.totals + t);
        sums.totals[t] = 0;
    }
}

myblasStatus_t launch_lane_counters(const histogram_problem& p, const launch_context& context) {
    const int64_t misaligned = static_cast<int64_t>(reinterpret_cast<uintptr_t>(p.x) % 16);
    const int head = static_cast<int>(std::min((16 - misaligned) % 16, p.n));
    const int64_t blocks = std::clamp<int64_t>(
        p.n / least_bytes, 1, int64_t{blocks_per_sm} * context.device->sm_count);
    accumulator sums{};
    if (context.counters)
        sums = {reinterpret_cast<uint64_t*>(context.counters), context.counters + 2 * bins};
    else if (blocks > 1)
        if (const myblasStatus_t failure = clear_counts(p.counts, context))
            return failure;
    return launch_overlapped(
        lane_counters, dim3(static_cast<unsigned>(blocks)), threads, context, p, head, sums);
}

} // namespace

constinit const kernel_entry<histogram_problem> histogram_lane_counters = {
    .name = "lane_counters",
    .description = "counts of each lane in a bank of its own, 16-byte loads",
    .threads = threads,
    .stages = 1,
    .smem_bytes = bins * lanes * sizeof(unsigned) + 1,
    .launch = launch_lane_counters,
};

} // namespace myblas::cuda

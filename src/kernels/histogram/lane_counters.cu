// counts_v = number of bytes of x that equal v. Each lane counts in its own bank of shared memory.
//
// Adds to `shared_atomics`:
// - 32 copies of the counts, one for each lane. A copy lies in one bank of shared memory, so the
//   additions of a warp never conflict, for any bytes.
// - 16 bytes for each load, and several loads of a thread in flight.
// - No clearing pass. Blocks add their counts to zeroes that the context keeps (totals): eight
//   copies, so that fewer blocks queue at one address. The totals need neither a fence nor a
//   counter of finished blocks: they are complete when they add up to n. The last block waits for
//   that, moves the totals to the result and leaves zeroes.
// - Shared memory is zeroed while the previous kernel runs.
//
//   smem_count[v][lane] is at byte address v * 128 + lane * 4: the address of a byte's counter is
//   the byte shifted by 7. A shift, a mask and an addition extract it from a word of four bytes.
//
//   bytes up to    threads x loads    blocks on a multiprocessor    least bytes of a block
//     256 KiB         256 x 2                   1                          4 KiB
//       8 MiB         512 x 4                   1                          8 KiB
//      64 MiB        1024 x 4                   1                         16 KiB
//      beyond        1024 x 2                   2                         16 KiB
//
// Only the last block waits, and no block waits for it: a device that holds two blocks at once is
// enough.
//
// A counter has 32 bits and counts 1 / 32 of a block's bytes: it cannot overflow below 2^44 bytes
// on 132 multiprocessors.
//
// Bound: n bytes read.  Shared memory: 32 KiB, and up to 10 KiB for the last block's sums.
// Accepts: everything. Bytes before the first and after the last 16-byte boundary are counted one
// by one.

#include "kernels/common/launch.h"
#include "kernels/common/mailbox.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/histogram/bins.cuh"
#include "kernels/histogram/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int lanes = warp_size;
constexpr int copies = 8; // of the totals
static_assert(copies * bins * sizeof(uint64_t) <= counter_count * sizeof(unsigned));

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

// The sum of all lanes' counts of byte t / sharers, in thread t; threads that share a byte get the
// same sum. Each lane of a warp reads from a different bank.
template <int threads>
__device__ uint64_t add_lanes(const unsigned (&smem_count)[bins][lanes]) {
    constexpr int sharers = threads / bins, length = lanes / sharers;
    const int byte = threadIdx.x / sharers, first = threadIdx.x % sharers * length;
    uint64_t total = 0;
#pragma unroll
    for (int k = 0; k < length; ++k)
        total += smem_count[byte][first + (k + byte) % length];
    return warp_sum<sharers>(total);
}

// Waits until the copies of the totals and `own`, the count of byte t % bins in thread t < bins,
// add up to n. Then writes the sums for each byte to `counts`. All threads of the block call it.
// smem_part: [threads].
template <int threads>
__device__ void
take_totals(uint64_t* totals, uint64_t own, int64_t n, uint64_t* counts, uint64_t* smem_part) {
    constexpr int groups = threads / bins; // groups of threads; each adds some of the copies
    const int t = threadIdx.x;
    uint64_t part;
    bool is_complete;
    do {
        part = own;
#pragma unroll
        for (int k = 0; k < copies / groups; ++k)
            part += load_relaxed(totals + k * threads + t);
        const uint64_t sum = block_sum_by_warp<threads>(part);
        is_complete = __syncthreads_or(t == 0 && sum >= static_cast<uint64_t>(n));
    } while (!is_complete);
#pragma unroll
    for (int k = 0; k < copies / groups; ++k)
        store_relaxed(totals + k * threads + t, 0);
    smem_part[t] = part;
    __syncthreads(); // smem_part is complete
    if (t < bins) {
#pragma unroll
        for (int group = 1; group < groups; ++group)
            part += smem_part[group * bins + t];
        counts[t] = part;
    }
}

// totals: zeroes that the context keeps, [copies][bins].
template <int threads, int loads, int blocks_per_sm>
__global__ void __launch_bounds__(threads, blocks_per_sm)
    lane_counters(histogram_problem p, int head, uint64_t* totals) {
    __shared__ alignas(16) unsigned smem_count[bins][lanes];
    const int t = threadIdx.x;
    unsigned* const lane_count = &smem_count[0][t % lanes];
    if constexpr (blocks_per_sm == 1)
        launch_dependents();
    for (int i = t; i < bins * lanes / 4; i += threads)
        reinterpret_cast<uint4*>(smem_count)[i] = uint4{};
    __syncthreads(); // the counters are zero
    grid_dependency_sync();

    const int64_t vectors = (p.n - head) / 16;
    const uint4* const x = reinterpret_cast<const uint4*>(p.x + head);
    const int64_t step = int64_t{gridDim.x} * threads;
    int64_t i = int64_t{blockIdx.x} * threads + t;
    uint4 value[loads];
#pragma unroll 1
    for (; i + (loads - 1) * step < vectors; i += loads * step) {
#pragma unroll
        for (int k = 0; k < loads; ++k)
            value[k] = __ldcs(x + i + k * step);
#pragma unroll
        for (int k = 0; k < loads; ++k)
            count_vector(lane_count, value[k]);
    }
#pragma unroll
    for (int k = 0; k < loads - 1; ++k)
        if (i + k * step < vectors)
            value[k] = __ldcs(x + i + k * step);
#pragma unroll
    for (int k = 0; k < loads - 1; ++k)
        if (i + k * step < vectors)
            count_vector(lane_count, value[k]);
    if (blockIdx.x == 0) {
        const int64_t tail = head + vectors * 16 + t;
        if (t < head)
            count_byte(lane_count, p.x[t]);
        if (tail < p.n)
            count_byte(lane_count, p.x[tail]);
    }
    __syncthreads(); // the counters are complete

    constexpr int sharers = threads / bins;
    const uint64_t total = add_lanes<threads>(smem_count);
    const int byte = t / sharers;
    const bool is_first = t % sharers == 0; // of the threads that share the byte
    if (gridDim.x == 1) {
        if (is_first)
            p.counts[byte] = total;
    } else if (blockIdx.x < gridDim.x - 1) {
        if (is_first && total > 0)
            add_count(totals + blockIdx.x % copies * bins + byte, total);
    } else {
        __shared__ uint64_t smem_own[bins];
        if (is_first)
            smem_own[byte] = total;
        __syncthreads(); // the block's own counts are complete
        take_totals<threads>(totals,
                             t < bins ? smem_own[t] : 0,
                             p.n,
                             p.counts,
                             reinterpret_cast<uint64_t*>(smem_count));
    }
}

template <int threads, int loads, int blocks_per_sm>
myblasStatus_t
launch_blocks(const histogram_problem& p, const launch_context& context, int64_t least_bytes) {
    const int64_t misaligned = static_cast<int64_t>(reinterpret_cast<uintptr_t>(p.x) % 16);
    const int head = static_cast<int>(std::min((16 - misaligned) % 16, p.n));
    const int64_t blocks = std::clamp<int64_t>(
        p.n / least_bytes, 1, int64_t{blocks_per_sm} * context.device->sm_count);
    return launch_overlapped(lane_counters<threads, loads, blocks_per_sm>,
                             dim3(static_cast<unsigned>(blocks)),
                             threads,
                             context,
                             p,
                             head,
                             reinterpret_cast<uint64_t*>(context.counters));
}

myblasStatus_t launch_lane_counters(const histogram_problem& p, const launch_context& context) {
    if (p.n <= 256 << 10)
        return launch_blocks<256, 2, 1>(p, context, 4096);
    if (p.n <= 8 << 20)
        return launch_blocks<512, 4, 1>(p, context, 8192);
    if (p.n <= 64 << 20)
        return launch_blocks<1024, 4, 1>(p, context, 16384);
    return launch_blocks<1024, 2, 2>(p, context, 16384);
}

} // namespace

constinit const kernel_entry<histogram_problem> histogram_lane_counters = {
    .name = "lane_counters",
    .description = "counts of each lane in a bank of its own, 16-byte loads",
    .threads = 1024,
    .stages = 1,
    .smem_bytes = bins * lanes * sizeof(unsigned) + (bins + 1024) * sizeof(uint64_t),
    .uses_counters = true,
    .launch = launch_lane_counters,
};

} // namespace myblas::cuda

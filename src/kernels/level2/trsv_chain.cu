// trsv, and trsm if X has one row or column to solve for, in one launch: substitution in blocks of
// 128 unknowns. Each block waits for the unknowns before its own.
//
// A block subtracts from its right-hand sides the contributions of earlier unknowns, in panels of
// 32 as they become known; the next panel of the triangle is already in registers. Then it solves
// for its own unknowns and publishes them 32 at a time: it writes them to x, and sets a bit in the
// stream's counters. Blocks take their numbers in the order in which they start, so that each one
// waits only for blocks that run or have ended.
//
//   counters   0: number of the next block
//              1 + b: bits 0 to 3 of block b; bit i: its unknowns 32 i to 32 i + 31 are known
//
// The diagonal block is in shared memory. A warp solves for 32 unknowns, eight at a time: every
// lane receives the eight right-hand sides and solves for all eight, so that only the gathering
// needs shuffles.
//
// Divides by multiplying with the reciprocal (error 2 u), if all 32 divisors are between 2^-126 and
// 2^126 and all results are finite. Otherwise the 32 unknowns are solved for again, with divisions.
//
// Bound: the chain of dependent steps, about 2.5 us for each block on an H200, and n (n + 1) / 2
// floats read.  Shared memory: 75 KiB.
// Launch: a block of 256 threads for each 128 unknowns; 128 threads for up to 32 unknowns.
// Accepts: n up to most_chain_order, a counter for each block.

#include "kernels/common/counter.cuh"
#include "kernels/common/cp_async.cuh"
#include "kernels/common/dynamic_smem.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/level2/registry.h"
#include "kernels/level2/row_blocks.cuh"

namespace myblas::cuda {
namespace {

constexpr int rows = chain_block, width = 32, threads = 256;
constexpr int few_threads = 128;             // for a single part
constexpr int parts_of_block = rows / width; // parts of a block, each published by itself
constexpr int most_panels = threads / width; // panels that a block takes at a time
// Of a column: keeps float4 aligned, and the rows of 8 x 8 in different banks.
constexpr int pitch = rows + 4;
constexpr int together = 8; // unknowns that a warp solves for at once
static_assert(width == warp_size && parts_of_block <= threads / warp_size);

template <bool across>
using block_of = row_block<rows, width, across>;

template <bool across>
struct chain_smem {
    float triangle[rows * pitch]; // element (r, c), r > c, at c * pitch + r
    float divisor[rows], reciprocal[rows], solved[rows];
    float x[2][most_panels * width]; // of the current panels, and of the panels before them
    typename block_of<across>::parts part;
    int known[2]; // panels in each half of x
};

// Solves for a warp's 32 unknowns. own: the lane's right-hand side. Returns the lane's unknown.
template <bool divides>
__device__ __forceinline__ float
solve_32(const float* triangle, const float* divisor, const float* reciprocal, float own) {
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int first = 0; first < warp_size; first += together) {
        float x[together];
#pragma unroll
        for (int k = 0; k < together; ++k)
            x[k] = __shfl_sync(full_warp, own, first + k);
#pragma unroll
        for (int k = 0; k < together; ++k) {
            const float* const column = triangle + (first + k) * pitch;
            x[k] = divides ? x[k] / divisor[first + k] : x[k] * reciprocal[first + k];
#pragma unroll
            for (int quad = k / 4 * 4; quad < together; quad += 4) {
                const float4 below = *reinterpret_cast<const float4*>(column + first + quad);
                const float element[4] = {below.x, below.y, below.z, below.w};
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    if (quad + j > k)
                        x[quad + j] = fmaf(-element[j], x[k], x[quad + j]);
            }
            if (lane >= first + together)
                own = fmaf(-column[lane], x[k], own);
        }
#pragma unroll
        for (int k = 0; k < together; ++k)
            own = lane == first + k ? x[k] : own;
    }
    return own;
}

// The same by products with reciprocals, unless that is not exact enough.
__device__ __forceinline__ float
solve_part(const float* triangle, const float* divisor, const float* reciprocal, float right) {
    const float size = fabsf(divisor[threadIdx.x % warp_size]);
    const float own = solve_32<false>(triangle, divisor, reciprocal, right);
    if (__all_sync(full_warp, size >= 0x1p-126f && size <= 0x1p126f && isfinite(own)))
        return own;
    return solve_32<true>(triangle, divisor, reciprocal, right);
}

// Up to 32 unknowns: one block, without counters.
template <bool across>
__global__ void __launch_bounds__(few_threads) few(lower_view t, scalar alpha, scalar gate) {
    constexpr int warps = few_threads / warp_size, lines = width / warps;
    __shared__ __align__(16) float triangle[width * pitch]; // as in chain_smem
    __shared__ float divisor[width], reciprocal[width];
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const bool inside = lane < t.n;
    grid_dependency_sync();
    launch_dependents();
    const float scale = resolve(gate) == 0 ? 0 : resolve(alpha);
    if (scale == 0) { // neither A nor x is read
        if (warp == 0 && inside)
            t.x[lane * t.incx] = 0;
        return;
    }
    float value[lines];
#pragma unroll
    for (int i = 0; i < lines; ++i) {
        const int other = warp + i * warps;
        const int r = across ? other : lane, c = across ? lane : other;
        value[i] = r > c && r < t.n ? t.a[r * t.row_step + c * t.column_step] : 0;
    }
    float own = 0; // right-hand side
    if (warp == 0) {
        own = inside ? scale * t.x[lane * t.incx] : 0;
        divisor[lane] = inside && !t.unit ? t.a[lane * (t.row_step + t.column_step)] : 1;
        reciprocal[lane] = 1 / divisor[lane];
    }
#pragma unroll
    for (int i = 0; i < lines; ++i) {
        const int other = warp + i * warps;
        triangle[across ? lane * pitch + other : other * pitch + lane] = value[i];
    }
    __syncthreads(); // the triangle and its diagonal are written
    if (warp > 0)
        return;
    own = solve_part(triangle, divisor, reciprocal, own);
    if (inside)
        t.x[lane * t.incx] = own;
}

template <bool across>
__global__ void __launch_bounds__(threads, 2)
    chain(lower_view t, scalar alpha, scalar gate, unsigned* counters) {
    using block = block_of<across>;
    auto& smem = dynamic_smem<chain_smem<across>>();
    const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
    grid_dependency_sync();
    const unsigned number = take_number(counters);
    unsigned* const bits = counters + 1;
    const int64_t first_row = int64_t{number} * rows;
    const int count = static_cast<int>(min(int64_t{rows}, t.n - first_row));
    const float* const a = t.a + first_row * t.row_step; // the block's rows
    const float scale = resolve(gate) == 0 ? 0 : resolve(alpha);
    if (scale == 0) { // neither A nor x is read
        if (thread < count)
            t.x[(first_row + thread) * t.incx] = 0;
        if (number + 1 == gridDim.x && thread == 0)
            counters[0] = 0;
        return;
    }

    // The strict triangle of the diagonal block. Rows past the last are zero.
    const float* const diagonal = a + first_row * t.column_step;
#pragma unroll 16
    for (int step = 0; step < rows / 8; ++step)
#pragma unroll
        for (int part = 0; part < parts_of_block; ++part) {
            const int along = lane + part * width, across_it = warp + step * 8;
            const int r = across ? across_it : along, c = across ? along : across_it;
            if (r > c) {
                const bool reads = r < count;
                cp_async<4>(&smem.triangle[c * pitch + r],
                            diagonal + (reads ? r * t.row_step + c * t.column_step : 0),
                            reads);
            }
        }
    cp_async_commit();
    float own = 0; // right-hand side
    if (thread < rows) {
        const bool reads = thread < count;
        const float divisor =
            reads && !t.unit ? diagonal[thread * (t.row_step + t.column_step)] : 1;
        if (reads)
            own = scale * t.x[(first_row + thread) * t.incx];
        smem.divisor[thread] = divisor;
        smem.reciprocal[thread] = 1 / divisor;
    }

    // The contributions of earlier blocks' unknowns.
    typename block::sums sum{};
    typename block::elements value;
    const int panels = static_cast<int>(number) * parts_of_block;
    if (panels > 0)
        block::load(value, a, t.row_step, t.column_step, count);
    for (int panel = 0, turn = 0; panel < panels; turn ^= 1) {
        if (warp == 0) {
            const int asked = panel + lane;
            unsigned known;
            do {
                const bool is_known = lane < most_panels && asked < panels &&
                                      (load_counter_and_acquire(bits + asked / parts_of_block) >>
                                           asked % parts_of_block &
                                       1);
                known = __ballot_sync(full_warp, is_known);
            } while (!(known & 1));
            __syncwarp(); // one lane's acquire holds for the warp
            const int taken = __ffs(static_cast<int>(~known)) - 1;
            for (int k = 0; k < taken; ++k)
                smem.x[turn][k * width + lane] =
                    __ldcg(t.x + (int64_t{panel + k} * width + lane) * t.incx);
            if (lane == 0)
                smem.known[turn] = taken;
        }
        __syncthreads(); // smem.x[turn] is written, and the other half is no longer read
        const int end = panel + smem.known[turn];
        for (const float* x = smem.x[turn]; panel < end; ++panel, x += width) {
            typename block::elements next;
            if (panel + 1 < panels)
                block::load(next,
                            a + int64_t{panel + 1} * width * t.column_step,
                            t.row_step,
                            t.column_step,
                            count);
            block::multiply(sum, value, [&](int c) { return x[block::column(c)]; });
#pragma unroll
            for (int r = 0; r < block::row_count; ++r)
#pragma unroll
                for (int c = 0; c < block::column_count; ++c)
                    value[r][c] = next[r][c];
        }
    }
    if (panels > 0)
        block::leave(smem.part, sum);
    cp_async_wait<0>();
    __syncthreads(); // the sums, the triangle and its diagonal are written
    if (panels > 0 && thread < rows)
        own -= block::total(smem.part, thread);

    // The block's own unknowns.
    for (int part = 0; part < parts_of_block && part * width < count; ++part) {
        const int first = part * width;
        if (warp == part) {
            const float* const triangle = smem.triangle + first * pitch + first;
            own = solve_part(triangle, smem.divisor + first, smem.reciprocal + first, own);
            smem.solved[thread] = own;
        }
        __syncthreads(); // the part's unknowns are in smem.solved
        if (warp == part) {
            if (thread < count)
                t.x[(first_row + thread) * t.incx] = own;
            __syncwarp();
            if (lane == 0 && number + 1 < gridDim.x) {
                fence_device(); // the unknowns are visible before the bit
                atomicOr(bits + number, 1u << part);
            }
        } else if (warp > part && thread < rows) {
            float rest[4] = {};
#pragma unroll
            for (int c = 0; c < width; ++c)
                rest[c % 4] = fmaf(smem.triangle[(first + c) * pitch + thread],
                                   smem.solved[first + c],
                                   rest[c % 4]);
            own -= (rest[0] + rest[1]) + (rest[2] + rest[3]);
        }
    }
    // The last block has seen all bits. Every other block reads its bits before it sets its own
    // last bit.
    if (number + 1 == gridDim.x)
        for (unsigned i = thread; i <= number; i += threads)
            counters[i] = 0;
}

bool accepts(const trsv_problem& p, const device_info&) { return p.n <= most_chain_order; }

myblasStatus_t launch_chain(const trsv_problem& p, const launch_context& context) {
    return solve_chain(view_of(p), {1}, {1}, p.trans, context);
}

} // namespace

constinit const kernel_entry<trsv_problem> trsv_chain = {
    .name = "chain",
    .description = "substitution in blocks of 128 unknowns that wait for one another, one launch",
    .block_m = rows,
    .block_n = width,
    .threads = threads,
    .stages = 2,
    .smem_bytes = sizeof(chain_smem<false>),
    .uses_counters = true,
    .accepts = accepts,
    .prepare = [](const device_info&) { return prepare_chain(); },
    .launch = launch_chain,
};

myblasStatus_t prepare_chain() {
    const myblasStatus_t failure = allow_smem(chain<false>, sizeof(chain_smem<false>));
    return failure ? failure : allow_smem(chain<true>, sizeof(chain_smem<true>));
}

myblasStatus_t solve_chain(
    const lower_view& t, scalar alpha, scalar gate, bool is_across, const launch_context& context) {
    if (t.n <= width)
        return launch_overlapped(
            is_across ? few<true> : few<false>, dim3(1), few_threads, context, t, alpha, gate);
    const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(t.n, rows)));
    return launch_clusters(is_across ? chain<true> : chain<false>,
                           grid,
                           1,
                           true,
                           threads,
                           is_across ? sizeof(chain_smem<true>) : sizeof(chain_smem<false>),
                           context,
                           t,
                           alpha,
                           gate,
                           context.counters);
}

} // namespace myblas::cuda

// Small products on the tensor cores of sm_90a, in one launch and without a workspace: a block cuts what it
// multiplies into two TF32 slices.
//
// x = high + low: high is x in the 11 bits of TF32, low the rest, exactly, of which the tensor core ignores the
// last bit where there are twelve. Three products are added; low low is left out (docs/emulation.md has the
// bound). TF32 has the exponents of FP32, so that there are no scales: an element is cut as soon as it is there, by
// four instructions, where a cut to fp16 waits for the largest element of a line.
// Sums stay in the tensor core, which truncates, for 16 of k; then they are added in FP32, rounded to nearest.
// Products of slices that are not normal numbers might be lost. Where the least elements of a block show that
// there may be any, its sums become NaN; and where a sum is not finite, that part of C is computed on the FP32
// units. Nothing has been written by then.
// Bound: small products by latency, that of the launch, of copies from the L2 cache and of adding up; larger ones
// by shared memory, which the slices of B go through twice, and by cutting, which competes with the tensor
// cores for registers.
//
//   cluster    `parts` blocks share a tile, each with a range of k; each adds and writes a share of it
//   block      block_m x block_n; `groups` of warpgroups take slabs of 32 k in turns, copied for each
//   team       the warpgroups of a group that share 64 columns: all of them cut B, to shared memory, each its rows
//              of A, to registers. Teams multiply in turns, so that others cut meanwhile
//   warpgroup  64 x 64
//
// k is counted anew inside of 8: position t + 4 h of a product is k = 2 t + h, so that a thread finds two elements of
// a row of A side by side. So are its rows: row g + 8 r of a warp's 16 is 2 g + r.
#pragma once

#include "kernels/common/cluster.cuh"
#include "kernels/common/overlap.h"
#include "kernels/common/tensor_map.h"
#include "kernels/common/tma.cuh"
#include "kernels/common/wgmma.cuh"
#include "kernels/sgemm/parts/operands.cuh"
#include "kernels/sgemm/parts/work.h"

namespace myblas::cuda {

// Of parts times the largest share of each, whatever their number.
constexpr int most_in_shares(int units) {
    int most = 0;
    for (int parts = 1; parts <= largest_cluster; ++parts)
        most = std::max(most, parts * ceil_div(units, parts));
    return most;
}

template <int warpgroups_m_, int warpgroups_n_, int groups_, int stages_>
struct tf32_shape {
    static constexpr int warpgroups_m = warpgroups_m_, warpgroups_n = warpgroups_n_; // of a group
    static constexpr int groups = groups_, stages = stages_;
    static constexpr int block_m = 64 * warpgroups_m, block_n = 64 * warpgroups_n, slab_k = 32;
    static constexpr int line_bytes = slab_k * sizeof(float);
    static constexpr int team_threads = 128 * warpgroups_m;
    static constexpr int group_threads = team_threads * warpgroups_n;
    static constexpr int teams = groups * warpgroups_n;
    static constexpr int threads = groups * group_threads, warps = threads / 32;

    // Shared memory: of each team two slices of 64 columns; of each group a ring of slabs, where its sums go in
    // the end; what other blocks send; words.
    static constexpr int slice_bytes = 64 * line_bytes;
    static constexpr int slab_b_at = block_m * line_bytes;
    static constexpr int slab_bytes = slab_b_at + block_n * line_bytes;
    static constexpr int ring_bytes = stages * slab_bytes;
    static constexpr int rings_at = teams * 2 * slice_bytes;
    static constexpr int received_at = rings_at + groups * ring_bytes;

    static constexpr int sum_ld = 68; // of a warpgroup's sums: columns start 4 banks apart
    static constexpr int sum_floats = 64 * sum_ld;
    // A tile is shared out by 32 quads of rows, 2 columns of a warpgroup.
    static constexpr int units = 32 * warpgroups_m * warpgroups_n;
    static constexpr int most_received = most_in_shares(units);
    static constexpr int most_boxes = 2 * (warpgroups_m + warpgroups_n); // of a slab

    struct words_type {
        mbarrier filled[groups][stages];
        mbarrier met[teams], turn[teams];
        uint64_t all_received;
        unsigned least[2][warps];
        unsigned is_read[groups][stages][most_boxes]; // by one team of two
    };
    static constexpr int words_at = received_at + most_received * 32 * int{sizeof(float4)};
    static constexpr size_t smem_bytes = words_at + sizeof(words_type);

    static_assert(warpgroups_m * warpgroups_n * sum_floats * int{sizeof(float)} <= ring_bytes);
    static_assert(warpgroups_n <= 2 && most_boxes <= team_threads / 32); // a box for each warp
    static_assert(smem_bytes <= 227 * 1024);
};

struct tf32_plan {
    int parts;        // blocks of a cluster, which share a tile
    int part_slabs;   // slabs of a part; of the last ones perhaps fewer
    unsigned inverse; // 2^16 / parts, rounded up
};

// 32 k of lines, as TMA lays them out: rows of 128 bytes, of a line where k runs along memory, else of one k of 32
// lines; their quads are exchanged.
__device__ __forceinline__ int tf32_offset(int row, int quad) {
    return row * 128 + (quad ^ row % 8) * 16;
}

__device__ __forceinline__ void cut_tf32(float x, uint32_t& high, uint32_t& low) {
    high = (__float_as_uint(x) + 0x1000) & 0xffffe000;
    low = __float_as_uint(x - __uint_as_float(high));
}

// The least magnitude but zero, as twice its bits less one.
__device__ __forceinline__ void note_least(unsigned& least, float x) {
    least = min(least, 2 * __float_as_uint(x) - 1);
}

// Whether slices and their products are normal numbers: down to 2^-23 of an element, and of a product.
__device__ __forceinline__ bool are_slices_held(unsigned least_a, unsigned least_b) {
    constexpr int bias = 127, least_exponent = -102;
    const int a = static_cast<int>(least_a >> 24) - bias;
    const int b = static_cast<int>(least_b >> 24) - bias;
    return min(min(a, b), a + b) >= least_exponent;
}

// A thread's elements of A: x[s][2 h + r] at row 2 g + r and k = 8 s + 2 t + h.
template <bool transa>
__device__ __forceinline__ void load_a(const char* slab, int thread, float (&x)[4][4]) {
    const int t = thread % 4, row = thread / 32 * 16 + thread % 32 / 4 * 2;
#pragma unroll
    for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int k = 8 * s + 2 * t;
            const int at = transa ? tf32_offset(row + i, k / 4) + k % 4 * 4
                                  : tf32_offset(row / 32 * 32 + k + i, row % 32 / 4) + row % 4 * 4;
            const float2 v = *reinterpret_cast<const float2*>(slab + at);
            x[s][transa ? i : 2 * i] = v.x;
            x[s][transa ? 2 + i : 2 * i + 1] = v.y;
        }
}

// 64 columns of B, by a team.
template <class Shape, bool transb>
__device__ __forceinline__ void cut_b(const char* slab, char* slices, int thread, unsigned& least) {
#pragma unroll
    for (int first = 0; first < 64 * 4; first += Shape::team_threads) {
        const int line = (first + thread) % 64, s = (first + thread) / 64;
        float x[8]; // k = 8 s + 2 t + h at 2 t + h
        if constexpr (transb) {
#pragma unroll
            for (int e = 0; e < 8; ++e)
                x[e] = *reinterpret_cast<const float*>(
                    slab + tf32_offset(line / 32 * 32 + 8 * s + e, line % 32 / 4) + line % 4 * 4);
        } else {
#pragma unroll
            for (int e = 0; e < 8; e += 4) {
                const float4 v =
                    *reinterpret_cast<const float4*>(slab + tf32_offset(line, 2 * s + e / 4));
                x[e] = v.x, x[e + 1] = v.y, x[e + 2] = v.z, x[e + 3] = v.w;
            }
        }
        uint32_t high[8], low[8];
#pragma unroll
        for (int e = 0; e < 8; ++e) {
            note_least(least, x[e]);
            cut_tf32(x[e], high[e], low[e]);
        }
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            char* piece = slices + tf32_offset(line, 2 * s + h);
            *reinterpret_cast<uint4*>(piece) =
                make_uint4(high[h], high[2 + h], high[4 + h], high[6 + h]);
            *reinterpret_cast<uint4*>(piece + Shape::slice_bytes) =
                make_uint4(low[h], low[2 + h], low[4 + h], low[6 + h]);
        }
    }
}

// Computes 4 rows of a column of C, of which some sum is not finite, on the FP32 units. As in slice_fallback.cu,
// the sums of every 64 of k are added. Inline: nvcc 13.0 lets a function that some lanes call overwrite uniform
// registers that the others still need.
template <bool transa, bool transb>
__device__ __forceinline__ void
repair_quad(const sgemm_problem& p, int64_t first_row, int64_t col) {
    const sgemm_operands o = resolve_operands(p, 0);
    for (int64_t row = first_row; row < min(first_row + 4, p.m); ++row) {
        float sum = 0;
        for (int64_t first = 0; first < o.k; first += 64) {
            float part = 0;
            for (int64_t k = first; k < min(first + 64, o.k); ++k)
                part = fmaf(o.a[op_index<transa>(row, k, p.lda)],
                            o.b[op_index<transb>(k, col, p.ldb)],
                            part);
            sum += part;
        }
        store_c(&o.c[row + col * p.ldc], o.alpha, sum, o.beta);
    }
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// acc += the product of a slab, the least significant products of every 16 of k first. Calls pass_on when the last
// ones are under way.
template <class Shape, class PassOn>
__device__ __forceinline__ void multiply_slab(uint32_t (&high)[4][4],
                                              uint32_t (&low)[4][4],
                                              uint32_t slices,
                                              float (&acc)[32],
                                              const PassOn& pass_on) {
    const wgmma_tile<Shape::line_bytes> slices_high(slices);
    const auto slices_low = slices_high.after(Shape::slice_bytes);
    // All are in their registers before the first product.
#pragma unroll
    for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int i = 0; i < 4; ++i)
            asm volatile("" : "+r"(high[s][i]), "+r"(low[s][i]));
#pragma unroll
    for (int first = 0; first < 4; first += 2) {
        float sum[32];
        wgmma_fence();
#pragma unroll
        for (int s = first; s < first + 2; ++s)
            wgmma_64x64x8_tf32(sum, low[s], slices_high.after(s * 32).descriptor(), s > first);
#pragma unroll
        for (int s = first; s < first + 2; ++s)
            wgmma_64x64x8_tf32(sum, high[s], slices_low.after(s * 32).descriptor(), true);
#pragma unroll
        for (int s = first; s < first + 2; ++s)
            wgmma_64x64x8_tf32(sum, high[s], slices_high.after(s * 32).descriptor(), true);
        wgmma_commit();
        if (first == 2)
            pass_on();
        wgmma_wait<0>();
#pragma unroll
        for (int i = 0; i < 32; ++i)
            acc[i] += sum[i];
    }
}

#endif

template <class Shape, bool transa, bool transb>
__global__ void __launch_bounds__(Shape::threads, 1)
    tf32_kernel(const __grid_constant__ sgemm_problem p,
                const __grid_constant__ CUtensorMap map_a,
                const __grid_constant__ CUtensorMap map_b,
                const tf32_plan plan) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) char smem[];
    auto& words = *reinterpret_cast<typename Shape::words_type*>(smem + Shape::words_at);
    let_next_kernel_come();
    // Told to the compiler to be one of the warp, so that descriptors live in uniform registers.
    const int team = __shfl_sync(0xffffffffu, threadIdx.x / Shape::team_threads, 0);
    const int thread = threadIdx.x % Shape::team_threads, lane = thread % 32;
    const int team_warp = __shfl_sync(0xffffffffu, thread / 32, 0);
    const int group = team / Shape::warpgroups_n, column = team % Shape::warpgroups_n;
    const int rank = static_cast<int>(cluster_rank());
    const int tile_row = static_cast<int>(cluster_x()) * Shape::block_m;
    const int tile_col = static_cast<int>(blockIdx.y) * Shape::block_n;

    const auto divide_by_parts = [&](int x) { return static_cast<int>(x * plan.inverse >> 16); };
    const int share = divide_by_parts(Shape::units - rank + plan.parts - 1);
    if (plan.parts > 1) {
        expect_bytes(&words.all_received, (plan.parts - 1) * share * 32 * sizeof(float4));
        cluster_arrive(); // from here on the others may send
    }
    const bool is_first_of_group = threadIdx.x % Shape::group_threads == 0;
    if (is_first_of_group) {
        prefetch_tensor_map(map_a);
        prefetch_tensor_map(map_b);
#pragma unroll
        for (int stage = 0; stage < Shape::stages; ++stage) {
            words.filled[group][stage].init(1);
#pragma unroll
            for (unsigned& is_read : words.is_read[group][stage])
                is_read = 0;
        }
    }
    if (thread == 0) {
        words.met[team].init(Shape::team_threads);
        words.turn[team].init(Shape::team_threads / 32);
        mbarrier::publish_inits();
    }

    wait_for_earlier_work();
    const int k = resolve(p.alpha) == 0 ? 0 : static_cast<int>(p.k);
    int slab = rank * plan.part_slabs + group;
    const int end = min(ceil_div(k, Shape::slab_k), (rank + 1) * plan.part_slabs);
    char* ring = smem + Shape::rings_at + group * Shape::ring_bytes;
    // Lines come in boxes: all at once where k runs along memory, else 32.
    constexpr int boxes_a = transa ? 1 : Shape::block_m / 32;
    constexpr int boxes_b = transb ? Shape::block_n / 32 : 1;
    // Measured with tiles of 64 x 64 (docs/experiments/sgemm_emulated.md): where k runs along A, it had better come last,
    // and where B is transposed, too, be read when B has been cut. Larger tiles want neither.
    constexpr bool is_small = Shape::block_m == 64;
    constexpr bool late_a = is_small && transa && transb;
    constexpr int first_a = is_small && transa ? boxes_b : 0;
    constexpr int first_b = is_small && transa ? 0 : boxes_a;
    const auto start_box = [&](int number, int stage, int box) {
        mbarrier& filled = words.filled[group][stage];
        char* target = ring + stage * Shape::slab_bytes;
        const int at_k = number * Shape::slab_k;
        if (box == 0)
            filled.arrive_expecting(Shape::slab_bytes);
        if (box >= first_a && box < first_a + boxes_a) {
            target += (box - first_a) * 32 * Shape::line_bytes;
            const int row = tile_row + (box - first_a) * 32;
            copy_box(target, map_a, transa ? at_k : row, transa ? row : at_k, filled);
        } else if (box >= first_b && box < first_b + boxes_b) {
            target += Shape::slab_b_at + (box - first_b) * 32 * Shape::line_bytes;
            const int col = tile_col + (box - first_b) * 32;
            copy_box(target, map_b, transb ? col : at_k, transb ? at_k : col, filled);
        }
    };
    if (is_first_of_group) {
#pragma unroll
        for (int stage = 0; stage < Shape::stages; ++stage)
#pragma unroll
            for (int box = 0; box < boxes_a + boxes_b; ++box)
                if (slab + stage * Shape::groups < end)
                    start_box(slab + stage * Shape::groups, stage, box);
    }
    __syncthreads(); // the barriers are initialised

    char* slices = smem + team * (2 * Shape::slice_bytes);
    const auto pass_turn_on = [&] {
        if (lane == 0)
            words.turn[team + 1 == Shape::teams ? 0 : team + 1].arrive();
    };
    unsigned least_a = ~0u, least_b = ~0u;
    float acc[32] = {};
    ring_position<Shape::stages> at;
    for (int parity = 0; slab < end; slab += Shape::groups, parity ^= 1) {
        words.filled[group][at.stage].wait(at.parity);
        const char* current = ring + at.stage * Shape::slab_bytes;
        float a[4][4];
        if constexpr (!late_a)
            load_a<transa>(current, thread, a);
        cut_b<Shape, transb>(
            current + Shape::slab_b_at + column * Shape::slice_bytes, slices, thread, least_b);
        if constexpr (late_a)
            load_a<transa>(current, thread, a);
        fence_async_shared();
        words.met[team].arrive();
        uint32_t high[4][4], low[4][4];
#pragma unroll
        for (int s = 0; s < 4; ++s)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                note_least(least_a, a[s][i]);
                cut_tf32(a[s][i], high[s][i], low[s][i]);
            }
        words.met[team].wait(0); // all have written their part of the slices
        words.turn[team].wait(team == 0 ? parity ^ 1 : parity); // the first team begins
        multiply_slab<Shape>(high, low, smem_address(slices), acc, pass_turn_on);

        // The team has read the slices and the slab. (A named barrier would do, but racecheck does not follow it.)
        words.met[team].arrive();
        words.met[team].wait(1);
        // The last team that has read a slab has its place filled, each warp with a box.
        const int next = slab + Shape::stages * Shape::groups;
        if (next < end && team_warp < boxes_a + boxes_b && lane == 0 &&
            (Shape::warpgroups_n == 1 ||
             atomicXor(&words.is_read[group][at.stage][team_warp], 1) != 0))
            start_box(next, at.stage, team_warp);
        at.advance();
    }

    // The group's sums, by columns.
    if constexpr (Shape::warpgroups_n > 1)
        __syncthreads(); // all teams have read the ring
    float* sums = reinterpret_cast<float*>(ring) +
                  (column * Shape::warpgroups_m + team_warp / 4) * Shape::sum_floats;
#pragma unroll
    for (int i = 0; i < 32; i += 4)
#pragma unroll
        for (int c = 0; c < 2; ++c)
            *reinterpret_cast<float2*>(sums + (2 * i + lane % 4 * 2 + c) * Shape::sum_ld +
                                       team_warp % 4 * 16 + lane / 4 * 2) =
                make_float2(acc[i + c], acc[i + 2 + c]);
    const int warp = team * (Shape::team_threads / 32) + team_warp;
    least_a = __reduce_min_sync(0xffffffffu, least_a);
    least_b = __reduce_min_sync(0xffffffffu, least_b);
    if (lane == 0) {
        words.least[0][warp] = least_a;
        words.least[1][warp] = least_b;
    }
    __syncthreads(); // all groups' sums are there
    least_a = __reduce_min_sync(0xffffffffu, words.least[0][lane % Shape::warps]);
    least_b = __reduce_min_sync(0xffffffffu, words.least[1][lane % Shape::warps]);
    const bool is_held = are_slices_held(least_a, least_b);

    const auto add_groups = [&](int unit) {
        const float* first = reinterpret_cast<const float*>(smem + Shape::rings_at) +
                             unit / 32 * Shape::sum_floats +
                             (unit % 32 * 2 + lane / 16) * Shape::sum_ld + lane % 16 * 4;
        float4 sum = *reinterpret_cast<const float4*>(first);
#pragma unroll
        for (int g = 1; g < Shape::groups; ++g)
            add_quad(sum,
                     *reinterpret_cast<const float4*>(
                         first + g * (Shape::ring_bytes / int{sizeof(float)})));
        if (!is_held)
            sum.x = __int_as_float(0x7fffffff);
        return sum;
    };
    const float alpha = k == 0 ? 0 : resolve(p.alpha), beta = resolve(p.beta);
    const bool vector_c = aligned16(p.c, p.ldc);
    const auto write = [&](int unit, const float4& sum) {
        const int number = unit / 32; // of the warpgroup's 64 x 64
        const int64_t row = tile_row + number % Shape::warpgroups_m * 64 + lane % 16 * int64_t{4};
        const int64_t col =
            tile_col + number / Shape::warpgroups_m * 64 + unit % 32 * 2 + int64_t{lane} / 16;
        if (row >= p.m || col >= p.n)
            return;
        const float product[4] = {sum.x, sum.y, sum.z, sum.w};
        if (isfinite(sum.x + sum.y + sum.z + sum.w))
            store_c4(&p.c[row + col * p.ldc], alpha, product, beta, p.m - row, vector_c);
        else
            repair_quad<transa, transb>(p, row, col);
    };
    if (plan.parts == 1) {
#pragma unroll 2
        for (int unit = warp; unit < Shape::units; unit += Shape::warps)
            write(unit, add_groups(unit));
        return;
    }
    // received[rank][quad of the share]
    const int largest_share = divide_by_parts(Shape::units + plan.parts - 1);
    float4* received = reinterpret_cast<float4*>(smem + Shape::received_at) + lane;
    cluster_wait(); // all blocks of the cluster have arrived
#pragma unroll 2
    for (int unit = warp; unit < Shape::units; unit += Shape::warps) {
        const int s = divide_by_parts(unit), owner = unit - s * plan.parts;
        if (owner != rank)
            send_to_block(received + (rank * largest_share + s) * 32,
                          &words.all_received,
                          owner,
                          add_groups(unit));
    }
    wait_for_bytes(&words.all_received);
    for (int s = warp; s < share; s += Shape::warps) {
        const int unit = s * plan.parts + rank;
        const float4 own = add_groups(unit);
        float4 sum = rank == 0 ? own : received[s * 32];
        for (int other = 1; other < plan.parts; ++other)
            add_quad(sum, other == rank ? own : received[(other * largest_share + s) * 32]);
        write(unit, sum);
    }
#endif
}

template <class Shape>
struct tf32_launcher {
    // f(kernel)
    template <class F>
    static myblasStatus_t with_variant(const sgemm_problem& p, F&& f) {
        return with_transposition(
            p, [&](auto transa, auto transb) { return f(tf32_kernel<Shape, transa, transb>); });
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        constexpr int64_t max_extent = 1 << 30; // lines and k are counted in 32 bits
        return Shape::smem_bytes <= device.smem_per_block && p.batch_count == 1 && !p.a_array &&
               !p.b_array && !p.c_array && std::max({p.m, p.n, p.k}) <= max_extent &&
               ceil_div<int64_t>(p.n, Shape::block_n) <= max_grid_y &&
               fits_tensor_map(p.a, p.transa ? p.k : p.m, p.transa ? p.m : p.k, p.lda) &&
               fits_tensor_map(p.b, p.transb ? p.n : p.k, p.transb ? p.k : p.n, p.ldb);
    }

    static int64_t slab_count(const sgemm_problem& p) {
        return ceil_div<int64_t>(p.k, Shape::slab_k);
    }

    // Blocks for each tile, as many as run at the same time: clusters of more than 2 do not reach all
    // multiprocessors.
    static int part_count(const sgemm_problem& p, const device_info& device) {
        const int64_t tiles = tile_count(p, Shape::block_m, Shape::block_n);
        int count = 1;
        for (int parts = 2; parts <= largest_cluster && 2 * parts <= slab_count(p); ++parts)
            if (tiles * parts <= (parts == 2 ? device.sm_count : device.sm_count * 5 / 6))
                count = parts;
        return count;
    }

    // Steps are slabs that a multiprocessor works through, with all groups.
    static work_estimate work(const sgemm_problem& p, const device_info& device) {
        const int parts = part_count(p, device);
        const double blocks =
            static_cast<double>(tile_count(p, Shape::block_m, Shape::block_n)) * parts;
        const double waves = std::ceil(blocks / device.sm_count);
        return {.waves = waves,
                .steps = waves * static_cast<double>(ceil_div<int64_t>(slab_count(p), parts)),
                .bytes = operand_bytes(p)};
    }

    static myblasStatus_t prepare(const device_info& device) {
        if (Shape::smem_bytes > device.smem_per_block)
            return MYBLAS_STATUS_SUCCESS; // `fits` refuses every problem
        return for_each_transposition([](const sgemm_problem& p) {
            return with_variant(p,
                                [](auto kernel) { return allow_smem(kernel, Shape::smem_bytes); });
        });
    }

    static myblasStatus_t make_map(const float* base,
                                   bool k_along,
                                   int64_t lines,
                                   int64_t k,
                                   int64_t ld,
                                   int block_lines,
                                   CUtensorMap* map) {
        return make_tensor_map({.base = base,
                                .along = k_along ? k : lines,
                                .across = k_along ? lines : k,
                                .ld = ld,
                                .box_along = 32,
                                .box_across = k_along ? block_lines : Shape::slab_k,
                                .swizzle = CU_TENSOR_MAP_SWIZZLE_128B},
                               map);
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const int parts = part_count(p, *context.device);
        const tf32_plan plan{.parts = parts,
                             .part_slabs =
                                 static_cast<int>(ceil_div<int64_t>(slab_count(p), parts)),
                             .inverse = static_cast<unsigned>(ceil_div(1 << 16, parts))};
        CUtensorMap map_a{}, map_b{};
        if (p.k > 0 && p.a && p.b) { // else they are not read
            myblasStatus_t status =
                make_map(p.a, p.transa, p.m, p.k, p.lda, Shape::block_m, &map_a);
            if (status == MYBLAS_STATUS_SUCCESS)
                status = make_map(p.b, !p.transb, p.n, p.k, p.ldb, Shape::block_n, &map_b);
            if (status != MYBLAS_STATUS_SUCCESS)
                return status;
        }
        const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.m, Shape::block_m) * parts),
                        static_cast<unsigned>(ceil_div<int64_t>(p.n, Shape::block_n)));
        return with_variant(p, [&](auto kernel) {
            return launch_clusters(kernel,
                                   grid,
                                   parts,
                                   true,
                                   Shape::threads,
                                   Shape::smem_bytes,
                                   context,
                                   p,
                                   map_a,
                                   map_b,
                                   plan);
        });
    }

    static constexpr kernel_entry<sgemm_problem> entry(const char* name, const char* description) {
        return {
            .name = name,
            .description = description,
            .min_arch = 90,
            .max_arch = 90,
            .block_m = Shape::block_m,
            .block_n = Shape::block_n,
            .block_k = Shape::slab_k,
            .threads = Shape::threads,
            .stages = Shape::stages,
            .smem_bytes = Shape::smem_bytes,
            .alignment_bytes = 16,
            .math = MYBLAS_FP32_EMULATED_MATH,
            .accepts = fits,
            .work = work,
            .prepare = prepare,
            .launch = launch,
        };
    }
};

} // namespace myblas::cuda

// Small products, and batches of few tiles, on the tensor cores of sm_90a, in one launch and
// without a workspace: a block splits its own operands into two TF32 limbs.
//
// x = high + low: high is x in the 11 bits of TF32, low the rest. Three products are added;
// low * low is left out (docs/emulation.md has the bound). TF32 has the exponents of FP32, so there
// are no scales. An element is split as soon as it arrives, while fp16 would wait for the largest
// element of a line. Sums stay in the tensor core, which truncates, for 16 k; then they are added
// in FP32, rounded to nearest.
//
// Products of limbs that are not normal numbers might be lost. If the smallest elements of a block
// show that there may be such limbs, the block's sums become NaN. Where a sum is not finite, that
// part of C is computed on the FP32 units; nothing has been written by then.
//
// Bound: for small products latency, of the launch, of copies from the L2 cache and of adding up.
// For larger ones shared memory, through which the limbs of B go twice, and splitting, which
// competes with the tensor cores for registers.
//
//   cluster    `splits` blocks share a tile, each with a split of k; each adds and writes a share
//              of the tile
//   block      block_m x block_n; `groups` of warpgroups take slabs of 32 k in turns, each with its
//              own copies (split-k groups)
//   team       the warpgroups of a group that share 64 columns. The team splits B to shared memory,
//              and each warpgroup its rows of A to registers. Teams multiply in turns, so that
//              others split meanwhile
//   warpgroup  64 x 64
//
// k is permuted within each group of 8. Position t + 4 h of a product is k = 2 t + h, so a thread
// finds two elements of a row of A side by side. Rows are permuted in the same way: row g + 8 r of
// a warp's 16 rows is 2 g + r.
#pragma once

#include "kernels/common/overlap.cuh"
#include "kernels/common/quad_exchange.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/common/tma.cuh"
#include "kernels/common/wgmma.cuh"
#include "kernels/sgemm/components/epilogue.cuh"
#include "kernels/sgemm/components/operands.cuh"

#include <algorithm>

namespace myblas::cuda {

// The largest value of splits * ceil(units / splits), over all numbers of splits.
constexpr int most_in_shares(int units) {
    int most = 0;
    for (int splits = 1; splits <= largest_cluster; ++splits)
        most = std::max(most, splits * ceil_div(units, splits));
    return most;
}

struct tf32_parameters {
    int warpgroups_m, warpgroups_n; // of a group
    int groups, stages;
};

template <tf32_parameters of>
struct tf32_shape {
    static constexpr int warpgroups_m = of.warpgroups_m, warpgroups_n = of.warpgroups_n;
    static constexpr int groups = of.groups, stages = of.stages;
    static constexpr bool has_epilogue = false;
    static constexpr int block_m = 64 * warpgroups_m, block_n = 64 * warpgroups_n, block_k = 32;
    static constexpr int line_bytes = block_k * sizeof(float);
    static constexpr int team_threads = 128 * warpgroups_m;
    static constexpr int group_threads = team_threads * warpgroups_n;
    static constexpr int teams = groups * warpgroups_n;
    static constexpr int threads = groups * group_threads, warps = threads / 32;

    // Shared memory: two limbs of 64 columns for each team; a ring of slabs for each group, which
    // holds the group's sums at the end; sums from other blocks; words.
    static constexpr int limb_bytes = 64 * line_bytes;
    static constexpr int slab_b_at = block_m * line_bytes;
    static constexpr int slab_bytes = slab_b_at + block_n * line_bytes;
    static constexpr int ring_bytes = stages * slab_bytes;
    static constexpr int rings_at = teams * 2 * limb_bytes;
    static constexpr int received_at = rings_at + groups * ring_bytes;

    static constexpr int sum_ld = 68; // of a warpgroup's sums; columns start 4 banks apart
    static constexpr int sum_floats = 64 * sum_ld;
    // A tile is shared in units of 32 quads of rows, 2 columns of a warpgroup.
    static constexpr int units = 32 * warpgroups_m * warpgroups_n;
    static constexpr int most_received = most_in_shares(units);
    static constexpr int most_boxes = 2 * (warpgroups_m + warpgroups_n); // of a slab

    struct words_type {
        mbarrier filled[groups][stages];
        mbarrier met[teams], turn[teams];
        uint64_t all_received;
        unsigned least[2][warps];
        unsigned is_read[groups][stages][most_boxes]; // 1: one of two teams has read the box
    };
    static constexpr int words_at = received_at + most_received * 32 * int{sizeof(float4)};
    static constexpr size_t smem_bytes = words_at + sizeof(words_type);

    static_assert(warpgroups_m * warpgroups_n * sum_floats * int{sizeof(float)} <= ring_bytes);
    static_assert(warpgroups_n <= 2 && most_boxes <= team_threads / 32); // one box for each warp
    static_assert(smem_bytes <= 227 * 1024);
};

struct tf32_schedule {
    int splits;         // blocks of a cluster, which share a tile
    int slabs_of_split; // slabs of a split; the last ones may have fewer
    unsigned inverse;   // 2^16 / splits, rounded up
};

__device__ __forceinline__ void split_tf32(float x, uint32_t& high, uint32_t& low) {
    high = (__float_as_uint(x) + 0x1000) & 0xffffe000;
    low = __float_as_uint(x - __uint_as_float(high));
}

// Keeps the smallest nonzero magnitude, as twice its bits minus one. Zero becomes the largest
// value.
__device__ __forceinline__ void note_least(unsigned& least, float x) {
    least = min(least, 2 * __float_as_uint(x) - 1);
}

// Whether limbs and their products are normal numbers. Limbs go down to 2^-23 of an element, their
// products to 2^-23 of a product.
__device__ __forceinline__ bool are_limbs_held(unsigned least_a, unsigned least_b) {
    constexpr int bias = 127, least_exponent = -102;
    const int a = static_cast<int>(least_a >> 24) - bias;
    const int b = static_cast<int>(least_b >> 24) - bias;
    return min(min(a, b), a + b) >= least_exponent;
}

// Slabs are in TMA's layout: rows of 128 bytes, each from one line if k runs along memory,
// otherwise from 32 lines at one k.

// A thread's elements of A: x[s][2 h + r] at row 2 g + r and k = 8 s + 2 t + h.
template <bool transa>
__device__ __forceinline__ void load_a(const char* slab, int thread, float (&x)[4][4]) {
    const int t = thread % 4, row = thread / 32 * 16 + thread % 32 / 4 * 2;
#pragma unroll
    for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int k = 8 * s + 2 * t;
            const int at = transa
                               ? swizzled<128>(row + i, k / 4) + k % 4 * 4
                               : swizzled<128>(row / 32 * 32 + k + i, row % 32 / 4) + row % 4 * 4;
            const float2 v = *reinterpret_cast<const float2*>(slab + at);
            x[s][transa ? i : 2 * i] = v.x;
            x[s][transa ? 2 + i : 2 * i + 1] = v.y;
        }
}

template <int count>
__device__ __forceinline__ void split_each(const float (&x)[count],
                                           uint32_t (&high)[count],
                                           uint32_t (&low)[count],
                                           unsigned& least) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        note_least(least, x[i]);
        split_tf32(x[i], high[i], low[i]);
    }
}

// Splits a thread's elements of A.
__device__ __forceinline__ void
split_a(const float (&x)[4][4], uint32_t (&high)[4][4], uint32_t (&low)[4][4], unsigned& least) {
#pragma unroll
    for (int s = 0; s < 4; ++s)
        split_each(x[s], high[s], low[s], least);
}

// Splits 64 columns of B; called by a team.
template <class Shape, bool transb>
__device__ __forceinline__ void
split_b(const char* slab, char* limbs, int thread, unsigned& least) {
#pragma unroll
    for (int first = 0; first < 64 * 4; first += Shape::team_threads) {
        const int line = (first + thread) % 64, s = (first + thread) / 64;
        float x[8]; // k = 8 s + 2 t + h at 2 t + h
        if constexpr (transb) {
#pragma unroll
            for (int e = 0; e < 8; ++e)
                x[e] = *reinterpret_cast<const float*>(
                    slab + swizzled<128>(line / 32 * 32 + 8 * s + e, line % 32 / 4) + line % 4 * 4);
        } else {
#pragma unroll
            for (int e = 0; e < 8; e += 4) {
                const float4 v =
                    *reinterpret_cast<const float4*>(slab + swizzled<128>(line, 2 * s + e / 4));
                x[e] = v.x, x[e + 1] = v.y, x[e + 2] = v.z, x[e + 3] = v.w;
            }
        }
        uint32_t high[8], low[8];
        split_each(x, high, low, least);
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            char* piece = limbs + swizzled<128>(line, 2 * s + h);
            *reinterpret_cast<uint4*>(piece) =
                make_uint4(high[h], high[2 + h], high[4 + h], high[6 + h]);
            *reinterpret_cast<uint4*>(piece + Shape::limb_bytes) =
                make_uint4(low[h], low[2 + h], low[4 + h], low[6 + h]);
        }
    }
}

// Computes 4 rows of a column of C on the FP32 units, because one of their sums is not finite, and
// calls write(row, sum) for each row. As in strict_pass.cuh, each 64 k have a separate sum, and
// these sums are added. The function is inline, because nvcc 13.0 lets a function that only some
// lanes call overwrite uniform registers that the other lanes still need.
template <bool transa, bool transb, class Write>
__device__ __forceinline__ void repair_quad(const sgemm_problem& p,
                                            const sgemm_operands& o,
                                            int64_t first_row,
                                            int64_t col,
                                            Write&& write) {
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
        write(row, sum);
    }
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// acc += the product of a slab. For every 16 k, the least significant products come first. Calls
// meanwhile(k) after it has started the products of the 16 k that begin at k. If at most 16 k are
// left, the second 16 k are skipped.
template <class Shape, class Meanwhile>
__device__ __forceinline__ void multiply_slab(uint32_t (&high)[4][4],
                                              uint32_t (&low)[4][4],
                                              uint32_t limbs,
                                              float (&acc)[32],
                                              const Meanwhile& meanwhile,
                                              int k_left = Shape::block_k) {
    const wgmma_tile<Shape::line_bytes> limbs_high(limbs);
    const auto limbs_low = limbs_high.after(Shape::limb_bytes);
    // All limbs are in their registers before the first product.
#pragma unroll
    for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int i = 0; i < 4; ++i)
            asm volatile("" : "+r"(high[s][i]), "+r"(low[s][i]));
#pragma unroll
    for (int first = 0; first < 4; first += 2) {
        if (first == 2 && k_left <= 16)
            break;
        float sum[32];
        wgmma_fence();
#pragma unroll
        for (int s = first; s < first + 2; ++s)
            wgmma_64x64x8_tf32(sum, low[s], limbs_high.after(s * 32).descriptor(), s > first);
#pragma unroll
        for (int s = first; s < first + 2; ++s)
            wgmma_64x64x8_tf32(sum, high[s], limbs_low.after(s * 32).descriptor(), true);
#pragma unroll
        for (int s = first; s < first + 2; ++s)
            wgmma_64x64x8_tf32(sum, high[s], limbs_high.after(s * 32).descriptor(), true);
        wgmma_commit();
        meanwhile(first * 8);
        wgmma_wait<0>();
#pragma unroll
        for (int i = 0; i < 32; ++i)
            acc[i] += sum[i];
    }
}

// The place of a thread in its block, and of the block in C.
template <class Shape>
struct tf32_place {
    // Uniform in the warp, so that descriptors are in uniform registers.
    const int team = __shfl_sync(full_warp, threadIdx.x / Shape::team_threads, 0);
    const int thread = threadIdx.x % Shape::team_threads, lane = thread % 32; // in the team
    const int team_warp = __shfl_sync(full_warp, thread / 32, 0);
    const int group = team / Shape::warpgroups_n, column = team % Shape::warpgroups_n;
    const int rank = static_cast<int>(cluster_rank());
    const int tile_row = static_cast<int>(cluster_x()) * Shape::block_m;
    const int tile_col = static_cast<int>(blockIdx.y) * Shape::block_n;
    const int batch = static_cast<int>(blockIdx.z);
};

// A slab of an operand consists of boxes: one box of all lines if k runs along memory, otherwise
// boxes of 32 lines.
template <class Shape, bool transa, bool transb>
struct slab_boxes {
    static constexpr int of_a = transa ? 1 : Shape::block_m / 32;
    static constexpr int of_b = transb ? Shape::block_n / 32 : 1;
    static constexpr int count = of_a + of_b;
    // Measured with 64 x 64 tiles (docs/experiments/sgemm_emulated.md): if k runs along memory in
    // A, A should be copied last. If B is transposed as well, A should also be read after B has
    // been split. Larger tiles gain from neither.
    static constexpr bool is_small = Shape::block_m == 64;
    static constexpr bool late_a = is_small && transa && transb;
    static constexpr int first_a = is_small && transa ? of_b : 0;
    static constexpr int first_b = is_small && transa ? 0 : of_a;

    // Starts the copy of box number `box` of slab `number` into a stage of the group's ring.
    const CUtensorMap &map_a, &map_b;
    const int matrix_a, matrix_b; // of the maps

    __device__ __forceinline__ void start(const tf32_place<Shape>& at,
                                          typename Shape::words_type& words,
                                          char* ring,
                                          int number,
                                          int stage,
                                          int box) const {
        mbarrier& filled = words.filled[at.group][stage];
        char* target = ring + stage * Shape::slab_bytes;
        const int at_k = number * Shape::block_k;
        if (box == 0)
            filled.arrive_expecting(Shape::slab_bytes);
        if (box >= first_a && box < first_a + of_a) {
            target += (box - first_a) * 32 * Shape::line_bytes;
            const int row = at.tile_row + (box - first_a) * 32;
            copy_box(target, map_a, transa ? at_k : row, transa ? row : at_k, matrix_a, filled);
        } else if (box >= first_b && box < first_b + of_b) {
            target += Shape::slab_b_at + (box - first_b) * 32 * Shape::line_bytes;
            const int col = at.tile_col + (box - first_b) * 32;
            copy_box(target, map_b, transb ? col : at_k, transb ? at_k : col, matrix_b, filled);
        }
    }
};

// Starts the copies of a group's first slabs, from `slab` on, into all its stages.
template <class Shape, class Start>
__device__ __forceinline__ void start_slabs(int slab, int end, int boxes, const Start& start_box) {
#pragma unroll
    for (int stage = 0; stage < Shape::stages; ++stage)
#pragma unroll
        for (int box = 0; box < boxes; ++box)
            if (slab + stage * Shape::groups < end)
                start_box(slab + stage * Shape::groups, stage, box);
}

// Stores a thread's sums by columns in the ring of its group, which is no longer read. Returns
// whether the limbs of all elements that the block has split are normal numbers.
template <class Shape>
__device__ __forceinline__ bool leave_sums(const tf32_place<Shape>& at,
                                           typename Shape::words_type& words,
                                           char* ring,
                                           unsigned least_a,
                                           unsigned least_b,
                                           const float (&acc)[32]) {
    if constexpr (Shape::warpgroups_n > 1)
        __syncthreads(); // all teams have read the ring
    float* sums = reinterpret_cast<float*>(ring) +
                  (at.column * Shape::warpgroups_m + at.team_warp / 4) * Shape::sum_floats;
#pragma unroll
    for (int i = 0; i < 32; i += 4)
#pragma unroll
        for (int c = 0; c < 2; ++c)
            *reinterpret_cast<float2*>(sums + (2 * i + at.lane % 4 * 2 + c) * Shape::sum_ld +
                                       at.team_warp % 4 * 16 + at.lane / 4 * 2) =
                make_float2(acc[i + c], acc[i + 2 + c]);
    const int warp = at.team * (Shape::team_threads / 32) + at.team_warp;
    least_a = __reduce_min_sync(full_warp, least_a);
    least_b = __reduce_min_sync(full_warp, least_b);
    if (at.lane == 0) {
        words.least[0][warp] = least_a;
        words.least[1][warp] = least_b;
    }
    __syncthreads(); // all groups' sums are complete
    least_a = __reduce_min_sync(full_warp, words.least[0][at.lane % Shape::warps]);
    least_b = __reduce_min_sync(full_warp, words.least[1][at.lane % Shape::warps]);
    return are_limbs_held(least_a, least_b);
}

// Stores the biases of the tile's rows or columns over the limbs of the first team. Called by that
// team.
template <class Shape>
__device__ __forceinline__ void
leave_biases(const sgemm_problem& p, const tf32_place<Shape>& at, float* biases) {
    static_assert(Shape::block_m <= Shape::team_threads && Shape::block_n <= Shape::team_threads);
    const epilogue_op epilogue(p, resolve_operands(p, at.batch), at.batch);
    const int64_t row = at.tile_row + at.thread, col = at.tile_col + at.thread;
    biases[at.thread] = epilogue.bias_of_row(row, row < p.m) + epilogue.bias_of_col(col, col < p.n);
}

// The sums that the groups of a block have stored. A unit is a quad of rows for each lane:
// 64 rows x 2 columns.
template <class Shape, bool transa, bool transb>
struct summed_tile {
    const sgemm_problem& p;
    const tf32_place<Shape>& at;
    char* smem;
    float* c;
    bool is_held, vector_c;
    float alpha, beta;
    epilogue_op epilogue;

    __device__ __forceinline__ float4 add_groups(int unit) const {
        const float* first = reinterpret_cast<const float*>(smem + Shape::rings_at) +
                             unit / 32 * Shape::sum_floats +
                             (unit % 32 * 2 + at.lane / 16) * Shape::sum_ld + at.lane % 16 * 4;
        float4 sum = *reinterpret_cast<const float4*>(first);
#pragma unroll
        for (int g = 1; g < Shape::groups; ++g)
            add_quad(sum,
                     *reinterpret_cast<const float4*>(
                         first + g * (Shape::ring_bytes / int{sizeof(float)})));
        if (!is_held)
            sum.x = __int_as_float(0x7fffffff);
        return sum;
    }

    __device__ __forceinline__ void write(int unit, const float4& sum) const {
        const int number = unit / 32; // of the warpgroup's 64 x 64
        const int64_t row =
            at.tile_row + number % Shape::warpgroups_m * 64 + at.lane % 16 * int64_t{4};
        const int64_t col =
            at.tile_col + number / Shape::warpgroups_m * 64 + unit % 32 * 2 + int64_t{at.lane} / 16;
        if (row >= p.m || col >= p.n)
            return;
        const bool is_finite = isfinite(sum.x + sum.y + sum.z + sum.w);
        if constexpr (Shape::has_epilogue) {
            const float* const biases =
                reinterpret_cast<const float*>(smem) +
                (epilogue.has_bias_of_columns() ? col - at.tile_col : row - at.tile_row);
            const int step = epilogue.has_bias_of_columns() ? 0 : 1;
            float value[1][4] = {{sum.x, sum.y, sum.z, sum.w}};
#pragma unroll
            for (int r = 0; r < 4; ++r)
                value[0][r] = fmaf(alpha, value[0][r], biases[r * step]);
            if (is_finite) {
                epilogue(value, [&](int) { return epilogue_place{row, col, p.m - row}; });
                return;
            }
            const sgemm_operands o = resolve_operands(p, at.batch);
            repair_quad<transa, transb>(p, o, row, col, [&](int64_t r, float repaired) {
                float of_row[1][1] = {{fmaf(alpha, repaired, biases[(r - row) * step])}};
                epilogue(of_row, [&](int) { return epilogue_place{r, col, 1}; });
            });
        } else if (is_finite) {
            const float product[4] = {sum.x, sum.y, sum.z, sum.w};
            store_c4(&c[row + col * p.ldc], alpha, product, beta, p.m - row, vector_c);
        } else {
            const sgemm_operands o = resolve_operands(p, at.batch);
            repair_quad<transa, transb>(p, o, row, col, [&](int64_t r, float repaired) {
                store_c(&o.c[r + col * p.ldc], o.alpha, repaired, o.beta);
            });
        }
    }
};

#endif

template <class Shape, bool transa, bool transb>
__global__ void __launch_bounds__(Shape::threads, 1)
    tf32_kernel(const __grid_constant__ sgemm_problem p,
                const __grid_constant__ CUtensorMap map_a,
                const __grid_constant__ CUtensorMap map_b,
                const tf32_schedule schedule) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) char smem[];
    auto& words = *reinterpret_cast<typename Shape::words_type*>(smem + Shape::words_at);
    launch_dependents();
    const tf32_place<Shape> at;
    const auto divide_by_splits = [&](int x) {
        return static_cast<int>(x * schedule.inverse >> 16);
    };
    const int share = divide_by_splits(Shape::units - at.rank + schedule.splits - 1);
    const quad_exchange received{reinterpret_cast<float4*>(smem + Shape::received_at) + at.lane,
                                 &words.all_received,
                                 divide_by_splits(Shape::units + schedule.splits - 1),
                                 32};
    if (schedule.splits > 1)
        received.open((schedule.splits - 1) * share * 32 * sizeof(float4));
    const bool is_first_of_group = threadIdx.x % Shape::group_threads == 0;
    if (is_first_of_group) {
        prefetch_tensor_map(map_a);
        prefetch_tensor_map(map_b);
#pragma unroll
        for (int stage = 0; stage < Shape::stages; ++stage) {
            words.filled[at.group][stage].init(1);
#pragma unroll
            for (unsigned& is_read : words.is_read[at.group][stage])
                is_read = 0;
        }
    }
    if (at.thread == 0) {
        words.met[at.team].init(Shape::team_threads);
        words.turn[at.team].init(Shape::team_threads / 32);
        mbarrier::publish_inits();
    }

    grid_dependency_sync();
    const int k = resolve(p.alpha) == 0 ? 0 : static_cast<int>(p.k);
    int slab = at.rank * schedule.slabs_of_split + at.group;
    const int end = min(ceil_div(k, Shape::block_k), (at.rank + 1) * schedule.slabs_of_split);
    char* ring = smem + Shape::rings_at + at.group * Shape::ring_bytes;
    // A matrix that all products share is the only one of its map.
    const slab_boxes<Shape, transa, transb> boxes{
        map_a, map_b, p.stride_a == 0 ? 0 : at.batch, p.stride_b == 0 ? 0 : at.batch};
    const auto start_box = [&](int number, int stage, int box) {
        boxes.start(at, words, ring, number, stage, box);
    };
    if (is_first_of_group)
        start_slabs<Shape>(slab, end, boxes.count, start_box);
    __syncthreads(); // the barriers are initialised

    char* limbs = smem + at.team * (2 * Shape::limb_bytes);
    const auto pass_turn_on = [&](int k_started) {
        if (k_started == 16 && at.lane == 0)
            words.turn[at.team + 1 == Shape::teams ? 0 : at.team + 1].arrive();
    };
    unsigned least_a = ~0u, least_b = ~0u;
    float acc[32] = {};
    ring_position<Shape::stages> read;
    for (int parity = 0; slab < end; slab += Shape::groups, parity ^= 1) {
        words.filled[at.group][read.stage].wait(read.parity);
        const char* current = ring + read.stage * Shape::slab_bytes;
        float a[4][4];
        if constexpr (!boxes.late_a)
            load_a<transa>(current, at.thread, a);
        split_b<Shape, transb>(
            current + Shape::slab_b_at + at.column * Shape::limb_bytes, limbs, at.thread, least_b);
        if constexpr (boxes.late_a)
            load_a<transa>(current, at.thread, a);
        fence_async_shared();
        words.met[at.team].arrive();
        uint32_t high[4][4], low[4][4];
        split_a(a, high, low, least_a);
        words.met[at.team].wait(0); // all threads have written their part of the limbs
        words.turn[at.team].wait(at.team == 0 ? parity ^ 1 : parity); // the first team begins
        multiply_slab<Shape>(high, low, smem_address(limbs), acc, pass_turn_on);

        // The team has read the limbs and the slab. (A named barrier would do, but racecheck does
        // not track it.)
        words.met[at.team].arrive();
        words.met[at.team].wait(1);
        // The last team that has read a slab starts the copies that replace it, one box for each
        // warp.
        const int next = slab + Shape::stages * Shape::groups;
        if (next < end && at.team_warp < boxes.count && at.lane == 0 &&
            (Shape::warpgroups_n == 1 ||
             atomicXor(&words.is_read[at.group][read.stage][at.team_warp], 1) != 0))
            start_box(next, read.stage, at.team_warp);
        read.advance();
    }

    if constexpr (Shape::has_epilogue)
        if (at.team == 0)
            leave_biases(p, at, reinterpret_cast<float*>(smem));
    const bool is_held = leave_sums(at, words, ring, least_a, least_b, acc);
    const float alpha = k == 0 ? 0 : resolve(p.alpha), beta = resolve(p.beta);
    float* const c = p.c + at.batch * p.stride_c;
    const sgemm_operands o{p.a, p.b, c, alpha, beta, k};
    const summed_tile<Shape, transa, transb> tile{
        p, at, smem, c, is_held, aligned16(c, p.ldc), alpha, beta, epilogue_op(p, o, at.batch)};
    const int warp = at.team * (Shape::team_threads / 32) + at.team_warp;
    if (schedule.splits == 1) {
#pragma unroll 2
        for (int unit = warp; unit < Shape::units; unit += Shape::warps)
            tile.write(unit, tile.add_groups(unit));
        return;
    }
    received.is_open();
#pragma unroll 2
    for (int unit = warp; unit < Shape::units; unit += Shape::warps) {
        const int s = divide_by_splits(unit), owner = unit - s * schedule.splits;
        if (owner != at.rank)
            received.send(at.rank, owner, s, tile.add_groups(unit));
    }
    received.wait();
    for (int s = warp; s < share; s += Shape::warps) {
        const int unit = s * schedule.splits + at.rank;
        const float4 own = tile.add_groups(unit);
        float4 sum = at.rank == 0 ? own : received(0, s);
        for (int other = 1; other < schedule.splits; ++other)
            add_quad(sum, other == at.rank ? own : received(other, s));
        tile.write(unit, sum);
    }
#endif
}

} // namespace myblas::cuda

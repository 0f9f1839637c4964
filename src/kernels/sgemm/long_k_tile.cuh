// The kernels behind long_k_64x64, long_k_128x64 and long_k_128x128: few tiles of C, whose k is cut into a
// part for every multiprocessor, and inside a block into slabs for groups of warps.
//
// Bound: FMA issue. A 16 x 8 thread tile leaves 128 of 134 issue slots to FMAs. It reaches 45 to 48 TFLOP/s,
// of which copies take 6 to 10% (docs/experiments/sgemm_skinny.md).
//
//   block tile   block_m x block_n, computed by every group over its slabs; group g takes slabs g,
//                g + groups and so on of the block's part of k
//   group        warps_m x warps_n warps with rings of slabs of their own: they wait for one another, and
//                for no other group
//   warp tile    64 x 64, lanes in a 4 x 8 grid; thread tile 16 x 8 in quads
//
// Slabs        of 16 k, smem[kk][line] when they are read: a 128-bit load brings four lines at one k. Three
//              slots for each operand. Where lines run along memory, and where words are copied one by one
//              (operands off the grid of 16 bytes), copies go straight there, and the slots are a ring of
//              three. Where k runs along memory, quads of k go to a ring of two, smem[line][kk], and the
//              group transposes them to the third slot, 4 x 4 elements at a time in registers.
// Sums         The groups' accumulators meet in shared memory, the parts in the workspace, where a second
//              kernel adds them; both in fixed order, so that results are reproducible.
// Launch       256 threads for each part of a tile, one block on a multiprocessor; then 256 threads for 32
//              quads of rows of C.
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/group_barrier.cuh"
#include "kernels/common/overlap.h"
#include "kernels/sgemm/operands.cuh"
#include "kernels/sgemm/quad_fragment.cuh"
#include "kernels/sgemm/raw_slab.cuh"
#include "kernels/sgemm/warp_tile.cuh"

namespace myblas::cuda {

template <int warps_m_, int warps_n_>
struct long_k_shape {
    static constexpr int warps_m = warps_m_, warps_n = warps_n_; // of a group
    static constexpr int group_threads = warps_m * warps_n * 32;
    static constexpr int threads = 256, groups = threads / group_threads;
    static constexpr int warp_m = 64, warp_n = 64, lanes_m = 4, lanes_n = 8;
    static constexpr int thread_m = warp_m / lanes_m, thread_n = warp_n / lanes_n;
    static constexpr int block_m = warps_m * warp_m, block_n = warps_n * warp_n, block_k = 16;
    static constexpr int slots = 3;

    static constexpr int warp_quads = warp_m * warp_n / 4;
    static constexpr int tile_quads = block_m * block_n / 4; // quads of rows of a tile
    static constexpr size_t tile_bytes = tile_quads * sizeof(float4);
};

// How k is shared: part p of `parts` takes slabs [p slabs / parts, (p + 1) slabs / parts) of each tile.
struct long_k_plan {
    int tiles_m, tiles, parts, slabs;
    bool words_a, words_b; // copied one by one
};

// One operand of a group: its copies to shared memory, and the slots there.
template <class Shape, int lines, bool k_along>
struct long_k_operand {
    static constexpr int threads = Shape::group_threads, block_k = Shape::block_k;
    // The padding keeps the stores of the transposition, and of words, in different banks.
    static constexpr int pitch = lines + (k_along ? 4 : 0);
    static constexpr int slot_floats = pitch * block_k;
    static constexpr int smem_floats = Shape::slots * slot_floats;
    static_assert(lines % threads == 0, "transpose() gives every thread blocks of its own");

    const float* gmem; // this thread's first element of the next slab
    float* smem;       // of the group
    int lines_left;    // from the tile's first line to the operand's end
    int slot;          // that is free next
    bool words;

    __device__ bool transposes() const { return k_along && !words; }

    // Of this thread's first copy in a slab.
    __device__ int first_line(int thread) const {
        if (words)
            return k_along ? thread / 8 : thread;
        return k_along ? thread / 4 : thread % (lines / 4) * 4;
    }
    __device__ int first_k(int thread) const {
        if (words)
            return k_along ? thread % 8 : 0;
        return k_along ? thread % 4 * 4 : thread / (lines / 4);
    }

    __device__ long_k_operand(const float* base,
                              int64_t ld,
                              int64_t tile_line,
                              int64_t all_lines,
                              int64_t at_k,
                              bool words_,
                              float* smem_,
                              int thread)
        : smem(smem_), words(words_) {
        const int64_t line = tile_line + first_line(thread), k = at_k + first_k(thread);
        gmem = base + (k_along ? k + line * ld : line + k * ld);
        lines_left = static_cast<int>(min(all_lines - tile_line, int64_t{lines}));
        slot = transposes() ? 0 : Shape::slots - 1;
    }

    __device__ __forceinline__ void advance() {
        slot = slot + 1 == (transposes() ? Shape::slots - 1 : Shape::slots) ? 0 : slot + 1;
    }

    // The slab to be read after advance().
    __device__ __forceinline__ const float* current() const {
        return smem + (transposes() ? Shape::slots - 1 : slot) * slot_floats;
    }

    // Starts the copies of the group's next slab, with zeroes where it leaves the operand.
    __device__ __forceinline__ void start(int target, int64_t ld, int k_left, int thread) {
        float* to = smem + target * slot_floats;
        const bool whole = k_left >= block_k && lines_left == lines;
        if (words && whole)
            copy_words<true>(to, ld, k_left, thread);
        else if (words)
            copy_words<false>(to, ld, k_left, thread);
        else if (whole)
            copy_quads<true>(to, ld, k_left, thread);
        else
            copy_quads<false>(to, ld, k_left, thread);
        gmem += Shape::groups * block_k * (k_along ? 1 : ld);
    }

    // From the slot that is free next to the last one.
    __device__ __forceinline__ void transpose(int thread) const {
        if constexpr (k_along) {
            // Eight lanes take two quads of k of four quads of lines: their stores, too, are in
            // different banks.
            const int k_quad = thread % 2 + thread / 8 % 2 * 2;
            const int line = (thread / 2 % 4 + thread / 16 * 4) * 4;
            const float* raw = smem + slot * slot_floats;
            const float* even = raw + raw_offset<block_k>(line, k_quad);
            const float* odd = raw + raw_offset<block_k>(line + 1, k_quad);
            float* target = smem + (Shape::slots - 1) * slot_floats + k_quad * 4 * pitch + line;
#pragma unroll
            for (int first = 0; first < lines; first += threads) {
                float4 block[4];
#pragma unroll
                for (int l = 0; l < 4; ++l)
                    block[l] = *reinterpret_cast<const float4*>((l % 2 ? odd : even) +
                                                                (first + l / 2 * 2) * block_k);
                store_transposed<pitch>(target + first, block);
            }
        }
    }

private:
    template <bool whole>
    __device__ __forceinline__ void
    copy_quads(float* to, int64_t ld, int k_left, int thread) const {
        const float* source = gmem;
        const int line = first_line(thread), kk = first_k(thread);
        if constexpr (k_along) {
            constexpr int line_step = threads / 4;
            int64_t step = line_step * ld;
            // Unknown to the compiler from slab to slab, so that it cannot hoist the running sum.
            asm volatile("" : "+l"(step));
#pragma unroll
            for (int l = 0; l < lines; l += line_step) {
                const int swapped = l / 8 % 2 * 2; // the part of l in the swap of quads
                cp_async<16>(to + raw_offset<block_k>(line, kk / 4 ^ swapped) + l * block_k,
                             source,
                             whole || (kk < k_left && line + l < lines_left));
                source += step;
            }
        } else {
            constexpr int k_step = threads / (lines / 4);
            int64_t step = k_step * ld;
            asm volatile("" : "+l"(step));
#pragma unroll
            for (int k = 0; k < block_k; k += k_step) {
                cp_async<16>(to + (kk + k) * pitch + line,
                             source,
                             whole || (kk + k < k_left && line < lines_left));
                source += step;
            }
        }
    }

    // With k along memory a warp takes 8 k x 4 lines: whole sectors of global memory.
    template <bool whole>
    __device__ __forceinline__ void
    copy_words(float* to, int64_t ld, int k_left, int thread) const {
        const float* source = gmem;
        const int line = first_line(thread), kk = first_k(thread);
        float* target = to + kk * pitch + line;
        if constexpr (k_along) {
            constexpr int line_step = threads / 8;
            int64_t step = line_step * ld;
            asm volatile("" : "+l"(step));
#pragma unroll 8
            for (int l = 0; l < lines; l += line_step) {
                const bool inside = whole || line + l < lines_left;
                cp_async<4>(target + l, source, whole || (inside && kk < k_left));
                cp_async<4>(
                    target + l + 8 * pitch, source + 8, whole || (inside && kk + 8 < k_left));
                source += step;
            }
        } else {
            int64_t step = ld;
            asm volatile("" : "+l"(step));
#pragma unroll 8
            for (int k = 0; k < block_k; ++k) {
#pragma unroll
                for (int l = 0; l < lines; l += threads)
                    cp_async<4>(target + k * pitch + l,
                                source + l,
                                whole || (k < k_left && line + l < lines_left));
                source += step;
            }
        }
    }
};

template <class Shape, bool transa, bool transb>
struct long_k_tile {
    using operand_a = long_k_operand<Shape, Shape::block_m, transa>;
    using operand_b = long_k_operand<Shape, Shape::block_n, !transb>;
    static constexpr int group_floats = operand_a::smem_floats + operand_b::smem_floats;
    static constexpr size_t ring_bytes = size_t{Shape::groups} * group_floats * sizeof(float);
    static constexpr size_t sums_bytes = Shape::groups * Shape::tile_bytes;
    static constexpr size_t smem_bytes = ring_bytes > sums_bytes ? ring_bytes : sums_bytes;

    static constexpr int body_k = 8; // of a loop body: more would outgrow the instruction caches
    static constexpr int bodies = Shape::block_k / body_k; // of a slab
    static constexpr int groups_m = Shape::thread_m / 4;
    static constexpr int step_m = Shape::lanes_m * 4, step_n = Shape::lanes_n * 4; // of groups

    float acc[Shape::thread_n][Shape::thread_m];

    // First row and column of a thread inside the warp tile.
    static __device__ __forceinline__ int lane_row(int lane) { return lane % Shape::lanes_m * 4; }
    static __device__ __forceinline__ int lane_col(int lane) { return lane / Shape::lanes_m * 4; }

    using fragment = quad_fragment<Shape, operand_a::pitch, operand_b::pitch>;

    using barrier = group_barrier<Shape::group_threads, Shape::groups>;

    // acc = the group's part of the product: slabs of k, `groups` apart, from k_left before the end on.
    __device__ __forceinline__ void run(const sgemm_problem& p,
                                        operand_a& a,
                                        operand_b& b,
                                        int64_t k_left,
                                        barrier& group,
                                        int thread) {
        constexpr int k_step = Shape::groups * Shape::block_k;
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
            for (int r = 0; r < Shape::thread_m; ++r)
                acc[c][r] = 0;
        if (k_left <= 0)
            return;

        int64_t k_to_start = k_left; // of which no copy has been started
        const auto start_slab = [&](int slot_a, int slot_b) {
            if (k_to_start > 0) {
                const int k =
                    k_to_start < Shape::block_k ? static_cast<int>(k_to_start) : Shape::block_k;
                a.start(slot_a, p.lda, k, thread);
                b.start(slot_b, p.ldb, k, thread);
                k_to_start -= k_step;
            }
            cp_async_commit(); // a group for every slab, also for none, so that the count below holds
        };
#pragma unroll 1
        for (int slot = 0; slot < Shape::slots - 1; ++slot)
            start_slab(slot, slot);

        const int warp = thread / 32, lane = thread % 32;
        const int row = warp % Shape::warps_m * Shape::warp_m + lane_row(lane);
        const int col = warp / Shape::warps_m * Shape::warp_n + lane_col(lane);
        fragment frag[2];
        const float *at_a, *at_b; // this thread's first row and column at the current k
        // Moves on to the next slab.
        const auto enter_slab = [&] {
            cp_async_wait<1>();
            // Everyone's copies of the slab have arrived, and everyone has read the one before.
            group.synchronize();
            if (a.transposes() || b.transposes()) {
                if (a.transposes())
                    a.transpose(thread);
                if (b.transposes())
                    b.transpose(thread);
                group.synchronize(); // it is transposed, and its untransposed slot free
            }
            const int slot_a = a.slot, slot_b = b.slot;
            a.advance();
            b.advance();
            at_a = a.current() + row;
            at_b = b.current() + col;
            frag[0].load(at_a, at_b, 0);
            start_slab(slot_a, slot_b);
        };
        enter_slab();
        while (k_left > 0) {
            k_left -= k_step;
#pragma unroll 1
            for (int body = 0; body < bodies; ++body) {
#pragma unroll
                for (int kk = 0; kk + 1 < body_k; ++kk) {
                    frag[(kk + 1) % 2].load(at_a, at_b, kk + 1);
                    frag[kk % 2].multiply(acc);
                }
                if (body + 1 == bodies) {
                    if (k_left > 0)
                        enter_slab();
                } else {
                    at_a += body_k * operand_a::pitch;
                    at_b += body_k * operand_b::pitch;
                    frag[0].load(at_a, at_b, 0);
                }
                frag[1].multiply(acc);
            }
        }
        cp_async_wait<0>();
    }

    // smem[warp][quad][lane] = acc; a group's warps are neighbours
    __device__ __forceinline__ void lay_out(float4* smem) const {
        float4* target = smem + threadIdx.x / 32 * Shape::warp_quads + threadIdx.x % 32;
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
            for (int g = 0; g < groups_m; ++g)
                target[(c * groups_m + g) * 32] = make_float4(
                    acc[c][4 * g], acc[c][4 * g + 1], acc[c][4 * g + 2], acc[c][4 * g + 3]);
    }

    // Where a quad of the tile is, by its number in the order of lay_out.
    static __device__ __forceinline__ tile_position<int> position(int quad) {
        const int warp = quad / Shape::warp_quads, lane = quad % 32;
        const int c = quad / 32 / groups_m % Shape::thread_n, g = quad / 32 % groups_m;
        return {warp % Shape::warps_m * Shape::warp_m + g * step_m + lane_row(lane),
                warp / Shape::warps_m * Shape::warp_n + c / 4 * step_n + lane_col(lane) + c % 4};
    }
};

// To C, quad `quad` of a tile.
template <class Shape>
__device__ __forceinline__ void store_quad(const sgemm_problem& p,
                                           const sgemm_operands& o,
                                           const long_k_plan& plan,
                                           int tile,
                                           int quad,
                                           const float4& sum) {
    const tile_position<int> at = long_k_tile<Shape, false, false>::position(quad);
    const int64_t row = int64_t{tile % plan.tiles_m} * Shape::block_m + at.row;
    const int64_t col = int64_t{tile / plan.tiles_m} * Shape::block_n + at.col;
    const float product[4] = {sum.x, sum.y, sum.z, sum.w};
    if (row < p.m && col < p.n)
        store_c4(
            &o.c[row + col * p.ldc], o.alpha, product, o.beta, p.m - row, aligned16(o.c, p.ldc));
}

// sums[tile][part][quad], or C where there is one part
template <class Shape, bool transa, bool transb>
__global__ void __launch_bounds__(Shape::threads, 1)
    long_k_kernel(const sgemm_problem p, const long_k_plan plan, float4* sums) {
// The entries' only architecture: on some others this would spill registers.
#if __CUDA_ARCH__ == 900
    using tile = long_k_tile<Shape, transa, transb>;
    extern __shared__ __align__(16) float smem[];
    __shared__ mbarrier barriers[Shape::groups];
    const int group = threadIdx.x / Shape::group_threads;
    typename tile::barrier barrier(barriers, group);
    wait_for_earlier_work();
    const sgemm_operands o = resolve_operands(p, 0);
    const int number = static_cast<int>(blockIdx.x) / plan.parts;
    const int part = static_cast<int>(blockIdx.x) % plan.parts;
    if (o.k == 0 && plan.parts > 1)
        return; // the sums are not read either

    const int thread = threadIdx.x % Shape::group_threads;
    const int64_t first_slab = int64_t{plan.slabs} * part / plan.parts;
    const int64_t end_slab = int64_t{plan.slabs} * (part + 1) / plan.parts;
    const int64_t first_k = (first_slab + group) * Shape::block_k;
    float* ring = smem + group * tile::group_floats;
    typename tile::operand_a a(o.a,
                               p.lda,
                               int64_t{number % plan.tiles_m} * Shape::block_m,
                               p.m,
                               first_k,
                               plan.words_a,
                               ring,
                               thread);
    typename tile::operand_b b(o.b,
                               p.ldb,
                               int64_t{number / plan.tiles_m} * Shape::block_n,
                               p.n,
                               first_k,
                               plan.words_b,
                               ring + tile::operand_a::smem_floats,
                               thread);
    tile product;
    product.run(p, a, b, min(end_slab * Shape::block_k, o.k) - first_k, barrier, thread);

    __syncthreads(); // all groups have read their rings
    float4* group_sums = reinterpret_cast<float4*>(smem);
    product.lay_out(group_sums);
    __syncthreads(); // all groups' sums are there
    float4* target = sums + int64_t{blockIdx.x} * Shape::tile_quads;
#pragma unroll 4
    for (int quad = threadIdx.x; quad < Shape::tile_quads; quad += Shape::threads) {
        float4 sum = group_sums[quad];
#pragma unroll
        for (int other = 1; other < Shape::groups; ++other)
            add_quad(sum, group_sums[other * Shape::tile_quads + quad]);
        if (plan.parts == 1)
            store_quad<Shape>(p, o, plan, number, quad, sum);
        else
            __stcg(target + quad, sum);
    }
#endif
}

// C from the sums of all parts. Each warp of a block adds some of the parts of the same 32 quads.
inline constexpr int long_k_adders = 8; // warps

template <class Shape>
__global__ void __launch_bounds__(long_k_adders * 32)
    long_k_add(const sgemm_problem p, const long_k_plan plan, const float4* sums) {
    __shared__ float4 smem[long_k_adders][32];
    let_next_kernel_come();
    constexpr int blocks = Shape::tile_quads / 32; // of a tile
    const int tile = static_cast<int>(blockIdx.x) / blocks;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int quad = static_cast<int>(blockIdx.x) % blocks * 32 + lane;
    const float4* source = sums + int64_t{tile} * plan.parts * Shape::tile_quads + quad;
    wait_for_earlier_work();
    const sgemm_operands o = resolve_operands(p, 0);
    float4 sum = make_float4(0, 0, 0, 0);
    if (o.k != 0) {
#pragma unroll 8
        for (int part = warp; part < plan.parts; part += long_k_adders)
            add_quad(sum, __ldcg(source + int64_t{part} * Shape::tile_quads));
    }
    smem[warp][lane] = sum;
    __syncthreads(); // all warps' sums are there
    if (warp > 0)
        return;
#pragma unroll
    for (int other = 1; other < long_k_adders; ++other)
        add_quad(sum, smem[other][lane]);
    store_quad<Shape>(p, o, plan, tile, quad, sum);
}

template <class Shape>
struct long_k_launcher {
    // Of the variant that pads both operands.
    static constexpr size_t max_smem_bytes = long_k_tile<Shape, true, false>::smem_bytes;

    // f(kernel, shared bytes of it)
    template <class F>
    static myblasStatus_t with_variant(const sgemm_problem& p, F&& f) {
        return with_transposition(p, [&](auto transa, auto transb) {
            return f(long_k_kernel<Shape, transa, transb>,
                     long_k_tile<Shape, transa, transb>::smem_bytes);
        });
    }

    // Words are copied one by one unless the operand consists of aligned quads.
    static bool has_words(const float* x, int64_t ld, int64_t along) {
        return !aligned16(x, ld) || along % 4 != 0;
    }

    static long_k_plan make_plan(const sgemm_problem& p, const device_info& device) {
        // What beginning and ending a block costs, in slabs.
        constexpr int64_t block_slabs = 2 * Shape::groups;
        long_k_plan plan{};
        plan.tiles_m = static_cast<int>(ceil_div<int64_t>(p.m, Shape::block_m));
        plan.tiles = static_cast<int>(tile_count(p, Shape::block_m, Shape::block_n));
        plan.slabs = static_cast<int>(ceil_div<int64_t>(p.k, Shape::block_k));
        plan.words_a = has_words(p.a, p.lda, p.transa ? p.k : p.m);
        plan.words_b = has_words(p.b, p.ldb, p.transb ? p.n : p.k);
        const int64_t most = std::min<int64_t>(2 * device.sm_count / std::max(plan.tiles, 1),
                                               plan.slabs / Shape::groups);
        plan.parts = 1;
        int64_t best_time = std::numeric_limits<int64_t>::max();
        for (int64_t parts = 1; parts <= most; ++parts) {
            const int64_t waves = ceil_div<int64_t>(plan.tiles * parts, device.sm_count);
            const int64_t time = waves * (ceil_div<int64_t>(plan.slabs, parts) + block_slabs);
            if (time < best_time) {
                best_time = time;
                plan.parts = static_cast<int>(parts);
            }
        }
        return plan;
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return p.batch_count == 1 && !p.a_array && !p.b_array && !p.c_array &&
               max_smem_bytes <= device.smem_per_block &&
               ceil_div<int64_t>(p.k, Shape::block_k) <= 1 << 30 &&
               tile_count(p, Shape::block_m, Shape::block_n) <= 1 << 20;
    }

    static size_t workspace_bytes(const sgemm_problem& p, const device_info& device) {
        const long_k_plan plan = make_plan(p, device);
        return plan.parts > 1 ? Shape::tile_bytes * plan.tiles * plan.parts : 0;
    }

    static myblasStatus_t prepare(const device_info& device) {
        if (max_smem_bytes > device.smem_per_block)
            return MYBLAS_STATUS_SUCCESS; // `fits` refuses every problem
        return for_each_transposition([](const sgemm_problem& p) {
            return with_variant(
                p, [](auto kernel, size_t smem_bytes) { return allow_smem(kernel, smem_bytes); });
        });
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const long_k_plan plan = make_plan(p, *context.device);
        float4* sums = static_cast<float4*>(context.workspace);
        const myblasStatus_t status = with_variant(p, [&](auto kernel, size_t smem_bytes) {
            return launch_clusters(kernel,
                                   dim3(static_cast<unsigned>(plan.tiles * plan.parts)),
                                   1,
                                   true,
                                   Shape::threads,
                                   smem_bytes,
                                   context,
                                   p,
                                   plan,
                                   sums);
        });
        if (status != MYBLAS_STATUS_SUCCESS || plan.parts == 1)
            return status;
        const dim3 blocks(static_cast<unsigned>(plan.tiles * (Shape::tile_quads / 32)));
        return launch_overlapped(
            long_k_add<Shape>, blocks, long_k_adders * 32, context, p, plan, sums);
    }

    static constexpr kernel_entry<sgemm_problem> entry(const char* name, const char* description) {
        return {
            .name = name,
            .description = description,
            .min_arch = 90,
            .max_arch = 90,
            .block_m = Shape::block_m,
            .block_n = Shape::block_n,
            .block_k = Shape::block_k,
            .threads = Shape::threads,
            .stages = Shape::slots,
            .smem_bytes = max_smem_bytes,
            .accepts = fits,
            .workspace_bytes = workspace_bytes,
            .prepare = prepare,
            .launch = launch,
        };
    }
};

} // namespace myblas::cuda

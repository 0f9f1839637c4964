// The product of packed operands (limbs.cuh) on the tensor cores of sm_90a.
//
// The tensor core adds up the products of limbs of one chunk, 32 k, least significant pairs first,
// because it truncates while it accumulates. Then the sums are scaled and added in FP32, rounded to
// nearest. This is a single FMA for each element. There is no time for more, as the tensor core
// takes one of the two reads a clock of each register file for its sums. Hence only the scales of
// cells are applied here, four for each thread. The scales of lines are applied last
// (write_tile.cuh).
//
// Blocks are persistent. One thread issues bulk copies; a stage holds a whole chunk of both block
// tiles. While one of the two warpgroups that multiply adds in FP32, the other keeps the tensor
// cores busy: they take turns. A warpgroup whose registers hold two sums also overlaps its own FP32
// additions. If there are few tiles, several blocks share a tile, each with a range of the chunks.
// If a block has only one tile, it writes it through shared memory, as clusters do. If no launch
// follows (has_no_fallback_launch), the kernel computes on the FP32 units where limbs cannot hold
// the operands (strict_pass.cuh), with tiles of 128 x 64.
//
// Bound: tensor cores, 2 m n k * pairs flop at the dense rate of 16-bit operands, and power.
// Shared memory: `stages` of the limbs and cell scales of block_m rows of A and 128 columns of B.
// Launch: 384 threads, at most one block for each multiprocessor.
//
//   block tile  block_m x 128, one warpgroup for each halves * 64 rows
//   warpgroup   `halves` tiles of 64 x 128. Two halves use the same registers for the tensor core's
//               sums; a single half has two sets of these registers
//   thread      for each half 2 rows, 8 apart, by 16 pairs of columns, 8 apart, as wgmma lays them
//               out
#pragma once

#include "kernels/common/overlap.cuh"
#include "kernels/common/tma.cuh"
#include "kernels/common/wgmma.cuh"
#include "kernels/sgemm/tensor/lossy.cuh"
#include "kernels/sgemm/tensor/strict_pass.cuh"
#include "kernels/sgemm/tensor/write_tile.cuh"

#include <type_traits>

namespace myblas::cuda {

template <class Scheme_, int halves_, int stages_>
struct product_shape {
    using Scheme = Scheme_;
    // The same with corrections, if the scheme has some.
    using corrected =
        product_shape<std::conditional_t<std::is_same_v<Scheme, fp16x3>, corrected_fp16x3, Scheme>,
                      halves_,
                      stages_>;
    static constexpr int warpgroups = 2, halves = halves_, stages = stages_;
    static constexpr bool takes_turns = halves == 2; // of the warpgroups
    static constexpr bool has_epilogue = false;
    static constexpr int block_m = warpgroups * halves * 64, block_n = panel_lines;
    static constexpr int math_threads = warpgroups * 128;
    static constexpr int threads = math_threads + 128;
    static constexpr int panels_m = block_m / panel_lines;
    static constexpr int panel_bytes = Scheme::limbs * limb_bytes;
    static constexpr int panel_scales_bytes = panel_cells * sizeof(float);

    // Layout: the limbs of A and of B of each stage; the scales of A and of B of each stage;
    // barriers.
    static constexpr int limbs_b_at = panels_m * panel_bytes;
    static constexpr int limbs_bytes = limbs_b_at + panel_bytes;
    static constexpr int scales_at = stages * limbs_bytes;
    static constexpr int scales_b_at = panels_m * panel_scales_bytes;
    static constexpr int scales_bytes = scales_b_at + panel_scales_bytes;
    static constexpr int barriers_at = scales_at + stages * scales_bytes;
    static constexpr size_t smem_bytes = barriers_at + 2 * stages * sizeof(mbarrier);
    static constexpr int sum_floats = block_m * block_n; // of a split
    // Floats of a column in shared memory. Neither writing nor reading threads have bank conflicts.
    static constexpr int shared_column = block_m + 4;

    static constexpr int copy_registers = 40;
    static constexpr int math_registers = 232;

    static_assert(block_m % panel_lines == 0 && limbs_bytes % 512 == 0);
    static_assert(128 * (copy_registers + warpgroups * math_registers) <= 65536);
    static_assert(smem_bytes <= 227 * 1024);
    static_assert(block_n * (shared_column + 1) * sizeof(float) <= scales_at);
};

// The tile that a fallback, or a product kernel without one, computes on the FP32 units. At 1024
// cubed each block has one.
using alone_shape = warp_tile_shape<128, 64, 16, 32, 32, 8, 4>;

// (A product with an epilogue is no triangle and has no known zeroes.)
template <class Shape>
__device__ __forceinline__ pass_tile locate_tile(const limb_pass& pass, unsigned tile) {
    constexpr unsigned patch = patch_rows / Shape::block_m;
    const unsigned tiles_m = pass.panels_a / Shape::panels_m, tiles_n = pass.panels_b;
    if (!Shape::has_epilogue && pass.triangle != triangle_of_c::none) {
        const tile_position<int> at = triangle_order<static_cast<int>(patch), Shape::panels_m>(
            static_cast<int>(tile),
            pass.triangle == triangle_of_c::upper,
            static_cast<int>(tiles_m),
            static_cast<int>(tiles_n));
        return {0, at.row * Shape::panels_m, at.col};
    }
    if (!Shape::has_epilogue && pass.zeros != known_zeros::none) {
        constexpr int patch_n = patch_rows / panel_lines;
        const tile_position<int> at =
            longest_first<static_cast<int>(patch), patch_n>(static_cast<int>(tile),
                                                            pass.zeros,
                                                            static_cast<int>(tiles_m),
                                                            static_cast<int>(tiles_n));
        return {0, at.row * Shape::panels_m, at.col};
    }
    const unsigned batch = tile / (tiles_m * tiles_n), rest = tile % (tiles_m * tiles_n);
    const unsigned band = rest / (patch * tiles_n), inside = rest % (patch * tiles_n);
    const unsigned band_height = min(tiles_m - band * patch, patch);
    return {static_cast<int>(batch),
            static_cast<int>((band * patch + inside % band_height) * Shape::panels_m),
            static_cast<int>(inside / band_height)};
}

// The unit that a block computes in a round. A unit is one split of a tile.
template <class Shape>
__device__ __forceinline__ unsigned block_unit(const limb_pass& pass, unsigned round) {
    return Shape::has_epilogue || pass.zeros == known_zeros::none
               ? round * gridDim.x + blockIdx.x
               : unit_back_and_forth(static_cast<int>(round), static_cast<int>(gridDim.x));
}

// The chunks of a unit; none if end <= first.
struct chunk_range {
    int first, end;

    template <class Shape>
    static __device__ __forceinline__ chunk_range
    of(const limb_pass& pass, const tile_schedule& schedule, const pass_tile& at, int split_index) {
        if (Shape::has_epilogue || pass.zeros == known_zeros::none) {
            const int first = split_index * schedule.chunks_of_split;
            return {first, min(first + schedule.chunks_of_split, pass.chunks)};
        }
        const int row = at.panel_a * panel_lines, col = at.panel_b * panel_lines;
        const k_range k(pass.zeros, pass.k, row, row + Shape::block_m, col, col + Shape::block_n);
        const int begin = static_cast<int>(k.begin) / chunk_k;
        const int end = ceil_div(static_cast<int>(k.end), chunk_k);
        const int length = ceil_div(end - begin, schedule.splits),
                  first = begin + split_index * length;
        return {first, min(first + length, end)};
    }
};

// A unit, located: one split of a tile.
template <class Shape>
struct pass_unit {
    unsigned tile;
    int split_index;
    pass_tile at;
    chunk_range range;

    __device__ __forceinline__ pass_unit(const limb_pass& pass,
                                         const tile_schedule& schedule,
                                         unsigned unit)
        : tile(unit / schedule.splits), split_index(static_cast<int>(unit % schedule.splits)),
          at(locate_tile<Shape>(pass, tile)),
          range(chunk_range::of<Shape>(pass, schedule, at, split_index)) {}
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Called by all threads, before a barrier of the block.
template <class Shape>
__device__ __forceinline__ void init_stages(char* smem) {
    const stage_barriers<Shape::stages> barriers(smem + Shape::barriers_at);
    if (threadIdx.x == 0)
        barriers.init(Shape::math_threads);
}

// The limbs of a warpgroup in the first stage.
template <class Shape>
struct warpgroup_limbs {
    wgmma_tile<line_bytes> a, b;

    __device__ __forceinline__ warpgroup_limbs(const char* smem, int group)
        : a(smem_address(smem) + group * Shape::halves / 2 * Shape::panel_bytes +
            group * Shape::halves % 2 * (limb_bytes / 2)),
          b(smem_address(smem) + Shape::limbs_b_at) {}
};

// The scales of a chunk's cells: of the cells with a thread's rows, and of the cells of all
// columns.
template <class Shape>
struct chunk_scales {
    float of_a[Shape::halves], of_b[panel_cells];

    __device__ __forceinline__ chunk_scales(const char* smem, int stage, int group) {
        const char* scales = smem + Shape::scales_at + stage * Shape::scales_bytes;
        const float* rows = reinterpret_cast<const float*>(scales) + group * Shape::halves * 2 +
                            threadIdx.x / 64 % 2;
        const float4 columns = *reinterpret_cast<const float4*>(scales + Shape::scales_b_at);
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
            of_a[half] = rows[half * 2];
        of_b[0] = columns.x, of_b[1] = columns.y, of_b[2] = columns.z, of_b[3] = columns.w;
    }
};

// A warpgroup's product of a chunk, 64 rows x 128 columns, while the tensor core adds it up.
template <class Shape>
struct chunk_product {
    float sum[64];
    float scale[panel_cells]; // of the cells of its columns

    // Starts the product of the warpgroup's `half` in a stage, in two steps if groups take turns. A
    // descriptor is one addition, so one wgmma follows another without a gap.
    __device__ __forceinline__ void start(const warpgroup_limbs<Shape>& limbs,
                                          const chunk_scales<Shape>& scales,
                                          int stage,
                                          int half) {
        using Scheme = typename Shape::Scheme;
        constexpr auto pairs = Scheme::pairs;
#pragma unroll
        for (int i = 0; i < panel_cells; ++i)
            scale[i] = scales.of_a[half] * scales.of_b[i];
        const auto a = limbs.a.after(stage * Shape::limbs_bytes);
        const auto b = limbs.b.after(stage * Shape::limbs_bytes);
        constexpr int all = pairs.count * (chunk_k / 16);
        int started = 0;
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < pairs.count; ++i)
#pragma unroll
            for (int kk = 0; kk < chunk_k; kk += 16) {
                wgmma_64x128x16<typename Scheme::limb>(
                    sum,
                    a.after(half * (limb_bytes / 2) + pairs.of[i].a * limb_bytes + kk * 2)
                        .descriptor(),
                    b.after(pairs.of[i].b * limb_bytes + kk * 2).descriptor(),
                    started > 0);
                if (++started == all / 2 && Shape::takes_turns)
                    wgmma_commit();
            }
        wgmma_commit();
    }

    __device__ __forceinline__ void await_first_step() {
        static_assert(Shape::takes_turns);
        wgmma_wait<1>();
    }

    // Waits until at most `pending` later products are unfinished, and adds this one.
    template <int pending>
    __device__ __forceinline__ void add_to(float (&acc)[64]) {
        wgmma_wait<pending>();
#pragma unroll
        for (int i = 0; i < 64; ++i)
            acc[i] = fmaf(sum[i], scale[i / (64 / panel_cells)], acc[i]);
    }
};

// When all blocks have read the counters, the last block stores the path for the later kernels and
// clears the counters.
__device__ __forceinline__ void publish_path(const packed_pass& packed, precision_path taken) {
    __threadfence(); // the counters have been read before the block is counted
    if (atomicAdd(&packed.counters[finished_blocks], 1) + 1 != gridDim.x)
        return;
    for (int i = 0; i < pass_counters; ++i)
        packed.counters[i] = 0;
    *packed.taken = taken;
}

// Starts the copies of a chunk of a tile into a stage.
template <class Shape>
__device__ __forceinline__ void
copy_chunk(const pass_job& job, const pass_tile& at, int chunk, char* smem, int stage) {
    const limb_pass& pass = job.pass;
    const auto place = [&](int panel, int panels) { // panels of one product
        return int64_t{panel_place(at.batch * panels + panel,
                                   static_cast<unsigned>(pass.batches) * panels,
                                   chunk,
                                   pass.chunks)};
    };
    const int64_t at_a = place(at.panel_a, pass.panels_a);
    const int64_t at_b = place(at.panel_b, pass.packed_panels_b());
    char* limbs = smem + stage * Shape::limbs_bytes;
    char* scales = smem + Shape::scales_at + stage * Shape::scales_bytes;
    mbarrier& barrier = stage_barriers<Shape::stages>(smem + Shape::barriers_at).filled[stage];
    barrier.arrive_expecting(Shape::limbs_bytes + Shape::scales_bytes);
    const auto copy = [&](char* target, const packed_operand& from, int64_t panel, int panels) {
        const char* const source = from.limbs + panel * Shape::panel_bytes;
        copy_bytes(target, source, panels * Shape::panel_bytes, barrier);
    };
    const auto copy_scales =
        [&](char* target, const packed_operand& from, int64_t panel, int panels) {
            const float* const source = from.cell_scales + panel * panel_cells;
            copy_bytes(target, source, panels * Shape::panel_scales_bytes, barrier);
        };
    copy(limbs, job.packed.a, at_a, Shape::panels_m);
    copy(limbs + Shape::limbs_b_at, job.packed.b, at_b, 1);
    copy_scales(scales, job.packed.a, at_a, Shape::panels_m);
    copy_scales(scales + Shape::scales_b_at, job.packed.b, at_b, 1);
}

// Adds up chunks if the registers hold two sums: while one is added in FP32, the tensor core
// computes the next. Otherwise the warpgroups would fall into step, and the tensor core would wait
// for both.
template <class Shape>
__device__ __forceinline__ void add_chunks(
    char* smem, int group, int chunks, ring_position<Shape::stages>& ring, float (&acc)[64]) {
    const warpgroup_limbs<Shape> limbs(smem, group);
    const stage_barriers<Shape::stages> barriers(smem + Shape::barriers_at);
    ring_position<Shape::stages> oldest = ring;
    chunk_product<Shape> even, odd;
    const auto start = [&](chunk_product<Shape>& product) {
        barriers.filled[ring.stage].wait(ring.parity);
        const chunk_scales<Shape> scales(smem, ring.stage, group);
        product.start(limbs, scales, ring.stage, 0);
        ring.advance();
    };
    const auto release = [&] {
        barriers.emptied[oldest.stage].arrive_after_loads();
        oldest.advance();
    };
    if (chunks <= 0)
        return;
    start(even);
    int started = 1;
    for (; started + 2 <= chunks; started += 2) {
        start(odd);
        even.template add_to<1>(acc);
        release();
        start(even);
        odd.template add_to<1>(acc);
        release();
    }
    if (started < chunks) {
        start(odd);
        even.template add_to<1>(acc);
        release();
        odd.template add_to<0>(acc);
    } else {
        even.template add_to<0>(acc);
    }
    release();
}

// For a product that always runs to its end. Compare pack_and_multiply.cuh.
struct never_stop {
    __device__ static bool decides() { return false; }
    __device__ static bool at(int) { return false; }
};

// The work of the warps that multiply: the block's tiles. The call stop.at(stage) tells whether a
// filled stage holds no limbs but the message to end the product. The call stop.decides() tells
// whether a stage without limbs comes before C is first written, to decide this. Returns whether
// the product ran to its end.
template <class Shape, class Stop>
__device__ __forceinline__ bool multiply_tiles(
    const pass_job& job, const tile_schedule& schedule, bool reads, char* smem, const Stop& stop) {
    const stage_barriers<Shape::stages> barriers(smem + Shape::barriers_at);
    // Uniform in the warp, so that descriptors are in uniform registers.
    const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128 - 1, 0);
    // If warpgroups take turns to start a product, they never fall into step, where the tensor core
    // would wait for both while they add in FP32. One starts when the first step of the other's
    // product is done.
    const turns_of_two<Shape::math_threads, first_turn_barrier> turns(group, Shape::takes_turns);
    const unsigned units = schedule.tiles * schedule.splits;
    ring_position<Shape::stages> ring;
    for (unsigned round = 0;; ++round) {
        const unsigned number = block_unit<Shape>(job.pass, round);
        if (number >= units)
            break;
        pass_unit<Shape> unit(job.pass, schedule, number);
        const int chunks = reads ? unit.range.end - unit.range.first : 0;
        float acc[Shape::halves][64] = {};
        bool stops = false;
        if constexpr (!Shape::takes_turns) {
            static_assert(std::is_same_v<Stop, never_stop>);
            add_chunks<Shape>(smem, group, chunks, ring, acc[0]);
        } else {
            const warpgroup_limbs<Shape> limbs(smem, group);
            for (int chunk = 0; chunk < chunks; ++chunk) {
                barriers.filled[ring.stage].wait(ring.parity);
                stops = stop.at(ring.stage);
                if (stops)
                    break;
                const chunk_scales<Shape> scales(smem, ring.stage, group);
                chunk_product<Shape> product;
#pragma unroll
                for (int half = 0; half < Shape::halves; ++half) {
                    turns.take();
                    product.start(limbs, scales, ring.stage, half);
                    product.await_first_step();
                    turns.pass();
                    product.template add_to<0>(acc[half]);
                }
                barriers.emptied[ring.stage].arrive_after_loads();
                ring.advance();
            }
        }
        if (stop.decides() && round == 0 && !stops) {
            barriers.filled[ring.stage].wait(ring.parity);
            stops = stop.at(ring.stage);
            barriers.emptied[ring.stage].arrive_after_loads();
            ring.advance();
        }
        // Blocks that share a tile must meet even if only some of them have been stopped, unless
        // all of them stop before anything is written.
        if (stops && (stop.decides() || schedule.splits == 1))
            return false;
        if constexpr (Shape::Scheme::corrects) {
            // Located again, as the loop over chunks has no registers to keep it.
            unsigned same_round = round;
            asm volatile("" : "+r"(same_round));
            unit = pass_unit<Shape>(job.pass, schedule, block_unit<Shape>(job.pass, same_round));
            if (chunks > 0 && !stops)
                lossy_products<Shape>(job, unit.at).add_to(acc, unit.range);
        }
        const tile_target target(job, unit.at);
        // A block with a single tile writes it the same way, by whole columns.
        const bool is_only = schedule.splits == 1 && units <= gridDim.x;
        if (is_only || schedule.in_cluster) {
            write_shared_tile<Shape>(
                target, schedule.splits, unit.split_index, reinterpret_cast<float*>(smem), acc);
        } else if (add_splits<Shape>(schedule, unit.tile, unit.split_index, acc))
            write_tile<Shape>(target, acc);
        if (stops)
            return false;
    }
    return true;
}

// The block's part of a product whose operands are packed. The barriers are initialised.
template <class Shape>
__device__ __forceinline__ void
multiply_packed(const pass_job& job, const tile_schedule& schedule, char* smem) {
    const bool reads = job.p.k != 0 && resolve(job.p.alpha) != 0;
    if (threadIdx.x < 128) {
        give_up_registers<Shape::copy_registers>();
        if (threadIdx.x != 0 || !reads)
            return;
        const stage_barriers<Shape::stages> barriers(smem + Shape::barriers_at);
        ring_position<Shape::stages> ring;
        for (unsigned round = 0;; ++round) {
            const unsigned number = block_unit<Shape>(job.pass, round);
            if (number >= schedule.tiles * schedule.splits)
                break;
            const pass_unit<Shape> unit(job.pass, schedule, number);
            for (int chunk = unit.range.first; chunk < unit.range.end; ++chunk) {
                barriers.emptied[ring.stage].wait(ring.parity ^ 1);
                copy_chunk<Shape>(job, unit.at, chunk, smem, ring.stage);
                ring.advance();
            }
        }
    } else {
        take_registers<Shape::math_registers>();
        multiply_tiles<Shape>(job, schedule, reads, smem, never_stop());
    }
}

#endif

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1) product_kernel(const sgemm_problem p,
                                                                    const limb_pass pass,
                                                                    const packed_pass packed,
                                                                    const tile_schedule schedule) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    constexpr precision_path own = path_of<typename Shape::Scheme>;
    extern __shared__ __align__(1024) char smem[];
    const pass_job job{p, pass, packed};
    init_stages<Shape>(smem);
    grid_dependency_sync();
    launch_dependents();
    const precision_path taken = decide<typename Shape::Scheme>(packed.counters, p.k, packed.other);
    __syncthreads(); // the barriers are initialised, and the block has read the counters
    if (threadIdx.x == 32)
        publish_path(packed, taken);
    // Corrected products always have a fallback's launch.
    if constexpr (Shape::halves == 1 &&
                  !Shape::Scheme::corrects) { // here, so that it is compiled after the rest
        static_assert(warp_tile<alone_shape, true, false, false>::smem_bytes <= Shape::smem_bytes);
        if (packed.has_no_fallback_launch && taken != own) {
            if (threadIdx.x < alone_shape::threads)
                compute_strict_tiles<with_epilogue_of<Shape, alone_shape>>(
                    p, pass, gridDim.x, smem);
            return;
        }
    }
    if (taken != own)
        return;

    multiply_packed<Shape>(job, schedule, smem);
#endif
}

} // namespace myblas::cuda

// Packing and product in one kernel, side by side, so that only the packing of the first few chunks
// takes extra time.
//
// The product is computed as in product.cuh. In the warpgroup that issues copies, three warps pack
// (strips.cuh), ahead of the tiles; the fourth issues the copies and waits for the counters of
// packed cells.
//
// The precision path is known only when everything is packed. If beta is 0, C is written
// speculatively until then: if the fallback has to compute, it overwrites all of C. With another
// beta, the first tile waits. The first tile also waits if no launch follows
// (has_no_fallback_launch): then the product's own warps compute in place of a fallback, on the
// FP32 units (strict_pass.cuh). As soon as the findings require the fallback, packing and product
// stop.
//
// At the start, all warps of all blocks pack the first chunks of the first tiles, unless blocks
// share tiles.
//
// Bound: the same as the product kernel's; and the bytes of the lines that the first wave of tiles
// reads.
// Shared memory: the product kernel's, and two raw cells for each packing warp. The raw cells of
// the first chunks lie in the stages.
// Launch: the product kernel's threads, 128 more than multiply; one block for each multiprocessor,
// or for each split of a tile.
#pragma once

#include "kernels/sgemm/tensor/product.cuh"
#include "kernels/sgemm/tensor/strips.cuh"

namespace myblas::cuda {

// A product_shape with room for packing.
template <class Product>
struct overlap_shape : Product {
    static constexpr int packing_warps = 3;
    static constexpr int raw_at = (Product::smem_bytes + 127) / 128 * 128;
    static constexpr size_t smem_bytes = raw_at + packing_warps * raw_cells * raw_cell_bytes;
    static constexpr int copy_registers = 72, math_registers = 216;

    static_assert(Product::halves == 2); // one half would leave packing warps more registers
    static_assert(128 * (copy_registers + Product::warpgroups * math_registers) <=
                  65536 / Product::threads / 8 * 8 * Product::threads);
    static_assert(smem_bytes <= 227 * 1024);
    static_assert(Product::threads / 32 * raw_cells * raw_cell_bytes <= Product::scales_at);
    static_assert(warp_tile<alone_shape, true, false, false>::smem_bytes <= Product::scales_at &&
                  alone_shape::threads == Product::math_threads);
};

// alone_shape for the threads that multiply.
struct alone_beside_packing_shape : alone_shape {
    static constexpr int first_thread = 128;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Messages in shared memory from the warp that issues copies to the warps that multiply. An element
// of `ends` is handed over with its stage.
template <int stages>
struct product_end {
    bool ends[stages]; // the stage holds no limbs and ends the product
    bool decide;       // whether a decision comes before C is first written

    __device__ __forceinline__ bool at(int stage) const { return ends[stage]; }
    __device__ __forceinline__ bool decides() const { return decide; }
};

inline constexpr int polled_spans = 4; // more at a time would disturb the warps that count

// The work of the warp that issues copies. If the product must stop, it hands over a stage that
// ends the product.
template <class Shape>
__device__ __forceinline__ void copy_when_packed(const pass_job& job,
                                                 const strip_schedule& schedule,
                                                 const tile_schedule& tiles,
                                                 char* smem,
                                                 product_end<Shape::stages>& end_of_product) {
    using Scheme = typename Shape::Scheme;
    const limb_pass& pass = job.pass;
    const packed_pass& packed = job.packed;
    const int lane = threadIdx.x % 32;
    const stage_barriers<Shape::stages> barriers(smem + Shape::barriers_at);
    const unsigned* counters = packed.counters + schedule.first_counter;
    const unsigned* ready = counters + strip_counters;
    const int panels_a = pass.batches * pass.panels_a, panels_b = pass.batches * pass.panels_b;
    const auto cells_of = [&](int span) { // cells of a panel in the span
        return min(schedule.span, pass.chunks - span * schedule.span) * panel_cells;
    };
    ring_position<Shape::stages> ring;
    const auto hand_over_nothing = [&](bool stop) {
        barriers.emptied[ring.stage].wait(ring.parity ^ 1);
        if (lane == 0) {
            end_of_product.ends[ring.stage] = stop;
            barriers.filled[ring.stage].arrive();
        }
        ring.advance();
    };
    for (unsigned unit = blockIdx.x; unit < tiles.tiles * tiles.splits; unit += gridDim.x) {
        const pass_tile at = locate_tile<Shape>(pass, unit / tiles.splits);
        const int first = static_cast<int>(unit % tiles.splits) * tiles.chunks_of_split;
        const int last = min(first + tiles.chunks_of_split, pass.chunks);
        const int panel_a = at.batch * pass.panels_a + at.panel_a;
        const int panel_b = at.batch * pass.panels_b + at.panel_b;
        int chunk = first;
        while (chunk < last) {
            // Each of the first few lanes polls one span.
            const int span = chunk / schedule.span + lane;
            bool is_ready = false;
            if (lane < polled_spans && span * schedule.span < last) {
                const unsigned wanted = cells_of(span);
                const unsigned* row = ready + span * (panels_a + panels_b);
                is_ready = load_counter_and_acquire(&row[panels_a + panel_b]) == wanted;
#pragma unroll
                for (int i = 0; i < Shape::panels_m; ++i)
                    is_ready &= load_counter_and_acquire(&row[panel_a + i]) == wanted;
            }
            const unsigned request = load_relaxed(&packed.counters[request_of_blocks]);
            const int spans = __ffs(~__ballot_sync(full_warp, is_ready)) - 1;
            if (__any_sync(full_warp, request > path_of<Scheme>)) {
                hand_over_nothing(true);
                return;
            }
            if (spans == 0)
                continue;
            __syncwarp(); // the cells that these lanes have seen are visible to all lanes
            fence_for_copies();
            const int end = min((chunk / schedule.span + spans) * schedule.span, last);
            for (; chunk < end; ++chunk) {
                barriers.emptied[ring.stage].wait(ring.parity ^ 1);
                if (lane == 0)
                    copy_chunk<Shape>(job, at, chunk, smem, ring.stage);
                ring.advance();
            }
        }
        if (end_of_product.decides() && unit == blockIdx.x) {
            const unsigned all =
                static_cast<unsigned>(panels_a + panels_b) * panel_cells * pass.chunks;
            while (load_relaxed(&counters[finished_cells]) != all &&
                   load_relaxed(&packed.counters[request_of_blocks]) <= path_of<Scheme>)
                ;
            fence_device(); // the findings are complete
            const bool stop = decide_now<Scheme>(packed, job.p.k) != path_of<Scheme>;
            hand_over_nothing(stop);
            if (stop)
                return;
        }
    }
}

// Called by one warp of each block, when the block no longer needs the counters. The last block
// stores the path for the later kernels and clears the counters.
template <class Scheme>
__device__ __forceinline__ void end_packing(const pass_job& job, const strip_schedule& schedule) {
    const packed_pass& packed = job.packed;
    const int lane = threadIdx.x % 32;
    unsigned finished = 0;
    if (lane == 0) {
        __threadfence(); // the block's findings precede its count
        finished = atomicAdd(&packed.counters[finished_blocks], 1) + 1;
        __threadfence(); // the other blocks' findings are read after this
    }
    if (__shfl_sync(full_warp, finished, 0) != gridDim.x)
        return;
    if (lane == 0)
        *packed.taken = decide_now<Scheme>(packed, job.p.k);
    __syncwarp(); // the findings have been read
    for (int i = lane; i < schedule.counters; i += 32)
        if (i < pass_counters || i >= schedule.first_counter) // not the counters of shared tiles
            packed.counters[i] = 0;
}

#endif

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    pack_and_multiply_kernel(const sgemm_problem p,
                             const limb_pass pass,
                             const strip_schedule schedule,
                             const packed_pass packed,
                             const tile_schedule tiles) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using Scheme = typename Shape::Scheme;
    extern __shared__ __align__(1024) char smem[];
    __shared__ product_end<Shape::stages> smem_end;
    __shared__ block_findings smem_block;
    __shared__ unsigned smem_lead; // the block's first lead strip
    constexpr unsigned warps = Shape::threads / 32;
    const pass_job job{p, pass, packed};
    const stage_barriers<Shape::stages> barriers(smem + Shape::barriers_at);
    if (threadIdx.x == 0) {
        barriers.init(Shape::math_threads);
        smem_block = {{0, 0}, {no_exponent, no_exponent}, path_fp16x3, 0};
    }
    grid_dependency_sync();
    launch_dependents();
    const bool reads = p.k != 0 && resolve(p.alpha) != 0;
    if (threadIdx.x == 0) {
        smem_end = {
            {},
            reads && (packed.has_no_fallback_launch || pass.first_k != 0 || resolve(p.beta) != 0)};
        smem_lead = schedule.lead_strips;
        if (reads && schedule.lead_strips > 0)
            smem_lead = atomicAdd(&packed.counters[schedule.first_counter + claimed_lead], warps);
    }
    __syncthreads();                // the barriers and the block's variables are initialised
    if (schedule.lead_strips > 0) { // all warps pack; raw cells use the memory of the stages
        const unsigned warp = __shfl_sync(full_warp, threadIdx.x / 32, 0);
        char* const raw = smem + warp * raw_cells * raw_cell_bytes;
        strip_place at;
        if (at.locate(job, schedule, 1, smem_lead + warp, true))
            pack_strip<Scheme>(job, schedule, at, raw, smem_block);
        fence_async_shared();
        __syncthreads(); // the raw cells have been read, so stages may be filled
    }

    if (threadIdx.x < 128) {
        give_up_registers<Shape::copy_registers>();
        const int warp = __shfl_sync(full_warp, threadIdx.x / 32, 0);
        if (reads) {
            char* const raw = smem + Shape::raw_at + (warp - 1) * raw_cells * raw_cell_bytes;
            if (warp == 0)
                copy_when_packed<Shape>(job, schedule, tiles, smem, smem_end);
            else
                pack_claimed_strips<Scheme>(job, schedule, tiles.splits, raw, smem_block);
        }
        __syncwarp();
        sync_at<copy_barrier, 128>(); // the block no longer needs the counters
        if (warp == 0)
            end_packing<Scheme>(job, schedule);
    } else {
        take_registers<Shape::math_registers>();
        const bool ended = multiply_tiles<Shape>(job, tiles, reads, smem, smem_end);
        if constexpr (!Scheme::corrects) { // corrected products always have a fallback's launch
            if (!ended && packed.has_no_fallback_launch) {
                sync_math<Shape>(); // all products have read the stages
                compute_strict_tiles<with_epilogue_of<Shape, alone_beside_packing_shape>>(
                    p, pass, tiles.tiles * tiles.splits, smem);
            }
        }
    }
#endif
}

} // namespace myblas::cuda

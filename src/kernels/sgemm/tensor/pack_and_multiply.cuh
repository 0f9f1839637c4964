// Packing and product in one kernel, side by side: the time of packing is that of its first few chunks.
//
// The product is that of product.cuh. Of the warpgroup that issues copies there, three warps pack (strips.cuh), ahead of
// the tiles, and the one that issues copies waits for what they count.
// The route is known when all is packed. Until then C is written in hope, where beta is zero: should the
// fallback compute, it overwrites all of it. With another beta the first tile waits, and also where nothing is
// launched behind (is_alone): then those who multiply compute in its stead, on the FP32 units (strict_pass.cuh).
// Where enough has been found for the fallback, packing and product stop.
// Before that, all warps of all blocks pack the first chunks of the first tiles, unless blocks share tiles.
// Shared memory: that of the product kernel, and two raw cells for each warp that packs; those of the first chunks
// lie in the stages.
//
// Bound: as the product kernel; and bytes, of the lines that the first wave of tiles reads.
#pragma once

#include "kernels/sgemm/tensor/product.cuh"
#include "kernels/sgemm/tensor/strips.cuh"

namespace myblas::cuda {

// A product_shape, with room for packing.
template <class Product>
struct overlap_shape : Product {
    static constexpr int packing_warps = 3;
    static constexpr int raw_at = (Product::smem_bytes + 127) / 128 * 128;
    static constexpr size_t smem_bytes = raw_at + packing_warps * raw_cells * raw_cell_bytes;
    static constexpr int copy_registers = 72, math_registers = 216;

    static_assert(Product::halves == 2); // one would leave more to the warps that pack
    static_assert(128 * (copy_registers + Product::warpgroups * math_registers) <=
                  65536 / Product::threads / 8 * 8 * Product::threads);
    static_assert(smem_bytes <= 227 * 1024);
    static_assert(Product::threads / 32 * raw_cells * raw_cell_bytes <= Product::scales_at);
    static_assert(warp_tile<alone_shape, true, false, false>::smem_bytes <= Product::scales_at &&
                  alone_shape::threads == Product::math_threads);
};

// As alone_shape, by the threads that multiply.
struct alone_beside_packing_shape : alone_shape {
    static constexpr int first_thread = 128;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// What the warp that issues copies tells those that multiply, in shared memory. Elements of `ends` are handed over
// with their stages.
template <int stages>
struct product_end {
    bool ends[stages]; // the product, in place of limbs
    bool decide;       // before C is first written

    __device__ __forceinline__ bool at(int stage) const { return ends[stage]; }
    __device__ __forceinline__ bool decides() const { return decide; }
};

inline constexpr int polled_spans = 4; // at a time: more would be in the way of those that count

// The work of the warp that issues copies. Where the product must not go on, it hands over a stage that ends it.
template <class Shape>
__device__ __forceinline__ void copy_when_packed(const pass_job& job,
                                                 const strip_plan& plan,
                                                 const tile_plan& tiles,
                                                 char* smem,
                                                 product_end<Shape::stages>& end_of_product) {
    using Scheme = typename Shape::Scheme;
    const limb_pass& pass = job.pass;
    const packed_pass& packed = job.packed;
    const int lane = threadIdx.x % 32;
    const stage_barriers<Shape::stages> barriers(smem + Shape::barriers_at);
    const unsigned* counters = packed.counters + plan.first_counter;
    const unsigned* ready = counters + strip_counters;
    const int panels_a = pass.batches * pass.panels_a, panels_b = pass.batches * pass.panels_b;
    const auto cells_of = [&](int span) { // of a panel
        return min(plan.span, pass.chunks - span * plan.span) * panel_cells;
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
    for (unsigned unit = blockIdx.x; unit < tiles.tiles * tiles.parts; unit += gridDim.x) {
        const pass_tile at = locate_tile<Shape>(pass, unit / tiles.parts);
        const int first = static_cast<int>(unit % tiles.parts) * tiles.part_chunks;
        const int last = min(first + tiles.part_chunks, pass.chunks);
        const int panel_a = at.batch * pass.panels_a + at.panel_a;
        const int panel_b = at.batch * pass.panels_b + at.panel_b;
        int chunk = first;
        while (chunk < last) {
            // Each of a few lanes looks at a span.
            const int span = chunk / plan.span + lane;
            bool is_ready = false;
            if (lane < polled_spans && span * plan.span < last) {
                const unsigned wanted = cells_of(span);
                const unsigned* row = ready + span * (panels_a + panels_b);
                is_ready = load_counter_and_acquire(&row[panels_a + panel_b]) == wanted;
#pragma unroll
                for (int i = 0; i < Shape::panels_m; ++i)
                    is_ready &= load_counter_and_acquire(&row[panel_a + i]) == wanted;
            }
            const unsigned vote = load_counter(&packed.counters[vote_of_blocks]);
            const int spans = __ffs(~__ballot_sync(full_warp, is_ready)) - 1;
            if (__any_sync(full_warp, vote > route_of<Scheme>)) {
                hand_over_nothing(true);
                return;
            }
            if (spans == 0)
                continue;
            __syncwarp(); // what these lanes know of is there for all
            fence_for_copies();
            const int end = min((chunk / plan.span + spans) * plan.span, last);
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
            while (load_counter(&counters[finished_cells]) != all &&
                   load_counter(&packed.counters[vote_of_blocks]) <= route_of<Scheme>)
                ;
            fence_device(); // the findings are there
            const bool stop = decide_now<Scheme>(packed, job.p.k) != route_of<Scheme>;
            hand_over_nothing(stop);
            if (stop)
                return;
        }
    }
}

// By one warp of each block that needs the counters no more: the last block tells the later kernels and clears them.
template <class Scheme>
__device__ __forceinline__ void end_packing(const pass_job& job, const strip_plan& plan) {
    const packed_pass& packed = job.packed;
    const int lane = threadIdx.x % 32;
    unsigned finished = 0;
    if (lane == 0) {
        __threadfence(); // the block's findings come before it is counted
        finished = atomicAdd(&packed.counters[finished_blocks], 1) + 1;
        __threadfence(); // and those of others, before they are read
    }
    if (__shfl_sync(full_warp, finished, 0) != gridDim.x)
        return;
    if (lane == 0)
        *packed.taken = decide_now<Scheme>(packed, job.p.k);
    __syncwarp(); // the findings have been read
    for (int i = lane; i < plan.counters; i += 32)
        if (i < pass_counters || i >= plan.first_counter) // between them those of shared tiles
            packed.counters[i] = 0;
}

#endif

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    pack_and_multiply_kernel(const sgemm_problem p,
                             const limb_pass pass,
                             const strip_plan plan,
                             const packed_pass packed,
                             const tile_plan tiles) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using Scheme = typename Shape::Scheme;
    extern __shared__ __align__(1024) char smem[];
    __shared__ product_end<Shape::stages> smem_end;
    __shared__ block_findings smem_block;
    __shared__ unsigned smem_lead; // the block's first strip there
    constexpr unsigned warps = Shape::threads / 32;
    const pass_job job{p, pass, packed};
    const stage_barriers<Shape::stages> barriers(smem + Shape::barriers_at);
    if (threadIdx.x == 0) {
        barriers.init(Shape::math_threads);
        smem_block = {{0, 0}, {no_exponent, no_exponent}, route_fp16x3, 0};
    }
    wait_for_earlier_work();
    let_next_kernel_come();
    const bool reads = p.k != 0 && resolve(p.alpha) != 0;
    if (threadIdx.x == 0) {
        smem_end = {{}, reads && (packed.is_alone || pass.first_k != 0 || resolve(p.beta) != 0)};
        smem_lead = plan.lead_strips;
        if (reads && plan.lead_strips > 0)
            smem_lead = atomicAdd(&packed.counters[plan.first_counter + claimed_lead], warps);
    }
    __syncthreads();            // the barriers and what the block shares are initialised
    if (plan.lead_strips > 0) { // all warps pack, with raw cells in place of stages
        const unsigned warp = __shfl_sync(full_warp, threadIdx.x / 32, 0);
        char* const raw = smem + warp * raw_cells * raw_cell_bytes;
        strip_place at;
        if (at.locate(job, plan, 1, smem_lead + warp, true))
            pack_strip<Scheme>(job, plan, at, raw, smem_block);
        fence_async_shared();
        __syncthreads(); // the raw cells have been read: stages may be filled
    }

    if (threadIdx.x < 128) {
        give_up_registers<Shape::copy_registers>();
        const int warp = __shfl_sync(full_warp, threadIdx.x / 32, 0);
        if (reads) {
            char* const raw = smem + Shape::raw_at + (warp - 1) * raw_cells * raw_cell_bytes;
            if (warp == 0)
                copy_when_packed<Shape>(job, plan, tiles, smem, smem_end);
            else
                pack_claimed_strips<Scheme>(job, plan, tiles.parts, raw, smem_block);
        }
        __syncwarp();
        sync_at<copy_barrier, 128>(); // the block needs the counters no more
        if (warp == 0)
            end_packing<Scheme>(job, plan);
    } else {
        take_registers<Shape::math_registers>();
        if (!multiply_tiles<Shape>(job, tiles, reads, smem, smem_end) && packed.is_alone) {
            sync_math<Shape>(); // all products have read the stages
            compute_strict_tiles<finishing_as<Shape, alone_beside_packing_shape>>(
                p, pass, tiles.tiles * tiles.parts, smem);
        }
    }
#endif
}

} // namespace myblas::cuda

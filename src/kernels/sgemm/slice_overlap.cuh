// Packing and product in one kernel, side by side: the time of packing is that of its first few chunks.
//
// The product is that of slice_product.cuh. Of the warpgroup that issues copies there, three warps pack
// (slice_strips.cuh), ahead of the tiles, and the one that issues copies waits for what they count.
// The route is known when all is packed. Until then C is written in hope, where beta is zero: should the
// fallback compute, it overwrites all of it. With another beta the first tile waits, and also where nothing is
// launched behind (is_alone): then those who multiply compute in its stead, on the FP32 units (slice_strict.cuh).
// Where enough has been found for the fallback, packing and product stop.
// Before that, all warps of all blocks pack the first chunks of the first tiles, unless blocks share tiles.
// Shared memory: that of the product kernel, and two raw parts for each warp that packs; those of the first chunks
// lie in the stages.
//
// Bound: as the product kernel; and bytes, of the lines that the first wave of tiles reads.
#pragma once

#include "kernels/sgemm/slice_product.cuh"
#include "kernels/sgemm/slice_strips.cuh"

namespace myblas::cuda {

// A product_shape, with room for packing.
template <class Product>
struct overlap_shape : Product {
    static constexpr int packing_warps = 3;
    static constexpr int raw_at = (Product::smem_bytes + 127) / 128 * 128;
    static constexpr size_t smem_bytes = raw_at + packing_warps * raw_parts * raw_part_bytes;
    static constexpr int copy_registers = 72, math_registers = 216;

    static_assert(Product::halves == 2); // one would leave more to the warps that pack
    static_assert(128 * (copy_registers + Product::groups * math_registers) <=
                  65536 / Product::threads / 8 * 8 * Product::threads);
    static_assert(smem_bytes <= 227 * 1024);
    static_assert(Product::threads / 32 * raw_parts * raw_part_bytes <= Product::scales_at);
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
    bool ends[stages]; // the product, in place of slices
    bool decide;       // before C is first written

    __device__ __forceinline__ bool at(int stage) const { return ends[stage]; }
    __device__ __forceinline__ bool decides() const { return decide; }
};

inline constexpr int polled_spans = 4; // at a time: more would be in the way of those that count

// The work of the warp that issues copies. Where the product must not go on, it hands over a stage that ends it.
template <class Shape>
__device__ __forceinline__ void copy_when_packed(const slice_pass& pass,
                                                 const strip_plan& plan,
                                                 const tile_plan& tiles,
                                                 const packed_pass& packed,
                                                 int64_t k,
                                                 char* smem,
                                                 product_end<Shape::stages>& end_of_product) {
    using Scheme = typename Shape::Scheme;
    const int lane = threadIdx.x % 32;
    mbarrier* filled = reinterpret_cast<mbarrier*>(smem + Shape::barriers_at);
    mbarrier* emptied = filled + Shape::stages;
    const unsigned* counters = packed.counters + plan.first_counter;
    const unsigned* ready = counters + strip_counters;
    const int panels_a = pass.batches * pass.panels_a, panels_b = pass.batches * pass.panels_b;
    const auto parts_of = [&](int span) { // of a panel
        return min(plan.span, pass.chunks - span * plan.span) * panel_parts;
    };
    ring_position<Shape::stages> ring;
    const auto hand_over_nothing = [&](bool stop) {
        emptied[ring.stage].wait(ring.parity ^ 1);
        if (lane == 0) {
            end_of_product.ends[ring.stage] = stop;
            filled[ring.stage].arrive();
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
                const unsigned wanted = parts_of(span);
                const unsigned* row = ready + span * (panels_a + panels_b);
                is_ready = load_counter_and_acquire(&row[panels_a + panel_b]) == wanted;
#pragma unroll
                for (int i = 0; i < Shape::panels_m; ++i)
                    is_ready &= load_counter_and_acquire(&row[panel_a + i]) == wanted;
            }
            const unsigned vote = load_counter(&packed.counters[vote_of_blocks]);
            const int spans = __ffs(~__ballot_sync(0xffffffffu, is_ready)) - 1;
            if (__any_sync(0xffffffffu, vote > route_of<Scheme>)) {
                hand_over_nothing(true);
                return;
            }
            if (spans == 0)
                continue;
            __syncwarp(); // what these lanes know of is there for all
            fence_for_copies();
            const int end = min((chunk / plan.span + spans) * plan.span, last);
            for (; chunk < end; ++chunk) {
                emptied[ring.stage].wait(ring.parity ^ 1);
                if (lane == 0)
                    copy_chunk<Shape>(pass, packed, at, chunk, smem, ring.stage);
                ring.advance();
            }
        }
        if (end_of_product.decides() && unit == blockIdx.x) {
            const unsigned all =
                static_cast<unsigned>(panels_a + panels_b) * panel_parts * pass.chunks;
            while (load_counter(&counters[finished_parts]) != all &&
                   load_counter(&packed.counters[vote_of_blocks]) <= route_of<Scheme>)
                ;
            fence_device(); // the findings are there
            const bool stop = decide_now<Scheme>(packed, k) != route_of<Scheme>;
            hand_over_nothing(stop);
            if (stop)
                return;
        }
    }
}

#endif

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    pack_and_multiply_kernel(const sgemm_problem p,
                             const slice_pass pass,
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
    mbarrier* filled = reinterpret_cast<mbarrier*>(smem + Shape::barriers_at);
    mbarrier* emptied = filled + Shape::stages;
    if (threadIdx.x == 0) {
        for (int s = 0; s < Shape::stages; ++s) {
            filled[s].init(1);
            emptied[s].init(Shape::math_threads);
        }
        mbarrier::publish_inits();
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
    if (plan.lead_strips > 0) { // all warps pack, with raw parts in place of stages
        const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
        strip_place at;
        if (at.locate(p, plan, pass, 1, smem_lead + warp, true))
            pack_strip<Scheme>(
                p, pass, plan, packed, at, smem + warp * raw_parts * raw_part_bytes, smem_block);
        fence_async_shared();
        __syncthreads(); // the raw parts have been read: stages may be filled
    }

    if (threadIdx.x < 128) {
        give_up_registers<Shape::copy_registers>();
        const int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
        if (reads) {
            if (warp == 0)
                copy_when_packed<Shape>(pass, plan, tiles, packed, p.k, smem, smem_end);
            else
                pack_claimed_strips<Scheme>(p,
                                            pass,
                                            plan,
                                            tiles.parts,
                                            packed,
                                            smem + Shape::raw_at +
                                                (warp - 1) * raw_parts * raw_part_bytes,
                                            smem_block);
        }
        __syncwarp();
        asm volatile("bar.sync 2, 128;" ::: "memory"); // the block needs the counters no more
        if (warp != 0)
            return;
        // The last block tells the later kernels and clears the counters.
        const int lane = threadIdx.x % 32;
        unsigned finished = 0;
        if (lane == 0) {
            __threadfence(); // the block's findings come before it is counted
            finished = atomicAdd(&packed.counters[finished_blocks], 1) + 1;
            __threadfence(); // and those of others, before they are read
        }
        if (__shfl_sync(0xffffffffu, finished, 0) != gridDim.x)
            return;
        if (lane == 0)
            *packed.taken = decide_now<Scheme>(packed, p.k);
        __syncwarp(); // the findings have been read
        for (int i = lane; i < plan.counters; i += 32)
            if (i < slice_counters || i >= plan.first_counter) // between them those of shared tiles
                packed.counters[i] = 0;
    } else {
        take_registers<Shape::math_registers>();
        if (!multiply_tiles<Shape>(p, pass, packed, tiles, reads, smem, smem_end) &&
            packed.is_alone) {
            math_barrier<Shape>(); // all products have read the stages
            compute_strict_tiles<alone_beside_packing_shape>(
                p, pass, tiles.tiles * tiles.parts, smem);
        }
    }
#endif
}

} // namespace myblas::cuda

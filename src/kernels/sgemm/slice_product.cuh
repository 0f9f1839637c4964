// The product of packed operands (slices.cuh) on the tensor cores of sm_90a.
//
// The products of slices of a chunk, 32 of k, add up in the tensor core, least significant ones first,
// because it truncates while it accumulates; then they are scaled and added in FP32, rounded to nearest.
// Bound: tensor cores, 2 m n k * products flop at the dense rate of 16-bit operands, and power.
//
// Persistent blocks. One warp issues bulk copies, a whole chunk of both block tiles a stage; the
// warpgroups that multiply take stages in turn and, while one adds in FP32, the other keeps the tensor
// cores busy.
// With few tiles several blocks share one, each with a part of the chunks: they leave their sums in the
// workspace, and the last one to finish adds them in ascending order of k: the same bits on every run.
// Shared memory: `stages` of the slices and scales of block_m rows of A and 128 columns of B.
//
//   block tile  block_m x 128, one warpgroup for each halves * 64 rows
//   warpgroup   `halves` tiles of 64 x 128 that share the registers in which the tensor core accumulates
//   thread      32 rows apart by 8 and pairs of columns apart by 8, as wgmma lays them out
#pragma once

#include "kernels/common/tma.cuh"
#include "kernels/common/wgmma.cuh"
#include "kernels/sgemm/slices.cuh"

namespace myblas::cuda {

template <class Scheme_, int groups_, int halves_, int stages_>
struct product_shape {
    using Scheme = Scheme_;
    static constexpr int groups = groups_, halves = halves_, stages = stages_;
    static constexpr int block_m = groups * halves * 64, block_n = panel_rows;
    static constexpr int threads = (groups + 1) * 128;
    static constexpr int panels_m = block_m / panel_rows;
    static constexpr int panel_bytes = Scheme::slices * slice_bytes;
    static constexpr int scale_bytes = panel_rows * sizeof(float);

    // A stage: slices of A, slices of B, scales of A, scales of B.
    static constexpr int slices_b_at = panels_m * panel_bytes;
    static constexpr int scales_a_at = slices_b_at + panel_bytes;
    static constexpr int scales_b_at = scales_a_at + panels_m * scale_bytes;
    static constexpr int stage_bytes = scales_b_at + scale_bytes;
    static constexpr int barriers_at = stages * stage_bytes;
    static constexpr size_t smem_bytes = barriers_at + 2 * stages * sizeof(mbarrier);
    static constexpr int sum_floats = block_m * block_n; // of a part

    static constexpr int copy_registers = 40;
    static constexpr int math_registers = halves == 1 ? 200 : 232;

    static_assert(block_m % panel_rows == 0 && stage_bytes % 512 == 0);
    static_assert(128 * (copy_registers + groups * math_registers) <= 65536);
    static_assert(smem_bytes <= 227 * 1024);
};

// How the tiles of a pass are shared out.
struct tile_plan {
    int64_t tiles; // of all products of the pass
    int parts;     // blocks that share a tile
    int part_chunks;
    float* sums;        // [tile][part][sum_floats]
    unsigned* counters; // of finished parts, one for each tile; null where parts == 1
};

// A tile of the pass: which product of the batch, and where in C's panels.
struct pass_tile {
    int batch, panel_a, panel_b;
};

// Blocks that run at the same time take a patch of tiles about as wide as high, so that they share what
// they read in the L2 cache.
template <class Shape>
__device__ __forceinline__ pass_tile locate_tile(const slice_pass& pass, int64_t tile) {
    constexpr int patch = 2048 / Shape::block_m;
    const int tiles_m = pass.panels_a / Shape::panels_m, tiles_n = pass.panels_b;
    const int64_t product_tiles = int64_t{tiles_m} * tiles_n;
    const int batch = static_cast<int>(tile / product_tiles);
    const int rest = static_cast<int>(tile % product_tiles);
    const int band = rest / (patch * tiles_n), inside = rest % (patch * tiles_n);
    const int band_height = min(tiles_m - band * patch, patch);
    return {batch, (band * patch + inside % band_height) * Shape::panels_m, inside / band_height};
}

// A position in the ring of stages, and the parity of its current phase.
struct ring_position {
    int stage = 0, parity = 0;

    __device__ __forceinline__ void advance(int stages) {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Two warpgroups take turns at the tensor cores, so that one adds in FP32 while the other multiplies. Named
// barrier 2 + g is passed when it is the turn of warpgroup g.
template <int threads>
__device__ __forceinline__ void await_turn(int group) {
    asm volatile("bar.sync %0, %1;" ::"r"(2 + group), "n"(threads) : "memory");
}
template <int threads>
__device__ __forceinline__ void pass_turn(int group) {
    asm volatile("bar.arrive %0, %1;" ::"r"(2 + (group ^ 1)), "n"(threads) : "memory");
}

// The warpgroup's part of one stage, its `halves` tiles of 64 x 128 one after the other, added to acc.
template <class Shape>
__device__ __forceinline__ void
multiply_stage(const char* stage, int group, float (&acc)[Shape::halves][64]) {
    using Scheme = typename Shape::Scheme;
    constexpr auto products = Scheme::products;
    constexpr int math_threads = Shape::groups * 128;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    const int row = group * Shape::halves * 64 + warp * 16 + lane / 4;
    const float* scales_a = reinterpret_cast<const float*>(stage + Shape::scales_a_at) + row;
    const float* scales_b =
        reinterpret_cast<const float*>(stage + Shape::scales_b_at) + lane % 4 * 2;
    const uint32_t slices_b = smem_address(stage) + Shape::slices_b_at;
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half) {
        const int tile = group * Shape::halves + half;
        const uint32_t slices_a =
            smem_address(stage) + tile / 2 * Shape::panel_bytes + tile % 2 * (slice_bytes / 2);
        float sum[64];
        bool accumulates = false;
        await_turn<math_threads>(group);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < products.count; ++i)
#pragma unroll
            for (int kk = 0; kk < chunk_k; kk += 16) {
                wgmma_64x128x16<typename Scheme::slice>(
                    sum,
                    wgmma_descriptor(slices_a + products.of[i].a * slice_bytes + kk * 2),
                    wgmma_descriptor(slices_b + products.of[i].b * slice_bytes + kk * 2),
                    accumulates);
                accumulates = true;
            }
        wgmma_commit();
        pass_turn<math_threads>(group);
        const float scale_a[2] = {scales_a[half * 64], scales_a[half * 64 + 8]};
        wgmma_wait<0>();
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            const float2 scale_b = *reinterpret_cast<const float2*>(scales_b + 8 * j);
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                float* target = &acc[half][4 * j + 2 * r];
                target[0] = fmaf(sum[4 * j + 2 * r], scale_a[r] * scale_b.x, target[0]);
                target[1] = fmaf(sum[4 * j + 2 * r + 1], scale_a[r] * scale_b.y, target[1]);
            }
        }
    }
}

// Once all blocks have read the counters, the last of them tells the later kernels and clears them.
__device__ __forceinline__ void publish_route(const packed_pass& packed, route taken) {
    __threadfence(); // the counters have been read before the block is counted
    if (atomicAdd(&packed.counters[finished_blocks], 1) + 1 != gridDim.x)
        return;
    for (int i = 0; i < slice_counters; ++i)
        packed.counters[i] = 0;
    *packed.taken = taken;
}

// Adds the parts of a tile where it has several. Returns whether this block has the whole sum, and so
// writes C.
template <class Shape>
__device__ __forceinline__ bool
add_parts(const tile_plan& plan, int64_t tile, int part, float (&acc)[Shape::halves][64]) {
    constexpr int math_threads = Shape::groups * 128;
    if (plan.parts == 1)
        return true;
    __shared__ bool is_last;
    const int thread = threadIdx.x - 128;
    float* sums = plan.sums + tile * plan.parts * Shape::sum_floats + thread;
    float* mine = sums + int64_t{part} * Shape::sum_floats;
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
        for (int i = 0; i < 64; ++i)
            mine[(half * 64 + i) * math_threads] = acc[half][i];
    __threadfence(); // the sums are visible before the part is counted
    asm volatile("bar.sync 1, %0;" ::"n"(math_threads) : "memory"); // all threads' are
    if (thread == 0)
        is_last = atomicInc(&plan.counters[tile], plan.parts - 1) == plan.parts - 1u;
    asm volatile("bar.sync 1, %0;" ::"n"(math_threads) : "memory"); // thread 0 has told
    if (!is_last)
        return false;
    __threadfence(); // all parts are counted: their sums are read from here on
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
        for (int i = 0; i < 64; ++i)
            acc[half][i] = sums[(half * 64 + i) * math_threads];
    for (int other = 1; other < plan.parts; ++other) {
        sums += Shape::sum_floats;
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int i = 0; i < 64; ++i)
                acc[half][i] += sums[(half * 64 + i) * math_threads];
    }
    return true;
}

template <class Shape>
__device__ __forceinline__ void write_tile(const sgemm_problem& p,
                                           const slice_pass& pass,
                                           const sgemm_operands& o,
                                           const pass_tile& at,
                                           const float (&acc)[Shape::halves][64]) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    const int group = threadIdx.x / 128 - 1;
    const int64_t row =
        int64_t{at.panel_a} * panel_rows + group * Shape::halves * 64 + warp * 16 + lane / 4;
    const int64_t col = int64_t{at.panel_b} * panel_rows + lane % 4 * 2;
    const float beta = pass.first_k == 0 ? o.beta : 1;
    float* c = o.c + pass.row + row + (pass.col + col) * p.ldc;
    const int64_t rows = pass.rows - row, cols = pass.cols - col; // that are left
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
        for (int j = 0; j < 16; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = half * 64 + e / 2 * 8, l = 8 * j + e % 2;
                if (i < rows && l < cols)
                    store_c(c + i + l * p.ldc, o.alpha, acc[half][4 * j + e], beta);
            }
}

#endif

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1) product_kernel(const sgemm_problem p,
                                                                    const slice_pass pass,
                                                                    const packed_pass packed,
                                                                    const tile_plan plan) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    constexpr route own = route_of<typename Shape::Scheme>;
    if (packed.is_fallback && *packed.taken != own)
        return;
    const route taken = decide(packed.counters, own, p.k);
    extern __shared__ __align__(1024) char stages[];
    mbarrier* filled = reinterpret_cast<mbarrier*>(stages + Shape::barriers_at);
    mbarrier* emptied = filled + Shape::stages;
    if (threadIdx.x == 0) {
        for (int s = 0; s < Shape::stages; ++s) {
            filled[s].init(1);
            emptied[s].init(Shape::groups * 4);
        }
        mbarrier::publish_inits();
    }
    __syncthreads(); // the barriers are initialised, and the block has read the counters
    if (threadIdx.x == 32)
        publish_route(packed, taken);
    if (taken != own)
        return;

    const bool reads = p.k != 0 && resolve(p.alpha) != 0;
    const int64_t units = plan.tiles * plan.parts;
    ring_position ring;
    if (threadIdx.x < 128) {
        give_up_registers<Shape::copy_registers>();
        if (threadIdx.x != 0 || !reads)
            return;
        const int64_t panels_a = pass.batches * pass.panels_a;
        const int64_t panels_b = pass.batches * pass.panels_b;
        for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
            const pass_tile at = locate_tile<Shape>(pass, unit / plan.parts);
            const int first = static_cast<int>(unit % plan.parts) * plan.part_chunks;
            const int last = min(first + plan.part_chunks, pass.chunks);
            const int64_t panel_a = int64_t{at.batch} * pass.panels_a + at.panel_a;
            const int64_t panel_b = int64_t{at.batch} * pass.panels_b + at.panel_b;
            for (int chunk = first; chunk < last; ++chunk) {
                const int64_t at_a = chunk * panels_a + panel_a;
                const int64_t at_b = chunk * panels_b + panel_b;
                char* stage = stages + ring.stage * Shape::stage_bytes;
                mbarrier& barrier = filled[ring.stage];
                emptied[ring.stage].wait(ring.parity ^ 1);
                barrier.arrive_expecting(Shape::stage_bytes);
                copy_bytes(stage,
                           packed.a.slices + at_a * Shape::panel_bytes,
                           Shape::panels_m * Shape::panel_bytes,
                           barrier);
                copy_bytes(stage + Shape::slices_b_at,
                           packed.b.slices + at_b * Shape::panel_bytes,
                           Shape::panel_bytes,
                           barrier);
                copy_bytes(stage + Shape::scales_a_at,
                           packed.a.scales + at_a * panel_rows,
                           Shape::panels_m * Shape::scale_bytes,
                           barrier);
                copy_bytes(stage + Shape::scales_b_at,
                           packed.b.scales + at_b * panel_rows,
                           Shape::scale_bytes,
                           barrier);
                ring.advance(Shape::stages);
            }
        }
    } else {
        take_registers<Shape::math_registers>();
        const int group = threadIdx.x / 128 - 1;
        if (group == 1)
            pass_turn<Shape::groups * 128>(group);
        for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
            const int64_t tile = unit / plan.parts;
            const int part = static_cast<int>(unit % plan.parts);
            const pass_tile at = locate_tile<Shape>(pass, tile);
            float acc[Shape::halves][64] = {};
            const int chunks =
                reads ? min(plan.part_chunks, pass.chunks - part * plan.part_chunks) : 0;
            for (int chunk = 0; chunk < chunks; ++chunk) {
                filled[ring.stage].wait(ring.parity);
                multiply_stage<Shape>(stages + ring.stage * Shape::stage_bytes, group, acc);
                __syncwarp(); // the warp has read the stage's scales
                if (threadIdx.x % 32 == 0)
                    emptied[ring.stage].arrive();
                ring.advance(Shape::stages);
            }
            if (add_parts<Shape>(plan, tile, part, acc))
                write_tile<Shape>(
                    p, pass, resolve_operands(p, pass.first_batch + at.batch), at, acc);
        }
        if (group == 0)
            await_turn<Shape::groups * 128>(group); // the last one that was passed
    }
#endif
}

} // namespace myblas::cuda

// The product of packed operands (slices.cuh) on the tensor cores of sm_90a.
//
// The products of slices of a chunk, 32 of k, add up in the tensor core, least significant ones first,
// because it truncates while it accumulates; then they are scaled and added in FP32, rounded to nearest: one
// fma an element, for more would not fit beside the tensor core, which takes a register of each file's two
// reads a clock for its sums. Scales are therefore those of parts, four a thread; those of lines come last.
// Bound: tensor cores, 2 m n k * products flop at the dense rate of 16-bit operands, and power.
//
// Persistent blocks. One warp issues bulk copies, a whole chunk of both block tiles a stage; while one of the
// warpgroups that multiply adds in FP32, the other keeps the tensor cores busy, for which they take turns, and where
// its registers hold two sums, itself.
// With few tiles several blocks share one, each with a range of the chunks. Up to 4 are a cluster, and each
// adds and writes its share of the columns from the shared memory of all; more leave their sums in the
// workspace, and the last one to finish adds them. Always in ascending order of k: the same bits on every run.
// A block's only tile is written through shared memory, too. Where nothing is launched behind it (is_alone), the
// kernel computes on the FP32 units what the slices cannot hold (slice_strict.cuh), with tiles of 128 x 64.
// Shared memory: `stages` of the slices and part scales of block_m rows of A and 128 columns of B.
//
//   block tile  block_m x 128, one warpgroup for each halves * 64 rows
//   warpgroup   `halves` tiles of 64 x 128; two share the registers in which the tensor core accumulates, one has
//               them twice
//   thread      32 rows apart by 8 and pairs of columns apart by 8, as wgmma lays them out
#pragma once

#include "kernels/common/cluster.cuh"
#include "kernels/common/overlap.h"
#include "kernels/common/tma.cuh"
#include "kernels/common/wgmma.cuh"
#include "kernels/sgemm/slice_strict.cuh"
#include "kernels/sgemm/slices.cuh"

#include <type_traits>

namespace myblas::cuda {

template <class Scheme_, int groups_, int halves_, int stages_>
struct product_shape {
    using Scheme = Scheme_;
    static constexpr int groups = groups_, halves = halves_, stages = stages_;
    static constexpr bool takes_turns = halves == 2; // of the warpgroups
    static constexpr int block_m = groups * halves * 64, block_n = panel_rows;
    static constexpr int math_threads = groups * 128;
    static constexpr int threads = math_threads + 128;
    static constexpr int panels_m = block_m / panel_rows;
    static constexpr int panel_bytes = Scheme::slices * slice_bytes;
    static constexpr int panel_scales_bytes = panel_parts * sizeof(float);

    // Of each stage the slices of A and of B; of each the scales of A and of B; barriers.
    static constexpr int slices_b_at = panels_m * panel_bytes;
    static constexpr int slices_bytes = slices_b_at + panel_bytes;
    static constexpr int scales_at = stages * slices_bytes;
    static constexpr int scales_b_at = panels_m * panel_scales_bytes;
    static constexpr int scales_bytes = scales_b_at + panel_scales_bytes;
    static constexpr int barriers_at = scales_at + stages * scales_bytes;
    static constexpr size_t smem_bytes = barriers_at + 2 * stages * sizeof(mbarrier);
    static constexpr int sum_floats = block_m * block_n; // of a part
    // Floats of a column in shared memory, such that neither threads that write nor threads that read meet in a bank.
    static constexpr int shared_column = block_m + 4;

    static constexpr int copy_registers = 40;
    static constexpr int math_registers = 232;

    static_assert(block_m % panel_rows == 0 && slices_bytes % 512 == 0);
    static_assert(128 * (copy_registers + groups * math_registers) <= 65536);
    static_assert(smem_bytes <= 227 * 1024);
    static_assert(block_n * (shared_column + 1) * sizeof(float) <= scales_at);
};

// What a product kernel that is alone computes on the FP32 units: 1024 cubed has a tile for each block.
using alone_shape = warp_tile_shape<128, 64, 16, 32, 32, 8, 4>;

inline constexpr int largest_tile_cluster = 4; // more reach fewer multiprocessors

// How the tiles of a pass are shared out.
struct tile_plan {
    unsigned tiles; // of all products of the pass. (No memory holds the lines of 2^32.)
    int parts;      // blocks that share a tile
    int part_chunks;
    float* sums;        // [tile][part][sum_floats]
    unsigned* counters; // of finished parts, one for each tile
};

// A tile of the pass: which product of the batch, and where in C's panels.
struct pass_tile {
    int batch, panel_a, panel_b;
};

// Blocks that run at the same time take a patch of tiles about as wide as high, so that they share what
// they read in the L2 cache. Of a patch, tiles along m:
template <class Shape>
inline constexpr unsigned tile_patch = 2048 / Shape::block_m;

template <class Shape>
__device__ __forceinline__ pass_tile locate_tile(const slice_pass& pass, unsigned tile) {
    constexpr unsigned patch = tile_patch<Shape>;
    const unsigned tiles_m = pass.panels_a / Shape::panels_m, tiles_n = pass.panels_b;
    const unsigned batch = tile / (tiles_m * tiles_n), rest = tile % (tiles_m * tiles_n);
    const unsigned band = rest / (patch * tiles_n), inside = rest % (patch * tiles_n);
    const unsigned band_height = min(tiles_m - band * patch, patch);
    return {static_cast<int>(batch),
            static_cast<int>((band * patch + inside % band_height) * Shape::panels_m),
            static_cast<int>(inside / band_height)};
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Where a warpgroup finds its slices in the first stage.
template <class Shape>
struct group_slices {
    wgmma_tile<chunk_k * 2> a, b;

    __device__ __forceinline__ group_slices(const char* smem, int group)
        : a(smem_address(smem) + group * Shape::halves / 2 * Shape::panel_bytes +
            group * Shape::halves % 2 * (slice_bytes / 2)),
          b(smem_address(smem) + Shape::slices_b_at) {}
};

// The scales of a chunk's parts: of those with a thread's rows, and of those of all columns.
template <class Shape>
struct chunk_scales {
    float of_a[Shape::halves], of_b[panel_parts];

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

// A warpgroup's product of a chunk, of 64 rows and 128 columns, while the tensor core adds it up.
template <class Shape>
struct chunk_product {
    float sum[64];
    float scale[panel_parts]; // of the parts of its columns

    // Starts the product of the warpgroup's `half` in a stage; in two steps, where groups take turns. Descriptors are
    // one addition each, so that the tensor core gets one wgmma right behind the other.
    __device__ __forceinline__ void start(const group_slices<Shape>& slices,
                                          const chunk_scales<Shape>& scales,
                                          int stage,
                                          int half) {
        using Scheme = typename Shape::Scheme;
        constexpr auto products = Scheme::products;
#pragma unroll
        for (int i = 0; i < panel_parts; ++i)
            scale[i] = scales.of_a[half] * scales.of_b[i];
        const auto a = slices.a.after(stage * Shape::slices_bytes);
        const auto b = slices.b.after(stage * Shape::slices_bytes);
        constexpr int all = products.count * (chunk_k / 16);
        int started = 0;
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < products.count; ++i)
#pragma unroll
            for (int kk = 0; kk < chunk_k; kk += 16) {
                wgmma_64x128x16<typename Scheme::slice>(
                    sum,
                    a.after(half * (slice_bytes / 2) + products.of[i].a * slice_bytes + kk * 2)
                        .descriptor(),
                    b.after(products.of[i].b * slice_bytes + kk * 2).descriptor(),
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

    // Waits until no more than `pending` later products are on their way, and adds this one.
    template <int pending>
    __device__ __forceinline__ void add_to(float (&acc)[64]) {
        wgmma_wait<pending>();
#pragma unroll
        for (int i = 0; i < 64; ++i)
            acc[i] = fmaf(sum[i], scale[i / (64 / panel_parts)], acc[i]);
    }
};

// Once all blocks have read the counters, the last of them tells the later kernels and clears them.
__device__ __forceinline__ void publish_route(const packed_pass& packed, route taken) {
    __threadfence(); // the counters have been read before the block is counted
    if (atomicAdd(&packed.counters[finished_blocks], 1) + 1 != gridDim.x)
        return;
    for (int i = 0; i < slice_counters; ++i)
        packed.counters[i] = 0;
    *packed.taken = taken;
}

// All threads that multiply, of this block.
template <class Shape>
__device__ __forceinline__ void math_barrier() {
    asm volatile("bar.sync 1, %0;" ::"n"(Shape::math_threads) : "memory");
}

// Adds the parts of a tile where it has several that are no cluster. Returns whether this block has the whole
// sum, and so writes C.
template <class Shape>
__device__ __forceinline__ bool
add_parts(const tile_plan& plan, unsigned tile, int part, float (&acc)[Shape::halves][64]) {
    constexpr int math_threads = Shape::math_threads;
    if (plan.parts <= largest_tile_cluster)
        return true;
    __shared__ bool is_last;
    const int thread = threadIdx.x - 128;
    float* sums = plan.sums + int64_t{tile} * plan.parts * Shape::sum_floats + thread;
    float* mine = sums + int64_t{part} * Shape::sum_floats;
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
        for (int i = 0; i < 64; ++i)
            mine[(half * 64 + i) * math_threads] = acc[half][i];
    __threadfence();       // the sums are visible before the part is counted
    math_barrier<Shape>(); // all threads' are
    if (thread == 0)
        is_last = atomicInc(&plan.counters[tile], plan.parts - 1) == plan.parts - 1u;
    math_barrier<Shape>(); // thread 0 has told
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

// Where a tile of C lies.
struct tile_target {
    const float *scales_a, *scales_b; // of the tile's lines; null where there are none
    float* c;
    int64_t ldc, rows, cols; // rows and columns that are left
    float alpha, beta;

    __device__ __forceinline__ tile_target(const sgemm_problem& p,
                                           const slice_pass& pass,
                                           const packed_pass& packed,
                                           const pass_tile& at) {
        const sgemm_operands o = resolve_operands(p, pass.first_batch + at.batch);
        const int64_t row = int64_t{at.panel_a} * panel_rows;
        const int64_t col = int64_t{at.panel_b} * panel_rows;
        const int64_t line_a = int64_t{at.batch} * pass.panels_a * panel_rows + row;
        const int64_t line_b = int64_t{at.batch} * pass.panels_b * panel_rows + col;
        const bool has_scales = o.k != 0; // else none were written
        scales_a = has_scales ? packed.a.line_scales + line_a : nullptr;
        scales_b = has_scales ? packed.b.line_scales + line_b : nullptr;
        c = o.c + pass.row + row + (pass.col + col) * p.ldc;
        ldc = p.ldc;
        rows = pass.rows - row;
        cols = pass.cols - col;
        alpha = o.alpha;
        beta = pass.first_k == 0 ? o.beta : 1;
    }
};

// Writes what a thread has of a tile: element e of acc[half] is in row half * 64 + e / 2 % 2 * 8 and column
// e / 4 * 8 + e % 2 from its first.
template <class Shape>
__device__ __forceinline__ void write_tile(const tile_target& tile,
                                           float (&acc)[Shape::halves][64]) {
    // What follows from it is not kept while the tile is multiplied.
    const int thread = fresh_thread();
    const int lane = thread % 32, warp = thread / 32 % 4;
    const int group = thread / 128 - 1;
    const int row = group * Shape::halves * 64 + warp * 16 + lane / 4, col = lane % 4 * 2;
    if (tile.scales_a) { // all are loaded before anything is written, as loads do not pass stores
        float scales_a[Shape::halves][2], scales_b[32];
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                scales_a[half][r] = tile.scales_a[row + half * 64 + r * 8];
#pragma unroll
        for (int i = 0; i < 32; ++i)
            scales_b[i] = tile.scales_b[col + i / 2 * 8 + i % 2];
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int e = 0; e < 64; ++e)
                acc[half][e] =
                    acc[half][e] * scales_a[half][e / 2 % 2] * scales_b[e / 4 * 2 + e % 2];
    }
    float* const c = tile.c + row + col * tile.ldc;
    if (tile.rows >= Shape::block_m && tile.cols >= Shape::block_n) {
        constexpr int batch = 16; // loads in flight
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int first = 0; first < 64; first += batch) {
                float* const target = c + half * 64 + first / 4 * 8 * tile.ldc;
                const auto at = [&](int e) {
                    return target + e / 2 % 2 * 8 + (e / 4 * 8 + e % 2) * tile.ldc;
                };
                float old[batch] = {};
                if (tile.beta != 0) {
#pragma unroll
                    for (int e = 0; e < batch; ++e)
                        old[e] = *at(e);
                }
#pragma unroll
                for (int e = 0; e < batch; ++e) {
                    const float scaled = tile.alpha * acc[half][first + e];
                    *at(e) = tile.beta == 0 ? scaled : fmaf(tile.beta, old[e], scaled);
                }
            }
        return;
    }
#pragma unroll
    for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
        for (int e = 0; e < 64; ++e) {
            const int i = half * 64 + e / 2 % 2 * 8, l = e / 4 * 8 + e % 2;
            if (row + i < tile.rows && col + l < tile.cols)
                store_c(c + i + l * tile.ldc, tile.alpha, acc[half][e], tile.beta);
        }
}

// Adds and writes a tile whose parts a cluster has, or one block alone. The sums meet in shared memory, column by
// column, and each block takes every parts-th group of columns. `smem` are the stages, which no copy uses any more.
template <class Shape>
__device__ __forceinline__ void write_shared_tile(const tile_target& tile,
                                                  int parts,
                                                  int part,
                                                  float* smem,
                                                  const float (&acc)[Shape::halves][64]) {
    constexpr int column = Shape::shared_column;
    constexpr int quads = Shape::block_m / 4;                      // of a column
    constexpr int group_cols = Shape::math_threads / quads;        // a quad a thread
    constexpr int groups = Shape::block_n / group_cols, batch = 4; // groups in flight
    const int thread = threadIdx.x - 128, lane = thread % 32, warp = thread / 32 % 4;
    float* const smem_scales = smem + Shape::block_n * column; // of the columns
    math_barrier<Shape>();                                     // all products have read the stages
    {
        const int row = thread / 128 * Shape::halves * 64 + warp * 16 + lane / 4;
        float* mine = smem + lane % 4 * 2 * column + row;
#pragma unroll
        for (int half = 0; half < Shape::halves; ++half)
#pragma unroll
            for (int e = 0; e < 64; ++e)
                mine[(e / 4 * 8 + e % 2) * column + half * 64 + e / 2 % 2 * 8] = acc[half][e];
    }
    const int row = thread % quads * 4;
    float4 scales_a = make_float4(1, 1, 1, 1);
    if (thread < Shape::block_n)
        smem_scales[thread] = tile.scales_b ? tile.scales_b[thread] : 1;
    if (tile.scales_a)
        scales_a = *reinterpret_cast<const float4*>(tile.scales_a + row);
    const bool vector = aligned16(tile.c, tile.ldc);
    const auto meet = [&] {
        if (parts > 1)
            cluster_barrier();
        else
            math_barrier<Shape>();
    };
    meet(); // the sums of all blocks are written
    for (int first = part; first < groups; first += batch * parts) {
        float4 sums[batch] = {};
        for (int other = 0; other < parts; ++other) {
            float4 quad[batch];
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                const int group = min(first + i * parts, groups - 1);
                quad[i] = load_quad_from_block(
                    smem + (group * group_cols + thread / quads) * column + row, other);
            }
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                sums[i].x += quad[i].x, sums[i].y += quad[i].y;
                sums[i].z += quad[i].z, sums[i].w += quad[i].w;
            }
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            const int group = first + i * parts, col = group * group_cols + thread / quads;
            if (group >= groups || col >= tile.cols || row >= tile.rows)
                continue;
            const float scale_b = smem_scales[col];
            const float product[4] = {sums[i].x * scales_a.x * scale_b,
                                      sums[i].y * scales_a.y * scale_b,
                                      sums[i].z * scales_a.z * scale_b,
                                      sums[i].w * scales_a.w * scale_b};
            store_c4(tile.c + row + col * tile.ldc,
                     tile.alpha,
                     product,
                     tile.beta,
                     tile.rows - row,
                     vector);
        }
    }
    meet(); // the sums of this block have been read
}

// Starts the copies of a chunk of a tile into a stage.
template <class Shape>
__device__ __forceinline__ void copy_chunk(const slice_pass& pass,
                                           const packed_pass& packed,
                                           const pass_tile& at,
                                           int chunk,
                                           char* smem,
                                           int stage) {
    const auto place = [&](int panel, int panels) { // of the product's
        return int64_t{panel_place(at.batch * panels + panel,
                                   static_cast<unsigned>(pass.batches) * panels,
                                   chunk,
                                   pass.chunks)};
    };
    const int64_t at_a = place(at.panel_a, pass.panels_a), at_b = place(at.panel_b, pass.panels_b);
    char* slices = smem + stage * Shape::slices_bytes;
    char* scales = smem + Shape::scales_at + stage * Shape::scales_bytes;
    mbarrier& barrier = reinterpret_cast<mbarrier*>(smem + Shape::barriers_at)[stage];
    barrier.arrive_expecting(Shape::slices_bytes + Shape::scales_bytes);
    copy_bytes(slices,
               packed.a.slices + at_a * Shape::panel_bytes,
               Shape::panels_m * Shape::panel_bytes,
               barrier);
    copy_bytes(slices + Shape::slices_b_at,
               packed.b.slices + at_b * Shape::panel_bytes,
               Shape::panel_bytes,
               barrier);
    copy_bytes(scales,
               packed.a.part_scales + at_a * panel_parts,
               Shape::panels_m * Shape::panel_scales_bytes,
               barrier);
    copy_bytes(scales + Shape::scales_b_at,
               packed.b.part_scales + at_b * panel_parts,
               Shape::panel_scales_bytes,
               barrier);
}

// Turns of the two warpgroups to start a product, so that they never fall into step, where the tensor core waits for
// both of them while they add in FP32: a group starts when the first step of the other's product is done.
template <class Shape>
class group_turns {
public:
    explicit __device__ __forceinline__ group_turns(int group) : group_(group) {
        if (Shape::takes_turns && group != 0)
            pass();
    }
    __device__ __forceinline__ void take() const {
        asm volatile("bar.sync %0, %1;" ::"r"(first_barrier + group_), "n"(Shape::math_threads)
                     : "memory");
    }
    __device__ __forceinline__ void pass() const {
        asm volatile("bar.arrive %0, %1;" ::"r"(first_barrier + 1 - group_),
                     "n"(Shape::math_threads)
                     : "memory");
    }
    // After as many turns of both groups.
    __device__ __forceinline__ ~group_turns() {
        if (Shape::takes_turns && group_ == 0)
            take(); // the other group's last one
    }

private:
    static_assert(!Shape::takes_turns || Shape::groups == 2);
    static constexpr int first_barrier = 3;
    int group_;
};

// Adds up chunks where registers hold the sums of two: while one is added in FP32, the tensor core has the next
// to do. (Without, the warpgroups fall into step, and it waits for both.)
template <class Shape>
__device__ __forceinline__ void add_chunks(
    char* smem, int group, int chunks, ring_position<Shape::stages>& ring, float (&acc)[64]) {
    const group_slices<Shape> slices(smem, group);
    mbarrier* filled = reinterpret_cast<mbarrier*>(smem + Shape::barriers_at);
    mbarrier* emptied = filled + Shape::stages;
    ring_position<Shape::stages> oldest = ring;
    chunk_product<Shape> even, odd;
    const auto start = [&](chunk_product<Shape>& product) {
        filled[ring.stage].wait(ring.parity);
        const chunk_scales<Shape> scales(smem, ring.stage, group);
        product.start(slices, scales, ring.stage, 0);
        ring.advance();
    };
    const auto release = [&] {
        emptied[oldest.stage].arrive_after_loads();
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

// A product that goes on to its end. See slice_overlap.cuh for one that may not.
struct never_stop {
    __device__ static bool decides() { return false; }
    __device__ static bool at(int) { return false; }
};

// The work of the warps that multiply: the block's tiles. `stop` says of a stage that was filled whether it holds
// word, and no slices, that the product shall end, and whether before C is first written a stage without
// slices comes, to decide this. Returns whether the product went on to its end.
template <class Shape, class Stop>
__device__ __forceinline__ bool multiply_tiles(const sgemm_problem& p,
                                               const slice_pass& pass,
                                               const packed_pass& packed,
                                               const tile_plan& plan,
                                               bool reads,
                                               char* smem,
                                               const Stop& stop) {
    mbarrier* filled = reinterpret_cast<mbarrier*>(smem + Shape::barriers_at);
    mbarrier* emptied = filled + Shape::stages;
    // Told to the compiler to be one of the warp, so that descriptors live in uniform registers.
    const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128 - 1, 0);
    const group_turns<Shape> turns(group);
    const unsigned units = plan.tiles * plan.parts;
    ring_position<Shape::stages> ring;
    for (unsigned unit = blockIdx.x; unit < units; unit += gridDim.x) {
        const unsigned tile = unit / plan.parts;
        const int part = static_cast<int>(unit % plan.parts);
        const pass_tile at = locate_tile<Shape>(pass, tile);
        float acc[Shape::halves][64] = {};
        const int chunks = reads ? min(plan.part_chunks, pass.chunks - part * plan.part_chunks) : 0;
        bool stops = false;
        if constexpr (Shape::halves == 1) {
            static_assert(std::is_same_v<Stop, never_stop>);
            add_chunks<Shape>(smem, group, chunks, ring, acc[0]);
        } else {
            const group_slices<Shape> slices(smem, group);
            for (int chunk = 0; chunk < chunks; ++chunk) {
                filled[ring.stage].wait(ring.parity);
                stops = stop.at(ring.stage);
                if (stops)
                    break;
                const chunk_scales<Shape> scales(smem, ring.stage, group);
                chunk_product<Shape> product;
#pragma unroll
                for (int half = 0; half < Shape::halves; ++half) {
                    turns.take();
                    product.start(slices, scales, ring.stage, half);
                    product.await_first_step();
                    turns.pass();
                    product.template add_to<0>(acc[half]);
                }
                emptied[ring.stage].arrive_after_loads();
                ring.advance();
            }
        }
        if (stop.decides() && unit == blockIdx.x && !stops) {
            filled[ring.stage].wait(ring.parity);
            stops = stop.at(ring.stage);
            emptied[ring.stage].arrive_after_loads();
            ring.advance();
        }
        // Blocks that share a tile meet, though only some may have been stopped yet, unless nothing is written
        // before all have.
        if (stops && (stop.decides() || plan.parts == 1))
            return false;
        const tile_target target(p, pass, packed, at);
        // A block's only tile takes the same way, by whole columns.
        const bool is_only = plan.parts == 1 && units <= gridDim.x;
        if (is_only || (plan.parts > 1 && plan.parts <= largest_tile_cluster)) {
            write_shared_tile<Shape>(target, plan.parts, part, reinterpret_cast<float*>(smem), acc);
        } else if (add_parts<Shape>(plan, tile, part, acc))
            write_tile<Shape>(target, acc);
        if (stops)
            return false;
    }
    return true;
}

#endif

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1) product_kernel(const sgemm_problem p,
                                                                    const slice_pass pass,
                                                                    const packed_pass packed,
                                                                    const tile_plan plan) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    constexpr route own = route_of<typename Shape::Scheme>;
    extern __shared__ __align__(1024) char smem[];
    mbarrier* filled = reinterpret_cast<mbarrier*>(smem + Shape::barriers_at);
    mbarrier* emptied = filled + Shape::stages;
    if (threadIdx.x == 0) {
        for (int s = 0; s < Shape::stages; ++s) {
            filled[s].init(1);
            emptied[s].init(Shape::math_threads);
        }
        mbarrier::publish_inits();
    }
    wait_for_earlier_work();
    let_next_kernel_come();
    if (packed.is_fallback && *packed.taken != own)
        return;
    const route taken = decide<typename Shape::Scheme>(packed.counters, p.k, packed.other);
    __syncthreads(); // the barriers are initialised, and the block has read the counters
    if (threadIdx.x == 32)
        publish_route(packed, taken);
    if constexpr (Shape::halves == 1) { // stands here so that it is compiled behind the rest
        static_assert(warp_tile<alone_shape, true, false, false>::smem_bytes <= Shape::smem_bytes);
        if (packed.is_alone && taken != own) {
            if (threadIdx.x < alone_shape::threads)
                compute_strict_tiles<alone_shape>(p, pass, gridDim.x, smem);
            return;
        }
    }
    if (taken != own)
        return;

    const bool reads = p.k != 0 && resolve(p.alpha) != 0;
    if (threadIdx.x < 128) {
        give_up_registers<Shape::copy_registers>();
        if (threadIdx.x != 0 || !reads)
            return;
        ring_position<Shape::stages> ring;
        for (unsigned unit = blockIdx.x; unit < plan.tiles * plan.parts; unit += gridDim.x) {
            const pass_tile at = locate_tile<Shape>(pass, unit / plan.parts);
            const int first = static_cast<int>(unit % plan.parts) * plan.part_chunks;
            const int last = min(first + plan.part_chunks, pass.chunks);
            for (int chunk = first; chunk < last; ++chunk) {
                emptied[ring.stage].wait(ring.parity ^ 1);
                copy_chunk<Shape>(pass, packed, at, chunk, smem, ring.stage);
                ring.advance();
            }
        }
    } else {
        take_registers<Shape::math_registers>();
        multiply_tiles<Shape>(p, pass, packed, plan, reads, smem, never_stop());
    }
#endif
}

} // namespace myblas::cuda

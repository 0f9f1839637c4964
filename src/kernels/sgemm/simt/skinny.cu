// skinny: C = alpha op(A) op(B) + beta C with a short side of C, up to 32, and any k: from matrix
// times vector to dot products.
//
// New: operands stream through shared memory in the order of global memory. The threads of a block,
// the blocks of a cluster and several clusters split k (components/cluster_split.cuh).
//
// Bound: reading the long operand once, 4 max(m, n) k bytes. A thread does little with each element
// but must have many in flight. Slabs are therefore deep in k (whole sectors wherever k runs along
// memory), and a block keeps several slabs in flight. Tiles are narrow, so that there is a block
// for every multiprocessor before k is split over blocks, which costs a reduction.
//
// Roles: one of op(A) and op(B) is the long operand, with `l` lines (rows of op(A) or columns of
// op(B)) in a tile. The other is the short operand, with `s` lines. If B is the long operand, the
// kernel computes C^T = op(B)^T op(A)^T. This makes four forms instead of eight: two orders in
// memory for each operand.
//
//   slab         block_k of k of all lines of a tile, by cp.async, in the order of global memory:
//                line after line if k runs along memory, otherwise k after k. Both are read in
//                quads: four k of one line, or four lines at one k.
//   thread tile  thread_l x thread_s, over four k at a time
//   warp         lanes_l x lanes_s x lanes_k; lanes that differ in lanes_k take different quads of
//                k
//   block        warps_s x warps_k; warps that differ in warps_k take different quads of k
//
// At the end, lanes with the same elements add them by shuffles, and each lane keeps a fraction.
// The sums of the warps_k are the copies of cluster_split.cuh. The short side selects the tile.
// Rounding a side up to the tile costs shared memory, but no traffic. If both sides are short, all
// threads split k: a thread tile is the whole of C, or one of a few parts.
//
// Shared memory: 3 to 6 stages of both operands, depending on the shape.
// Workspace: if one cluster for each tile leaves multiprocessors idle, one tile for each cluster.
// Launch: 128 or 256 threads for each split of a tile of C, in clusters of up to 8 blocks.
// Accepts: every product whose blocks fit into a grid. If the short side exceeds 32, it is cut into
// tiles of 32 lines, or of 16 if k is short; each tile reads the long operand again, from the L2
// cache.
#include "kernels/common/cp_async.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/sgemm/components/cluster_split.cuh"
#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

struct skinny_parameters {
    int block_l, block_s, block_k; // block tile
    int stages;
    int blocks_per_sm;      // the registers must suffice for this number
    int busy_blocks;        // blocks that keep a multiprocessor busy
    int thread_l, thread_s; // thread tile
    int lanes_l, lanes_s;   // of a warp
    int warps_s, warps_k;   // of a block
};

template <skinny_parameters of>
struct skinny_shape {
    static constexpr int block_l = of.block_l, block_s = of.block_s, block_k = of.block_k;
    static constexpr int thread_l = of.thread_l, thread_s = of.thread_s;
    static constexpr int lanes_l = of.lanes_l, lanes_s = of.lanes_s;
    static constexpr int lanes_k = 32 / (lanes_l * lanes_s);
    static constexpr int warps_s = of.warps_s, warps_k = of.warps_k;
    static constexpr int stages = of.stages, blocks_per_sm = of.blocks_per_sm;
    static constexpr int busy_blocks = of.busy_blocks;

    static constexpr int threads = warps_s * warps_k * 32;
    static constexpr int k_groups = lanes_k * warps_k;
    static constexpr int copies = warps_k; // of a tile, for cluster_split.cuh

    static_assert(block_l == thread_l * lanes_l && thread_l % 4 == 0);
    static_assert(block_s == thread_s * lanes_s * warps_s && thread_s % 4 == 0);
    static_assert(block_k % (4 * k_groups) == 0 && stages >= 2);
};

// One of the two operands, as lines.
struct line_operand {
    const float* gmem;
    int64_t ld;
    int64_t lines;
};

// A slab of one operand in shared memory, and this thread's copies into it.
template <int lines, bool k_contiguous, class Shape>
struct skinny_slab {
    static constexpr int block_k = Shape::block_k, threads = Shape::threads;
    static constexpr int inner = k_contiguous ? block_k : lines; // extent along memory
    static constexpr int outer = k_contiguous ? lines : block_k;
    // Rows of quads. Where k runs along memory, a pad of one quad follows every row. Where lines
    // run along memory and rows are so short that several of them cover the banks, a pad follows
    // every four rows.
    static constexpr int rows_to_pad = k_contiguous ? 1 : lines < 32 ? 4 : 0;

    static __host__ __device__ constexpr int row_offset(int row) {
        return row * inner + (rows_to_pad ? row / rows_to_pad * 4 : 0);
    }
    static constexpr int floats = row_offset(outer);

    const float* gmem; // of this thread's first copy of the next slab
    int64_t ld;
    bool quads;     // the operand begins at a multiple of 16 bytes, and so do its rows
    int row, at;    // of this thread's first copy, in the slab
    int lines_left; // from the slab's first line to the operand's end, may be <= 0

    __device__ skinny_slab(const line_operand& x, int64_t first_line, int64_t first_k)
        : ld(x.ld), quads(aligned16(x.gmem, x.ld)) {
        const int first = threadIdx.x * (quads ? 4 : 1);
        row = first / inner;
        at = first % inner;
        lines_left = static_cast<int>(min(x.lines - first_line, int64_t{lines}));
        gmem = x.gmem + (k_contiguous ? first_k + at + (first_line + row) * ld
                                      : first_line + at + (first_k + row) * ld);
    }

    // Starts the copies of a slab, with zeroes outside of the operand, and moves on to the next
    // slab.
    __device__ __forceinline__ void start(float* smem, int64_t k_left) {
        const int k = static_cast<int>(min(k_left, int64_t{block_k}));
        const bool is_whole = k == block_k && lines_left == lines;
        if (quads && is_whole)
            copy<4, true>(smem, k);
        else if (quads)
            copy<4, false>(smem, k);
        else if (is_whole)
            copy<1, true>(smem, k);
        else
            copy<1, false>(smem, k);
        gmem += k_contiguous ? block_k : block_k * ld;
    }

    // `whole`: the slab lies inside the operand, so there are no conditions and almost no address
    // arithmetic.
    template <int width, bool whole>
    __device__ __forceinline__ void copy(float* smem, int k) const {
        constexpr int stride = threads * width; // floats of the slab from one copy to the next
        constexpr int row_step = stride > inner ? stride / inner : 1;
        static_assert(stride % inner == 0 || inner % stride == 0);
        static_assert(rows_to_pad <= 1 || row_step % rows_to_pad == 0);
        if (inner * outer < stride && row >= outer)
            return;
        const int inner_left = (k_contiguous ? k : lines_left) - at;
        const int outer_left = (k_contiguous ? lines_left : k) - row;
        const float* source = gmem;
        float* target = smem + row_offset(row) + at;
#pragma unroll
        for (int offset = 0; offset < inner * outer; offset += stride) {
            const int rows = offset / inner, along = offset % inner;
            if (offset > 0 && along == 0)
                source += row_step * ld;
            float* to = target + row_offset(rows) + along;
            const int valid = whole ? width : rows < outer_left ? inner_left - along : 0;
            if (width == 1 || valid >= 4 || valid <= 0) {
                cp_async<width * 4>(to, source + along, valid > 0);
            } else {
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    cp_async<4>(to + e, source + along + e, e < valid);
            }
        }
    }

    // The lines of a thread tile: quads of lines if lines run along memory, otherwise single lines.
    template <int lanes>
    static __device__ __forceinline__ int first_line(int lane) {
        return k_contiguous ? lane : lane * 4;
    }
    template <int lanes>
    static __host__ __device__ constexpr int line_offset(int i) {
        return k_contiguous ? i * lanes : i / 4 * 4 * lanes + i % 4;
    }

    // frag[line][k] = the quad of k that starts at first_k.
    template <int count, int lanes>
    static __device__ __forceinline__ void
    load(float (&frag)[count][4], const float* smem, int line, int first_k) {
        if constexpr (k_contiguous) {
#pragma unroll
            for (int i = 0; i < count; ++i)
                load_quad(frag[i],
                          smem + row_offset(line) + first_k + row_offset(line_offset<lanes>(i)));
        } else {
#pragma unroll
            for (int kk = 0; kk < 4; ++kk)
#pragma unroll
                for (int i = 0; i < count; i += 4) {
                    const float4 v = *reinterpret_cast<const float4*>(
                        smem + row_offset(first_k) + line + kk * inner + line_offset<lanes>(i));
                    frag[i][kk] = v.x, frag[i + 1][kk] = v.y;
                    frag[i + 2][kk] = v.z, frag[i + 3][kk] = v.w;
                }
        }
    }
};

template <class Shape, bool l_k_contiguous, bool s_k_contiguous>
struct skinny_tile {
    using slab_l = skinny_slab<Shape::block_l, l_k_contiguous, Shape>;
    using slab_s = skinny_slab<Shape::block_s, s_k_contiguous, Shape>;
    static constexpr int stage_floats = slab_l::floats + slab_s::floats;
    using output = split_output<Shape>;
    static constexpr size_t smem_bytes =
        sizeof(float) * std::max(Shape::stages * stage_floats, output::smem_floats);

    float acc[Shape::thread_s * Shape::thread_l]; // [s][l]

    static __device__ __forceinline__ int warp_s() { return threadIdx.x / 32 % Shape::warps_s; }
    static __device__ __forceinline__ int warp_k() { return threadIdx.x / 32 / Shape::warps_s; }
    // This thread's first line of each operand in the tile.
    static __device__ __forceinline__ int thread_l() {
        return slab_l::template first_line<Shape::lanes_l>(threadIdx.x % Shape::lanes_l);
    }
    static __device__ __forceinline__ int thread_s() {
        return warp_s() * (Shape::block_s / Shape::warps_s) +
               slab_s::template first_line<Shape::lanes_s>(threadIdx.x / Shape::lanes_l %
                                                           Shape::lanes_s);
    }

    // acc = the product of the tile's lines over k in [first_k, first_k + k).
    __device__ __forceinline__ void multiply(const line_operand& l,
                                             const line_operand& s,
                                             int64_t tile_l,
                                             int64_t tile_s,
                                             int64_t first_k,
                                             int64_t k,
                                             float* smem) {
#pragma unroll
        for (float& value : acc)
            value = 0;
        slab_l copy_l(l, tile_l, first_k);
        slab_s copy_s(s, tile_s, first_k);
        int64_t k_to_start = k; // k whose copies have not been started
        auto start_slab = [&](int stage) {
            if (k_to_start > 0) {
                float* target = smem + stage * stage_floats;
                copy_l.start(target, k_to_start);
                copy_s.start(target + slab_l::floats, k_to_start);
                k_to_start -= Shape::block_k;
            }
            // An empty group counts too, so that the wait below is right.
            cp_async_commit();
        };
#pragma unroll 1
        for (int stage = 0; stage < Shape::stages - 1; ++stage)
            start_slab(stage);

        const int lane_k = threadIdx.x % 32 / (Shape::lanes_l * Shape::lanes_s);
        const int group = warp_k() * Shape::lanes_k + lane_k;
        const int line_l = thread_l(), line_s = thread_s();
        int read_stage = 0, write_stage = Shape::stages - 1;
        for (int64_t k_left = k; k_left > 0; k_left -= Shape::block_k) {
            cp_async_wait<Shape::stages - 2>();
            // All threads' copies of this slab have arrived, and all threads have read the slab
            // before it, whose stage is filled next.
            __syncthreads();
            start_slab(write_stage);
            write_stage = write_stage + 1 == Shape::stages ? 0 : write_stage + 1;
            const float* smem_l = smem + read_stage * stage_floats;
            const float* smem_s = smem_l + slab_l::floats;
            read_stage = read_stage + 1 == Shape::stages ? 0 : read_stage + 1;
#pragma unroll 2
            for (int kk = group * 4; kk < Shape::block_k; kk += Shape::k_groups * 4) {
                float frag_l[Shape::thread_l][4], frag_s[Shape::thread_s][4]; // [line][k]
                slab_l::template load<Shape::thread_l, Shape::lanes_l>(frag_l, smem_l, line_l, kk);
                slab_s::template load<Shape::thread_s, Shape::lanes_s>(frag_s, smem_s, line_s, kk);
#pragma unroll
                for (int q = 0; q < 4; ++q)
#pragma unroll
                    for (int j = 0; j < Shape::thread_s; ++j)
#pragma unroll
                        for (int i = 0; i < Shape::thread_l; ++i) {
                            float& sum = acc[j * Shape::thread_l + i];
                            sum = fmaf(frag_l[i][q], frag_s[j][q], sum);
                        }
            }
        }
        cp_async_wait<0>();
        __syncthreads(); // shared memory is free for the tile
    }

    // smem[warp_k][s][l] = acc, summed over lanes_k. There is no barrier at the end.
    __device__ __forceinline__ void lay_out(float* smem) {
        float* copy = smem + warp_k() * output::copy_floats;
        if constexpr (Shape::lanes_k == 1 && !l_k_contiguous) {
#pragma unroll
            for (int j = 0; j < Shape::thread_s; ++j)
#pragma unroll
                for (int i = 0; i < Shape::thread_l; i += 4) {
                    const float* quad = &acc[j * Shape::thread_l + i];
                    const int line_s = thread_s() + slab_s::template line_offset<Shape::lanes_s>(j);
                    const int line_l = thread_l() + slab_l::template line_offset<Shape::lanes_l>(i);
                    *reinterpret_cast<float4*>(copy + line_s * output::pitch + line_l) =
                        make_float4(quad[0], quad[1], quad[2], quad[3]);
                }
        } else {
            constexpr int count = Shape::thread_s * Shape::thread_l;
            constexpr int kept = count > Shape::lanes_k ? count / Shape::lanes_k : 1;
            const int first = scatter_sums<count, 16, Shape::lanes_l * Shape::lanes_s>(acc);
#pragma unroll
            for (int e = 0; e < kept; ++e) {
                const int line_s = thread_s() + slab_s::template line_offset<Shape::lanes_s>(
                                                    (first + e) / Shape::thread_l);
                const int line_l = thread_l() + slab_l::template line_offset<Shape::lanes_l>(
                                                    (first + e) % Shape::thread_l);
                copy[line_s * output::pitch + line_l] = acc[e];
            }
        }
    }
};

template <class Shape, bool l_k_contiguous, bool s_k_contiguous>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_per_sm)
    skinny_kernel(int64_t first_batch,
                  bool swap_ab,
                  bool has_epilogue,
                  const k_split split,
                  const cluster_sums sums,
                  const sgemm_problem p) {
    extern __shared__ __align__(16) float smem[];
    const int64_t batch = first_batch + blockIdx.z;
    const sgemm_operands o = resolve_operands(p, batch);
    const line_operand a{o.a, p.lda, p.m}, b{o.b, p.ldb, p.n};
    const line_operand l = swap_ab ? b : a, s = swap_ab ? a : b;
    const split_position<Shape> at(split, blockIdx.x, l.lines, o.k);

    skinny_tile<Shape, l_k_contiguous, s_k_contiguous> tile;
    tile.multiply(l, s, at.tile_l, at.tile_s, at.first_k, at.k, smem);
    tile.lay_out(smem);
    const int64_t tile_number = batch * (gridDim.x / split.splits()) + at.tile;
    split_output<Shape>(p, o, batch, swap_ab, has_epilogue, at)
        .reduce(at, tile_number, split, sums, smem);
}

template <class Shape>
struct variant {
    using shape = Shape;
    static constexpr size_t smem_bytes = std::max({skinny_tile<Shape, true, true>::smem_bytes,
                                                   skinny_tile<Shape, true, false>::smem_bytes,
                                                   skinny_tile<Shape, false, true>::smem_bytes,
                                                   skinny_tile<Shape, false, false>::smem_bytes});

    // Whether k runs along memory: bit 0 for the long operand, bit 1 for the short one.
    static constexpr int choice_bits = 2;
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        return with_bits<2>(choice, [&](auto l, auto s) {
            return f(skinny_kernel<Shape, l, s>, skinny_tile<Shape, l, s>::smem_bytes);
        });
    }

    static bool swaps_ab(const sgemm_problem& p) { return p.n > p.m; }

    static int64_t tiles(const sgemm_problem& p) {
        return swaps_ab(p) ? tile_count(p, Shape::block_s, Shape::block_l)
                           : tile_count(p, Shape::block_l, Shape::block_s);
    }

    static k_split make_split(const sgemm_problem& p, const device_info& device) {
        return make_k_split<Shape>(tiles(p) * p.batch_count, p.k, device);
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return smem_bytes <= device.smem_per_block &&
               tiles(p) <= max_grid_x / make_split(p, device).splits();
    }

    static size_t workspace_bytes(const sgemm_problem& p, const device_info& device) {
        return split_workspace_bytes<Shape>(make_split(p, device), tiles(p) * p.batch_count);
    }

    static work_estimate work(const work_query& q) {
        constexpr float elements = Shape::block_l * Shape::block_s, slab_k = Shape::block_k;
        const k_split split = make_split(q.problem, q.device);
        const auto count = static_cast<float>(tiles(q.problem)) * q.batch;
        const auto splits = static_cast<float>(split.splits());
        const block_rounds blocks(q.device, count * splits, Shape::busy_blocks, split.cluster);
        const float slabs = whole_up(whole_up(q.k / slab_k) / splits);
        const float depth = blocks.turns * slabs * slab_k;
        const bool swap_ab = swaps_ab(q.problem);
        work_estimate w;
        w.rounds = blocks.rounds;
        w.steps = blocks.rounds * slabs;
        w.math_cycles = fma_cycles(q, depth * elements);
        w.copies = depth * (Shape::block_l * (swap_ab ? q.copies_b : q.copies_a) +
                            Shape::block_s * (swap_ab ? q.copies_a : q.copies_b));
        w.l2_bytes = depth * 4 * (Shape::block_l + Shape::block_s);
        w.memory_bytes = q.operand_bytes;
        // The barrier of a cluster, and the addition of the clusters' sums from the workspace.
        w.exchanges = (split.cluster > 1 ? 1.0f : 0.0f) +
                      (split.clusters > 1 ? 4.0f + static_cast<float>(split.clusters) / 8 : 0.0f);
        w.wave_efficiency = blocks.wave_efficiency;
        w.tile_utilisation = q.m * q.n * q.batch / (count * elements);
        return w;
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const bool swap_ab = swaps_ab(p);
        const unsigned a = p.transa, b = !p.transb; // whether k runs along memory
        const k_split split = make_split(p, *context.device);
        const cluster_sums sums{static_cast<float*>(context.workspace), context.counters};
        return with_kernel(swap_ab ? b | a << 1 : a | b << 1, [&](auto kernel, size_t bytes) {
            return launch_products(kernel,
                                   {.x = tiles(p) * split.splits(),
                                    .threads = Shape::threads,
                                    .smem_bytes = bytes,
                                    .cluster = split.cluster},
                                   p,
                                   context,
                                   swap_ab,
                                   !p.epilogue.is_empty(),
                                   split,
                                   sums);
        });
    }
};

// clang-format off
using square_4 = variant<skinny_shape<skinny_parameters{
    .block_l = 4, .block_s = 4, .block_k = 512, .stages = 4, .blocks_per_sm = 3, .busy_blocks = 3,
    .thread_l = 4, .thread_s = 4, .lanes_l = 1, .lanes_s = 1, .warps_s = 1, .warps_k = 4}>>;
using square_8 = variant<skinny_shape<skinny_parameters{
    .block_l = 8, .block_s = 8, .block_k = 256, .stages = 4, .blocks_per_sm = 3, .busy_blocks = 3,
    .thread_l = 4, .thread_s = 4, .lanes_l = 2, .lanes_s = 2, .warps_s = 1, .warps_k = 4}>>;
using square_16 = variant<skinny_shape<skinny_parameters{
    .block_l = 16, .block_s = 16, .block_k = 128, .stages = 4, .blocks_per_sm = 3, .busy_blocks = 3,
    .thread_l = 4, .thread_s = 4, .lanes_l = 4, .lanes_s = 4, .warps_s = 1, .warps_k = 4}>>;
using shallow_8 = variant<skinny_shape<skinny_parameters{
    .block_l = 64, .block_s = 8, .block_k = 64, .stages = 3, .blocks_per_sm = 3, .busy_blocks = 3,
    .thread_l = 4, .thread_s = 8, .lanes_l = 16, .lanes_s = 1, .warps_s = 1, .warps_k = 4}>>;
using shallow_16 = variant<skinny_shape<skinny_parameters{
    .block_l = 128, .block_s = 16, .block_k = 32, .stages = 3, .blocks_per_sm = 3, .busy_blocks = 3,
    .thread_l = 4, .thread_s = 8, .lanes_l = 32, .lanes_s = 1, .warps_s = 2, .warps_k = 2}>>;
using deep_4 = variant<skinny_shape<skinny_parameters{
    .block_l = 32, .block_s = 4, .block_k = 128, .stages = 5, .blocks_per_sm = 2, .busy_blocks = 1,
    .thread_l = 4, .thread_s = 4, .lanes_l = 8, .lanes_s = 1, .warps_s = 1, .warps_k = 4}>>;
using deep_8 = variant<skinny_shape<skinny_parameters{
    .block_l = 64, .block_s = 8, .block_k = 128, .stages = 5, .blocks_per_sm = 1, .busy_blocks = 1,
    .thread_l = 4, .thread_s = 8, .lanes_l = 16, .lanes_s = 1, .warps_s = 1, .warps_k = 8}>>;
using deep_16 = variant<skinny_shape<skinny_parameters{
    .block_l = 64, .block_s = 16, .block_k = 128, .stages = 4, .blocks_per_sm = 1, .busy_blocks = 1,
    .thread_l = 4, .thread_s = 8, .lanes_l = 16, .lanes_s = 2, .warps_s = 1, .warps_k = 8}>>;
using deep_32 = variant<skinny_shape<skinny_parameters{
    .block_l = 64, .block_s = 32, .block_k = 64, .stages = 6, .blocks_per_sm = 1, .busy_blocks = 1,
    .thread_l = 8, .thread_s = 8, .lanes_l = 8, .lanes_s = 4, .warps_s = 1, .warps_k = 8}>>;
// clang-format on

// The most shared memory that the variants with deep slabs need.
constexpr size_t deep_smem_bytes =
    std::max({deep_4::smem_bytes, deep_8::smem_bytes, deep_16::smem_bytes, deep_32::smem_bytes});

// Calls f with the variant that is chosen for a problem.
template <class F>
auto with_variant(const sgemm_problem& p, const device_info& device, F&& f) {
    constexpr int64_t deep_k = 512; // deep slabs pay from here on
    const int64_t l = std::max(p.m, p.n), s = std::min(p.m, p.n);
    if (l <= 4)
        return f(square_4{});
    if (l <= 8)
        return f(square_8{});
    if (l <= 16)
        return f(square_16{});
    if (p.k < deep_k || deep_smem_bytes > device.smem_per_block)
        return s <= 8 ? f(shallow_8{}) : f(shallow_16{});
    if (s <= 8)
        return s <= 4 ? f(deep_4{}) : f(deep_8{});
    return s <= 16 ? f(deep_16{}) : f(deep_32{});
}

bool fits(const sgemm_problem& p, const device_info& device) {
    return with_variant(p, device, [&](auto variant) { return variant.fits(p, device); });
}

size_t workspace_bytes(const sgemm_problem& p, const device_info& device) {
    return with_variant(
        p, device, [&](auto variant) { return variant.workspace_bytes(p, device); });
}

work_estimate work(const work_query& q) {
    return with_variant(q.problem, q.device, [&](auto variant) { return variant.work(q); });
}

template <class... Variants>
myblasStatus_t prepare(const device_info& device) {
    myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
    (void)(((status = prepare_kernels<Variants>(device)) == MYBLAS_STATUS_SUCCESS) && ...);
    return status;
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    return with_variant(
        p, *context.device, [&](auto variant) { return variant.launch(p, context); });
}

} // namespace

const sgemm_kernel sgemm_skinny = {
    .name = "skinny",
    .description = "thin and small outputs: operands streamed in memory order, k shared by threads "
                   "and clusters",
    .min_arch = 80,
    .block_m = deep_4::shape::block_l,
    .block_n = deep_4::shape::block_s,
    .block_k = deep_4::shape::block_k,
    .threads = deep_4::shape::threads,
    .stages = deep_4::shape::stages,
    .smem_bytes = deep_4::smem_bytes,
    .has_epilogue = true,
    .uses_counters = true,
    .accepts = fits,
    .workspace_bytes = workspace_bytes,
    .work = work,
    .prepare = prepare<square_4,
                       square_8,
                       square_16,
                       shallow_8,
                       shallow_16,
                       deep_4,
                       deep_8,
                       deep_16,
                       deep_32>,
    .launch = launch_kernel,
};

} // namespace myblas::cuda

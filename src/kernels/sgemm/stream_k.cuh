// The persistent kernel behind the stream_k entries: warps that only multiply, fed by a warpgroup that
// only copies, and work cut into equal shares instead of whole tiles.
//
// Roles      Of a block's threads the last 128 are producers; they give their registers to the others
//            (setmaxnreg) and keep a ring of `stages` slabs filled. Eight consumer warps compute the block
//            tile: of 256 x 128 elements 64 x 64 each, 16 x 8 a thread; of 128 x 128 half as many. Full
//            and empty barriers of each stage are all that passes between the two.
// Slabs      smem[kk][line] for both operands: a 128-bit load brings four lines at one k, and 6 of them
//            feed 128 FMAs.
// Copies     Operands whose lines run along memory (A of OP_N, B of OP_T) come straight to their slab, by
//            TMA. Those with k along memory come by 16-byte cp.async to a ring of their own, smem[line][kk]
//            (TMA, with rows of 64 bytes, was 3 to 6% slower), and the producers transpose that, 4 x 4
//            elements at a time in registers. Operands that are not on a grid of 16 bytes are copied word
//            by word by cp.async. What producers execute takes issue slots from the FMAs: every 40
//            instructions of theirs a slab cost 1%.
// Work       Each of `workers` blocks takes whole tiles, one after the other. The last tiles, at least
//            one and less than two for each worker, are cut along k instead: all their slabs in a row
//            are dealt out in equal shares (stream-K: Osama et al., PPoPP 2023, arXiv:2301.03598). A
//            tile then has several workers. The one with the end of its k finishes it: it adds the
//            others' sums, in descending order of k, so that results are reproducible.
// Waiting    A worker goes through its share backwards, so its unfinished tile comes first. It then
//            waits only for workers of lower index, which started before it, on what they did first:
//            no deadlock, even where not all blocks fit on the device at once.
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/overlap.h"
#include "kernels/common/tensor_map.h"
#include "kernels/common/tma.cuh"
#include "kernels/sgemm/operands.cuh"
#include "kernels/sgemm/quad_fragment.cuh"
#include "kernels/sgemm/raw_slab.cuh"
#include "kernels/sgemm/warp_tile.cuh"
#include "kernels/sgemm/work.h"

#include <algorithm>

namespace myblas::cuda {

template <int block_m_, int stages_, int raw_stages_>
struct stream_k_shape {
    static constexpr int stages = stages_, raw_stages = raw_stages_;
    static constexpr int block_m = block_m_, block_n = 128, block_k = 16;
    static constexpr int warps_m = 4, warps_n = 2;
    static constexpr int lanes_m = 4, lanes_n = 8;
    static constexpr int warp_m = block_m / warps_m, warp_n = block_n / warps_n;
    static constexpr int thread_m = warp_m / lanes_m, thread_n = warp_n / lanes_n;
    static constexpr int producers = 128, consumers = warps_m * warps_n * 32;
    static constexpr int threads = consumers + producers;
    // Together no more than 65536 / threads, rounded down to 8, for each thread.
    static constexpr int producer_registers = 88, consumer_registers = 208;
    static constexpr size_t tile_bytes = size_t{block_m} * block_n * sizeof(float);
    // Slabs of a worker's idle time that are worth splitting tiles.
    static constexpr int64_t least_idle = 0;
};

// Where the slabs of a stage lie.
template <class Shape, bool transa, bool transb>
struct stream_k_slabs {
    // Rows of a transposed slab are padded for the writes of single words.
    static constexpr int pitch_a = Shape::block_m + (transa ? 4 : 0);
    static constexpr int pitch_b = Shape::block_n + (transb ? 0 : 4);
    static constexpr int slab_a = pitch_a * Shape::block_k,
                         slab_b = pitch_b * Shape::block_k; // floats
    static constexpr int stage_floats = slab_a + slab_b;
    static_assert(slab_a % 32 == 0 && slab_b % 32 == 0, "TMA writes to multiples of 128 bytes");
    // smem[line][kk] of operands with k along memory.
    static constexpr int raw_a = transa ? Shape::block_m * Shape::block_k : 0;
    static constexpr int raw_b = transb ? 0 : Shape::block_n * Shape::block_k;
    static constexpr int raw_floats = raw_a + raw_b;

    static constexpr int first_stage = Shape::raw_stages * raw_floats;
    // Behind the stages, seen from the first: a line that nobody writes.
    static constexpr int idle = Shape::stages * stage_floats;
    // A quad for each consumer thread.
    static constexpr int quads = first_stage + idle + std::max(Shape::block_m, Shape::block_n);
    static constexpr size_t smem_bytes = (size_t{quads} + Shape::consumers * 4) * sizeof(float);
};

enum class stream_k_copy { tensor, quads, words };

// How the work is dealt out. `split_tiles` come first in the order of tiles.
struct stream_k_plan {
    int tiles, split_tiles;
    int slabs; // of k, of each tile
    int workers;
    // The split tiles' slabs are dealt out so many to each worker, and one more to the first ones.
    int share, longer_shares;
    int parts; // of each tile's k, a worker for each (stream_k_parts.cuh)
    stream_k_copy copy_a, copy_b;
};

// A run of slabs of one tile.
struct stream_k_segment {
    int tile;
    int first_slab, end_slab;
};

// The first element of a tile, in the 32 bits that `fits` grants.
template <class Shape>
__device__ __forceinline__ tile_position<int> find_tile(int tile, const sgemm_problem& p) {
    return patch_order<Shape, int>(tile, static_cast<int>(p.m), static_cast<int>(p.n));
}

// A worker's share of the row of all slabs of the split tiles: from one tile's slab to the end of
// another's, last segment first.
struct stream_k_share {
    int first_tile, first_slab;
    int last_tile, end_slab; // last_tile < first_tile: nothing

    static __device__ int begin(const stream_k_plan& plan, int worker) {
        return worker * plan.share + min(worker, plan.longer_shares);
    }

    static __device__ stream_k_share of(const stream_k_plan& plan, int worker) {
        const int first = begin(plan, worker), last = begin(plan, worker + 1) - 1;
        if (first > last)
            return {0, 0, -1, 0};
        return {first / plan.slabs, first % plan.slabs, last / plan.slabs, last % plan.slabs + 1};
    }

    // Of a product whose tiles have plan.parts workers each.
    static __device__ stream_k_share part_of(const stream_k_plan& plan, int worker) {
        const int tile = worker / plan.parts, part = worker % plan.parts;
        return {tile,
                static_cast<int>(int64_t{plan.slabs} * part / plan.parts),
                tile,
                static_cast<int>(int64_t{plan.slabs} * (part + 1) / plan.parts)};
    }

    // Whether the worker's share begins behind the first slab of the tile.
    static __device__ bool begins_inside(const stream_k_plan& plan, int worker, int tile) {
        return begin(plan, worker) > tile * plan.slabs;
    }
};

// Segment `index` of this worker in the order in which it takes them; false behind the last one.
__device__ __forceinline__ bool find_segment(const stream_k_plan& plan,
                                             const stream_k_share& share,
                                             int index,
                                             stream_k_segment& segment) {
    const int split_segments = share.last_tile - share.first_tile + 1;
    if (index < split_segments) {
        segment.tile = share.last_tile - index;
        segment.first_slab = segment.tile == share.first_tile ? share.first_slab : 0;
        segment.end_slab = index == 0 ? share.end_slab : plan.slabs;
        return true;
    }
    segment.tile =
        plan.split_tiles + static_cast<int>(blockIdx.x) + (index - split_segments) * plan.workers;
    segment.first_slab = 0;
    segment.end_slab = plan.slabs;
    return segment.tile < plan.tiles;
}

// Copies slabs of an operand word by word, by cp.async. Addresses are one running sum, as in slab_copier.
// With k along memory a warp takes 8 k x 4 lines: whole sectors of global memory, and, with the pitch's
// padding, 32 different banks.
template <int lines, int pitch, int block_k, int threads, bool k_along>
struct word_copier {
    static_assert(threads == 128 && block_k == 16 && lines % 128 == 0);

    const float* gmem; // this thread's first element of the next slab
    int lines_left;    // from there to the operand's end, perhaps <= 0

    static __device__ __forceinline__ int line_of(int thread) {
        return k_along ? thread / 8 : thread;
    }
    static __device__ __forceinline__ int k_of(int thread) { return k_along ? thread % 8 : 0; }

    __device__ __forceinline__ void begin(const float* base,
                                          int64_t ld,
                                          int64_t tile_line,
                                          int64_t all_lines,
                                          int64_t first_k,
                                          int thread) {
        const int64_t line = tile_line + line_of(thread), k = first_k + k_of(thread);
        gmem = base + (k_along ? k + line * ld : line + k * ld);
        lines_left = static_cast<int>(min(all_lines - line, int64_t{lines}));
    }

    __device__ __forceinline__ void start(float* smem, int64_t ld, int k_left, int thread) {
        // Most slabs lie inside the operand, and need no check word by word.
        const bool whole = k_left == block_k && lines_left >= lines - line_of(thread);
        if (whole)
            start<true>(smem, ld, k_left, thread);
        else
            start<false>(smem, ld, k_left, thread);
        gmem += k_along ? block_k : block_k * ld;
    }

private:
    template <bool whole>
    __device__ __forceinline__ void start(float* smem, int64_t ld, int k_left, int thread) const {
        const float* source = gmem;
        const int kk = k_of(thread);
        float* target = smem + kk * pitch + line_of(thread);
        int64_t step = k_along ? threads / 8 * ld : ld;
        // Unknown to the compiler from slab to slab, so that it cannot hoist the running sum.
        asm volatile("" : "+l"(step));
        if constexpr (k_along) {
#pragma unroll 8
            for (int l = 0; l < lines; l += threads / 8) {
                cp_async<4>(target + l, source, whole || (kk < k_left && l < lines_left));
                cp_async<4>(target + l + 8 * pitch,
                            source + 8,
                            whole || (kk + 8 < k_left && l < lines_left));
                source += step;
            }
        } else {
#pragma unroll 8
            for (int k = 0; k < block_k; ++k) {
#pragma unroll
                for (int part = 0; part < lines; part += threads)
                    cp_async<4>(target + k * pitch + part,
                                source + part,
                                whole || (k < k_left && part < lines_left));
                source += step;
            }
        }
    }
};

// Copies slabs of an operand with k along memory to smem[line][kk], by quads of k.
template <int lines, int block_k, int threads>
struct quad_copier {
    static_assert(threads == 128 && block_k == 16 && lines % 128 == 0);
    static constexpr int line_step = threads / 4;

    const float* gmem; // this thread's first quad of the next slab
    int lines_left;    // from there to the operand's end, perhaps <= 0

    __device__ __forceinline__ void begin(const float* base,
                                          int64_t ld,
                                          int64_t tile_line,
                                          int64_t all_lines,
                                          int64_t first_k,
                                          int thread) {
        const int64_t line = tile_line + thread / 4;
        gmem = base + first_k + thread % 4 * 4 + line * ld;
        lines_left = static_cast<int>(min(all_lines - line, int64_t{lines}));
    }

    // k_left is a multiple of 4.
    __device__ __forceinline__ void start(float* smem, int64_t ld, int k_left, int thread) {
        const float* source = gmem;
        const int line = thread / 4, quad = thread % 4;
        float* target = smem + raw_offset<block_k>(line, quad);
        const int left = quad * 4 < k_left ? lines_left : 0;
        int64_t step = line_step * ld;
        // Unknown to the compiler from slab to slab, so that it cannot hoist the running sum.
        asm volatile("" : "+l"(step));
#pragma unroll
        for (int l = 0; l < lines; l += line_step) {
            cp_async<16>(target + l * block_k, source, l < left);
            source += step;
        }
        gmem += block_k;
    }
};

// smem[line][kk], as quad_copier lays it out, to smem[kk][line]. A thread takes 4 x 4 elements; eight lanes
// take two quads of k of four quads of lines, so that the stores have no bank conflicts either.
template <int lines, int pitch, int block_k, int threads>
__device__ __forceinline__ void transpose_slab(const float* raw, float* slab, int thread) {
    static_assert(threads == 128 && block_k == 16 && lines % 128 == 0 && pitch % 32 == 4);
    const int k_quad = thread % 2 + thread / 8 % 2 * 2;
    const int line = (thread / 2 % 4 + thread / 16 * 4) * 4;
    const float* even = raw + raw_offset<block_k>(line, k_quad);
    const float* odd = raw + raw_offset<block_k>(line + 1, k_quad);
    float* target = slab + k_quad * 4 * pitch + line;
#pragma unroll 1
    for (int first = 0; first < lines; first += threads) {
        float4 block[4];
#pragma unroll
        for (int l = 0; l < 4; ++l)
            block[l] = *reinterpret_cast<const float4*>((l % 2 ? odd : even) + l / 2 * 2 * block_k);
        store_transposed<pitch>(target, block);
        even += threads * block_k;
        odd += threads * block_k;
        target += threads;
    }
}

template <class Shape>
struct stream_k_barriers {
    mbarrier full[Shape::stages], empty[Shape::stages];
    mbarrier raw_full[Shape::raw_stages];
};

// ---- Producers -------------------------------------------------------------------------------------

// The slabs of a worker, one after the other.
struct stream_k_walk {
    stream_k_segment segment;
    int index = 0, slab = 0;
    bool more;

    __device__ __forceinline__ stream_k_walk(const stream_k_plan& plan, const stream_k_share& share)
        : more(find_segment(plan, share, 0, segment)) {
        slab = segment.first_slab;
    }
    __device__ __forceinline__ void advance(const stream_k_plan& plan,
                                            const stream_k_share& share) {
        if (++slab < segment.end_slab)
            return;
        more = find_segment(plan, share, ++index, segment);
        slab = segment.first_slab;
    }
};

template <class Shape, bool transa, bool transb>
class stream_k_producer {
    using slabs = stream_k_slabs<Shape, transa, transb>;
    static constexpr int threads = Shape::producers, block_k = Shape::block_k;

    const sgemm_problem& p;
    const stream_k_plan& plan;
    const CUtensorMap& map_a;
    const CUtensorMap& map_b;
    float* const smem;
    stream_k_barriers<Shape>& barriers;
    const int thread = threadIdx.x - Shape::consumers;

    // Copies raw slabs, ahead of their transposition.
    struct raw_copier {
        stream_k_walk walk;
        quad_copier<Shape::block_m, block_k, threads> a;
        quad_copier<Shape::block_n, block_k, threads> b;
    };

    __device__ bool raw_a() const { return transa && plan.copy_a == stream_k_copy::quads; }
    __device__ bool raw_b() const { return !transb && plan.copy_b == stream_k_copy::quads; }

    __device__ __forceinline__ void
    start_raw(raw_copier& copier, const stream_k_share& share, int stage) {
        stream_k_walk& walk = copier.walk;
        const int k = walk.slab * block_k;
        if (walk.slab == walk.segment.first_slab) {
            const tile_position<int> at = find_tile<Shape>(walk.segment.tile, p);
            if (raw_a())
                copier.a.begin(p.a, p.lda, at.row, p.m, k, thread);
            if (raw_b())
                copier.b.begin(p.b, p.ldb, at.col, p.n, k, thread);
        }
        float* raw = smem + stage * slabs::raw_floats;
        const int k_left = static_cast<int>(min(p.k - k, int64_t{block_k}));
        if (raw_a())
            copier.a.start(raw, p.lda, k_left, thread);
        if (raw_b())
            copier.b.start(raw + slabs::raw_a, p.ldb, k_left, thread);
        barriers.raw_full[stage].arrive_after_cp_async();
        walk.advance(plan, share);
    }

public:
    __device__ stream_k_producer(const sgemm_problem& p_,
                                 const stream_k_plan& plan_,
                                 const CUtensorMap& map_a_,
                                 const CUtensorMap& map_b_,
                                 float* smem_,
                                 stream_k_barriers<Shape>& barriers_)
        : p(p_), plan(plan_), map_a(map_a_), map_b(map_b_), smem(smem_), barriers(barriers_) {}

    // Arrivals at a full barrier.
    static __device__ int arrivals(const stream_k_plan& plan) {
        const bool direct_a = !transa && plan.copy_a == stream_k_copy::tensor;
        const bool direct_b = transb && plan.copy_b == stream_k_copy::tensor;
        return (direct_a || direct_b ? 1 : 0) + (direct_a && direct_b ? 0 : threads);
    }

    __device__ void run(const stream_k_share& share) {
        if (resolve_operands(p, 0).k == 0)
            return;
        const bool direct_a = !transa && plan.copy_a == stream_k_copy::tensor;
        const bool direct_b = transb && plan.copy_b == stream_k_copy::tensor;
        const bool raw = raw_a() || raw_b();
        const bool by_words =
            plan.copy_a == stream_k_copy::words || plan.copy_b == stream_k_copy::words;
        if (direct_a && direct_b && thread != 0)
            return;

        raw_copier ahead{stream_k_walk(plan, share)};
        for (int stage = 0; raw && stage < Shape::raw_stages && ahead.walk.more; ++stage)
            start_raw(ahead, share, stage);

        word_copier<Shape::block_m, slabs::pitch_a, block_k, threads, transa> words_a;
        word_copier<Shape::block_n, slabs::pitch_b, block_k, threads, !transb> words_b;
        ring_position<Shape::stages> ring{0, 1}; // the stages begin empty
        ring_position<Shape::raw_stages> raw_ring;
        stream_k_segment segment;
        for (int index = 0; find_segment(plan, share, index, segment); ++index) {
            const tile_position<int> at = find_tile<Shape>(segment.tile, p);
            const int64_t first_k = int64_t{segment.first_slab} * block_k;
            words_a.begin(p.a, p.lda, at.row, p.m, first_k, thread);
            words_b.begin(p.b, p.ldb, at.col, p.n, first_k, thread);
#pragma unroll 1
            for (int slab = segment.first_slab; slab < segment.end_slab; ++slab) {
                const int k = slab * block_k;
                const int k_left = static_cast<int>(min(p.k - k, int64_t{block_k}));
                mbarrier& full = barriers.full[ring.stage];
                float* slab_a = smem + slabs::first_stage + ring.stage * slabs::stage_floats;
                float* slab_b = slab_a + slabs::slab_a;
                barriers.empty[ring.stage].wait(ring.parity);
                if (thread == 0 && (direct_a || direct_b)) {
                    full.arrive_expecting(
                        ((direct_a ? slabs::slab_a : 0) + (direct_b ? slabs::slab_b : 0)) * 4);
                    if (direct_a)
                        copy_box(slab_a, map_a, at.row, k, full);
                    if (direct_b)
                        copy_box(slab_b, map_b, at.col, k, full);
                }
                if (plan.copy_a == stream_k_copy::words)
                    words_a.start(slab_a, p.lda, k_left, thread);
                if (plan.copy_b == stream_k_copy::words)
                    words_b.start(slab_b, p.ldb, k_left, thread);
                if (raw) {
                    const float* from = smem + raw_ring.stage * slabs::raw_floats;
                    barriers.raw_full[raw_ring.stage].wait(raw_ring.parity);
                    if constexpr (transa) {
                        if (raw_a())
                            transpose_slab<Shape::block_m, slabs::pitch_a, block_k, threads>(
                                from, slab_a, thread);
                    }
                    if constexpr (!transb) {
                        if (raw_b())
                            transpose_slab<Shape::block_n, slabs::pitch_b, block_k, threads>(
                                from + slabs::raw_a, slab_b, thread);
                    }
                }
                // This thread's words, or else its stores. (After words, shared memory sees the stores
                // first: it takes a thread's accesses in their order.)
                if (by_words)
                    full.arrive_after_cp_async();
                else if (!direct_a || !direct_b)
                    full.arrive();
                if (raw) {
                    asm volatile("bar.sync 2, %0;" ::"n"(threads) : "memory"); // all have read it
                    if (ahead.walk.more)
                        start_raw(ahead, share, raw_ring.stage);
                    raw_ring.advance();
                }
                ring.advance();
            }
        }
    }
};

// ---- Consumers -------------------------------------------------------------------------------------

// How consumers tell those of another worker that their sums are in the workspace.
template <int consumers>
struct stream_k_exchange {
    // Of all consumers, and of nobody else.
    static __device__ __forceinline__ void synchronize() {
        asm volatile("bar.sync 1, %0;" ::"n"(consumers) : "memory");
    }

    // Tells that this worker's sums are in the workspace.
    static __device__ void announce(unsigned* ready) {
        __threadfence();
        synchronize();
        if (threadIdx.x == 0)
            asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(ready) : "memory");
    }

    // Waits until another worker has done so, and leaves its flag as it was before.
    static __device__ void await(unsigned* ready) {
        if (threadIdx.x == 0) {
            unsigned value;
            do {
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                             : "=r"(value)
                             : "l"(ready)
                             : "memory");
            } while (value == 0);
            *ready = 0;
        }
        synchronize();
    }
};

template <class Shape, class Slabs>
class stream_k_consumer {
    static constexpr int body_k = 8; // of a loop body: more would outgrow the instruction caches
    static constexpr int bodies = Shape::block_k / body_k; // of a slab
    static constexpr int groups_m = Shape::thread_m / 4;
    static constexpr int step_m = Shape::lanes_m * 4, step_n = Shape::lanes_n * 4; // of groups

    using exchange = stream_k_exchange<Shape::consumers>;

    float acc[Shape::thread_n][Shape::thread_m];

    static __device__ __forceinline__ int first_row() {
        return threadIdx.x / 32 % Shape::warps_m * Shape::warp_m + threadIdx.x % Shape::lanes_m * 4;
    }
    static __device__ __forceinline__ int first_col() {
        return threadIdx.x / 32 / Shape::warps_m * Shape::warp_n +
               threadIdx.x % 32 / Shape::lanes_m * 4;
    }

    using fragment = quad_fragment<Shape, Slabs::pitch_a, Slabs::pitch_b>;

    // Sums of an unfinished tile, in the workspace: element by element, threads next to each other.
    __device__ __forceinline__ void save(float* sums) const {
        float* target = sums + threadIdx.x;
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
            for (int r = 0; r < Shape::thread_m; ++r)
                __stcg(target + (c * Shape::thread_m + r) * Shape::consumers, acc[c][r]);
    }

    __device__ __forceinline__ void add(const float* sums) {
        const float* source = sums + threadIdx.x;
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
            for (int r = 0; r < Shape::thread_m; ++r)
                acc[c][r] += __ldcg(source + (c * Shape::thread_m + r) * Shape::consumers);
    }

    // `quads`: this thread's in shared memory, behind those of the threads before it.
    __device__ __forceinline__ void write(const sgemm_problem& p, int tile, float* quads) {
        const sgemm_operands o = resolve_operands(p, 0);
        const tile_position<int> at = find_tile<Shape>(tile, p);
        int row_in_tile = first_row(), col_in_tile = first_col();
        int64_t ldc = p.ldc;
        // Unknown to the compiler from tile to tile, so that it does not keep what follows from them.
        asm volatile("" : "+r"(row_in_tile), "+r"(col_in_tile), "+l"(ldc));
        const int row = at.row + row_in_tile, col = at.col + col_in_tile;
        const int rows = static_cast<int>(p.m) - row, cols = static_cast<int>(p.n) - col;
        if (aligned16(o.c, ldc))
            write_quads(o, o.c + row + col * ldc, ldc, rows, cols);
        else
            write_words(o, o.c + row + col * ldc, ldc, rows, cols, quads);
    }

    __device__ __forceinline__ void
    write_quads(const sgemm_operands& o, float* first, int64_t ldc, int rows, int cols) {
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c) {
            const int offset = c / 4 * step_n + c % 4;
            if (offset >= cols)
                continue;
#pragma unroll
            for (int g = 0; g < groups_m; ++g) {
                const float quad[4] = {
                    acc[c][4 * g], acc[c][4 * g + 1], acc[c][4 * g + 2], acc[c][4 * g + 3]};
                if (g * step_m < rows)
                    store_c4(first + g * step_m + offset * ldc,
                             o.alpha,
                             quad,
                             o.beta,
                             rows - g * step_m,
                             true);
            }
        }
    }

    // A thread's quads would be words scattered over 32 sectors. So a warp hands 16 rows of 8 columns at a
    // time through shared memory, and its lanes write 16 neighbouring rows of two columns.
    __device__ __forceinline__ void write_words(
        const sgemm_operands& o, float* first, int64_t ldc, int rows, int cols, float* quads) {
        static_assert(Shape::lanes_m == 4 && Shape::lanes_n == 8);
        const int lane = threadIdx.x % 32;
        // From the thread's own first row and column to those that it writes.
        const int down = lane % 16 - lane % 4 * 4, right = (lane / 16 - lane / 4) * 4;
        const float* written = quads - lane * 3; // word `lane` of the warp's
        first += down + right * ldc;
        rows -= down, cols -= right;
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c) {
#pragma unroll
            for (int g = 0; g < groups_m; ++g) {
                __syncwarp(); // all lanes have read the last ones
                *reinterpret_cast<float4*>(quads) = make_float4(o.alpha * acc[c][4 * g],
                                                                o.alpha * acc[c][4 * g + 1],
                                                                o.alpha * acc[c][4 * g + 2],
                                                                o.alpha * acc[c][4 * g + 3]);
                __syncwarp(); // all quads are there
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const int offset = c / 4 * step_n + c % 4 + i * 8;
                    if (offset < cols && g * step_m < rows) {
                        float* target = first + g * step_m + offset * ldc;
                        const float scaled = written[i * 32];
                        *target = o.beta == 0 ? scaled : fmaf(o.beta, *target, scaled);
                    }
                }
            }
        }
    }

public:
    // in_parts: the worker has one segment, whose sums it leaves to another kernel.
    template <bool in_parts>
    __device__ __forceinline__ void run(const sgemm_problem& p,
                                        const stream_k_plan& plan,
                                        const float* smem,
                                        const stream_k_share& share,
                                        stream_k_barriers<Shape>& barriers,
                                        float* quads,
                                        float* workspace,
                                        unsigned* ready) {
        constexpr int64_t tile_floats = Shape::block_m * Shape::block_n;
        const bool multiplies = resolve_operands(p, 0).k != 0;
        const float* const first_a = smem + Slabs::first_stage + first_row();
        const float* const first_b = smem + Slabs::first_stage + Slabs::slab_a + first_col();

        ring_position<Shape::stages> ring;
        stream_k_segment segment;
        for (int index = 0; find_segment(plan, share, index, segment); ++index) {
#pragma unroll
            for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
                for (int r = 0; r < Shape::thread_m; ++r)
                    acc[c][r] = 0;

            int slabs_left = multiplies ? segment.end_slab - segment.first_slab : 0;
            fragment frag[2];
            const float* at_a = first_a + ring.stage * Slabs::stage_floats;
            const float* at_b = first_b + ring.stage * Slabs::stage_floats;
            if (slabs_left > 0) {
                barriers.full[ring.stage].wait(ring.parity);
                frag[0].load(at_a, at_b, 0);
            }
            while (slabs_left > 0) {
                --slabs_left;
                mbarrier& empty = barriers.empty[ring.stage];
                ring.advance();
                // After the last slab what nobody writes is read, for nothing.
                const int next_stage = ring.stage * Slabs::stage_floats;
                const int next_in_a = slabs_left > 0 ? next_stage : Slabs::idle;
                const int next_in_b = slabs_left > 0 ? next_stage : Slabs::idle - Slabs::slab_a;
#pragma unroll 1
                for (int body = 0; body < bodies; ++body) {
                    const bool last_body = body + 1 == bodies;
                    const float* next_a =
                        last_body ? first_a + next_in_a : at_a + body_k * Slabs::pitch_a;
                    const float* next_b =
                        last_body ? first_b + next_in_b : at_b + body_k * Slabs::pitch_b;
#pragma unroll
                    for (int kk = 0; kk + 1 < body_k; ++kk) {
                        frag[(kk + 1) % 2].load(at_a, at_b, kk + 1);
                        frag[kk % 2].multiply(acc);
                    }
                    if (last_body) {
                        empty.arrive_after_loads();
                        if (slabs_left > 0)
                            barriers.full[ring.stage].wait(ring.parity);
                    }
                    frag[0].load(next_a, next_b, 0);
                    frag[1].multiply(acc);
                    at_a = next_a;
                    at_b = next_b;
                }
            }

            if constexpr (in_parts) {
                save(workspace + blockIdx.x * tile_floats);
                return;
            }

            // Again, rather than in registers all the while.
            asm volatile("" : "+r"(index)::"memory");
            find_segment(plan, share, index, segment);
            if (segment.end_slab < plan.slabs) {
                save(workspace + blockIdx.x * tile_floats);
                exchange::announce(ready + blockIdx.x);
                continue;
            }
            if (segment.first_slab > 0) {
                int other = blockIdx.x;
                do {
                    --other;
                    exchange::await(ready + other);
                    add(workspace + other * tile_floats);
                } while (stream_k_share::begins_inside(plan, other, segment.tile));
            }
            write(p, segment.tile, quads);
        }
    }
};

// ---- Kernel ----------------------------------------------------------------------------------------

template <class Shape, bool transa, bool transb, bool in_parts = false>
__global__ void __launch_bounds__(Shape::threads, 1)
    stream_k_kernel(const sgemm_problem p,
                    const stream_k_plan plan,
                    const __grid_constant__ CUtensorMap map_a,
                    const __grid_constant__ CUtensorMap map_b,
                    float* workspace,
                    unsigned* ready) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    using slabs = stream_k_slabs<Shape, transa, transb>;
    using producer = stream_k_producer<Shape, transa, transb>;
    extern __shared__ __align__(1024) float smem[];
    __shared__ stream_k_barriers<Shape> barriers;
    __shared__ stream_k_share share;
    if constexpr (!in_parts)
        let_next_kernel_come();
    if (threadIdx.x == 0) {
        share = in_parts ? stream_k_share::part_of(plan, blockIdx.x)
                         : stream_k_share::of(plan, blockIdx.x);
        for (int stage = 0; stage < Shape::stages; ++stage) {
            barriers.full[stage].init(producer::arrivals(plan));
            barriers.empty[stage].init(Shape::consumers);
        }
        for (mbarrier& raw_full : barriers.raw_full)
            raw_full.init(Shape::producers);
        mbarrier::publish_inits();
    }
    __syncthreads(); // the share and the barriers are there
    wait_for_earlier_work();

    if (threadIdx.x >= Shape::consumers) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Shape::producer_registers));
        producer(p, plan, map_a, map_b, smem, barriers).run(share);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Shape::consumer_registers));
        stream_k_consumer<Shape, slabs> consumer;
        consumer.template run<in_parts>(p,
                                        plan,
                                        smem,
                                        share,
                                        barriers,
                                        smem + slabs::quads + threadIdx.x * 4,
                                        workspace,
                                        ready);
    }
#endif
}

// ---- Host ------------------------------------------------------------------------------------------

// Of a kernel that needs so much shared memory.
template <class Shape, size_t max_smem_bytes>
struct stream_k_planner {
    static constexpr int64_t min_share = 8; // slabs: less is all prologue

    static stream_k_plan make_plan(const sgemm_problem& p, const device_info& device) {
        stream_k_plan plan{};
        // Also asked about products that `fits` refuses.
        plan.tiles =
            static_cast<int>(std::min(tile_count(p, Shape::block_m, Shape::block_n), max_extent));
        plan.slabs = static_cast<int>(std::min(ceil_div<int64_t>(p.k, Shape::block_k), max_extent));
        const int limit = std::min(device.sm_count, counter_count);
        const int whole_rounds = plan.tiles / limit;
        plan.workers = limit;
        if (plan.tiles % limit == 0 || plan.slabs == 0)
            return plan;
        // What workers would be idle without splitting, all of them together.
        const int64_t idle_slabs = int64_t{(whole_rounds + 1) * limit - plan.tiles} * plan.slabs;
        if (idle_slabs < Shape::least_idle * limit) {
            plan.workers = std::min(plan.tiles, limit);
            return plan;
        }
        if (whole_rounds == 0)
            plan.workers = static_cast<int>(std::clamp<int64_t>(
                int64_t{plan.tiles} * plan.slabs / min_share, plan.tiles, limit));
        if (plan.workers != plan.tiles)
            plan.split_tiles = plan.tiles - std::max(whole_rounds - 1, 0) * limit;
        plan.share = static_cast<int>(split_slabs(plan) / plan.workers);
        plan.longer_shares = static_cast<int>(split_slabs(plan) % plan.workers);
        return plan;
    }

    static int64_t split_slabs(const stream_k_plan& plan) {
        return int64_t{plan.split_tiles} * plan.slabs;
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return p.batch_count == 1 && !p.a_array && !p.b_array && !p.c_array &&
               max_smem_bytes <= device.smem_per_block && p.m <= max_extent && p.n <= max_extent &&
               p.k <= max_extent && tile_count(p, Shape::block_m, Shape::block_n) <= max_extent &&
               split_slabs(make_plan(p, device)) <= max_extent;
    }

    static size_t workspace_bytes(const sgemm_problem& p, const device_info& device) {
        const stream_k_plan plan = make_plan(p, device);
        return plan.split_tiles ? plan.workers * Shape::tile_bytes : 0;
    }

    // Waves are tiles that a worker writes, and sums of other workers that it adds.
    static work_estimate work(const sgemm_problem& p, const device_info& device) {
        const stream_k_plan plan = make_plan(p, device);
        const double tiles = static_cast<double>(plan.tiles) / plan.workers;
        const double parts =
            plan.split_tiles ? std::max(1.0, 1.0 * plan.workers / plan.split_tiles) : 0;
        return {.waves = tiles + parts,
                .steps = plan.split_tiles ? tiles * plan.slabs : std::ceil(tiles) * plan.slabs,
                .bytes = operand_bytes(p)};
    }

protected:
    static constexpr int64_t max_extent = 2147483647 - 65536; // coordinates are 32-bit
};

// Of the variant that pads both operands.
template <class Shape>
inline constexpr size_t stream_k_smem_bytes = stream_k_slabs<Shape, true, false>::smem_bytes;

template <class Shape, bool in_parts = false>
struct stream_k_launcher : stream_k_planner<Shape, stream_k_smem_bytes<Shape>> {
    using planner = stream_k_planner<Shape, stream_k_smem_bytes<Shape>>;
    static constexpr size_t max_smem_bytes = stream_k_smem_bytes<Shape>;

    // f(kernel, shared bytes of it)
    template <class F>
    static myblasStatus_t with_variant(const sgemm_problem& p, F&& f) {
        return with_transposition(p, [&](auto transa, auto transb) {
            return f(stream_k_kernel<Shape, transa, transb, in_parts>,
                     stream_k_slabs<Shape, transa, transb>::smem_bytes);
        });
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
        return launch_workers(p, planner::make_plan(p, *context.device), context);
    }

    static myblasStatus_t
    launch_workers(const sgemm_problem& p, stream_k_plan plan, const launch_context& context) {
        CUtensorMap map_a{}, map_b{};
        const myblasStatus_t status = plan_copies(p, plan, map_a, map_b);
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
        return with_variant(p, [&](auto kernel, size_t smem_bytes) {
            return launch_clusters(kernel,
                                   dim3(static_cast<unsigned>(plan.workers)),
                                   1,
                                   true,
                                   Shape::threads,
                                   smem_bytes,
                                   context,
                                   p,
                                   plan,
                                   map_a,
                                   map_b,
                                   static_cast<float*>(context.workspace),
                                   context.counters);
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
            .block_k = Shape::block_k,
            .threads = Shape::threads,
            .stages = Shape::stages,
            .smem_bytes = max_smem_bytes,
            .accepts = planner::fits,
            .workspace_bytes = planner::workspace_bytes,
            .work = planner::work,
            .prepare = prepare,
            .launch = launch,
        };
    }

    // How the operands are to be copied.
    static myblasStatus_t plan_copies(const sgemm_problem& p,
                                      stream_k_plan& plan,
                                      CUtensorMap& map_a,
                                      CUtensorMap& map_b) {
        const myblasStatus_t status =
            plan_copy({p.a, p.m, p.lda, p.transa}, p.k, Shape::block_m, &plan.copy_a, &map_a);
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
        return plan_copy({p.b, p.n, p.ldb, !p.transb}, p.k, Shape::block_n, &plan.copy_b, &map_b);
    }

private:
    struct operand {
        const float* base;
        int64_t lines, ld;
        bool k_along;
    };

    static myblasStatus_t
    plan_copy(const operand& o, int64_t k, int block_lines, stream_k_copy* copy, CUtensorMap* map) {
        *copy = stream_k_copy::words;
        if (!o.base || k == 0) // not read
            return MYBLAS_STATUS_SUCCESS;
        if (o.k_along) {
            if (k % 4 == 0 && aligned16(o.base, o.ld))
                *copy = stream_k_copy::quads;
            return MYBLAS_STATUS_SUCCESS;
        }
        if (!fits_tensor_map(o.base, o.lines, k, o.ld))
            return MYBLAS_STATUS_SUCCESS;
        *copy = stream_k_copy::tensor;
        return make_tensor_map(
            {o.base, o.lines, k, o.ld, block_lines, Shape::block_k, CU_TENSOR_MAP_SWIZZLE_NONE},
            map);
    }
};

} // namespace myblas::cuda

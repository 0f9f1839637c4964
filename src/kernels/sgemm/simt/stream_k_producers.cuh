// The producers of stream_k.cuh: threads that fill the stages of slabs.
//
// On the grid of 16 bytes one thread does, by TMA. Operands of which one is off it are either copied to the grid before,
// by another kernel, or read word by word: each of the four producer warps loads rows of 32 words to registers, those of
// the next slab while it stores the ones before to where TMA would have put them. That takes issue slots and memory's time
// from the multiplying warps, so it is for products that reads_words() names.
#pragma once

#include "kernels/common/tma.cuh"
#include "kernels/sgemm/parts/operands.cuh"
#include "kernels/sgemm/parts/schedule.cuh"

namespace myblas::cuda {

template <class Shape>
struct stream_k_barriers {
    mbarrier full[Shape::stages], empty[Shape::stages];
    mbarrier handed_over[Shape::group_threads / 32],
        written[Shape::group_threads / 32]; // tiles of warps

    // By one thread.
    __device__ void init(int fillers) {
        for (int stage = 0; stage < Shape::stages; ++stage) {
            full[stage].init(fillers);
            empty[stage].init(Shape::group_threads);
        }
        for (int warp = 0; warp < Shape::group_threads / 32; ++warp) {
            handed_over[warp].init(32);
            written[warp].init(Shape::parts_written);
        }
        mbarrier::publish_inits();
    }
};

// ---- By TMA ----------------------------------------------------------------------------------------

// The slab of A from (row, k) on.
template <class Shape, bool transa>
__device__ __forceinline__ void
copy_slab_a(float* slab, const CUtensorMap& map, int row, int k, mbarrier& full) {
    copy_box(slab, map, transa ? k : row, transa ? row : k, full);
}

// The slab of B from (k, col) on.
template <class Shape, bool transb>
__device__ __forceinline__ void
copy_slab_b(float* slab, const CUtensorMap& map, int col, int k, mbarrier& full) {
    if constexpr (transb) {
#pragma unroll
        for (int line = 0; line < Shape::block_n; line += 32)
            copy_box(slab + line * Shape::block_k, map, col + line, k, full);
    } else {
        copy_box(slab, map, k, col, full);
    }
}

// ---- By words --------------------------------------------------------------------------------------

// A warp's part of the slabs of one operand: rows of 32 words, every fourth line, or every fourth k of all lines.
template <class Shape, bool is_a, bool k_along>
class stream_k_words {
    static constexpr int lines = is_a ? Shape::block_m : Shape::block_n, block_k = Shape::block_k;
    static constexpr int warps = Shape::producers / 32, rows = lines / warps;
    static constexpr int boxes = k_along ? 1 : lines / 32; // of lines, at each k
    static constexpr int row_bytes = 128;
    static_assert(warps == 4 && block_k == 32);

    const float* gmem_; // this lane's first word of the next slab
    int64_t ld_;
    int lines_left_; // k along: of the warp's lines; else of the lane's, both in steps from the first
    int offset_[2]; // of this lane's word of rows w and w + 4, bytes
    float value_[rows];

public:
    __device__ __forceinline__ explicit stream_k_words(int64_t ld) : ld_(ld) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % warps;
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
            const bool is_swizzled = k_along || !is_a;
            offset_[odd] =
                is_swizzled ? warp * row_bytes + ((lane / 4) ^ (warp + 4 * odd)) * 16 + lane % 4 * 4
                            : warp * lines * 4 + lane * 4;
        }
    }

    // Turns to the slabs of a tile from k on.
    __device__ __forceinline__ void begin(const float* x, int line, int64_t all_lines, int k) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % warps;
        const int first_line = line + (k_along ? warp : lane);
        const int first_k = k + (k_along ? lane : warp);
        gmem_ = x + (k_along ? first_k + first_line * ld_ : first_line + first_k * ld_);
        lines_left_ = static_cast<int>(all_lines) - first_line;
    }

    // Loads the words of a slab, of which k_left k are left, and moves on to the next.
    __device__ __forceinline__ void load(int k_left) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % warps;
        if constexpr (k_along)
            load_rows(lane < k_left ? (lines_left_ + warps - 1) / warps : 0, 1);
        else
            load_rows((k_left - warp + warps - 1) / warps, (lines_left_ + 31) / 32);
        gmem_ += k_along ? block_k : block_k * ld_;
    }

    __device__ __forceinline__ void store(char* slab) const {
#pragma unroll
        for (int row = 0; row < rows; ++row) {
            const int i = row / boxes, box = row % boxes;
            const int step = k_along ? warps * row_bytes * i
                             : is_a  ? warps * lines * 4 * i + box * row_bytes
                                     : warps * row_bytes * i + box * block_k * row_bytes;
            *reinterpret_cast<float*>(slab + offset_[i % 2] + step) = value_[row];
        }
    }

private:
    // Without branches, of which the compiler makes far too much.
    static __device__ __forceinline__ float load_if(bool inside, const float* gmem) {
        float value;
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "setp.ne.s32 p, %2, 0;\n"
                     "mov.f32 %0, 0f00000000;\n"
                     "@p ld.global.f32 %0, [%1];\n"
                     "}"
                     : "=f"(value)
                     : "l"(gmem), "r"(static_cast<int>(inside))
                     : "memory");
        return value;
    }

    // Rows from `valid` on, or, where lines run along memory, boxes from valid_boxes on, are zero.
    __device__ __forceinline__ void load_rows(int valid, int valid_boxes) {
        const float* from = gmem_;
#pragma unroll
        for (int i = 0; i < rows / boxes; ++i) {
#pragma unroll
            for (int box = 0; box < boxes; ++box)
                value_[i * boxes + box] =
                    load_if((i < valid) & (box < valid_boxes), from + box * 32);
            from += warps * ld_;
        }
    }
};

// ---- The slabs of a worker -------------------------------------------------------------------------

// On the grid, by one thread.
template <class Shape, bool transa, bool transb, class Share>
__device__ void produce_slabs(const sgemm_problem& p,
                              const stream_k_plan& plan,
                              const CUtensorMap& map_a,
                              const CUtensorMap& map_b,
                              float* smem,
                              const Share& share,
                              stream_k_barriers<Shape>& barriers) {
    constexpr int block_k = Shape::block_k;
    if (resolve_operands(p, 0).k == 0)
        return;
    fence_for_copies();                      // an operand may have been copied by the kernel before
    ring_position<Shape::stages> ring{0, 1}; // the stages begin empty
    stream_k_segment segment;
    for (int index = 0; find_segment(plan, share, index, segment); ++index) {
        const tile_position<int> at = find_tile<Shape>(segment.tile, p, share);
#pragma unroll 1
        for (int slab = segment.first_slab; slab < segment.end_slab; ++slab) {
            mbarrier& full = barriers.full[ring.stage];
            float* slab_a = smem + ring.stage * Shape::stage_floats;
            barriers.empty[ring.stage].wait(ring.parity);
            full.arrive_expecting(Shape::stage_floats * sizeof(float));
            copy_slab_a<Shape, transa>(slab_a, map_a, at.row, slab * block_k, full);
            copy_slab_b<Shape, transb>(slab_a + Shape::slab_a, map_b, at.col, slab * block_k, full);
            ring.advance();
        }
    }
}

// Word by word, by all producers.
template <class Shape, bool transa, bool transb>
__device__ void produce_words(const sgemm_problem& p,
                              const stream_k_plan& plan,
                              float* smem,
                              const stream_k_share& share,
                              stream_k_barriers<Shape>& barriers) {
    constexpr int block_k = Shape::block_k;
    const sgemm_operands o = resolve_operands(p, 0);
    if (o.k == 0)
        return;
    stream_k_words<Shape, true, transa> a(p.lda);
    stream_k_words<Shape, false, !transb> b(p.ldb);
    ring_position<Shape::stages> ring{0, 1}; // the stages begin empty
    stream_k_segment segment;
    for (int index = 0; find_segment(plan, share, index, segment); ++index) {
        const tile_position<int> at = find_tile<Shape>(segment.tile, p, share);
        const int k = segment.first_slab * block_k;
        int k_left = static_cast<int>(o.k) - k;
        a.begin(o.a, at.row, p.m, k);
        b.begin(o.b, at.col, p.n, k);
        a.load(k_left);
        b.load(k_left);
#pragma unroll 1
        for (int slab = segment.first_slab; slab < segment.end_slab; ++slab) {
            // Behind the segment's last slab nothing is left to load.
            k_left = slab + 1 < segment.end_slab ? k_left - block_k : 0;
            char* slab_a = reinterpret_cast<char*>(smem + ring.stage * Shape::stage_floats);
            barriers.empty[ring.stage].wait(ring.parity);
            a.store(slab_a);
            a.load(k_left);
            b.store(slab_a + Shape::slab_a * sizeof(float));
            b.load(k_left);
            barriers.full[ring.stage].arrive();
            ring.advance();
        }
    }
}

} // namespace myblas::cuda

// The producers of stream_k.cuh: threads that fill the stages with slabs.
//
// Aligned operands: one thread fills the stages by TMA. If an operand is unaligned, either another
// kernel makes aligned copies first, or the producers use scalar loads. The four producer warps
// then copy rows of 32 words, one word for each lane, to the places where TMA would put them.
// Scalar loads take issue slots from the consumers. They are used if scalar_loads_pay()
// (stream_k.cu), for pointer arrays, and for batches whose tensor map the driver refuses.
#pragma once

#include "kernels/common/smem.cuh"
#include "kernels/common/tma.cuh"
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/components/schedule.cuh"

namespace myblas::cuda {

template <class Shape>
struct stream_k_barriers {
    mbarrier full[Shape::stages], empty[Shape::stages];
    mbarrier handed_over[Shape::group_threads / 32],
        written[Shape::group_threads / 32]; // tiles of warps

    // Called by one thread. `fillers` is the number of arrivals that fill a stage.
    __device__ void init(int fillers) {
        for (int stage = 0; stage < Shape::stages; ++stage) {
            full[stage].init(fillers);
            empty[stage].init(Shape::group_threads);
        }
        for (int warp = 0; warp < Shape::group_threads / 32; ++warp) {
            handed_over[warp].init(32);
            written[warp].init(32 * Shape::parts_written);
        }
        mbarrier::publish_inits();
    }
};

// ---- By TMA -------------------------------------------------------------------------------------

// The matrix to copy from, if the tensor map has no third dimension.
constexpr int only_matrix = -1;

// Copies a box of a matrix of the batch.
__device__ __forceinline__ void
copy_box_of(int matrix, float* slab, const CUtensorMap& map, int x, int y, mbarrier& full) {
    if (matrix == only_matrix)
        copy_box(slab, map, x, y, full);
    else
        copy_box(slab, map, x, y, matrix, full);
}

// Copies the slab of matrix number `matrix` of A that begins at (row, k).
template <class Shape, bool transa>
__device__ __forceinline__ void
copy_slab_a(float* slab, const CUtensorMap& map, int row, int k, int matrix, mbarrier& full) {
    copy_box_of(matrix, slab, map, transa ? k : row, transa ? row : k, full);
}

// Copies the slab of matrix number `matrix` of B that begins at (k, col).
template <class Shape, bool transb>
__device__ __forceinline__ void
copy_slab_b(float* slab, const CUtensorMap& map, int col, int k, int matrix, mbarrier& full) {
    if constexpr (transb) {
#pragma unroll
        for (int line = 0; line < Shape::block_n; line += 32)
            copy_box_of(matrix, slab + line * Shape::block_k, map, col + line, k, full);
    } else {
        copy_box_of(matrix, slab, map, k, col, full);
    }
}

// ---- Scalar loads -------------------------------------------------------------------------------

// A warp's share of the slabs of one operand, in rows of 32 words: every fourth line if k runs
// along memory, otherwise every fourth k of all lines. A line is a row of op(A) or a column of
// op(B).
template <class Shape, bool is_a, bool k_along>
class stream_k_words {
    static constexpr int lines = is_a ? Shape::block_m : Shape::block_n, block_k = Shape::block_k;
    static constexpr int warps = Shape::producers / 32, rows = lines / warps;
    static constexpr int boxes = k_along ? 1 : lines / 32; // of lines, at each k
    static constexpr int row_bytes = 128;
    static_assert(warps == 4 && block_k == 32);

    const float* gmem_; // this lane's first word of the next slab
    int64_t ld_;
    // From the warp's first line (k along memory) or the lane's first line on.
    int lines_left_;
    uint32_t offset_[2]; // bytes, of this lane's word in rows w and w + 4

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

    // Moves to the slabs of a tile, from k on.
    __device__ __forceinline__ void begin(const float* x, int line, int64_t all_lines, int k) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % warps;
        const int first_line = line + (k_along ? warp : lane);
        const int first_k = k + (k_along ? lane : warp);
        gmem_ = x + (k_along ? first_k + first_line * ld_ : first_line + first_k * ld_);
        lines_left_ = static_cast<int>(all_lines) - first_line;
    }

    // Starts the copies of a slab, with k_left k left, and moves on to the next slab. After the
    // last k, zeroes are written. After the last line, shared memory keeps its old contents:
    // results from there are not written to C.
    __device__ __forceinline__ void copy(uint32_t slab, int k_left) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % warps;
        const float* from = gmem_;
        // One running address, and bounds that are checked again for each slab: otherwise the
        // compiler keeps a register for each row.
        int64_t row_step = warps * ld_;
        int lines_left = lines_left_;
        asm volatile("" : "+l"(row_step), "+r"(lines_left));
#pragma unroll
        for (int i = 0; i < rows / boxes; ++i) {
            const int k = k_along ? lane : warp + warps * i;
#pragma unroll
            for (int box = 0; box < boxes; ++box) {
                const int to = k_along ? warps * row_bytes * i
                               : is_a  ? warps * lines * 4 * i + box * row_bytes
                                       : warps * row_bytes * i + box * block_k * row_bytes;
                const int ahead = k_along ? warps * i : box * 32; // lines
                copy_if(
                    ahead < lines_left, slab + offset_[i % 2] + to, from + box * 32, k < k_left);
            }
            from += row_step;
        }
        gmem_ += k_along ? block_k : block_k * ld_;
    }

private:
    // Copies one word, or writes zero without reading; does nothing if not `inside`. The
    // instructions are predicated here, because the compiler would generate far too many branches.
    static __device__ __forceinline__ void
    copy_if(bool inside, uint32_t smem, const float* gmem, bool reads) {
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "setp.ne.s32 p, %3, 0;\n"
                     "@p cp.async.ca.shared.global [%0], [%1], 4, %2;\n"
                     "}" ::"r"(smem),
                     "l"(gmem),
                     "r"(reads ? 4 : 0),
                     "r"(static_cast<int>(inside))
                     : "memory");
    }
};

// ---- The slabs of a worker ----------------------------------------------------------------------

// Aligned operands: one thread copies.
template <class Shape, bool transa, bool transb, class Share>
__device__ void produce_slabs(const sgemm_problem& p,
                              const stream_k_schedule& schedule,
                              const CUtensorMap& map_a,
                              const CUtensorMap& map_b,
                              float* smem,
                              const Share& share,
                              stream_k_barriers<Shape>& barriers) {
    constexpr int block_k = Shape::block_k;
    if (resolve_operands(p, 0).k == 0)
        return;
    // The kernel before may have copied an operand.
    fence_for_copies();
    ring_position<Shape::stages> ring{0, 1}; // the stages begin empty
    stream_k_segment segment;
    for (int index = 0; find_segment(schedule, share, index, segment); ++index) {
        const stream_k_place at = find_place<Shape>(segment.tile, p, schedule, share);
        // The map of an operand that all products share has one matrix.
        const int matrix_a = !is_of_batch<Share> || p.stride_a == 0 ? only_matrix : at.product;
        const int matrix_b = !is_of_batch<Share> || p.stride_b == 0 ? only_matrix : at.product;
#pragma unroll 1
        for (int slab = segment.first_slab; slab < segment.end_slab; ++slab) {
            mbarrier& full = barriers.full[ring.stage];
            float* slab_a = smem + ring.stage * Shape::stage_floats;
            barriers.empty[ring.stage].wait(ring.parity);
            full.arrive_expecting(Shape::stage_floats * sizeof(float));
            const int k = slab * block_k;
            copy_slab_a<Shape, transa>(slab_a, map_a, at.row, k, matrix_a, full);
            copy_slab_b<Shape, transb>(slab_a + Shape::slab_a, map_b, at.col, k, matrix_b, full);
            ring.advance();
        }
    }
}

// Scalar loads: all producers copy.
template <class Shape, bool transa, bool transb, class Share>
__device__ void produce_words(const sgemm_problem& p,
                              const stream_k_schedule& schedule,
                              float* smem,
                              const Share& share,
                              stream_k_barriers<Shape>& barriers) {
    constexpr int block_k = Shape::block_k;
    sgemm_operands o = resolve_operands(p, 0);
    if (o.k == 0)
        return;
    stream_k_words<Shape, true, transa> a(p.lda);
    stream_k_words<Shape, false, !transb> b(p.ldb);
    ring_position<Shape::stages> ring{0, 1}; // the stages begin empty
    stream_k_segment segment;
    for (int index = 0; find_segment(schedule, share, index, segment); ++index) {
        const stream_k_place at = find_place<Shape>(segment.tile, p, schedule, share);
        if constexpr (is_of_batch<Share>)
            o = resolve_operands(p, at.product);
        const int k = segment.first_slab * block_k;
        int k_left = static_cast<int>(o.k) - k;
        a.begin(o.a, at.row, p.m, k);
        b.begin(o.b, at.col, p.n, k);
#pragma unroll 1
        for (int slab = segment.first_slab; slab < segment.end_slab; ++slab) {
            const uint32_t slab_a = smem_address(smem + ring.stage * Shape::stage_floats);
            barriers.empty[ring.stage].wait(ring.parity);
            a.copy(slab_a, k_left);
            b.copy(slab_a + Shape::slab_a * sizeof(float), k_left);
            barriers.full[ring.stage].arrive_after_cp_async();
            k_left -= block_k;
            ring.advance();
        }
    }
}

} // namespace myblas::cuda

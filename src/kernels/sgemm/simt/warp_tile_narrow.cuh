// Block tiles of 64 x 32 and 32 x 64 for batches of products with a short side, whose tiles mostly
// lie at an edge of C. Fragments and stores are as in warp_tile.
//
// The main loop has no checks of k: it computes whole slabs, and a short loop computes the rest of
// k. Rows of op(A) and columns of op(B) that are outside of the operands are not copied. What
// shared memory holds in their place changes only elements that are not in C.
#pragma once

#include "kernels/sgemm/components/warp_tile.cuh"

namespace myblas::cuda {

// Copies slabs of one operand, `lines` lines (rows of op(A) or columns of op(B)) x block_k, to
// shared memory as smem[kk][line].
//
// Where lines run along memory: quads by 16-byte copies (`vector`), otherwise scalar copies.
// Where k runs along memory: a warp copies 8 k x 4 lines by 4-byte copies, whole 32-byte sectors of
// global memory, to 32 different banks.
template <class Shape, int lines, bool k_contiguous, bool vector>
struct line_copier {
    static constexpr int block_k = Shape::block_k, threads = Shape::threads;
    static constexpr int pitch = lines + (k_contiguous ? 4 : 0);
    static constexpr int slab_floats = pitch * block_k;
    static constexpr bool swaps_pairs = false;
    static constexpr int width = vector && !k_contiguous ? 4 : 1;    // floats in one copy
    static constexpr int copies = lines * block_k / width / threads; // of a thread, for each slab

    // A thread's copies are line_step lines apart, and after line_copies of them k_step further.
    static constexpr int copied = threads * width; // floats in one copy of all threads
    static constexpr int line_step = k_contiguous ? copied / block_k : copied;
    static constexpr int line_copies = lines > line_step ? lines / line_step : 1;
    static constexpr int k_step = k_contiguous ? block_k : copied > lines ? copied / lines : 1;
    static_assert(block_k == 8 && copies * copied == lines * block_k && copies % line_copies == 0);
    static_assert(!k_contiguous || copies == line_copies);

    const float* gmem; // this thread's first element of the next slab
    int64_t ld;
    int lines_left; // from this thread's first line to the operand's end, may be <= 0

    // The place of a thread's first element in a slab.
    static __device__ __forceinline__ int line_of(int thread) {
        return k_contiguous ? thread / block_k : thread * width % lines;
    }
    static __device__ __forceinline__ int kk_of(int thread) {
        return k_contiguous ? thread % block_k : thread * width / lines;
    }

    __device__ line_copier(const float* base, int64_t ld_, int64_t first_line, int64_t all_lines)
        : ld(ld_) {
        const int line = line_of(threadIdx.x), kk = kk_of(threadIdx.x);
        lines_left = static_cast<int>(min(all_lines - first_line - line, int64_t{lines}));
        first_line += line;
        gmem = base + (k_contiguous ? kk + first_line * ld : first_line + kk * ld);
    }

    // Computed again for each slab, so that it occupies no registers.
    __device__ __forceinline__ float* target_in(float* slab) const {
        const int thread = static_cast<int>(rematerialised_tid());
        return slab + kk_of(thread) * pitch + line_of(thread);
    }

    // Starts copy r of a slab inside k. Called with r from 0 on in order; the last call moves on to
    // the next slab.
    __device__ __forceinline__ void start_copy(float* target, int r) {
        const int line_offset = r % line_copies * line_step, k_offset = r / line_copies * k_step;
        cp_async_if_beyond<width * 4>(target + k_offset * pitch + line_offset,
                                      k_contiguous ? gmem : gmem + line_offset,
                                      lines_left,
                                      line_offset);
        const bool ends_lines = (r + 1) % line_copies == 0;
        if (k_contiguous)
            gmem += ends_lines ? block_k - line_offset * ld : line_step * ld;
        else if (ends_lines)
            gmem += k_step * ld;
        asm volatile("" : "+l"(gmem)); // a sum, not a product for each copy
    }

    // Starts the copies of a slab that ends after k_left, and moves on to the next slab.
    __device__ __forceinline__ void start_part(float* slab, int k_left) {
        const int all_lines_left = lines_left;
        const int k_left_here = k_left - kk_of(threadIdx.x);
        float* const target = target_in(slab);
#pragma unroll 4
        for (int r = 0; r < copies; ++r) {
            lines_left = r / line_copies * k_step < k_left_here ? all_lines_left : 0;
            start_copy(target, r);
        }
        lines_left = all_lines_left;
    }

    __device__ __forceinline__ void start_no_more() { lines_left = 0; }
};

template <class Shape, bool transa, bool transb, bool vector>
struct narrow_tile : warp_tile<Shape, transa, transb, vector, line_copier> {
    using base = warp_tile<Shape, transa, transb, vector, line_copier>;
    using typename base::accumulators;
    using typename base::copier_a;
    using typename base::copier_b;
    using typename base::fragment;

    // A slab is copied during the first two k of the slab that is multiplied: with two stages, the
    // warps wait for the copies at that slab's end.
    static constexpr int copying_k = 2;

    // acc = op(A)[tile_row.., all k) * op(B)[all k, tile_col..).
    static __device__ __forceinline__ void multiply(const sgemm_problem& p,
                                                    const sgemm_operands& o,
                                                    int64_t tile_row,
                                                    int64_t tile_col,
                                                    float* smem,
                                                    accumulators& acc) {
        constexpr int block_k = Shape::block_k;
        constexpr int last_stage = (Shape::stages - 1) * base::stage_floats;
        copier_a copy_a(o.a, p.lda, tile_row, p.m);
        copier_b copy_b(o.b, p.ldb, tile_col, p.n);
        int k_left = static_cast<int>(o.k), k_to_start = k_left;
        const auto start_part = [&](int stage) {
            copy_a.start_part(smem + stage, k_to_start);
            copy_b.start_part(smem + stage + copier_a::slab_floats, k_to_start);
        };
        const auto synchronise = [] {
            if constexpr (Shape::threads == 32)
                __syncwarp();
            else
                __syncthreads();
        };
        const auto wait_for_next_slab = [&] {
            cp_async_wait<Shape::stages - 2>();
            // All threads' copies of the next slab have arrived, and all threads have read the rest
            // of this slab, whose stage the next round fills.
            synchronise();
        };

        // Stages are offsets in shared memory.
#pragma unroll 1
        for (int stage = 0; stage < last_stage; stage += base::stage_floats) {
            if (k_to_start > 0)
                start_part(stage);
            k_to_start -= block_k;
            // An empty group counts too, so that the waits are right.
            cp_async_commit();
        }

        // This thread's first row and column in the first stage.
        const float* const first_a = smem + base::thread_row();
        const float* const first_b = smem + copier_a::slab_floats + base::thread_col();
        int read_stage = 0, write_stage = last_stage, next_stage = base::stage_floats;
        fragment frag[2];
        wait_for_next_slab(); // the first
        frag[0].load(first_a, first_b, 0);

        constexpr int copies_a = copier_a::copies, copies = copies_a + copier_b::copies;
#pragma unroll 1
        for (; k_left >= block_k; k_left -= block_k) {
            if (k_to_start < block_k) {
                if (k_to_start > 0)
                    start_part(write_stage);
                copy_a.start_no_more();
                copy_b.start_no_more();
            }
            k_to_start -= block_k;
            float* const target_a = copy_a.target_in(smem + write_stage);
            float* const target_b = copy_b.target_in(smem + write_stage + copier_a::slab_floats);
            const float* const at_a = first_a + read_stage;
            const float* const at_b = first_b + read_stage;
#pragma unroll
            for (int kk = 0; kk < block_k; ++kk) {
#pragma unroll
                for (int i = 0; i < copies; ++i)
                    if (i * copying_k / copies == kk) {
                        if (i < copies_a)
                            copy_a.start_copy(target_a, i);
                        else
                            copy_b.start_copy(target_b, i - copies_a);
                    }
                if (kk == copying_k - 1)
                    cp_async_commit();
                if (kk == block_k - 1) {
                    wait_for_next_slab();
                    // After the last slab this reads old data, which are not used.
                    frag[(kk + 1) % 2].load(first_a + next_stage, first_b + next_stage, 0);
                } else {
                    frag[(kk + 1) % 2].load(at_a, at_b, kk + 1);
                }
                base::multiply_fragment(frag[kk % 2], acc);
            }
            write_stage = read_stage;
            read_stage = next_stage;
            next_stage = next_stage == last_stage ? 0 : next_stage + base::stage_floats;
        }
        // The rest of k.
        const float* at_a = first_a + read_stage;
        const float* at_b = first_b + read_stage;
#pragma unroll 1
        for (; k_left > 0; --k_left) {
            frag[0].load(at_a, at_b, 0);
            at_a += copier_a::pitch;
            at_b += copier_b::pitch;
            base::multiply_fragment(frag[0], acc);
        }
        cp_async_wait<0>();
        synchronise(); // shared memory is free for other uses
    }
};

} // namespace myblas::cuda

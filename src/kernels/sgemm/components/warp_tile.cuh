// The block / warp / thread hierarchy: a block tile is cut into warp tiles, a warp tile into thread
// tiles made of 4 x 4 groups. Slabs of k stream through several stages of shared memory by
// cp.async.
//
//   block tile   block_m x block_n of C, for one block; slabs of block_k, `stages` of them in
//                flight
//   warp tile    warp_m x warp_n, for one warp; its lanes form a lanes_m x lanes_n grid
//   thread tile  thread_m x thread_n: groups of 4 rows, lanes_m * 4 apart, by groups of 4 columns,
//                lanes_n * 4 apart. Each 128-bit shared load of a warp reads neighbouring quads,
//                and each quad is broadcast to several lanes.
//
// A line is a row of op(A) or a column of op(B).
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/lanes.cuh"
#include "kernels/sgemm/components/epilogue.cuh"
#include "kernels/sgemm/components/operands.cuh"

namespace myblas::cuda {

template <int block_m_,
          int block_n_,
          int block_k_,
          int warp_m_,
          int warp_n_,
          int lanes_m_,
          int stages_,
          bool whole_slabs_ = false>
struct warp_tile_shape {
    static constexpr int block_m = block_m_, block_n = block_n_, block_k = block_k_;
    static constexpr int warp_m = warp_m_, warp_n = warp_n_;
    static constexpr int lanes_m = lanes_m_, lanes_n = 32 / lanes_m_;
    static constexpr int stages = stages_;
    // Whether there is a loop for slabs inside the operands, whose body is a slab without a branch.
    static constexpr bool whole_slabs = whole_slabs_;

    static constexpr int warps_m = block_m / warp_m, warps_n = block_n / warp_n;
    static constexpr int threads = warps_m * warps_n * 32;
    static constexpr int first_thread = 0; // the block's first thread that works on the tile
    static constexpr bool has_epilogue = false;
    static constexpr int groups_m = warp_m / (lanes_m * 4), groups_n = warp_n / (lanes_n * 4);
    static constexpr int thread_m = groups_m * 4, thread_n = groups_n * 4;

    static_assert(block_m % warp_m == 0 && block_n % warp_n == 0);
    static_assert(groups_m * lanes_m * 4 == warp_m && groups_n * lanes_n * 4 == warp_n);
    static_assert(block_k % 8 == 0 && stages >= 2 && (!whole_slabs || block_k <= 16));
};

// Copies slabs of one operand, `lines` lines (rows of op(A) or columns of op(B)) x block_k, to
// shared memory as smem[kk][line].
//
// Where lines run along memory: quads by 16-byte copies (`vector`), otherwise scalar copies.
// Where k runs along memory: the slab is transposed on the way by 4-byte copies. A warp copies
// 8 k x 4 lines: whole 32-byte sectors of global memory and, with rows padded by 4, 32 different
// banks. Shared memory takes a cycle for each cache line that a copy of a warp reads, so in slabs
// of 16 k with whole_slabs a warp copies 16 k x 2 lines. The pairs of lines of a quad are then
// swapped in the second 8 k, for different banks.
//
// A thread's copies are at constant distances from its first one, in k or in lines. One running sum
// holds their addresses: separate addresses would take two registers each from the accumulators.
template <class Shape, int lines, bool k_contiguous, bool vector>
struct slab_copier {
    static constexpr int block_k = Shape::block_k, threads = Shape::threads;
    static constexpr int pitch = lines + (k_contiguous ? 4 : 0);
    static constexpr int slab_floats = pitch * block_k;
    static constexpr int width = vector && !k_contiguous ? 4 : 1; // floats in one copy
    // A thread's copies for each slab.
    static constexpr int copies = lines * block_k / width / threads;
    static constexpr int warps = threads / 32;

    // Distances between the copies: `line_copies` copies line_step lines apart, then the same
    // k_step further.
    static constexpr int lanes_k = Shape::whole_slabs ? block_k : 8; // of a warp, if k_contiguous
    static constexpr bool swaps_pairs = k_contiguous && lanes_k == 16;
    static constexpr int line_step = 32 / lanes_k * warps;
    static constexpr int line_copies = k_contiguous ? lines / line_step : 1;
    static constexpr int k_step = k_contiguous ? lanes_k : threads * width / lines;
    static_assert(copies * width * threads == lines * block_k && copies % line_copies == 0);
    static_assert(!swaps_pairs || line_step % 4 == 0); // so that all copies swap alike
    static_assert(k_contiguous ? line_copies * line_step == lines
                               : k_step * lines == threads * width);

    const float* gmem; // this thread's first element of the next slab
    int64_t ld;
    int lines_left; // from this thread's first line to the operand's end, may be <= 0
    int line, kk;   // of this thread's first element, inside the slab

    __device__ slab_copier(
        const float* base, int64_t ld_, int64_t first_line, int64_t all_lines, int64_t first_k)
        : ld(ld_) {
        set_place(threadIdx.x, first_line, all_lines);
        first_line += line;
        first_k += kk;
        gmem = base + (k_contiguous ? first_k + first_line * ld : first_line + first_k * ld);
    }

    // Computes what start() needs besides the address again: in a loop that calls start_copy()
    // alone, it then occupies no registers.
    __device__ __forceinline__ void rematerialise(int64_t first_line, int64_t all_lines) {
        set_place(rematerialised_tid(), first_line, all_lines);
    }

    // The place of the first copy in a slab.
    __device__ __forceinline__ float* target_in(float* slab) const {
        return slab + kk * pitch + (swaps_pairs ? line ^ kk / 8 * 2 : line);
    }

    // Starts the copies of a slab, with zeroes outside of the operand, and moves on to the next
    // slab.
    __device__ __forceinline__ void start(float* smem, int k_left) {
        const float* source = gmem;
        float* const target = target_in(smem);
        int64_t step = k_contiguous ? line_step * ld : k_step * ld;
        // Hidden from the compiler for each slab, so that it cannot precompute the running sum's
        // values.
        asm volatile("" : "+l"(step));
#pragma unroll
        for (int r = 0; r < copies; ++r) {
            const int line_offset = r % line_copies * line_step,
                      k_offset = r / line_copies * k_step;
            const bool inside = k_left - kk > k_offset && lines_left > line_offset;
            cp_async<width * 4>(target + k_offset * pitch + line_offset, source, inside);
            if (k_contiguous && (r + 1) % line_copies == 0)
                source = gmem + (k_offset + k_step);
            else
                source += step;
        }
        gmem += k_contiguous ? block_k : block_k * ld;
    }

    // Start the copies of a slab inside the operand: start_copy one by one, r from 0 on in order;
    // start_whole all at once.
    __device__ __forceinline__ void start_copy(float* target, int r) {
        const bool is_last = r + 1 == copies, ends_lines = (r + 1) % line_copies == 0;
        const int line_offset = r % line_copies * line_step, k_offset = r / line_copies * k_step;
        cp_async<width * 4>(target + k_offset * pitch + line_offset, gmem);
        const int lines_on = ends_lines ? -line_offset : line_step;
        const int k_on = is_last ? block_k - k_offset : ends_lines ? k_step : 0;
        gmem += k_contiguous ? k_on + lines_on * ld : lines_on + k_on * ld;
        asm volatile("" : "+l"(gmem)); // a sum, not a product for each copy
    }
    __device__ __forceinline__ void start_whole(float* smem) {
        float* const target = target_in(smem);
#pragma unroll
        for (int r = 0; r < copies; ++r)
            start_copy(target, r);
    }

private:
    __device__ __forceinline__ void set_place(int thread, int64_t first_line, int64_t all_lines) {
        thread -= Shape::first_thread;
        line = k_contiguous ? thread / 32 * (32 / lanes_k) + thread % 32 / lanes_k
                            : thread % (lines / width) * width;
        kk = k_contiguous ? thread % lanes_k : thread / (lines / width);
        lines_left = static_cast<int>(min(all_lines - first_line - line, int64_t{lines}));
    }
};

// Whether the operands whose lines run along memory consist of aligned quads, so that `vector` may
// be set. With OP_T for A and OP_N for B there is no such operand.
inline bool copies_quads(const sgemm_problem& p) {
    const bool quads_a =
        p.m % 4 == 0 && batch_aligned16(p.a, p.lda, p.stride_a, p.a_array, p.batch_count);
    const bool quads_b =
        p.n % 4 == 0 && batch_aligned16(p.b, p.ldb, p.stride_b, p.b_array, p.batch_count);
    return (p.transa || quads_a) && (!p.transb || quads_b);
}

// Three bits: the transpositions, and copies_quads.
inline unsigned copy_bits(const sgemm_problem& p) { return form_bits(p) | copies_quads(p) << 2; }

// Calls f with transa, transb and vector as compile-time constants.
template <class F>
myblasStatus_t with_copies(unsigned choice, F&& f) {
    return with_bits<3>(choice, [&](auto transa, auto transb, auto vector) {
        constexpr bool has_no_lines = transa && !transb;
        return f(transa, transb, std::bool_constant < vector || has_no_lines > {});
    });
}

struct no_action {
    __device__ __forceinline__ void operator()() const {}
};

template <class Shape,
          bool transa,
          bool transb,
          bool vector,
          template <class, int, bool, bool> class SlabCopier = slab_copier>
struct warp_tile {
    using copier_a = SlabCopier<Shape, Shape::block_m, transa, vector>;
    using copier_b = SlabCopier<Shape, Shape::block_n, !transb, vector>;
    static constexpr int stage_floats = copier_a::slab_floats + copier_b::slab_floats;
    static constexpr size_t smem_bytes = size_t{Shape::stages} * stage_floats * sizeof(float);

    // k of one loop body. With 16 x 8 elements a thread, a slab of 16 k would be 2,000 FMAs, more
    // than the instruction caches hold. With small thread tiles, saving branches matters more.
    static constexpr int unrolled_k = Shape::thread_m * Shape::thread_n > 32 ? 8 : Shape::block_k;

    using accumulators = float[Shape::thread_n][Shape::groups_m][4]; // [column][group][row]

    struct fragment {
        float a[Shape::groups_m][4];
        float b[Shape::thread_n];

        // Loads row kk of a slab. The pointers are at this thread's first row and column.
        __device__ __forceinline__ void load(const float* smem_a, const float* smem_b, int kk) {
#pragma unroll
            for (int g = 0; g < Shape::groups_m; ++g)
                load_group<copier_a>(a[g], smem_a + g * Shape::lanes_m * 4, kk);
#pragma unroll
            for (int g = 0; g < Shape::groups_n; ++g)
                load_group<copier_b>(b + 4 * g, smem_b + g * Shape::lanes_n * 4, kk);
        }

    private:
        template <class Copier>
        static __device__ __forceinline__ void load_group(float* x, const float* group, int kk) {
            float quad[4];
            load_quad(quad, group + kk * Copier::pitch);
#pragma unroll
            for (int e = 0; e < 4; ++e)
                x[e] = quad[Copier::swaps_pairs && kk >= 8 ? e ^ 2 : e];
        }
    };

    // Goes up and down the rows alternately, so that consecutive FMAs share an operand.
    static __device__ __forceinline__ void multiply_fragment(const fragment& frag,
                                                             accumulators& acc) {
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
            for (int step = 0; step < Shape::thread_m; ++step) {
                const int r = c % 2 ? Shape::thread_m - 1 - step : step;
                acc[c][r / 4][r % 4] = fmaf(frag.a[r / 4][r % 4], frag.b[c], acc[c][r / 4][r % 4]);
            }
    }

    static __device__ __forceinline__ unsigned tile_thread() {
        return threadIdx.x - Shape::first_thread;
    }
    // First row and column of this thread inside the block tile.
    static __device__ __forceinline__ int thread_row() {
        return tile_thread() / 32 % Shape::warps_m * Shape::warp_m +
               tile_thread() % 32 % Shape::lanes_m * 4;
    }
    static __device__ __forceinline__ int thread_col() {
        return tile_thread() / 32 / Shape::warps_m * Shape::warp_n +
               tile_thread() % 32 / Shape::lanes_m * 4;
    }

    // acc = scale * C, for a whole tile with aligned columns.
    static __device__ __forceinline__ void
    load_c(const float* c, int64_t ldc, float scale, accumulators& acc) {
        c += thread_row() + thread_col() * ldc;
#pragma unroll
        for (int col = 0; col < Shape::thread_n; ++col)
#pragma unroll
            for (int g = 0; g < Shape::groups_m; ++g)
                load_quad(acc[col][g],
                          c + (col / 4 * Shape::lanes_n * 4 + col % 4) * ldc +
                              g * Shape::lanes_m * 4);
#pragma unroll
        for (int col = 0; col < Shape::thread_n; ++col)
#pragma unroll
            for (int r = 0; r < Shape::thread_m; ++r)
                acc[col][r / 4][r % 4] *= scale;
    }

    // acc += op(A)[tile_row.., first_k .. first_k + k) * op(B)[same k, tile_col..). `meanwhile` is
    // called once, during the copy of the first slabs; after_slab is called after each slab of k.
    // Both may change acc.
    template <class AfterSlab = no_action, class Meanwhile = no_action>
    static __device__ __forceinline__ void multiply(const sgemm_problem& p,
                                                    const sgemm_operands& o,
                                                    int64_t tile_row,
                                                    int64_t tile_col,
                                                    int64_t first_k,
                                                    int64_t k,
                                                    float* smem,
                                                    accumulators& acc,
                                                    AfterSlab after_slab = {},
                                                    Meanwhile meanwhile = {}) {
        if (k <= 0) {
            meanwhile();
            return;
        }
        if constexpr (Shape::whole_slabs) {
            multiply_slabs(p, o, tile_row, tile_col, first_k, k, smem, acc, after_slab, meanwhile);
            return;
        }
        copier_a copy_a(o.a, p.lda, tile_row, p.m, first_k);
        copier_b copy_b(o.b, p.ldb, tile_col, p.n, first_k);
        int64_t k_to_start = k; // k whose copies have not been started
        auto start_slab = [&](int stage) {
            if (k_to_start > 0) {
                const int left =
                    k_to_start < Shape::block_k ? static_cast<int>(k_to_start) : Shape::block_k;
                float* target = smem + stage * stage_floats;
                copy_a.start(target, left);
                copy_b.start(target + copier_a::slab_floats, left);
                k_to_start -= Shape::block_k;
            }
            // An empty group counts too, so that the wait below is right.
            cp_async_commit();
        };

#pragma unroll
        for (int stage = 0; stage < Shape::stages - 1; ++stage)
            start_slab(stage);
        meanwhile();

        const int row = thread_row();
        const int col = copier_a::slab_floats + thread_col();
        int read_stage = 0, write_stage = Shape::stages - 1;
        fragment frag[2];
        cp_async_wait<Shape::stages - 2>();
        __syncthreads(); // all threads' copies of the first slab have arrived
        frag[0].load(smem + row, smem + col, 0);

        // This thread's first row or column at the current k.
        const float* at_a = smem + row;
        const float* at_b = smem + col;
        for (int64_t k_left = k; k_left > 0; k_left -= Shape::block_k) { // docs/ladder.md
            start_slab(write_stage);
            write_stage = write_stage + 1 == Shape::stages ? 0 : write_stage + 1;
            read_stage = read_stage + 1 == Shape::stages ? 0 : read_stage + 1;
            const float* next_stage = smem + read_stage * stage_floats;
#pragma unroll 1
            for (int first = 0; first < Shape::block_k; first += unrolled_k) {
                const bool is_last = first + unrolled_k == Shape::block_k;
                const float* next_a =
                    is_last ? next_stage + row : at_a + unrolled_k * copier_a::pitch;
                const float* next_b =
                    is_last ? next_stage + col : at_b + unrolled_k * copier_b::pitch;
#pragma unroll
                for (int kk = 0; kk < unrolled_k; ++kk) {
                    if (kk == unrolled_k - 1) {
                        if (is_last) {
                            cp_async_wait<Shape::stages - 2>();
                            // All threads' copies of the next slab have arrived, and all threads
                            // have read the rest of this slab, whose stage the next round fills.
                            __syncthreads();
                        }
                        // After the last slab this reads zeroes or old data, which are not used.
                        frag[(kk + 1) % 2].load(next_a, next_b, 0);
                    } else {
                        frag[(kk + 1) % 2].load(at_a, at_b, kk + 1);
                    }
                    multiply_fragment(frag[kk % 2], acc);
                }
                at_a = next_a;
                at_b = next_b;
            }
            after_slab();
        }
        cp_async_wait<0>();
        __syncthreads(); // shared memory is free for other uses
    }

    // The same for shapes with whole_slabs. It is a separate function, since code beside the loop
    // above changes the loop's registers.
    template <class AfterSlab, class Meanwhile>
    static __device__ __forceinline__ void multiply_slabs(const sgemm_problem& p,
                                                          const sgemm_operands& o,
                                                          int64_t tile_row,
                                                          int64_t tile_col,
                                                          int64_t first_k,
                                                          int64_t k,
                                                          float* smem,
                                                          accumulators& acc,
                                                          AfterSlab after_slab,
                                                          Meanwhile meanwhile) {
        // A fragment's k is that of its slab, as pairs are swapped by it.
        static_assert(!(copier_a::swaps_pairs || copier_b::swaps_pairs) ||
                      unrolled_k == Shape::block_k);
        copier_a copy_a(o.a, p.lda, tile_row, p.m, first_k);
        copier_b copy_b(o.b, p.ldb, tile_col, p.n, first_k);
        const bool is_inside = p.m - tile_row >= Shape::block_m && p.n - tile_col >= Shape::block_n;
        int64_t k_to_start = k;     // k whose copies have not been started
        const auto is_whole = [&] { // the next slab to start
            return is_inside && k_to_start >= Shape::block_k;
        };
        const auto end_start = [&] {
            k_to_start -= Shape::block_k;
            // An empty group counts too, so that the wait below is right.
            cp_async_commit();
        };
        const auto start_slab = [&](int stage) {
            if (k_to_start > 0) {
                const int left =
                    k_to_start < Shape::block_k ? static_cast<int>(k_to_start) : Shape::block_k;
                copy_a.start(smem + stage, left);
                copy_b.start(smem + stage + copier_a::slab_floats, left);
            }
            end_start();
        };

        // Stages are offsets in shared memory.
        constexpr int last_stage = (Shape::stages - 1) * stage_floats;
#pragma unroll 1
        for (int stage = 0; stage < last_stage; stage += stage_floats) {
            if (is_whole()) {
                copy_a.start_whole(smem + stage);
                copy_b.start_whole(smem + stage + copier_a::slab_floats);
                end_start();
            } else {
                start_slab(stage);
            }
        }
        meanwhile();

        // This thread's first row and column in the first stage.
        const float* const first_a = smem + thread_row();
        const float* const first_b = smem + copier_a::slab_floats + thread_col();
        int read_stage = 0, write_stage = last_stage, next_stage = stage_floats;
        const auto to_next_stage = [&] {
            write_stage = read_stage;
            read_stage = next_stage;
            next_stage = next_stage == last_stage ? 0 : next_stage + stage_floats;
        };
        const auto wait_for_next_slab = [] {
            cp_async_wait<Shape::stages - 2>();
            // All threads' copies of the next slab have arrived, and all threads have read the rest
            // of this slab, whose stage the next round fills.
            __syncthreads();
        };
        fragment frag[2];
        wait_for_next_slab(); // the first
        frag[0].load(first_a, first_b, 0);

        int64_t k_left = k;
        // While whole slabs start, a slab is multiplied without a branch. The copies are spread
        // among the FMAs.
        constexpr int copies_a = copier_a::copies, copies = copies_a + copier_b::copies;
        constexpr int groups = Shape::block_k / 4; // of copies, 4 k apart
        while (is_whole()) {
            float* const target_a = copy_a.target_in(smem + write_stage);
            float* const target_b = copy_b.target_in(smem + write_stage + copier_a::slab_floats);
            const float* const at_a = first_a + read_stage;
            const float* const at_b = first_b + read_stage;
#pragma unroll
            for (int kk = 0; kk < Shape::block_k; ++kk) {
#pragma unroll
                for (int i = 0; i < copies; ++i)
                    if (i * groups / copies * 4 == kk) {
                        if (i < copies_a)
                            copy_a.start_copy(target_a, i);
                        else
                            copy_b.start_copy(target_b, i - copies_a);
                    }
                if (kk == Shape::block_k - 4)
                    end_start();
                if (kk == Shape::block_k - 1) {
                    wait_for_next_slab();
                    frag[(kk + 1) % 2].load(first_a + next_stage, first_b + next_stage, 0);
                } else {
                    frag[(kk + 1) % 2].load(at_a, at_b, kk + 1);
                }
                multiply_fragment(frag[kk % 2], acc);
            }
            k_left -= Shape::block_k;
            to_next_stage();
            after_slab();
        }
        copy_a.rematerialise(tile_row, p.m);
        copy_b.rematerialise(tile_col, p.n);
        // This thread's first row or column at the current k.
        const float* at_a = first_a + read_stage;
        const float* at_b = first_b + read_stage;
        for (; k_left > 0; k_left -= Shape::block_k) {
            start_slab(write_stage);
#pragma unroll 1
            for (int first = 0; first < Shape::block_k; first += unrolled_k) {
                const bool is_last = first + unrolled_k == Shape::block_k;
                const float* next_a =
                    is_last ? first_a + next_stage : at_a + unrolled_k * copier_a::pitch;
                const float* next_b =
                    is_last ? first_b + next_stage : at_b + unrolled_k * copier_b::pitch;
#pragma unroll
                for (int kk = 0; kk < unrolled_k; ++kk) {
                    if (kk == 8 && k_left <= 8)
                        break; // half of the last slab
                    if (kk == unrolled_k - 1) {
                        if (is_last)
                            wait_for_next_slab();
                        // After the last slab this reads zeroes or old data, which are not used.
                        frag[(kk + 1) % 2].load(next_a, next_b, 0);
                    } else {
                        frag[(kk + 1) % 2].load(at_a, at_b, kk + 1);
                    }
                    multiply_fragment(frag[kk % 2], acc);
                }
                at_a = next_a;
                at_b = next_b;
            }
            to_next_stage();
            after_slab();
        }
        cp_async_wait<0>();
        __syncthreads(); // shared memory is free for other uses
    }

    // The place of a thread that writes columns: its first element in the block tile, and the
    // distances from there to the end of the block tile or of C.
    struct warp_place {
        const int warp = tile_thread() / 32, lane = tile_thread() % 32;
        const int row = warp % Shape::warps_m * Shape::warp_m + lane; // of its first element
        const int col = warp / Shape::warps_m * Shape::warp_n;
        const int rows_left, cols_left;

        __device__ __forceinline__ warp_place(const sgemm_problem& p,
                                              int64_t tile_row,
                                              int64_t tile_col)
            : rows_left(static_cast<int>(min(p.m - tile_row, int64_t{Shape::block_m})) - row),
              cols_left(static_cast<int>(min(p.n - tile_col, int64_t{Shape::block_n})) - col) {}
    };

    // Calls write(columns, cols_left) for the warp's columns, columns_at_once at a time, from the
    // first column of the warp tile on. The columns are staged in smem, which no thread may still
    // be using. The argument `columns` points to this thread's first row in [column][row] with
    // pitch column_pitch; the thread's rows are 32 apart. The argument cols_left is the number of
    // columns from there on that are inside C.
    //
    // If columns are not aligned to 16 bytes, quads would be written by scalar stores, 16 bytes
    // apart: every store would touch a sector for each thread. Instead, a warp stages lanes_n * 4
    // columns at a time in its own piece of shared memory, and writes them 32 neighbouring rows at
    // a time. A pitch of warp_m + 4 floats keeps the quads of each quarter of a warp in different
    // banks.
    static constexpr int column_pitch = Shape::warp_m + 4;
    static constexpr int rows_of_columns = Shape::warp_m / 32; // rows of a column for each thread
    static constexpr int columns_at_once =
        8 / rows_of_columns; // columns whose old values are read together
    // Sums are scaled by alpha before they are staged. Otherwise the accumulators would have to be
    // in quads of registers, as 128-bit stores need them. The main loop would then have bank
    // conflicts (12% of the time of 256 x 128 tiles on an H200).
    template <class Write>
    static __device__ __forceinline__ void for_each_columns(
        const warp_place& at, const accumulators& acc, float* smem, float alpha, Write&& write) {
        constexpr int columns = Shape::lanes_n * 4, pitch = column_pitch;
        static_assert(Shape::warp_m % 32 == 0 && rows_of_columns <= 8 &&
                      columns % columns_at_once == 0);
        static_assert(Shape::threads / 32 * columns * pitch * sizeof(float) <= smem_bytes);
        float* staged = smem + at.warp * columns * pitch; // [column][row]
        float* quads = staged + at.lane / Shape::lanes_m * 4 * pitch + at.lane % Shape::lanes_m * 4;
        int cols_left = at.cols_left;
#pragma unroll
        for (int group = 0; group < Shape::groups_n; ++group) {
            __syncwarp(); // the columns before have been read
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int g = 0; g < Shape::groups_m; ++g) {
                    const float* quad = acc[4 * group + j][g];
                    *reinterpret_cast<float4*>(quads + j * pitch + g * Shape::lanes_m * 4) =
                        make_float4(scaled_sum(alpha, quad[0]),
                                    scaled_sum(alpha, quad[1]),
                                    scaled_sum(alpha, quad[2]),
                                    scaled_sum(alpha, quad[3]));
                }
            __syncwarp(); // the columns are complete
#pragma unroll 1
            for (int first = 0; first < columns && cols_left > 0; first += columns_at_once) {
                write(staged + first * pitch + at.lane, cols_left);
                cols_left -= columns_at_once;
            }
        }
    }

    // What becomes of the old C.
    enum class old_c { overwritten, read, added_to };

    // Writes columns_at_once columns from c on, if has(column, row) holds. Few instructions matter:
    // while one block writes, others multiply.
    template <old_c old, class Has>
    static __device__ __forceinline__ void
    store_columns(float* c, int64_t ldc, float beta, const float* columns, Has&& has) {
        float value[columns_at_once][rows_of_columns];
#pragma unroll
        for (int j = 0; j < columns_at_once; ++j)
#pragma unroll
            for (int r = 0; r < rows_of_columns; ++r)
                value[j][r] = columns[j * column_pitch + 32 * r];
        if constexpr (old == old_c::read) {
            const float* from = c;
#pragma unroll
            for (int j = 0; j < columns_at_once; ++j) {
#pragma unroll
                for (int r = 0; r < rows_of_columns; ++r)
                    if (has(j, 32 * r))
                        value[j][r] = fmaf(beta, from[32 * r], value[j][r]);
                from += ldc;
            }
        }
        const auto for_each = [&](auto&& store) {
#pragma unroll
            for (int j = 0; j < columns_at_once; ++j) {
#pragma unroll
                for (int r = 0; r < rows_of_columns; ++r)
                    if (has(j, 32 * r))
                        store(c[32 * r], value[j][r]);
                c += ldc;
            }
        };
        if constexpr (old == old_c::added_to) {
            if (are_added_in_memory(value))
                for_each([](float& to, float x) { reduce_to_memory(&to, x); });
            else
                for_each([](float& to, float x) { add_in_memory(&to, x); });
        } else {
            for_each([](float& to, float x) { to = x; });
        }
    }

    // C = alpha * acc + beta * C. adds: beta is 1.
    template <bool adds>
    static __device__ __forceinline__ void store_by_columns(const sgemm_problem& p,
                                                            const sgemm_operands& o,
                                                            int64_t tile_row,
                                                            int64_t tile_col,
                                                            const accumulators& acc,
                                                            float* smem) {
        const warp_place at(p, tile_row, tile_col);
        float* c = o.c + (tile_row + at.row) + (tile_col + at.col) * p.ldc;
        const auto store = [&](const float* columns, auto&& has) {
            if constexpr (adds)
                store_columns<old_c::added_to>(c, p.ldc, 1, columns, has);
            else if (o.beta == 0)
                store_columns<old_c::overwritten>(c, p.ldc, 0, columns, has);
            else
                store_columns<old_c::read>(c, p.ldc, o.beta, columns, has);
        };
        const auto is_inside = [&](int, int row) { return row < at.rows_left; };
        const auto write = [&](const float* columns, int cols_left) {
            if (p.triangle == triangle_of_c::none && cols_left >= columns_at_once) {
                store(columns, is_inside);
            } else {
                const diagonal_mask mask(p.triangle, tile_row, tile_col);
                const int col = at.col + at.cols_left - cols_left;
                const auto is_computed = [&](int j, int row) {
                    return row < at.rows_left && j < cols_left && mask.has(at.row + row, col + j);
                };
                store(columns, is_computed);
            }
            c += columns_at_once * p.ldc;
        };
        for_each_columns(at, acc, smem, o.alpha, write);
    }

    // The biases of the rows that a thread writes by columns. To be loaded during the copy of the
    // first slabs, so that no thread waits for them.
    struct row_biases {
        float of[rows_of_columns];

        __device__ __forceinline__ void load(const sgemm_problem& p,
                                             const epilogue_op& epilogue,
                                             int64_t tile_row,
                                             int64_t tile_col) {
            const warp_place at(p, tile_row, tile_col);
#pragma unroll
            for (int r = 0; r < rows_of_columns; ++r)
                of[r] = epilogue.bias_of_row(tile_row + at.row + 32 * r, 32 * r < at.rows_left);
        }
    };

    // The same with an epilogue. The biases of columns are in shared memory, after the staged
    // columns.
    static __device__ __forceinline__ void write_epilogue_by_columns(const sgemm_problem& p,
                                                                     float alpha,
                                                                     const epilogue_op& epilogue,
                                                                     const row_biases& row_bias,
                                                                     int64_t tile_row,
                                                                     int64_t tile_col,
                                                                     const accumulators& acc,
                                                                     float* smem) {
        constexpr int rows = rows_of_columns, warps = Shape::threads / 32;
        constexpr int staged_floats = warps * Shape::lanes_n * 4 * column_pitch;
        static_assert((staged_floats + warps * Shape::warp_n) * sizeof(float) <= smem_bytes);
        const warp_place at(p, tile_row, tile_col);
        const int64_t first_row = tile_row + at.row, first_col = tile_col + at.col;
        float* const col_bias = smem + staged_floats + at.warp * Shape::warp_n;
        for (int c = at.lane; c < Shape::warp_n; c += 32)
            col_bias[c] = epilogue.bias_of_col(first_col + c, c < at.cols_left);
        // for_each_columns synchronises the warp before it calls write, with the columns in order.
        const float* next_bias = col_bias;
        epilogue_op next = epilogue;
        next.begin_at(first_row, first_col);
        const auto write = [&](const float* columns, int cols_left) {
            float value[columns_at_once * rows][1];
#pragma unroll
            for (int i = 0; i < columns_at_once * rows; ++i)
                value[i][0] = columns[i / rows * column_pitch + i % rows * 32] +
                              (row_bias.of[i % rows] + next_bias[i / rows]);
            next(value, [&](int i) {
                const int r = i % rows * 32, c = i / rows;
                return epilogue_place{r, c, r < at.rows_left && c < cols_left};
            });
            next.begin_at(0, columns_at_once);
            next_bias += columns_at_once;
        };
        for_each_columns(at, acc, smem, alpha, write);
    }

    // Calls write(row, col, four values, rows left in C) for every quad of rows of the thread's
    // tile that begins inside C.
    template <class Write>
    static __device__ __forceinline__ void for_each_quad(const sgemm_problem& p,
                                                         int64_t tile_row,
                                                         int64_t tile_col,
                                                         const accumulators& acc,
                                                         Write&& write) {
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c) {
            const int64_t col = tile_col + thread_col() + c / 4 * Shape::lanes_n * 4 + c % 4;
            if (col >= p.n)
                continue;
#pragma unroll
            for (int g = 0; g < Shape::groups_m; ++g) {
                const int64_t row = tile_row + thread_row() + g * Shape::lanes_m * 4;
                if (row < p.m)
                    write(row, col, acc[c][g], p.m - row);
            }
        }
    }

    // C = alpha * acc + beta * C, where each thread writes its quads of rows. With the mask for
    // triangles, a product of a short k takes 5% longer.
    template <bool takes_triangles>
    static __device__ __forceinline__ void store_quads(const sgemm_problem& p,
                                                       const sgemm_operands& o,
                                                       const tile_position<int64_t>& at,
                                                       const accumulators& acc) {
        const bool vector_c = aligned16(o.c, p.ldc);
        const auto write = [&](int64_t row, int64_t col, const float(&quad)[4], int64_t rows) {
            int first = 0;
            if constexpr (takes_triangles) {
                const diagonal_mask mask(p.triangle, at.row, at.col);
                const int i = static_cast<int>(row - at.row), j = static_cast<int>(col - at.col);
                rows = min(rows, int64_t{mask.quad_end(i, j)});
                first = mask.quad_first(i, j);
            }
            store_c4(&o.c[row + col * p.ldc], o.alpha, quad, o.beta, rows, vector_c, first);
        };
        for_each_quad(p, at.row, at.col, acc, write);
    }
};

} // namespace myblas::cuda

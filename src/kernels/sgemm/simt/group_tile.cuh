// Block tiles whose k is shared by groups of warps. Each group computes the whole tile over its own
// slabs of k, as in small_tile.cuh, with the warp and thread tiles of warp_tile.cuh: 8 x 8 elements
// of C for each thread, or 8 x 12. The sums of the groups are added at the end.
//
//   slab      block_k of k, of one group
//   round     a slab of each group, one after the other along k
//
// A group copies its own slabs, and nothing waits for other groups. But where k runs along memory,
// a copy of a warp takes shared memory a cycle for each cache line that it reads, and the slabs of
// a round lie in the same cache lines. So if most lines (rows of op(A), columns of op(B)) run along
// k, the block copies them by rounds: a warp copies 32 k of one line. To reach 32 different banks,
// group g has line l at l ^ g.
//
// The main loop has no checks of k: it computes whole slabs, and a short loop computes the rest of
// k. Lines that are outside of the operands are not copied. What shared memory holds in their place
// changes only elements that are not in C.
#pragma once

#include "kernels/common/group_barrier.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/sgemm/components/warp_tile.cuh"

namespace myblas::cuda {

// Tile: the warp_tile_shape of one group.
template <class Tile, int groups_, int resident_>
struct group_tile_shape : Tile {
    static constexpr int groups = groups_, resident = resident_;
    static constexpr int group_threads = Tile::threads, block_threads = group_threads * groups;
    static constexpr int round_k = groups * Tile::block_k;
    static constexpr bool has_round_copies = false;
};

// The same where the block copies lines along k by rounds.
template <class Shape>
struct with_round_copies : Shape {
    static constexpr bool has_round_copies = true;
    static_assert(Shape::group_threads == 32 && Shape::round_k == 32);
};

template <class Shape, bool transa, bool transb>
constexpr bool copies_rounds() {
    constexpr int along_k = (transa ? Shape::block_m : 0) + (transb ? 0 : Shape::block_n);
    return Shape::group_threads == 32 && Shape::round_k == 32 &&
           2 * along_k > Shape::block_m + Shape::block_n;
}

// A copier starts the copies of a thread, slab by slab: begin_slab() before each slab, then
// start_copy() for r from 0 on in order.

// Copies the slabs of one group to shared memory as smem[kk][line]. Where k runs along memory, a
// copy of a warp has 8 k of 4 lines: whole sectors of global memory, and 32 different banks.
template <class Shape, int lines, bool k_contiguous, bool vector>
struct own_copier {
    static constexpr int block_k = Shape::block_k, threads = Shape::group_threads;
    static constexpr int pitch = lines + (k_contiguous ? 4 : 0);
    static constexpr int slab_floats = pitch * block_k;
    static constexpr bool swaps_pairs = false;
    static constexpr int width = vector && !k_contiguous ? 4 : 1; // floats in one copy
    static constexpr int copied = threads * width;                // floats in one copy of a group
    static constexpr int copies = lines * block_k / copied;

    // A copy of a group has unit_lines lines of unit_k k. Lines along memory: as many as the
    // largest power of two that divides `lines`. After line_copies copies, the next ones are unit_k
    // further.
    static constexpr int line_power = lines & -lines;
    static constexpr int unit_lines = k_contiguous          ? threads / block_k
                                      : copied < line_power ? copied
                                                            : line_power;
    static constexpr int unit_k = copied / unit_lines;
    static constexpr int line_copies = lines / unit_lines;
    static_assert(block_k % unit_k == 0 && copies == line_copies * (block_k / unit_k));

    const float* gmem; // this thread's first element of the next slab
    int64_t ld;
    int lines_left; // from this thread's first line to the operand's end, may be <= 0
    int group;

    __device__
    own_copier(const float* base, int64_t ld_, int64_t first_line, int64_t all_lines, int group_)
        : ld(ld_), group(group_) {
        const int thread = threadIdx.x % threads;
        const int first_k = group * block_k + kk_of(thread);
        first_line += line_of(thread);
        lines_left = static_cast<int>(min(all_lines - first_line, int64_t{lines}));
        gmem = base + (k_contiguous ? first_k + first_line * ld : first_line + first_k * ld);
    }

    // This thread's first place in the slab. slab: of group 0; the others are group_floats apart.
    // Computed again for each slab, so that it occupies no registers.
    template <int group_floats>
    __device__ __forceinline__ float* target_in(float* slab) const {
        const int thread = thread_of_group();
        return slab + group * group_floats + kk_of(thread) * pitch + line_of(thread);
    }

    // k_left: from the beginning of the round to the end of k. Of an incomplete slab, begin_slab
    // starts all copies.
    template <int group_floats>
    __device__ __forceinline__ void begin_slab(float* slab, int k_left) {
        k_left -= group * block_k;
        if (k_left >= block_k)
            return;
        float* const target = target_in<group_floats>(slab);
        const int all_lines_left = lines_left;
        k_left -= kk_of(thread_of_group());
#pragma unroll
        for (int r = 0; r < copies; ++r) {
            lines_left = r / line_copies * unit_k < k_left ? all_lines_left : 0;
            start_copy(target, r);
        }
        lines_left = 0; // no more copies
    }

    __device__ __forceinline__ void start_copy(float* target, int r) {
        const int line_offset = r % line_copies * unit_lines, k_offset = r / line_copies * unit_k;
        cp_async_if_beyond<width * 4>(target + k_offset * pitch + line_offset,
                                      k_contiguous ? gmem : gmem + line_offset,
                                      lines_left,
                                      line_offset);
        const bool is_last = r + 1 == copies, ends_lines = (r + 1) % line_copies == 0;
        constexpr int64_t to_next_slab = Shape::round_k - block_k + unit_k;
        if (k_contiguous)
            gmem += is_last ? to_next_slab - line_offset * ld : unit_lines * ld;
        else if (ends_lines)
            gmem += (is_last ? to_next_slab : unit_k) * ld;
        asm volatile("" : "+l"(gmem)); // a sum, not a product for each copy
    }

private:
    static __device__ __forceinline__ int thread_of_group() {
        return static_cast<int>(rematerialised_tid()) % threads;
    }
    static __device__ __forceinline__ int line_of(int thread) {
        return k_contiguous ? thread / block_k : thread * width % unit_lines;
    }
    static __device__ __forceinline__ int kk_of(int thread) {
        return k_contiguous ? thread % block_k : thread * width / unit_lines;
    }
};

// Copies the slabs of all groups, for lines with k along memory, as smem[group][kk][line ^ group].
template <class Shape, int lines>
struct round_copier {
    static constexpr int block_k = Shape::block_k;
    static constexpr int pitch = lines + 4; // for different banks
    static constexpr int slab_floats = pitch * block_k;
    static constexpr bool swaps_pairs = false;
    static constexpr int copies = lines / Shape::groups; // of a warp, a line each
    static_assert(Shape::groups == 4 && pitch % 8 == 4);

    const float* gmem;
    int64_t ld;
    int lines_left, copied_lines_left; // the second is 0 beyond the end of k

    __device__
    round_copier(const float* base, int64_t ld_, int64_t first_line, int64_t all_lines, int)
        : ld(ld_), copied_lines_left(0) {
        first_line += threadIdx.x / 32;
        lines_left = static_cast<int>(min(all_lines - first_line, int64_t{lines}));
        gmem = base + first_line * ld + threadIdx.x % 32;
    }

    template <int group_floats>
    __device__ __forceinline__ float* target_in(float* slab) const {
        static_assert(group_floats % 32 == 0);
        const int thread = static_cast<int>(rematerialised_tid());
        const int k = thread % 32, group = k / block_k;
        return slab + group * group_floats + k % block_k * pitch + (thread / 32 ^ group);
    }

    template <int group_floats>
    __device__ __forceinline__ void begin_slab(float*, int k_left) {
        copied_lines_left = static_cast<int>(rematerialised_tid()) % 32 < k_left ? lines_left : 0;
    }

    __device__ __forceinline__ void start_copy(float* target, int r) {
        constexpr int step = Shape::groups;
        cp_async_if_beyond<4>(target + step * r, gmem, copied_lines_left, step * r);
        gmem += r + 1 == copies ? Shape::round_k - step * (copies - 1) * ld : step * ld;
        asm volatile("" : "+l"(gmem));
    }
};

template <class Shape, int lines, bool k_contiguous, bool vector>
using group_tile_copier = std::conditional_t<Shape::has_round_copies && k_contiguous,
                                             round_copier<Shape, lines>,
                                             own_copier<Shape, lines, k_contiguous, vector>>;

template <class Shape, bool transa, bool transb>
using group_tile_shape_of =
    std::conditional_t<copies_rounds<Shape, transa, transb>(), with_round_copies<Shape>, Shape>;

template <class Shape, bool transa, bool transb, bool vector>
struct group_tile : warp_tile<group_tile_shape_of<Shape, transa, transb>,
                              transa,
                              transb,
                              vector,
                              group_tile_copier> {
    using base = warp_tile<group_tile_shape_of<Shape, transa, transb>,
                           transa,
                           transb,
                           vector,
                           group_tile_copier>;
    using typename base::accumulators;
    using typename base::copier_a;
    using typename base::copier_b;
    using typename base::fragment;
    using barrier = group_barrier<Shape::group_threads, Shape::groups>;

    // Whether other groups copy a part of this group's slabs, and permute the lines of A or B.
    static constexpr bool has_round_copies = copies_rounds<Shape, transa, transb>();
    static constexpr bool permutes_a = has_round_copies && transa,
                          permutes_b = has_round_copies && !transb;

    // A group's memory: its stages, or its sums as [column][row].
    static constexpr int column_pitch = Shape::block_m + 4;
    static constexpr int ring_floats = Shape::stages * base::stage_floats;
    static constexpr int sum_floats = column_pitch * Shape::block_n;
    static constexpr int group_floats =
        ((ring_floats > sum_floats ? ring_floats : sum_floats) + 31) / 32 * 32;
    // After the groups' memory: the biases of the tile's rows and columns.
    static constexpr int bias_floats = Shape::has_epilogue ? Shape::block_m + Shape::block_n : 0;
    static constexpr size_t smem_bytes =
        size_t{Shape::groups * group_floats + bias_floats} * sizeof(float);

    // A slab is copied during the first two k of the slab that is multiplied.
    static constexpr int copying_k = 2;

    // This thread's first row and column in the tile.
    static __device__ __forceinline__ int thread_row() {
        const int thread = threadIdx.x % Shape::group_threads;
        return thread / 32 % Shape::warps_m * Shape::warp_m + thread % Shape::lanes_m * 4;
    }
    static __device__ __forceinline__ int thread_col() {
        const int thread = threadIdx.x % Shape::group_threads;
        return thread / 32 / Shape::warps_m * Shape::warp_n + thread % 32 / Shape::lanes_m * 4;
    }

    // acc = the products of the group's slabs. The first one begins at k = group * block_k.
    // `meanwhile` is called during the copy of the first slabs.
    template <class Meanwhile>
    static __device__ __forceinline__ void multiply(const sgemm_problem& p,
                                                    const sgemm_operands& o,
                                                    const tile_position<int64_t>& at,
                                                    int group,
                                                    barrier& of_group,
                                                    float* smem,
                                                    accumulators& acc,
                                                    Meanwhile&& meanwhile) {
        constexpr int block_k = Shape::block_k;
        constexpr int last_stage = (Shape::stages - 1) * base::stage_floats;
        copier_a copy_a(o.a, p.lda, at.row, p.m, group);
        copier_b copy_b(o.b, p.ldb, at.col, p.n, group);
        const int k = static_cast<int>(o.k);
        int k_to_start = k; // k whose copies have not been started
        // Stages are offsets in shared memory.
        const auto stage_a = [&](int stage) { return smem + stage; };
        const auto stage_b = [&](int stage) { return smem + stage + copier_a::slab_floats; };
        const auto begin_slab = [&](int stage) {
            copy_a.template begin_slab<group_floats>(stage_a(stage), k_to_start);
            copy_b.template begin_slab<group_floats>(stage_b(stage), k_to_start);
            k_to_start -= Shape::round_k;
        };
        const auto target_a = [&](int stage) {
            return copy_a.template target_in<group_floats>(stage_a(stage));
        };
        const auto target_b = [&](int stage) {
            return copy_b.template target_in<group_floats>(stage_b(stage));
        };
        const auto synchronise = [&] {
            if constexpr (has_round_copies)
                __syncthreads();
            else
                of_group.synchronize();
        };
        const auto wait_for_next_slab = [&] {
            cp_async_wait<Shape::stages - 2>();
            // The copies of the next slab have arrived, and those who fill this slab's stage know
            // that it has been read.
            synchronise();
        };
        constexpr int copies_a = copier_a::copies, copies = copies_a + copier_b::copies;
        const auto start_copies = [&](float* to_a, float* to_b, int first, int end) {
#pragma unroll
            for (int i = 0; i < copies; ++i)
                if (first <= i && i < end) {
                    if (i < copies_a)
                        copy_a.start_copy(to_a, i);
                    else
                        copy_b.start_copy(to_b, i - copies_a);
                }
        };
#pragma unroll 1
        for (int stage = 0; stage < last_stage; stage += base::stage_floats) {
            begin_slab(stage);
            start_copies(target_a(stage), target_b(stage), 0, copies);
            cp_async_commit();
        }
        meanwhile();

        const float* const first_a = stage_a(group * group_floats) + thread_row();
        const float* const first_b = stage_b(group * group_floats) + thread_col();
        int read_stage = 0, write_stage = last_stage;
        const auto next_stage = [&] {
            return read_stage == last_stage ? 0 : read_stage + base::stage_floats;
        };
        fragment frag[2];
        wait_for_next_slab(); // the first
        frag[0].load(first_a, first_b, 0);

        // k from the group's next slab on.
        const auto k_left = [&] {
            return k_to_start + (Shape::stages - 1) * Shape::round_k - group * block_k;
        };
#pragma unroll 1
        while (k_left() >= block_k) {
            begin_slab(write_stage);
            float* const to_a = target_a(write_stage);
            float* const to_b = target_b(write_stage);
            const float* const at_a = first_a + read_stage;
            const float* const at_b = first_b + read_stage;
#pragma unroll
            for (int kk = 0; kk < block_k; ++kk) {
                if (kk < copying_k)
                    start_copies(
                        to_a, to_b, kk * copies / copying_k, (kk + 1) * copies / copying_k);
                if (kk == copying_k - 1)
                    cp_async_commit();
                if (kk == block_k - 1) {
                    wait_for_next_slab();
                    // After the last slab this reads old data, which are not used.
                    frag[(kk + 1) % 2].load(first_a + next_stage(), first_b + next_stage(), 0);
                } else {
                    frag[(kk + 1) % 2].load(at_a, at_b, kk + 1);
                }
                base::multiply_fragment(frag[kk % 2], acc);
            }
            write_stage = read_stage;
            read_stage = next_stage();
        }
        // If the whole slabs do not divide evenly, the first groups have one more than the others,
        // which then synchronise once more, so that all do so equally often.
        const int slabs = k / block_k;
        if (has_round_copies && slabs % Shape::groups != 0 && group >= slabs % Shape::groups)
            synchronise();
        // The rest of k.
        const float* at_a = first_a + read_stage;
        const float* at_b = first_b + read_stage;
#pragma unroll 1
        for (int left = k_left(); left > 0; --left) {
            frag[0].load(at_a, at_b, 0);
            at_a += copier_a::pitch;
            at_b += copier_b::pitch;
            base::multiply_fragment(frag[0], acc);
        }
        cp_async_wait<0>();
        of_group.synchronize(); // the group's memory is free for its sums
    }

    // The group's memory [column][row] = alpha * acc, permuted as its lines. Scaled here, where
    // registers are free, each group's part of a sum times alpha must be finite, not the sum alone.
    static __device__ __forceinline__ void
    leave_sums(const accumulators& acc, float alpha, float* own) {
        own += thread_col() * column_pitch + thread_row();
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c) {
            float* const column = own + (c / 4 * Shape::lanes_n * 4 + c % 4) * column_pitch;
#pragma unroll
            for (int g = 0; g < Shape::groups_m; ++g)
                *reinterpret_cast<float4*>(column + g * Shape::lanes_m * 4) =
                    make_float4(scaled_sum(alpha, acc[c][g][0]),
                                scaled_sum(alpha, acc[c][g][1]),
                                scaled_sum(alpha, acc[c][g][2]),
                                scaled_sum(alpha, acc[c][g][3]));
        }
    }

    // Adds the groups' sums, and calls write(row, col, cols_left, sums) for `columns_at_once`
    // columns of a row of the tile, column_step apart. The first one, col, is inside C; cols_left
    // is its distance to the end of C or of the tile. Neighbouring threads have neighbouring rows.
    static constexpr int row_power = Shape::block_m & -Shape::block_m;
    static constexpr int rows_at_once =
        row_power < Shape::block_threads ? row_power : Shape::block_threads;
    static constexpr int column_step = Shape::block_threads / rows_at_once;
    static constexpr int columns_at_once = Shape::has_epilogue ? 4 : 8;
    static_assert(Shape::block_n % (column_step * columns_at_once) == 0);
    using sums = float[columns_at_once][1];
    template <class Write>
    static __device__ __forceinline__ void for_each_columns(const sgemm_problem& p,
                                                            const tile_position<int64_t>& at,
                                                            const float* smem,
                                                            Write&& write) {
        const int rows_left = static_cast<int>(min(p.m - at.row, int64_t{Shape::block_m}));
        const int cols_left = static_cast<int>(min(p.n - at.col, int64_t{Shape::block_n}));
        const int first_col = threadIdx.x / rows_at_once;
#pragma unroll 1
        for (int row = threadIdx.x % rows_at_once; row < rows_left; row += rows_at_once) {
            // The row and the first column in each group's memory. Columns that are a multiple of
            // column_step further have the other bits of the permutation.
            const float* of_group[Shape::groups];
#pragma unroll
            for (int g = 0; g < Shape::groups; ++g) {
                const int line_a = permutes_a ? row ^ g : row;
                const int line_b = permutes_b ? first_col ^ (g % column_step) : first_col;
                of_group[g] = smem + g * group_floats + line_b * column_pitch + line_a;
            }
#pragma unroll 1
            for (int col = first_col; col < cols_left; col += columns_at_once * column_step) {
                sums value;
#pragma unroll
                for (int i = 0; i < columns_at_once; ++i)
#pragma unroll
                    for (int g = 0; g < Shape::groups; ++g) {
                        const int permuted = permutes_b ? g / column_step * column_step : 0;
                        const float sum = of_group[g][(i * column_step ^ permuted) * column_pitch];
                        value[i][0] = g == 0 ? sum : value[i][0] + sum;
                    }
#pragma unroll
                for (int g = 0; g < Shape::groups; ++g)
                    of_group[g] += columns_at_once * column_step * column_pitch;
                write(row, col, cols_left - col, value);
            }
        }
    }

    // C = sums + beta * C. adds: beta is 1.
    template <bool adds>
    static __device__ __forceinline__ void store(const sgemm_problem& p,
                                                 const sgemm_operands& o,
                                                 const tile_position<int64_t>& at,
                                                 const float* smem) {
        float* const tile = o.c + at.row + at.col * p.ldc;
        for_each_columns(p, at, smem, [&](int row, int col, int cols_left, sums& value) {
            float* const c = tile + row + col * p.ldc;
            const int64_t step = column_step * p.ldc;
            const auto is_inside = [&](int i) { return i * column_step < cols_left; };
            if (!adds && o.beta != 0) {
                const float* from = c;
#pragma unroll
                for (int i = 0; i < columns_at_once; ++i) {
                    if (is_inside(i))
                        value[i][0] = fmaf(o.beta, *from, value[i][0]);
                    from += step;
                }
            }
            const bool are_reduced = adds && are_added_in_memory(value);
            float* to = c;
#pragma unroll
            for (int i = 0; i < columns_at_once; ++i) {
                if (is_inside(i)) {
                    if (!adds)
                        *to = value[i][0];
                    else if (are_reduced)
                        reduce_to_memory(to, value[i][0]);
                    else
                        add_in_memory(to, value[i][0]);
                }
                to += step;
            }
        });
    }

    // The biases of the tile go to shared memory during the copy of the first slabs.
    static __device__ __forceinline__ void load_biases(const sgemm_problem& p,
                                                       const epilogue_op& epilogue,
                                                       const tile_position<int64_t>& at,
                                                       float* biases) {
        static_assert(bias_floats <= Shape::block_threads);
        const int i = threadIdx.x, j = i - Shape::block_m;
        if (i < bias_floats)
            biases[i] = j < 0 ? epilogue.bias_of_row(at.row + i, at.row + i < p.m)
                              : epilogue.bias_of_col(at.col + j, at.col + j < p.n);
    }
    static __device__ __forceinline__ void store_finished(const sgemm_problem& p,
                                                          const epilogue_op& epilogue,
                                                          const tile_position<int64_t>& at,
                                                          const float* smem,
                                                          const float* biases) {
        for_each_columns(p, at, smem, [&](int row, int col, int cols_left, sums& value) {
#pragma unroll
            for (int i = 0; i < columns_at_once; ++i)
                value[i][0] += biases[row] + biases[Shape::block_m + col + i * column_step];
            epilogue(value, [&](int i) {
                const int j = i * column_step;
                return epilogue_place{at.row + row, at.col + col + j, j < cols_left};
            });
        });
    }
};

} // namespace myblas::cuda

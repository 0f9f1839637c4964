// What the kernels of gemv share: their operands, the splits of k, and the
// addition of the splits' sums. A line is a row of op(A) or a column of op(B).
#pragma once

#include "kernels/common/last_block.cuh"
#include "kernels/common/mailbox.cuh"
#include "kernels/sgemm/components/epilogue.cuh"
#include "kernels/sgemm/simt/thin.cuh"

namespace myblas::cuda {

struct gemv_block {
    static constexpr int min_warps = 4, max_warps = 16; // of a block
};

// The splits of k of some lines: over warps of a block, over blocks of a cluster, and over clusters
// by way of the workspace. If only some warps of a block split k together, the block has several
// such groups, each with its own lines; then it does not split k with other blocks.
struct vector_split {
    int sharing = 1; // warps of a group; a power of two if there are several groups
    int sharing_log = 0;
    int groups = 1;  // groups of a block
    int cluster = 1; // blocks of a cluster
    int splits = 1;  // splits of k over clusters
    int pitch = 0;   // lines of a block, if its place is pitched

    __host__ __device__ int blocks() const { return cluster * splits; }
};

// Where the splits' sums meet. Few sums meet in a mailbox (mailbox.cuh), where the last split of a
// group of lines waits for the others. Of many sums, the split that ends last adds all.
struct vector_sums {
    float* gmem;        // [group of lines][split][line]
    unsigned* counters; // [group of lines], zero before and after
    uint32_t* mailbox;  // [group of lines][split but the last][line], or null
};

// The operands of one block.
struct vector_operands {
    const sgemm_problem& p;
    const thin_layout& layout;
    const int64_t batch;
    const float *matrix, *vector;
    float alpha, beta;
    int k;

    __device__ vector_operands(const sgemm_problem& p_, int64_t batch_, const thin_layout& layout_)
        : p(p_), layout(layout_), batch(batch_) {
        const sgemm_operands o = resolve_at_once(p, batch);
        matrix = layout.swap_ab ? o.b : o.a;
        vector = (layout.swap_ab ? o.a : o.b) + blockIdx.y * layout.short_step;
        alpha = o.alpha, beta = o.beta;
        k = static_cast<int>(o.k);
    }

    // Writes C's element of a line. The address of C is computed here, so that it occupies no
    // registers before.
    __device__ void write(int64_t line, float sum) const {
        float* const c = operand_base(p.c, p.c_array, p.stride_c, batch);
        plain_or_fused(
            layout.has_epilogue,
            [&] {
                float* const at = c + blockIdx.y * layout.short_c_step + line * layout.c_step;
                store_c(at, alpha, sum, beta);
            },
            [&] { write_epilogue(c, line, sum); });
    }

private:
    __device__ __forceinline__ void write_epilogue(float* c, int64_t line, float sum) const {
        sgemm_operands o{};
        o.c = c;
        o.beta = beta;
        const epilogue_op epilogue(p, o, batch);
        const int64_t short_line = blockIdx.y;
        const epilogue_place at{
            layout.swap_ab ? short_line : line, layout.swap_ab ? line : short_line, 1};
        const float bias = epilogue.bias_of_row(at.row, true) + epilogue.bias_of_col(at.col, true);
        float value[1][1] = {{scaled_sum(alpha, sum) + bias}};
        epilogue(value, [&](int) { return at; });
    }
};

// The lines of a warp and its split of their k. If k is not split over blocks, there are no
// divisions, which would take as long as some of the loads.
//
// is_pitched: a block has split.pitch lines, which may be fewer than its warps take. This gives
// blocks equal shares of any number of lines.
template <int lines, bool is_pitched = false>
struct vector_place {
    unsigned rank = 0, split_index = 0; // position among the blocks that split k together
    unsigned block;                     // number of that group of blocks
    int own_warp, all_warps;

    __device__ __forceinline__ explicit vector_place(const vector_split& split) {
        const int warp = threadIdx.x / warp_size;
        block = blockIdx.x;
        own_warp = warp, all_warps = split.sharing;
        if (split.blocks() > 1) {
            rank = blockIdx.x % split.cluster;
            const unsigned clusters = blockIdx.x / split.cluster;
            split_index = clusters % split.splits;
            block = clusters / split.splits;
            own_warp += (split_index * split.cluster + rank) * split.sharing;
            all_warps *= split.blocks();
        }
        if (split.groups > 1)
            own_warp = warp & (split.sharing - 1);
    }
    // First line of the block's first group, and of the warp's group.
    __device__ __forceinline__ int64_t first_line(const vector_split& split) const {
        return int64_t{block} * (is_pitched ? split.pitch : split.groups * lines);
    }
    // The end of the lines that the block writes. If pitched, its warps may have more, which are
    // other blocks'.
    __device__ __forceinline__ int64_t end_line(const vector_split& split, int64_t all) const {
        return is_pitched ? min(first_line(split) + split.pitch, all) : all;
    }
    __device__ __forceinline__ int64_t warp_line(const vector_split& split) const {
        const int group = split.groups > 1 ? threadIdx.x / warp_size >> split.sharing_log : 0;
        return first_line(split) + group * lines;
    }
};

// When the blocks of a dependent launch may start: at the beginning if each warp has only one turn
// (k_at_once covers k), otherwise after the last turn. Earlier, they would take slots, and the last
// blocks would find free slots on few multiprocessors only (docs/experiments/vectors.md).
enum class turns { begin, end };
template <turns now>
__device__ __forceinline__ void launch_next_vectors(const sgemm_problem& p, int k_at_once) {
    if ((p.k > k_at_once) == (now == turns::end))
        launch_dependents();
}

// Adds the sums of a block's lines and writes C. sum: of the splits that the thread has taken, of
// line threadIdx.x % lines. The order does not depend on which block came last.
template <int most, int lines>
__device__ void add_splits(float (&sums)[most][lines],
                           float sum,
                           const vector_operands& o,
                           int64_t first_line,
                           int64_t end_line) {
    constexpr int row_threads = lines > warp_size ? lines : warp_size;
    const int own = threadIdx.x, rows = blockDim.x / row_threads;
#pragma unroll
    for (int distance = warp_size / 2; distance >= lines; distance /= 2)
        sum += __shfl_xor_sync(full_warp, sum, distance);
    if (own / row_threads < rows && own % row_threads < lines)
        sums[own / row_threads][own % row_threads] = sum;
    __syncthreads(); // the sums of all rows of threads are complete
    if (own < lines && first_line + own < end_line) {
        float total = 0;
#pragma unroll 4
        for (int row = 0; row < rows; ++row)
            total += sums[row][own];
        o.write(first_line + own, total);
    }
}

// The end of kernels whose warps have stored sums of their lines: adds the sums of all splits, and
// writes C.
template <int most, int lines, bool is_pitched>
__device__ __forceinline__ void write_lines(float (&sums)[most][lines],
                                            const vector_split& split,
                                            const vector_sums& meeting,
                                            const vector_operands& o,
                                            const vector_place<lines, is_pitched>& at) {
    static_assert((lines & (lines - 1)) == 0 || lines > warp_size);
    __syncthreads(); // the sums of all warps are complete
    const int64_t first_line = at.first_line(split);
    if (split.groups > 1) {
        for (int own = threadIdx.x; own < split.groups * lines; own += blockDim.x) {
            const int first = own / lines << split.sharing_log;
            float sum = 0;
#pragma unroll 4
            for (int w = 0; w < split.sharing; ++w)
                sum += sums[first + w][own % lines];
            if (first_line + own < o.layout.lines)
                o.write(first_line + own, sum);
        }
        return;
    }
    const int own_line = threadIdx.x;
    float sum = 0;
    if (own_line < lines)
#pragma unroll 4
        for (int w = 0; w < split.sharing; ++w)
            sum += sums[w][own_line];
    if (split.cluster > 1) {
        if (own_line < lines)
            sums[0][own_line] = sum; // no other thread of this block reads it
        cluster_barrier();           // the sums of all blocks are complete
        sum = 0;
        if (own_line < lines && at.rank == 0)
            for (int r = 0; r < split.cluster; ++r)
                sum += load_from_block(&sums[0][own_line], r);
        cluster_barrier(); // the sums have been read
        if (at.rank != 0)
            return;
    }
    if (split.splits == 1) {
        if (own_line < lines && first_line + own_line < at.end_line(split, o.layout.lines))
            o.write(first_line + own_line, sum);
        return;
    }
    const int64_t blocks = gridDim.x / split.blocks();
    const int64_t number = (o.batch * gridDim.y + blockIdx.y) * blocks + at.block;
    // Threads with the same line take the splits in turns.
    const int line = own_line % lines, row = own_line / lines, rows = blockDim.x / lines;
    float total = 0;
    if (meeting.mailbox) {
        const int others = split.splits - 1;
        uint32_t* const slots = meeting.mailbox + number * others * lines;
        if (static_cast<int>(at.split_index) < others) {
            if (own_line < lines)
                put_float(slots + at.split_index * lines + own_line, sum);
            return;
        }
        if (row < rows)
            total = take_floats<lines, 2>(slots + line, row, rows, others);
        if (own_line < lines)
            total += sum;
        __syncthreads(); // the sums of the warps have been read
    } else {
        float* const splits = meeting.gmem + number * split.splits * lines;
        if (own_line < lines)
            __stcg(splits + at.split_index * lines + own_line, sum);
        if (!is_last_block(meeting.counters + number, split.splits))
            return;
        if (row < rows)
#pragma unroll 8
            for (int index = row; index < split.splits; index += rows)
                total += __ldcg(splits + index * lines + line);
    }
    add_splits(sums, total, o, first_line, at.end_line(split, o.layout.lines));
}

} // namespace myblas::cuda

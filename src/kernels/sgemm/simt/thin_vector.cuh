// What the kernels of thin/vector share: their operands, how k is shared, and how the sums of those that share it meet.
#pragma once

#include "kernels/common/last_block.h"
#include "kernels/sgemm/parts/finish.cuh"
#include "kernels/sgemm/simt/thin.cuh"

namespace myblas::cuda {

struct thin_vector {
    static constexpr int min_warps = 4, max_warps = 16; // of a block
};

// Who shares the k of some lines: warps of a block, blocks of a cluster, and clusters by way of the workspace. A block
// of which not all warps share it has several groups of them, with lines of their own; it shares k with no other block.
struct vector_split {
    int sharing = 1; // warps of a group; where there are several, a power of two
    int sharing_log = 0;
    int groups = 1;  // of a block
    int cluster = 1; // blocks
    int parts = 1;   // clusters

    __host__ __device__ int blocks() const { return cluster * parts; }
};

// Where parts meet.
struct vector_sums {
    float* gmem;        // [group of lines][part][line]
    unsigned* counters; // [group of lines], zero before and after
};

// What a block works with.
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
        matrix = layout.swapped ? o.b : o.a;
        vector = (layout.swapped ? o.a : o.b) + blockIdx.y * layout.short_step;
        alpha = o.alpha, beta = o.beta;
        k = static_cast<int>(o.k);
    }

    // C's element of a line. Where C lies is found out here, so that no registers hold it before.
    __device__ void write(int64_t line, float sum) const {
        float* const c = operand_base(p.c, p.c_array, p.stride_c, batch);
        if (layout.finishes)
            finish(c, line, sum);
        else
            store_c(c + blockIdx.y * layout.short_c_step + line * layout.c_step, alpha, sum, beta);
    }

private:
    __device__ __forceinline__ void finish(float* c, int64_t line, float sum) const {
        sgemm_operands o{};
        o.c = c;
        o.beta = beta;
        const finisher finish(p, o, batch);
        const int64_t short_line = blockIdx.y;
        const finish_place at{
            layout.swapped ? short_line : line, layout.swapped ? line : short_line, 1};
        const float bias = finish.bias_of_row(at.row, true) + finish.bias_of_col(at.col, true);
        float value[1][1] = {{fmaf(alpha, sum, bias)}};
        finish(value, [&](int) { return at; });
    }
};

// Which lines a warp has, and which part of their k. (Without divisions where no blocks share it: they would take as long
// as some of the loads.)
template <int lines>
struct vector_place {
    unsigned rank = 0, part = 0; // of the blocks that share k
    unsigned block;              // number of those that share it
    int own_warp, all_warps;

    __device__ __forceinline__ explicit vector_place(const vector_split& split) {
        const int warp = threadIdx.x / warp_size;
        block = blockIdx.x;
        own_warp = warp, all_warps = split.sharing;
        if (split.blocks() > 1) {
            rank = blockIdx.x % split.cluster;
            const unsigned clusters = blockIdx.x / split.cluster;
            part = clusters % split.parts;
            block = clusters / split.parts;
            own_warp += (part * split.cluster + rank) * split.sharing;
            all_warps *= split.blocks();
        }
        if (split.groups > 1)
            own_warp = warp & (split.sharing - 1);
    }
    // Of the block's first group, and of the warp's.
    __device__ __forceinline__ int64_t first_line(const vector_split& split) const {
        return int64_t{block} * split.groups * lines;
    }
    __device__ __forceinline__ int64_t warp_line(const vector_split& split) const {
        const int group = split.groups > 1 ? threadIdx.x / warp_size >> split.sharing_log : 0;
        return first_line(split) + group * lines;
    }
};

// The next kernel's blocks come beside those of a kernel whose warps have one turn each (k_at_once reaches over k), else behind
// the turns: earlier, they would take places, and the last of them what is left on few multiprocessors (docs/experiments/vectors.md).
enum class turns { begin, end };
template <turns now>
__device__ __forceinline__ void let_next_vectors_come(const sgemm_problem& p, int k_at_once) {
    if ((p.k > k_at_once) == (now == turns::end))
        let_next_kernel_come();
}

// Adds the parts of a block's lines, in an order that does not depend on which came last, and writes C.
template <int most, int lines>
__device__ void add_parts(float (&sums)[most][lines],
                          const float* parts,
                          int count,
                          const vector_operands& o,
                          int64_t first_line) {
    // Threads that have the same line take turns at the parts, then meet.
    const int own = threadIdx.x, line = own % lines, step = blockDim.x / lines;
    float sum = 0;
    if (own / lines < step)
#pragma unroll 8
        for (int part = own / lines; part < count; part += step)
            sum += __ldcg(parts + part * lines + line);
#pragma unroll
    for (int distance = warp_size / 2; distance >= lines; distance /= 2)
        sum += __shfl_xor_sync(full_warp, sum, distance);
    constexpr int row_threads = lines > warp_size ? lines : warp_size;
    if (own / lines < step && own % warp_size < lines)
        sums[own / row_threads][line] = sum;
    __syncthreads(); // the sums of all rows of threads are there
    if (own < lines && first_line + own < o.layout.lines) {
        float total = 0;
        const int rows = blockDim.x / row_threads;
#pragma unroll 4
        for (int row = 0; row < rows; ++row)
            total += sums[row][own];
        o.write(first_line + own, total);
    }
}

// The end of kernels whose warps have left sums of their lines: adds those of all that share k, and writes C.
template <int most, int lines>
__device__ __forceinline__ void write_lines(float (&sums)[most][lines],
                                            const vector_split& split,
                                            const vector_sums& meeting,
                                            const vector_operands& o,
                                            const vector_place<lines>& at) {
    static_assert((lines & (lines - 1)) == 0 || lines > warp_size);
    __syncthreads(); // the sums of all warps are there
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
            sums[0][own_line] = sum; // which no other thread reads in this block
        cluster_barrier();           // the sums of all blocks are there
        sum = 0;
        if (own_line < lines && at.rank == 0)
            for (int r = 0; r < split.cluster; ++r)
                sum += load_from_block(&sums[0][own_line], r);
        cluster_barrier(); // they have been read
        if (at.rank != 0)
            return;
    }
    if (split.parts == 1) {
        if (own_line < lines && first_line + own_line < o.layout.lines)
            o.write(first_line + own_line, sum);
        return;
    }
    const int64_t blocks = gridDim.x / split.blocks();
    const int64_t number = (o.batch * gridDim.y + blockIdx.y) * blocks + at.block;
    float* const parts = meeting.gmem + number * split.parts * lines;
    if (own_line < lines)
        __stcg(parts + at.part * lines + own_line, sum);
    if (is_last_block(meeting.counters + number, split.parts))
        add_parts(sums, parts, split.parts, o, first_line);
}

} // namespace myblas::cuda

// gemv for few lines that are neighbours in memory, and a long k. A block reads whole columns of
// the matrix, as many at once as it has threads for. So warps read memory from end to end, except
// for gaps between columns, and few threads are idle, whatever the number of lines is.
//
//   columns  a column has pieces = lines / width loads, so abreast = 1024 / pieces columns are read
//            at once: thread t reads piece t % pieces of column t / pieces, and the same piece of
//            every (abreast * blocks)-th column after it
#pragma once

#include "kernels/sgemm/simt/gemv.cuh"

namespace myblas::cuda {

template <int width>
struct columns_shape {
    static constexpr int threads = 1024;   // the only block of its multiprocessor
    static constexpr int most_lines = 640; // at least five eighths of the threads have work
    static constexpr int unroll = width == 1 ? 12 : 16 / width; // loads in flight
    static constexpr int group = 12; // blocks; about the root of the number of multiprocessors
};

// Where the threads of a block read: `pieces` loads cover a column, and the block reads `abreast`
// columns at once.
struct column_places {
    int pieces, abreast;
};

// Adds `count` rows of `lines` sums, always in the same order, and overwrites them. Returns the
// total of line threadIdx.x.
__device__ __forceinline__ float add_rows(float* rows, int count, int lines) {
    constexpr int few = 8;
    const int own = threadIdx.x;
    __syncthreads(); // the rows are complete
    while (count > few) {
        const int half = (count + 1) / 2, moved = (count - half) * lines;
        for (int i = own; i < moved; i += blockDim.x)
            rows[i] += rows[half * lines + i];
        count = half;
        __syncthreads(); // the next round reads other threads' sums
    }
    float sum = 0;
    if (own < lines)
        for (int row = 0; row < count; ++row)
            sum += rows[row * lines + own];
    return sum;
}

// Adds the sums of every `step`-th of count * step blocks. Returns the total of line threadIdx.x.
__device__ __forceinline__ float
add_splits(float* smem, const float* gmem, int step, int count, int lines) {
    constexpr int loads = 16; // in flight
    // Threads with the same line take the splits in turns.
    const int own = threadIdx.x, row = own / lines;
    const int rows = min(static_cast<int>(blockDim.x) / lines, count);
    float total = 0;
    if (row < rows)
        for (int first = row; first < count; first += loads * rows) {
            float value[loads];
#pragma unroll
            for (int u = 0; u < loads; ++u) {
                const int index = first + u * rows;
                value[u] = index < count ? __ldcg(gmem + index * step * lines + own % lines) : 0;
            }
#pragma unroll
            for (int u = 0; u < loads; ++u)
                total += value[u];
        }
    smem[own] = total;
    return add_rows(smem, rows, lines);
}

template <int width>
__global__ void __launch_bounds__(columns_shape<width>::threads, 1)
    vector_columns_kernel(int64_t first_batch,
                          const thin_layout layout,
                          const column_places places,
                          const vector_sums meeting,
                          const sgemm_problem p) {
    using shape = columns_shape<width>;
    constexpr int unroll = shape::unroll;
    __shared__ float sums[shape::threads * width];
    const int own = threadIdx.x, lines = places.pieces * width;
    const int column = own / places.pieces, line = own % places.pieces * width;
    const int step = places.abreast * static_cast<int>(gridDim.x); // from load to load

    if (!fetch_parameters(p))
        return;
    grid_dependency_sync();
    launch_next_vectors<turns::begin>(p, unroll * step);
    const vector_operands o(p, first_batch, layout);
    const float* const source = o.matrix + line;
    const int64_t distance = step * layout.ld, vector_distance = step * layout.short_k_step;
    float acc[width] = {};
    int first_k = static_cast<int>(blockIdx.x) * places.abreast + column;
    if (column >= places.abreast)
        first_k = o.k;
    for (; first_k < o.k; first_k += unroll * step) {
        const float* const from = source + first_k * layout.ld;
        const float* const vector = o.vector + first_k * layout.short_k_step;
        float_piece<width> x[unroll];
        float y[unroll];
        if (o.k - first_k > (unroll - 1) * step) {
#pragma unroll
            for (int u = 0; u < unroll; ++u) {
                x[u].load(from + u * distance);
                y[u] = vector[u * vector_distance];
            }
        } else {
#pragma unroll
            for (int u = 0; u < unroll; ++u) {
                const bool reads = u * step < o.k - first_k;
                x[u].load(reads ? from + u * distance : from, reads);
                y[u] = reads ? vector[u * vector_distance] : 0;
            }
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u)
#pragma unroll
            for (int w = 0; w < width; ++w)
                acc[w] = fmaf(x[u].x[w], y[u], acc[w]);
    }
    launch_next_vectors<turns::end>(p, unroll * step);
#pragma unroll
    for (int w = 0; w < width; ++w)
        sums[own * width + w] = acc[w];
    float sum = add_rows(sums, places.abreast, lines);
    const int splits = gridDim.x, group = static_cast<int>(blockIdx.x) / shape::group;
    const int members = min(splits - group * shape::group, shape::group);
    float* const of_group = meeting.gmem + group * shape::group * lines;
    if (own < lines)
        __stcg(meeting.gmem + blockIdx.x * lines + own, sum);
    // The last block of each group adds the group's sums, and the last of those blocks adds these.
    if (!is_last_block(meeting.counters + 1 + group, members))
        return;
    sum = add_splits(sums, of_group, 1, members, lines);
    if (own < lines)
        __stcg(of_group + own, sum);
    const int groups = (splits + shape::group - 1) / shape::group;
    if (!is_last_block(meeting.counters, groups))
        return;
    sum = add_splits(sums, meeting.gmem, shape::group, groups, lines);
    if (own < lines)
        o.write(own, sum);
}

} // namespace myblas::cuda

// thin/vector of a matrix whose lines are neighbours in memory, as the rows of a matrix are by columns.
//
//   lines   a warp's load covers line_lanes * width lines of 32 / line_lanes k
//   tall    128 lines in four loads of 32 neighbours each: for columns that do not start on cache lines, of which fewer
//           are then read twice
#pragma once

#include "kernels/sgemm/simt/thin_vector.cuh"

namespace myblas::cuda {

template <int width, int line_lanes>
struct lines_shape {
    static constexpr int k_lanes = 32 / line_lanes;
    static constexpr int lines = line_lanes * width; // of a warp
    static constexpr int unroll = k_lanes == 1 && width == 1 ? 16 : 8; // loads in flight
    static constexpr int chunk = unroll * k_lanes;                     // k of a warp at a time
    static_assert(chunk <= 32, "a lane holds an element of the vector for each");
};

// interleaved: the first loads of all warps are neighbours in k, then their second ones; otherwise the loads of
// each warp are.
template <int width, int line_lanes, bool interleaved, int blocks_per_sm>
__global__ void __launch_bounds__(thin_vector::max_warps * 32, blocks_per_sm)
    vector_lines_kernel(int64_t first_batch,
                        const thin_layout layout,
                        const vector_split split,
                        const vector_sums meeting,
                        const sgemm_problem p) {
    using shape = lines_shape<width, line_lanes>;
    __shared__ float sums[thin_vector::max_warps][shape::lines];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int lane_line = lane % line_lanes * width, lane_k = lane / line_lanes;
    const vector_place<shape::lines> at(split);
    // Lanes past the last line read line 0, for nothing.
    const int64_t wanted = at.warp_line(split) + lane_line;
    const int64_t line = wanted < layout.lines ? wanted : 0;

    if (!fetch_parameters(p))
        return;
    wait_for_earlier_work();
    let_next_kernel_come();
    const vector_operands o(p, first_batch + blockIdx.z, layout);
    const int k_step = shape::k_lanes * (interleaved ? at.all_warps : 1); // from load to load
    const int64_t step = k_step * layout.ld;
    // A lane holds the element of the vector for one load of the lanes with the same lane_k.
    const int element_k = lane / shape::k_lanes * k_step + lane % shape::k_lanes;
    float acc[width] = {};
    for (int first_k = at.own_warp * (interleaved ? shape::k_lanes : shape::chunk); first_k < o.k;
         first_k += at.all_warps * shape::chunk) {
        const float* source = o.matrix + line + (first_k + lane_k) * layout.ld;
        const int k_left = o.k - first_k;
        const bool inside = element_k < k_left; // so that all other lanes multiply by zero
        const float element = o.vector[(inside ? first_k + element_k : 0) * layout.short_k_step];
        float_piece<width> x[shape::unroll];
        if (k_left >= (shape::unroll - 1) * k_step + shape::k_lanes) {
#pragma unroll
            for (int u = 0; u < shape::unroll; ++u)
                x[u].load(source + u * step);
        } else {
#pragma unroll
            for (int u = 0; u < shape::unroll; ++u) {
                const bool reads = u * k_step + lane_k < k_left;
                x[u].load(reads ? source + u * step : o.matrix, reads);
            }
        }
        const float own = inside ? element : 0;
#pragma unroll
        for (int u = 0; u < shape::unroll; ++u) {
            const float y = __shfl_sync(full_warp, own, u * shape::k_lanes + lane_k);
#pragma unroll
            for (int w = 0; w < width; ++w)
                acc[w] = fmaf(x[u].x[w], y, acc[w]);
        }
    }
#pragma unroll
    for (int w = 0; w < width; ++w) {
#pragma unroll
        for (int distance = 16; distance >= line_lanes; distance /= 2)
            acc[w] += __shfl_xor_sync(full_warp, acc[w], distance);
        if (lane_k == 0)
            sums[warp][lane_line + w] = acc[w];
    }
    write_lines(sums, split, meeting, o, at);
}

struct tall_shape {
    static constexpr int warps = 8, rows = 4, lines = 32 * rows; // rows: of a thread
    static constexpr int chunk = 8;                              // k of a warp at a time
};

__global__ void __launch_bounds__(tall_shape::warps * 32, 3)
    vector_tall_kernel(int64_t first_batch,
                       const thin_layout layout,
                       const vector_split split,
                       const vector_sums meeting,
                       const sgemm_problem p) {
    using shape = tall_shape;
    __shared__ float sums[shape::warps][shape::lines];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const vector_place<shape::lines> at(split);
    const int64_t first_line = min(at.warp_line(split), layout.lines - 1);
    if (!fetch_parameters(p))
        return;
    wait_for_earlier_work();
    let_next_kernel_come();
    const vector_operands o(p, first_batch + blockIdx.z, layout);
    int row[shape::rows]; // past the last line that one again, for nothing
#pragma unroll
    for (int r = 0; r < shape::rows; ++r)
        row[r] = static_cast<int>(min(int64_t{lane + 32 * r}, layout.lines - 1 - first_line));
    float acc[shape::rows] = {};
    const int step = at.all_warps * shape::chunk;
    for (int first_k = at.own_warp * shape::chunk; first_k < o.k; first_k += step) {
        const float* source = o.matrix + first_line + first_k * layout.ld;
        const int k_left = o.k - first_k;
        const bool inside = lane < shape::chunk && lane < k_left;
        const float own = inside ? o.vector[(first_k + lane) * layout.short_k_step] : 0;
        float x[shape::chunk][shape::rows];
#pragma unroll
        for (int u = 0; u < shape::chunk; ++u)
#pragma unroll
            for (int r = 0; r < shape::rows; ++r)
                x[u][r] = u < k_left ? source[u * layout.ld + row[r]] : 0;
#pragma unroll
        for (int u = 0; u < shape::chunk; ++u) {
            const float y = __shfl_sync(full_warp, own, u);
#pragma unroll
            for (int r = 0; r < shape::rows; ++r)
                acc[r] = fmaf(x[u][r], y, acc[r]);
        }
    }
#pragma unroll
    for (int r = 0; r < shape::rows; ++r)
        sums[warp][lane + 32 * r] = acc[r];
    write_lines(sums, split, meeting, o, at);
}

} // namespace myblas::cuda

// gemv for a matrix whose lines are neighbours in memory, such as the rows of a column-major
// matrix.
//
//   lines  a warp's load covers line_lanes * width lines at 32 / line_lanes k
#pragma once

#include "kernels/sgemm/simt/gemv.cuh"

namespace myblas::cuda {

template <int width, int line_lanes>
struct lines_shape {
    static constexpr int k_lanes = 32 / line_lanes;
    static constexpr int lines = line_lanes * width;                   // of a warp
    static constexpr int unroll = k_lanes == 1 && width == 1 ? 16 : 8; // loads in flight
    static constexpr int chunk = unroll * k_lanes;                     // k of a warp at a time
    static_assert(chunk <= 32, "a lane holds an element of the vector for each");
};

// interleaved: the first loads of all warps are neighbours in k, then their second loads, and so
// on. Otherwise the loads of each warp are neighbours.
// by_words: a lane loads `width` single words, line_lanes apart, instead of neighbours.
template <int width, int line_lanes, bool interleaved, int blocks_per_sm, bool by_words = false>
__global__ void __launch_bounds__(gemv_block::max_warps * 32, blocks_per_sm)
    vector_lines_kernel(int64_t first_batch,
                        const thin_layout layout,
                        const vector_split split,
                        const vector_sums meeting,
                        const sgemm_problem p) {
    using shape = lines_shape<width, line_lanes>;
    __shared__ float sums[gemv_block::max_warps][shape::lines];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    constexpr int apart = by_words ? line_lanes : 1; // lines of a load of a lane
    const int lane_line = lane % line_lanes * (by_words ? 1 : width), lane_k = lane / line_lanes;
    const vector_place<shape::lines, by_words> at(split);
    // Lanes past the last line read line 0; the values are not used.
    const int64_t wanted = at.warp_line(split) + lane_line;
    const int64_t line = wanted < layout.lines ? wanted : 0;
    const int64_t end = at.end_line(split, layout.lines);
    const auto load = [&](float_piece<width>& x, const float* source, bool reads) {
        if constexpr (by_words) {
#pragma unroll
            for (int w = 0; w < width; ++w)
                x.x[w] = reads && line + w * apart < end ? source[w * apart] : 0;
        } else {
            x.load(source, reads);
        }
    };

    if (!fetch_parameters(p))
        return;
    grid_dependency_sync();
    launch_next_vectors<turns::begin>(p, at.all_warps * shape::chunk);
    const vector_operands o(p, first_batch + blockIdx.z, layout);
    const int k_step = shape::k_lanes * (interleaved ? at.all_warps : 1); // from load to load
    const int64_t step = k_step * layout.ld;
    // Each lane holds one element of the vector, which one load needs in the lanes with one lane_k.
    const int element_k = lane / shape::k_lanes * k_step + lane % shape::k_lanes;
    float acc[width] = {};
    for (int first_k = at.own_warp * (interleaved ? shape::k_lanes : shape::chunk); first_k < o.k;
         first_k += at.all_warps * shape::chunk) {
        const float* source = o.matrix + line + (first_k + lane_k) * layout.ld;
        const int k_left = o.k - first_k;
        const bool inside = element_k < k_left; // the other lanes multiply by zero
        const float element = o.vector[(inside ? first_k + element_k : 0) * layout.short_k_step];
        float_piece<width> x[shape::unroll];
        if (k_left >= (shape::unroll - 1) * k_step + shape::k_lanes) {
#pragma unroll
            for (int u = 0; u < shape::unroll; ++u)
                load(x[u], source + u * step, true);
        } else {
#pragma unroll
            for (int u = 0; u < shape::unroll; ++u) {
                const bool reads = u * k_step + lane_k < k_left;
                load(x[u], reads ? source + u * step : o.matrix, reads);
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
    launch_next_vectors<turns::end>(p, at.all_warps * shape::chunk);
#pragma unroll
    for (int w = 0; w < width; ++w) {
#pragma unroll
        for (int distance = 16; distance >= line_lanes; distance /= 2)
            acc[w] += __shfl_xor_sync(full_warp, acc[w], distance);
        if (lane_k == 0)
            sums[warp][lane_line + w * apart] = acc[w];
    }
    write_lines(sums, split, meeting, o, at);
}

} // namespace myblas::cuda

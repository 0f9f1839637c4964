// What a thread multiplies at one k, with an accumulator of thread_n x thread_m: quads of rows, a warp's rows of
// quads apart, and quads of columns.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

template <class Shape, int pitch_a, int pitch_b>
struct quad_fragment {
    static constexpr int groups_m = Shape::thread_m / 4, groups_n = Shape::thread_n / 4;
    static constexpr int step_m = Shape::lanes_m * 4, step_n = Shape::lanes_n * 4; // of groups

    float a[groups_m][4]; // [group][row]
    float b[groups_n][4]; // [group][column]

    // Row kk of a slab; the pointers are at this thread's first row and column.
    __device__ __forceinline__ void load(const float* smem_a, const float* smem_b, int kk) {
#pragma unroll
        for (int g = 0; g < groups_m; ++g)
            load_quad(a[g], smem_a + kk * pitch_a + g * step_m);
#pragma unroll
        for (int g = 0; g < groups_n; ++g)
            load_quad(b[g], smem_b + kk * pitch_b + g * step_n);
    }

    // Up and down the rows in turn: consecutive FMAs share an operand, and read the other one and their
    // accumulator from different register banks.
    __device__ __forceinline__ void multiply(float (&acc)[Shape::thread_n][Shape::thread_m]) const {
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
            for (int step = 0; step < Shape::thread_m; ++step) {
                const int r = c % 2 ? Shape::thread_m - 1 - step : step;
                acc[c][r] = fmaf(a[r / 4][r % 4], b[c / 4][c % 4], acc[c][r]);
            }
    }

private:
    static __device__ __forceinline__ void load_quad(float (&target)[4], const float* smem) {
        const float4 v = *reinterpret_cast<const float4*>(smem);
        target[0] = v.x, target[1] = v.y, target[2] = v.z, target[3] = v.w;
    }
};

} // namespace myblas::cuda

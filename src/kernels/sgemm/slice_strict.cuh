// A pass of the sliced kernels on the FP32 units: what their slices cannot represent.
//
// Tiles and thread tiles are those of warp_tile.cuh, with three accumulators for each element of C, so that few
// additions follow on a large term, each of which rounds at its size: the sum of 64 of k, of 16 such sums, and of
// all these. What comes here has terms of widely different size.
#pragma once

#include "kernels/sgemm/parts/warp_tile.cuh"
#include "kernels/sgemm/slices.cuh"

namespace myblas::cuda {

// The tiles of this block, one of `blocks`, by Shape::threads of its threads from Shape::first_thread on; all others
// end without a barrier of the block.
template <class Shape, bool transa, bool transb, bool vector>
__device__ __forceinline__ void
compute_strict_tiles(const sgemm_problem& p, const slice_pass& pass, int64_t blocks, float* smem) {
    using tile = warp_tile<Shape, transa, transb, vector>;
    constexpr int chunk_slabs = 64 / Shape::block_k;
    constexpr int group_chunks = 16;
    const int64_t product_tiles =
        ceil_div<int64_t>(pass.rows, Shape::block_m) * ceil_div<int64_t>(pass.cols, Shape::block_n);
    for (int64_t t = blockIdx.x; t < product_tiles * pass.batches; t += blocks) {
        sgemm_operands o = resolve_operands(p, pass.first_batch + t / product_tiles);
        if (pass.first_k != 0)
            o.beta = 1;
        tile_position at = patch_order<Shape>(t % product_tiles, pass.rows, pass.cols);
        at.row += pass.row;
        at.col += pass.col;

        typename tile::accumulators chunk = {}, group = {}, sum = {};
        const auto hand_over = [](typename tile::accumulators& from, auto& to) {
#pragma unroll
            for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
                for (int r = 0; r < Shape::thread_m; ++r) {
                    to[c][r / 4][r % 4] += from[c][r / 4][r % 4];
                    from[c][r / 4][r % 4] = 0;
                }
        };
        int slabs = 0;
        tile::multiply(p, o, at.row, at.col, pass.first_k, pass.k, smem, chunk, [&] {
            if (++slabs % chunk_slabs == 0)
                hand_over(chunk, group);
            if (slabs % (chunk_slabs * group_chunks) == 0)
                hand_over(group, sum);
        });
        hand_over(chunk, group);
        hand_over(group, sum);
        const bool vector_c = aligned16(o.c, p.ldc);
        tile::for_each_quad(p,
                            at.row,
                            at.col,
                            sum,
                            [&](int64_t row, int64_t col, const float(&quad)[4], int64_t rows) {
                                store_c4(
                                    &o.c[row + col * p.ldc], o.alpha, quad, o.beta, rows, vector_c);
                            });
    }
}

// The same by a kernel that is there for another purpose, whatever the transpositions.
template <class Shape>
__device__ __forceinline__ void
compute_strict_tiles(const sgemm_problem& p, const slice_pass& pass, int64_t blocks, char* smem) {
    float* const floats = reinterpret_cast<float*>(smem);
    if (p.transa && p.transb)
        compute_strict_tiles<Shape, true, true, false>(p, pass, blocks, floats);
    else if (p.transa)
        compute_strict_tiles<Shape, true, false, false>(p, pass, blocks, floats);
    else if (p.transb)
        compute_strict_tiles<Shape, false, true, false>(p, pass, blocks, floats);
    else
        compute_strict_tiles<Shape, false, false, false>(p, pass, blocks, floats);
}

} // namespace myblas::cuda

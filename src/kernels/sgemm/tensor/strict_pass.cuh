// A pass on the FP32 units, for operands that its limbs cannot hold.
//
// The strict pass is launched after every pass whose product or fallback kernel does not do the
// same itself (packed_pass::has_no_fallback_launch, fallback.cuh). The packing kernel has stored
// the decision in device memory, so the host does not wait. Blocks are persistent, so that exiting
// immediately is cheap. Tiles and thread tiles are as in warp_tile.cuh. Each element of C has three
// accumulators: the sum of 64 k, the sum of 16 such sums, and the sum of all of these. Few
// additions then follow a large term; each of them rounds at the size of that term. The operands
// here have terms of widely different sizes.
//
// Bound: instruction issue, like warp_tile.
// Shared memory: 4 stages of 16 k of both operands.
// Launch: 256 threads for each 128 x 128 tile of C, at most one block for each multiprocessor.
#pragma once

#include "kernels/common/overlap.cuh"
#include "kernels/sgemm/components/warp_tile.cuh"
#include "kernels/sgemm/tensor/limbs.cuh"

namespace myblas::cuda {

// Computes the tiles of this block, one of `blocks` blocks, by Shape::threads of its threads from
// Shape::first_thread on. All other threads must exit without a barrier of the block.
template <class Shape, bool transa, bool transb, bool vector>
__device__ __forceinline__ void
compute_strict_tiles(const sgemm_problem& p, const limb_pass& pass, int64_t blocks, float* smem) {
    using tile = warp_tile<Shape, transa, transb, vector>;
    constexpr int sum_slabs = 64 / Shape::block_k;
    constexpr int sums_of_sum = 16;
    const int64_t product_tiles =
        ceil_div<int64_t>(pass.rows, Shape::block_m) * ceil_div<int64_t>(pass.cols, Shape::block_n);
    for (int64_t t = blockIdx.x; t < product_tiles * pass.batches; t += blocks) {
        const int64_t batch = pass.first_batch + t / product_tiles;
        sgemm_operands o = resolve_operands(p, batch);
        if (pass.first_k != 0)
            o.beta = 1;
        tile_position at = patch_order<Shape>(t % product_tiles, pass.rows, pass.cols);
        at.row += pass.row;
        at.col += pass.col;
        if (diagonal_mask(p.triangle, at.row, at.col).has_none(Shape::block_m, Shape::block_n))
            continue;

        typename tile::accumulators least = {}, middle = {}, sum = {};
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
        tile::multiply(p, o, at.row, at.col, pass.first_k, pass.k, smem, least, [&] {
            if (++slabs % sum_slabs == 0)
                hand_over(least, middle);
            if (slabs % (sum_slabs * sums_of_sum) == 0)
                hand_over(middle, sum);
        });
        hand_over(least, middle);
        hand_over(middle, sum);
        if constexpr (Shape::has_epilogue) {
            const epilogue_op epilogue(
                p, o, batch, pass.first_k == 0, pass.first_k + pass.k >= p.k);
            typename tile::row_biases row_bias;
            row_bias.load(p, epilogue, at.row, at.col);
            tile::write_epilogue_by_columns(
                p, o.alpha, epilogue, row_bias, at.row, at.col, sum, smem);
            __syncthreads(); // shared memory is free for the next tile
        } else
            tile::template store_quads<true>(p, o, at, sum);
    }
}

// The same in a kernel that has another main purpose, for all transpositions.
template <class Shape>
__device__ __forceinline__ void
compute_strict_tiles(const sgemm_problem& p, const limb_pass& pass, int64_t blocks, char* smem) {
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

// Warp tiles of 32 x 64 in a block tile of 128 x 128.
using strict_shape = warp_tile_shape<128, 128, 16, 32, 64, 4, 4>;

template <class Shape, bool transa, bool transb, bool vector>
__global__ void __launch_bounds__(Shape::threads, 1)
    strict_pass_kernel(const sgemm_problem p, const limb_pass pass, const precision_path* taken) {
    grid_dependency_sync();
    launch_dependents();
    if (*taken != path_strict)
        return;
    extern __shared__ __align__(1024) char smem[];
    float* const floats = reinterpret_cast<float*>(smem);
    compute_strict_tiles<Shape, transa, transb, vector>(p, pass, gridDim.x, floats);
}

// Calls f(kernel, its shared memory in bytes).
template <class F>
myblasStatus_t with_strict_pass(unsigned copies, bool has_epilogue, F&& f) {
    return with_copies(copies, [&](auto transa, auto transb, auto vector) {
        return f(has_epilogue
                     ? strict_pass_kernel<with_epilogue<strict_shape>, transa, transb, vector>
                     : strict_pass_kernel<strict_shape, transa, transb, vector>,
                 warp_tile<strict_shape, transa, transb, vector>::smem_bytes);
    });
}

// Enqueues a pass. Its kernel exits immediately unless *taken is path_strict.
[[nodiscard]] inline myblasStatus_t launch_strict_pass(const sgemm_problem& p,
                                                       const limb_pass& pass,
                                                       const precision_path* taken,
                                                       const launch_context& context) {
    const int64_t tiles = ceil_div<int64_t>(pass.rows, strict_shape::block_m) *
                          ceil_div<int64_t>(pass.cols, strict_shape::block_n) * pass.batches;
    const dim3 grid(std::min<int64_t>(tiles, context.device->sm_count));
    return with_strict_pass(
        copy_bits(p), !p.epilogue.is_empty(), [&](auto kernel, size_t smem_bytes) {
            constexpr int threads = strict_shape::threads;
            return launch_clusters(
                kernel, grid, 1, true, threads, smem_bytes, context, p, pass, taken);
        });
}

[[nodiscard]] inline myblasStatus_t prepare_strict_pass() {
    const auto prepare = [](auto kernel, size_t smem_bytes) {
        const myblasStatus_t failure = allow_smem(kernel, smem_bytes);
        return failure ? failure : prefer_smem(kernel);
    };
    for (unsigned choice = 0; choice < 16; ++choice)
        if (const myblasStatus_t failure = with_strict_pass(choice % 8, choice >= 8, prepare))
            return failure;
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas::cuda

// The kernel and launcher of rung 12, once for every tile shape it is registered with.
#pragma once

#include "kernels/common/overlap.h"
#include "kernels/sgemm/warp_tile.cuh"
#include "kernels/sgemm/work.h"

namespace myblas::cuda {

// quads_c: every thread writes its quads of rows, best where C is aligned to 16 bytes; else by columns.
// They are kernels of their own, since one with both needs more registers than it has.
template <class Shape, bool transa, bool transb, bool vector, bool quads_c, int blocks_per_sm>
__global__ void __launch_bounds__(Shape::threads, blocks_per_sm)
    warp_tile_kernel(const sgemm_problem p, int64_t first_batch) {
    using tile = warp_tile<Shape, transa, transb, vector>;
    extern __shared__ __align__(16) float smem[];
    wait_for_earlier_work();
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const tile_position at = patch_order<Shape>(blockIdx.x, p.m, p.n);

    typename tile::accumulators acc = {};
    tile::multiply(p, o, at.row, at.col, 0, o.k, smem, acc);
    if constexpr (quads_c) {
        const bool vector_c = aligned16(o.c, p.ldc);
        tile::for_each_quad(p,
                            at.row,
                            at.col,
                            acc,
                            [&](int64_t row, int64_t col, const float(&quad)[4], int64_t rows) {
                                store_c4(
                                    &o.c[row + col * p.ldc], o.alpha, quad, o.beta, rows, vector_c);
                            });
    } else {
        tile::store_by_columns(p, o, at.row, at.col, acc, smem);
    }
}

template <class Shape, int blocks_per_sm>
struct warp_tile_launcher {
    // f(kernel, shared bytes of it)
    template <class F>
    static myblasStatus_t with_variant(const sgemm_problem& p, bool quads, bool quads_c, F&& f) {
        return with_copies(p, quads, [&](auto transa, auto transb, auto vector) {
            constexpr size_t smem_bytes = warp_tile<Shape, transa, transb, vector>::smem_bytes;
            return quads_c
                       ? f(warp_tile_kernel<Shape, transa, transb, vector, true, blocks_per_sm>,
                           smem_bytes)
                       : f(warp_tile_kernel<Shape, transa, transb, vector, false, blocks_per_sm>,
                           smem_bytes);
        });
    }

    // Of the variant that pads both operands.
    static constexpr size_t max_smem_bytes = warp_tile<Shape, true, false, true>::smem_bytes;

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return max_smem_bytes <= device.smem_per_block &&
               fits_grid<Shape::block_m, Shape::block_n>(p, device);
    }

    static work_estimate work(const sgemm_problem& p, const device_info& device) {
        const int64_t blocks = tile_count(p, Shape::block_m, Shape::block_n) * p.batch_count;
        const int64_t slabs = ceil_div<int64_t>(p.k, Shape::block_k);
        work_estimate w = block_work(device, blocks, slabs, blocks_per_sm);
        w.bytes = operand_bytes(p);
        return w;
    }

    static myblasStatus_t prepare(const device_info& device) {
        if (max_smem_bytes > device.smem_per_block)
            return MYBLAS_STATUS_SUCCESS; // `fits` refuses every problem
        for (int variant = 0; variant < 16; ++variant) {
            sgemm_problem p;
            p.transa = variant & 1;
            p.transb = variant & 2;
            const myblasStatus_t status =
                with_variant(p, variant & 4, variant & 8, [](auto kernel, size_t smem_bytes) {
                    return allow_smem(kernel, smem_bytes);
                });
            if (status != MYBLAS_STATUS_SUCCESS)
                return status;
        }
        return MYBLAS_STATUS_SUCCESS;
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        // What a pointer array holds is not known here.
        const bool quads_c =
            p.c_array || batch_aligned16(p.c, p.ldc, p.stride_c, nullptr, p.batch_count);
        return with_variant(p, copies_quads(p), quads_c, [&](auto kernel, size_t smem_bytes) {
            const int64_t tiles = tile_count(p, Shape::block_m, Shape::block_n);
            // Early blocks would take the place of a large batch's last ones.
            if (p.batch_count == 1)
                return launch_clusters(kernel,
                                       dim3(static_cast<unsigned>(tiles)),
                                       1,
                                       true,
                                       Shape::threads,
                                       smem_bytes,
                                       context,
                                       p,
                                       int64_t{0});
            return launch_batch(kernel, tiles, Shape::threads, smem_bytes, p, context);
        });
    }

    static constexpr kernel_entry<sgemm_problem> entry(const char* name, const char* description) {
        return {
            .name = name,
            .description = description,
            .min_arch = 80,
            .block_m = Shape::block_m,
            .block_n = Shape::block_n,
            .block_k = Shape::block_k,
            .threads = Shape::threads,
            .stages = Shape::stages,
            .smem_bytes = max_smem_bytes,
            .accepts = fits,
            .work = work,
            .prepare = prepare,
            .launch = launch,
        };
    }
};

} // namespace myblas::cuda

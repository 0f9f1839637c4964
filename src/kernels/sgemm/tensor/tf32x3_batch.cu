// The family tf32x3_batch: C = alpha op(A) op(B) + beta C for batches and small products in both
// modes, on the tensor cores of sm_90a. The kernel is in tf32x3_batch.cuh.
//
// Bound: shared memory, through which the limbs of B go twice; reading A and B and writing C if k
// is short.
// Shared memory: limbs of B, and a ring of slabs of 32 k; 88 and 48 KiB.
// Launch: two blocks of 256 threads on a multiprocessor, or four of 128, which take tiles of all
// products in turns.
// Accepts: up to 2^30 rows, columns and k, and 2^30 tiles. Copies have 16 bytes if A and B consist
// of aligned quads, which the host does not know of arrays of pointers.
#include "kernels/sgemm/tensor/tf32x3_batch.cuh"

#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

template <class Shape>
struct variant {
    using shape = Shape;
    static constexpr int min_arch = 90, max_arch = 90;
    static constexpr size_t smem_bytes = Shape::smem_bytes;
    static constexpr myblasMath_t math = MYBLAS_FP32_EMULATED_MATH;
    static constexpr bool has_epilogue = true;

    static constexpr int choice_bits = 4; // the transpositions, quads, and the epilogue
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        return with_bits<4>(choice, [&](auto transa, auto transb, auto quads, auto is_fused) {
            using Form = std::conditional_t<is_fused, with_epilogue<Shape>, Shape>;
            return f(tf32_batch_kernel < Form, transa, transb, quads ? 4 : 1 >, smem_bytes);
        });
    }

    static constexpr const char* accepts_what =
        "it accepts up to 2^30 rows, columns and k, and 2^30 tiles";
    static constexpr int64_t most = 1 << 30; // tiles, lines and k are counted in 32 bits
    static bool fits(const sgemm_problem& p, const device_info& device) {
        return smem_bytes <= device.smem_per_block &&
               std::max({p.m, p.n, p.k, p.batch_count}) <= most &&
               tile_count(p, Shape::block_m, Shape::block_n) <= most / p.batch_count;
    }

    static work_estimate work(const work_query& q) {
        const tile_kernel kernel{.block_m = Shape::block_m,
                                 .block_n = Shape::block_n,
                                 .slab_k = Shape::block_k,
                                 .resident = Shape::blocks_per_sm};
        work_estimate w = kernel.work(q);
        // Three products for each FMA.
        w.math_cycles *= 3 * static_cast<float>(costs_of(q.device).fmas_per_cycle) /
                         static_cast<float>(costs_of(q.device).products_of_tf32);
        return w;
    }

    // Whether A and B consist of aligned quads.
    static bool has_quads(const sgemm_problem& p) {
        return (p.transa ? p.k : p.m) % 4 == 0 && (p.transb ? p.n : p.k) % 4 == 0 &&
               batch_aligned16(p.a, p.lda, p.stride_a, p.a_array, p.batch_count) &&
               batch_aligned16(p.b, p.ldb, p.stride_b, p.b_array, p.batch_count);
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const auto of_column = static_cast<unsigned>(ceil_div<int64_t>(p.m, Shape::block_m));
        const auto of_row = static_cast<unsigned>(ceil_div<int64_t>(p.n, Shape::block_n));
        const tf32_batch_tiles tiles{.count =
                                         of_column * of_row * static_cast<unsigned>(p.batch_count),
                                     .of_product = of_column * of_row,
                                     .of_column = of_column};
        const auto places = static_cast<unsigned>(context.device->sm_count * Shape::blocks_per_sm);
        const dim3 grid(std::min(tiles.count, places));
        const unsigned choice = form_bits(p) | has_quads(p) << 2 | !p.epilogue.is_empty() << 3;
        return with_kernel(choice, [&](auto kernel, size_t bytes) {
            const bool is_early = p.batch_count == 1;
            constexpr int threads = Shape::threads;
            return launch_clusters(kernel, grid, 1, is_early, threads, bytes, context, tiles, p);
        });
    }
};

using tile_64x64 = variant<
    tf32_batch_shape<tf32_batch_parameters{.warpgroups_m = 1, .stages = 2, .blocks_per_sm = 4}>>;
using tile_128x64 = variant<
    tf32_batch_shape<tf32_batch_parameters{.warpgroups_m = 2, .stages = 3, .blocks_per_sm = 2}>>;

} // namespace

constinit const std::array<sgemm_kernel, 2> sgemm_tf32x3_batch = {
    describe<tile_64x64>("tf32x3_batch/64x64",
                         "tf32x3 with a warpgroup for a tile, and four tiles on a multiprocessor"),
    describe<tile_128x64>("tf32x3_batch/128x64",
                          "tf32x3_batch with two warpgroups, and two tiles on a multiprocessor"),
};

} // namespace myblas::cuda

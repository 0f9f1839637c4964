// The family tf32x3_batch: C = alpha op(A) op(B) + beta C for batches and small products in both
// modes, on the tensor cores of sm_90a. The kernel is in tf32x3_batch.cuh.
//
// Bound: shared memory, through which the limbs of B go twice; reading A and B and writing C if k
// is short.
// Shared memory: limbs of B, and a ring of slabs of 32 k; 88 and 48 KiB.
// Launch: two blocks of 256 threads on a multiprocessor, or four of 128, which take tiles of all
// products in turns.
// Accepts: up to 2^30 rows, columns and k, and 2^30 tiles. Copies of an operand have 16 bytes if it
// consists of aligned quads, which the host does not know of arrays of pointers. Tiles of 128 x 64
// compute the transpose of C where this needs fewer of them. With an epilogue, both operands must
// consist of quads, and C is never transposed.
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

    // The transpositions, quads of A and of B, the epilogue, and swapped operands.
    static constexpr int choice_bits = 6;
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        return with_bits<6>(
            choice,
            [&](auto transa, auto transb, auto quads_a, auto quads_b, auto is_fused, auto swaps) {
                constexpr bool is_swapped = swaps && may_swap;
                using Plain = std::conditional_t<is_swapped, with_swapped_operands<Shape>, Shape>;
                using Form = std::conditional_t<is_fused, with_epilogue<Shape>, Plain>;
                // With an epilogue, both operands are copied in the same way.
                constexpr int width_a = quads_a && (quads_b || !is_fused) ? 4 : 1;
                constexpr int width_b = quads_b && (quads_a || !is_fused) ? 4 : 1;
                return f(tf32_batch_kernel<Form, transa, transb, width_a, width_b>, smem_bytes);
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

    // Whether the kernel computes the transpose of C, which needs fewer tiles.
    static constexpr bool may_swap = Shape::block_m != Shape::block_n;
    static bool is_swapped(const sgemm_problem& p) {
        return may_swap && p.epilogue.is_empty() &&
               tile_count(p, Shape::block_n, Shape::block_m) <
                   tile_count(p, Shape::block_m, Shape::block_n);
    }

    static work_estimate work(const work_query& q) {
        const bool swapped = is_swapped(q.problem);
        const tile_kernel kernel{.block_m = swapped ? Shape::block_n : Shape::block_m,
                                 .block_n = swapped ? Shape::block_m : Shape::block_n,
                                 .slab_k = Shape::block_k,
                                 .resident = Shape::blocks_per_sm};
        work_estimate w = kernel.work(q);
        // A transposed tile takes longer to store.
        w.exchanges = swapped ? w.rounds : 0;
        // Three products for each FMA.
        w.math_cycles *= 3 * static_cast<float>(costs_of(q.device).fmas_per_cycle) /
                         static_cast<float>(costs_of(q.device).products_of_tf32);
        return w;
    }

    // The problem of the transpose of C, but for C itself.
    static sgemm_problem transpose_of(const sgemm_problem& p) {
        sgemm_problem t = p;
        t.transa = !p.transb, t.transb = !p.transa;
        t.m = p.n, t.n = p.m;
        t.a = p.b, t.lda = p.ldb, t.stride_a = p.stride_b, t.a_array = p.b_array;
        t.b = p.a, t.ldb = p.lda, t.stride_b = p.stride_a, t.b_array = p.a_array;
        return t;
    }

    static myblasStatus_t launch(const sgemm_problem& problem, const launch_context& context) {
        const bool swapped = is_swapped(problem);
        const sgemm_problem p = swapped ? transpose_of(problem) : problem;
        const bool quads_a = (p.transa ? p.k : p.m) % 4 == 0 &&
                             batch_aligned16(p.a, p.lda, p.stride_a, p.a_array, p.batch_count);
        const bool quads_b = (p.transb ? p.n : p.k) % 4 == 0 &&
                             batch_aligned16(p.b, p.ldb, p.stride_b, p.b_array, p.batch_count);
        const auto of_column = static_cast<unsigned>(ceil_div<int64_t>(p.m, Shape::block_m));
        const auto of_row = static_cast<unsigned>(ceil_div<int64_t>(p.n, Shape::block_n));
        const tf32_batch_tiles tiles{.count =
                                         of_column * of_row * static_cast<unsigned>(p.batch_count),
                                     .of_product = of_column * of_row,
                                     .of_column = of_column};
        const auto places = static_cast<unsigned>(context.device->sm_count * Shape::blocks_per_sm);
        const dim3 grid(std::min(tiles.count, places));
        const unsigned choice =
            form_bits(p) | quads_a << 2 | quads_b << 3 | !p.epilogue.is_empty() << 4 | swapped << 5;
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

// The family tf32x3_batch: C = alpha op(A) op(B) + beta C for batches and small products in both
// modes, on the tensor cores of sm_90a. The kernel is in tf32x3_batch.cuh.
//
// Bound: shared memory, through which the limbs of B go twice; reading A and B and writing C if k
// is short.
// Shared memory: limbs of B, and a ring of slabs of 32 k; 88 and 48 KiB.
// Launch: two blocks of 256 threads on a multiprocessor, or four of 128, which take tiles of all
// products in turns.
// Accepts: up to 2^30 rows, columns and k, and 2^30 tiles. TMA copies both operands if both consist
// of aligned quads; of arrays of pointers the host does not know that. Otherwise, or if the driver
// refuses a tensor map, cp.async copies them, by quads where an operand consists of them. Tiles of
// 128 x 64 compute the transpose of C where this needs fewer of them. With an epilogue, both
// operands are copied in the same way, and C is never transposed. A few last rows or columns, such
// as the last 5 of 197, may be a border, which the FP32 units compute (tf32x3_batch_border.cuh).
// This needs a short k, no epilogue, and more than one tile a multiprocessor.
#include "kernels/sgemm/tensor/tf32x3_batch.cuh"

#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/tensor/tf32_operand.h"

namespace myblas::cuda {
namespace {

template <class Shape>
struct variant {
    using shape = Shape;
    static constexpr int min_arch = 90, max_arch = 90;
    static constexpr size_t smem_bytes = Shape::smem_bytes;
    static constexpr myblasMath_t math = MYBLAS_FP32_EMULATED_MATH;
    static constexpr bool has_epilogue = true;

    // The transpositions, quads of A and of B, the epilogue, swapped operands, and ragged edges.
    static constexpr int choice_bits = 7;
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        return with_bits<7>(
            choice,
            [&](auto transa,
                auto transb,
                auto quads_a,
                auto quads_b,
                auto is_fused,
                auto swaps,
                auto is_ragged) {
                constexpr bool is_swapped = swaps && may_swap;
                using Whole = std::conditional_t<is_swapped, with_swapped_operands<Shape>, Shape>;
                using Plain = std::conditional_t<is_ragged, with_ragged_edges<Whole>, Whole>;
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

    // Whether a product may have a border: not if each multiprocessor has at most one tile.
    static bool may_have_border(const sgemm_problem& p, const device_info& device) {
        return p.epilogue.is_empty() && p.k <= tf32_batch_border::most_k &&
               tile_count(p, Shape::block_m, Shape::block_n) >
                   device.sm_count / std::max<int64_t>(p.batch_count, 1);
    }

    // The border of a product whose operands are not swapped.
    static tf32_batch_border border_of(const sgemm_problem& p, const device_info& device) {
        const auto strips = [](int64_t lines) {
            return static_cast<unsigned>(ceil_div<int64_t>(lines, tf32_batch_border::lines));
        };
        const auto lines_in_tiles = [&](int64_t lines, int block) {
            const int64_t rest = lines % block;
            const bool is_border = lines > block && rest <= tf32_batch_border::most;
            return is_border && may_have_border(p, device) ? lines - rest : lines;
        };
        const int64_t rows = lines_in_tiles(p.m, Shape::block_m);
        const int64_t cols = lines_in_tiles(p.n, Shape::block_n);
        const unsigned of_rows = rows < p.m ? strips(p.n) : 0;
        const unsigned of_product = of_rows + (cols < p.n ? strips(rows) : 0);
        const unsigned of_batch = of_product * static_cast<unsigned>(p.batch_count);
        return {.rows = static_cast<int>(rows),
                .cols = static_cast<int>(cols),
                .of_rows = of_rows,
                .of_product = of_product,
                .strips = of_batch,
                .groups = ceil_div<unsigned>(of_batch, Shape::threads / 32)};
    }

    // Whether the kernel computes the transpose of C, which needs fewer tiles. It has no border.
    static constexpr bool may_swap = Shape::block_m != Shape::block_n;
    static bool is_swapped(const sgemm_problem& p, const tf32_batch_border& border) {
        return may_swap && p.epilogue.is_empty() &&
               tile_count(p, Shape::block_n, Shape::block_m) <
                   int64_t{ceil_div(border.rows, Shape::block_m)} *
                       ceil_div(border.cols, Shape::block_n);
    }

    static work_estimate work(const work_query& q) {
        const tf32_batch_border border = border_of(q.problem, q.device);
        const bool swapped = is_swapped(q.problem, border);
        tile_kernel kernel{.block_m = swapped ? Shape::block_n : Shape::block_m,
                           .block_n = swapped ? Shape::block_m : Shape::block_n,
                           .slab_k = Shape::block_k,
                           .resident = Shape::blocks_per_sm};
        work_query in_tiles = q;
        if (!swapped && border.groups > 0) {
            in_tiles.m = static_cast<float>(border.rows);
            in_tiles.n = static_cast<float>(border.cols);
            in_tiles.c_elements = in_tiles.m * in_tiles.n;
            // A group of strips takes about as long as 0.8 tiles.
            kernel.other_tiles = 0.8f * static_cast<float>(border.groups) / q.batch;
        }
        work_estimate w = kernel.work(in_tiles);
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
        tf32_batch_border border = border_of(problem, *context.device);
        const bool swapped = is_swapped(problem, border);
        const sgemm_problem p = swapped ? transpose_of(problem) : problem;
        const bool quads_a = (p.transa ? p.k : p.m) % 4 == 0 &&
                             batch_aligned16(p.a, p.lda, p.stride_a, p.a_array, p.batch_count);
        const bool quads_b = (p.transb ? p.n : p.k) % 4 == 0 &&
                             batch_aligned16(p.b, p.ldb, p.stride_b, p.b_array, p.batch_count);
        tensor_shape of_a = tf32_operand(p, p.a, p.transa, p.m, p.lda, p.stride_a, Shape::block_m);
        tensor_shape of_b = tf32_operand(p, p.b, !p.transb, p.n, p.ldb, p.stride_b, Shape::block_n);
        of_a.promotion = of_b.promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
        bool by_tma = quads_a && quads_b && fits_tensor_map(of_a) && fits_tensor_map(of_b);
        tf32_batch_maps maps{};
        if (by_tma && p.k > 0 && p.a && p.b) { // otherwise they are not read
            myblasStatus_t status = make_tensor_map(of_a, &maps.a);
            if (status == MYBLAS_STATUS_SUCCESS)
                status = make_tensor_map(of_b, &maps.b);
            by_tma = status == MYBLAS_STATUS_SUCCESS;
            if (!by_tma && status != MYBLAS_STATUS_NOT_SUPPORTED)
                return status;
        }
        if (swapped)
            border = {.rows = static_cast<int>(p.m), .cols = static_cast<int>(p.n)};
        const auto of_column = static_cast<unsigned>(ceil_div(border.rows, Shape::block_m));
        const auto of_row = static_cast<unsigned>(ceil_div(border.cols, Shape::block_n));
        const tf32_batch_tiles tiles{.count =
                                         of_column * of_row * static_cast<unsigned>(p.batch_count),
                                     .of_product = fixed_divisor(of_column * of_row),
                                     .of_column = fixed_divisor(of_column)};
        const auto places = static_cast<unsigned>(context.device->sm_count * Shape::blocks_per_sm);
        const dim3 grid(std::min(tiles.count + border.groups, places));
        const bool ends_early = p.k <= tf32_batch_border::most_k && p.k % Shape::block_k != 0 &&
                                p.k % Shape::block_k <= Shape::block_k / 2;
        const bool is_ragged = border.groups > 0 || ends_early;
        // If TMA cannot copy both operands, quads of one of them are copied.
        const bool copies_quads_b = by_tma || (quads_b && !quads_a);
        const unsigned choice = form_bits(p) | quads_a << 2 | copies_quads_b << 3 |
                                !p.epilogue.is_empty() << 4 | swapped << 5 | is_ragged << 6;
        return with_kernel(choice, [&](auto kernel, size_t bytes) {
            const bool is_early = p.batch_count == 1;
            constexpr int threads = Shape::threads;
            return launch_clusters(
                kernel, grid, 1, is_early, threads, bytes, context, tiles, p, maps, border);
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

// The family tf32x3: C = alpha op(A) op(B) + beta C for small products and batches of few tiles in
// both modes, on the tensor cores of sm_90a, in one launch. The kernel is in tf32x3.cuh. If a sum
// is Inf or NaN, the kernel computes that part of C again on the FP32 units.
//
// Bound: latency at 512 cubed, shared memory and splitting at 1024.
// Shared memory: 211, 211 and 227 KiB: limbs of B for each team; rings of 2, 3 and 4 slabs of 32 k
// for each group; sums from other blocks.
// Launch: 512 threads for a tile of C of 64 x 64, 128 x 64 or 128 x 128. Clusters of up to 8 blocks
// share a tile.
// Accepts: single products and strided batches with A and B aligned to 16 bytes, as TMA needs. If
// the driver refuses the tensor map of a batch, each product is a launch.
#include "kernels/sgemm/tensor/tf32x3.cuh"

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
    static constexpr int alignment_bytes = 16;
    static constexpr myblasMath_t math = MYBLAS_FP32_EMULATED_MATH;

    static constexpr bool has_epilogue = true;

    static constexpr int choice_bits = 3; // the transpositions, and the epilogue
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        return with_bits<3>(choice, [&](auto transa, auto transb, auto is_fused) {
            using Form = std::conditional_t<is_fused, with_epilogue<Shape>, Shape>;
            return f(tf32_kernel<Form, transa, transb>, smem_bytes);
        });
    }

    static constexpr const char* accepts_what = "it accepts strided A and B aligned to 16 bytes";
    static bool fits(const sgemm_problem& p, const device_info& device) {
        constexpr int64_t max_extent = 1 << 30; // lines and k are counted in 32 bits
        return smem_bytes <= device.smem_per_block && !p.a_array && !p.b_array && !p.c_array &&
               p.batch_count <= max_grid_z && std::max({p.m, p.n, p.k}) <= max_extent &&
               ceil_div<int64_t>(p.n, Shape::block_n) <= max_grid_y &&
               fits_tensor_map(shape_of_a(p)) && fits_tensor_map(shape_of_b(p));
    }

    // The operands as TMA sees them.
    static tensor_shape shape_of_a(const sgemm_problem& p) {
        return tf32_operand(p, p.a, p.transa, p.m, p.lda, p.stride_a, Shape::block_m);
    }
    static tensor_shape shape_of_b(const sgemm_problem& p) {
        return tf32_operand(p, p.b, !p.transb, p.n, p.ldb, p.stride_b, Shape::block_n);
    }

    static int64_t slab_count(const sgemm_problem& p) {
        return ceil_div<int64_t>(p.k, Shape::block_k);
    }

    // The blocks of each tile: as many as possible while all clusters can run at the same time.
    static int split_count(const sgemm_problem& p, const device_info& device) {
        // Larger batches are not accepted, but their work is estimated, too.
        const int64_t batch = std::min<int64_t>(p.batch_count, max_grid_z);
        const int64_t tiles = tile_count(p, Shape::block_m, Shape::block_n) * batch;
        int count = 1;
        for (int splits = 2; splits <= largest_cluster && 2 * splits <= slab_count(p); ++splits)
            if (tiles <= cluster_places(device, splits))
                count = splits;
        return count;
    }

    static work_estimate work(const work_query& q) {
        constexpr float tile = Shape::block_m * Shape::block_n;
        const int splits = split_count(q.problem, q.device);
        const tile_kernel kernel{.block_m = Shape::block_m,
                                 .block_n = Shape::block_n,
                                 .slab_k = Shape::block_k,
                                 .sharing = splits,
                                 .cluster = splits};
        work_estimate w = kernel.work(q);
        const int products_per_cycle = costs_of(q.device).products_of_tf32;
        // Three products for each FMA.
        w.math_cycles =
            w.steps * Shape::block_k * tile / (static_cast<float>(products_per_cycle) / 3);
        w.copies = 0; // copies are made by TMA
        w.exchanges = static_cast<float>(splits - 1);
        return w;
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const int splits = split_count(p, *context.device);
        const tf32_schedule schedule{.splits = splits,
                                     .slabs_of_split =
                                         static_cast<int>(ceil_div<int64_t>(slab_count(p), splits)),
                                     .inverse = static_cast<unsigned>(ceil_div(1 << 16, splits))};
        CUtensorMap map_a{}, map_b{};
        if (p.k > 0 && p.a && p.b) { // otherwise they are not read
            myblasStatus_t status = make_tensor_map(shape_of_a(p), &map_a);
            if (status == MYBLAS_STATUS_SUCCESS)
                status = make_tensor_map(shape_of_b(p), &map_b);
            if (status == MYBLAS_STATUS_NOT_SUPPORTED && p.batch_count > 1)
                return launch_one_by_one(p, context);
            if (status != MYBLAS_STATUS_SUCCESS)
                return status;
        }
        const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.m, Shape::block_m) * splits),
                        static_cast<unsigned>(ceil_div<int64_t>(p.n, Shape::block_n)),
                        static_cast<unsigned>(p.batch_count));
        const unsigned choice = form_bits(p) | !p.epilogue.is_empty() << 2;
        return with_kernel(choice, [&](auto kernel, size_t bytes) {
            constexpr int threads = Shape::threads;
            return launch_clusters(
                kernel, grid, splits, true, threads, bytes, context, p, map_a, map_b, schedule);
        });
    }

    static myblasStatus_t launch_one_by_one(const sgemm_problem& p, const launch_context& context) {
        for (int64_t i = 0; i < p.batch_count; ++i) {
            sgemm_problem q = p;
            q.batch_count = 1;
            q.a += i * p.stride_a, q.b += i * p.stride_b, q.c += i * p.stride_c;
            product_epilogue& e = q.epilogue;
            e.bias += e.bias ? i * e.stride_bias : 0;
            e.source += e.source ? i * e.stride_source : 0;
            e.aux += e.aux ? i * e.stride_aux : 0;
            if (const myblasStatus_t failure = launch(q, context))
                return failure;
        }
        return MYBLAS_STATUS_SUCCESS;
    }
};

// clang-format off
using tile_64x64 = variant<tf32_shape<tf32_parameters{
    .warpgroups_m = 1, .warpgroups_n = 1, .groups = 4, .stages = 2}>>;
using tile_128x64 = variant<tf32_shape<tf32_parameters{
    .warpgroups_m = 2, .warpgroups_n = 1, .groups = 2, .stages = 3}>>;
using tile_128x128 = variant<tf32_shape<tf32_parameters{
    .warpgroups_m = 2, .warpgroups_n = 2, .groups = 1, .stages = 4}>>;
// clang-format on

} // namespace

constinit const std::array<sgemm_kernel, 3> sgemm_tf32x3 = {
    describe<tile_64x64>("tf32x3/64x64",
                         "two TF32 limbs, three products by wgmma; 4 warpgroups split and multiply "
                         "slabs of 64 x 64"),
    describe<tile_128x64>("tf32x3/128x64",
                          "tf32x3 with 2 pairs of warpgroups and a 128 x 64 block"),
    describe<tile_128x128>("tf32x3/128x128", "tf32x3 with a 128 x 128 block"),
};

} // namespace myblas::cuda

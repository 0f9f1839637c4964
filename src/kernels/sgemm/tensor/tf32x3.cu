// The family tf32x3: small products of both modes on the tensor cores of sm_90a, in one launch (tf32x3.cuh).
//
// Bound: latency at 512 cubed, shared memory and splitting at 1024.
// Shared memory: 211, 211 and 227 KiB: limbs of B for each team, rings of 2, 3 and 4 slabs of 32 k for each group,
// sums from other blocks.
// Launch: 512 threads for a 64 x 64, a 128 x 64 or a 128 x 128 tile of C, in clusters of up to 8 blocks that share
// it. Accepts single products where TMA can read A and B: 16-byte steps.
#include "kernels/sgemm/tensor/tf32x3.cuh"

#include "kernels/common/tensor_map.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/work.h"

namespace myblas::cuda {
namespace {

template <class Shape>
struct tf32_launcher {
    // f(kernel)
    template <class F>
    static myblasStatus_t with_variant(const sgemm_problem& p, F&& f) {
        return with_transposition(
            p, [&](auto transa, auto transb) { return f(tf32_kernel<Shape, transa, transb>); });
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        constexpr int64_t max_extent = 1 << 30; // lines and k are counted in 32 bits
        return Shape::smem_bytes <= device.smem_per_block && p.batch_count == 1 && !p.a_array &&
               !p.b_array && !p.c_array && std::max({p.m, p.n, p.k}) <= max_extent &&
               ceil_div<int64_t>(p.n, Shape::block_n) <= max_grid_y &&
               fits_tensor_map(p.a, p.transa ? p.k : p.m, p.transa ? p.m : p.k, p.lda) &&
               fits_tensor_map(p.b, p.transb ? p.n : p.k, p.transb ? p.k : p.n, p.ldb);
    }

    static int64_t slab_count(const sgemm_problem& p) {
        return ceil_div<int64_t>(p.k, Shape::slab_k);
    }

    // Blocks for each tile, as many as run at the same time: clusters of more than 2 do not reach all
    // multiprocessors.
    static int part_count(const sgemm_problem& p, const device_info& device) {
        const int64_t tiles = tile_count(p, Shape::block_m, Shape::block_n);
        int count = 1;
        for (int parts = 2; parts <= largest_cluster && 2 * parts <= slab_count(p); ++parts)
            if (tiles * parts <= (parts == 2 ? device.sm_count : device.sm_count * 5 / 6))
                count = parts;
        return count;
    }

    // Steps are slabs that a multiprocessor works through, with all groups.
    static work_estimate work(const sgemm_problem& p, const device_info& device) {
        const int parts = part_count(p, device);
        const double blocks =
            static_cast<double>(tile_count(p, Shape::block_m, Shape::block_n)) * parts;
        const double waves = std::ceil(blocks / device.sm_count);
        return {.waves = waves,
                .steps = waves * static_cast<double>(ceil_div<int64_t>(slab_count(p), parts)),
                .bytes = operand_bytes(p)};
    }

    static myblasStatus_t prepare(const device_info& device) {
        if (Shape::smem_bytes > device.smem_per_block)
            return MYBLAS_STATUS_SUCCESS; // `fits` refuses every problem
        const auto allow = [](auto kernel) { return allow_smem(kernel, Shape::smem_bytes); };
        return for_each_transposition(
            [&](const sgemm_problem& p) { return with_variant(p, allow); });
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const int parts = part_count(p, *context.device);
        const tf32_plan plan{.parts = parts,
                             .part_slabs =
                                 static_cast<int>(ceil_div<int64_t>(slab_count(p), parts)),
                             .inverse = static_cast<unsigned>(ceil_div(1 << 16, parts))};
        const auto map_lines = [&](const float* base,
                                   bool k_along,
                                   int64_t lines,
                                   int64_t ld,
                                   int block,
                                   CUtensorMap* map) {
            return make_tensor_map({.base = base,
                                    .along = k_along ? p.k : lines,
                                    .across = k_along ? lines : p.k,
                                    .ld = ld,
                                    .box_along = 32,
                                    .box_across = k_along ? block : Shape::slab_k,
                                    .swizzle = CU_TENSOR_MAP_SWIZZLE_128B},
                                   map);
        };
        CUtensorMap map_a{}, map_b{};
        if (p.k > 0 && p.a && p.b) { // else they are not read
            if (const myblasStatus_t failure =
                    map_lines(p.a, p.transa, p.m, p.lda, Shape::block_m, &map_a))
                return failure;
            if (const myblasStatus_t failure =
                    map_lines(p.b, !p.transb, p.n, p.ldb, Shape::block_n, &map_b))
                return failure;
        }
        const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(p.m, Shape::block_m) * parts),
                        static_cast<unsigned>(ceil_div<int64_t>(p.n, Shape::block_n)));
        return with_variant(p, [&](auto kernel) {
            constexpr int threads = Shape::threads;
            constexpr size_t bytes = Shape::smem_bytes;
            return launch_clusters(
                kernel, grid, parts, true, threads, bytes, context, p, map_a, map_b, plan);
        });
    }

    static constexpr kernel_entry<sgemm_problem> entry(const char* name, const char* description) {
        return {
            .name = name,
            .description = description,
            .min_arch = 90,
            .max_arch = 90,
            .block_m = Shape::block_m,
            .block_n = Shape::block_n,
            .block_k = Shape::slab_k,
            .threads = Shape::threads,
            .stages = Shape::stages,
            .smem_bytes = Shape::smem_bytes,
            .alignment_bytes = 16,
            .math = MYBLAS_FP32_EMULATED_MATH,
            .accepts = fits,
            .work = work,
            .prepare = prepare,
            .launch = launch,
        };
    }
};

} // namespace

constinit const std::array<kernel_entry<sgemm_problem>, 3> sgemm_tf32x3{
    tf32_launcher<tf32_shape<1, 1, 4, 2>>::entry("tf32x3/64x64",
                                                 "two TF32 limbs, three products by wgmma; 4 "
                                                 "warpgroups split and multiply slabs of 64 x 64"),
    tf32_launcher<tf32_shape<2, 1, 2, 3>>::entry(
        "tf32x3/128x64", "tf32x3 with 2 pairs of warpgroups and a 128 x 64 block"),
    tf32_launcher<tf32_shape<2, 2, 1, 4>>::entry("tf32x3/128x128", "tf32x3 with a 128 x 128 block"),
};

} // namespace myblas::cuda

// The launches of bf16x6 and fp16x3. Each pass (schedule.h) has the packing, the product on the
// tensor cores, and the fallback where limbs cannot hold the operands.
#pragma once

#include "kernels/sgemm/tensor/fallback.cuh"
#include "kernels/sgemm/tensor/pack_ahead.cuh"
#include "kernels/sgemm/tensor/pack_and_multiply.cuh"

namespace myblas::cuda {

// Shape is the shape of the product kernel. Fallback is the shape of the kernel that computes if
// Shape's limbs lose too much; void if the strict kernel does. With `overlaps`, packing runs beside
// the product.
template <class Shape, class Fallback = void, bool overlaps = false>
struct limb_launcher {
    static constexpr bool has_fallback = !std::is_void_v<Fallback>;
    using corrected = typename Shape::corrected; // in emulated mode
    static constexpr limb_variant variant{.block_m = Shape::block_m,
                                          .warps = Shape::threads / 32,
                                          .limbs = Shape::Scheme::limbs,
                                          .fallback_limbs = has_fallback ? bf16x6::limbs : 0,
                                          .pairs = Shape::Scheme::pairs.count,
                                          .packs_beside = overlaps};

    // Enqueues a kernel with the threads and shared memory of S.
    template <class S, class Kernel, class... Arguments>
    static myblasStatus_t start(Kernel kernel,
                                unsigned blocks,
                                const tile_schedule& tiles,
                                const launch_context& context,
                                const Arguments&... arguments) {
        const int cluster = tiles.in_cluster ? tiles.splits : 1;
        return launch_clusters(
            kernel, dim3(blocks), cluster, true, S::threads, S::smem_bytes, context, arguments...);
    }

    // Of a kernel that also packs: all multiprocessors pack, even if there are fewer tiles.
    static unsigned packing_blocks(const tile_schedule& tiles, const launch_context& context) {
        return tiles.splits == 1 ? context.device->sm_count : tiles.tiles * tiles.splits;
    }

    // Launches the packing and then the product of one scheme.
    template <class S>
    static myblasStatus_t
    launch_scheme(const pass_job& job, const tile_schedule& tiles, const launch_context& context) {
        const auto& [p, pass, packed] = job;
        const pack_schedule schedule = schedule_packing(p, pass, S::block_m, *context.device);
        const auto pack = schedule.reads_ahead ? pack_ahead_kernel<typename S::Scheme>
                                               : pack_kernel<typename S::Scheme>;
        const dim3 grid(schedule.blocks_a + schedule.blocks_b);
        const size_t pack_bytes = schedule.reads_ahead ? pack_ahead_bytes : 0;
        if (const myblasStatus_t failure = launch_clusters(
                pack, grid, 1, true, pack_threads, pack_bytes, context, p, pass, schedule, packed))
            return failure;
        const unsigned blocks =
            std::min<unsigned>(tiles.tiles * tiles.splits, context.device->sm_count);
        const auto kernel =
            p.epilogue.is_empty() ? product_kernel<S> : product_kernel<with_epilogue<S>>;
        return start<S>(kernel, blocks, tiles, context, p, pass, packed, tiles);
    }

    // The same, or packing and product in one kernel, if there are strips.
    template <class S>
    static myblasStatus_t launch_limbs(const pass_job& job,
                                       const tile_schedule& tiles,
                                       const strip_schedule* strips,
                                       const launch_context& context) {
        if constexpr (overlaps) {
            if (strips) {
                const auto& [p, pass, packed] = job;
                using O = overlap_shape<S>;
                const unsigned blocks = packing_blocks(tiles, context);
                const auto kernel = p.epilogue.is_empty()
                                        ? pack_and_multiply_kernel<O>
                                        : pack_and_multiply_kernel<with_epilogue<O>>;
                return start<O>(kernel, blocks, tiles, context, p, pass, *strips, packed, tiles);
            }
        }
        return launch_scheme<S>(job, tiles, context);
    }

    static myblasStatus_t launch_fallback(const pass_job& job,
                                          const tile_schedule& tiles,
                                          const launch_context& context) {
        const auto& [p, pass, packed] = job;
        const pack_schedule packing = schedule_packing(p, pass, Fallback::block_m, *context.device);
        const unsigned blocks = packing_blocks(tiles, context);
        const auto kernel = p.epilogue.is_empty() ? fallback_kernel<Fallback>
                                                  : fallback_kernel<with_epilogue<Fallback>>;
        return start<Fallback>(kernel, blocks, tiles, context, p, pass, packing, packed, tiles);
    }

    static myblasStatus_t launch_pass(const sgemm_problem& p,
                                      const limb_pass& pass,
                                      const pass_schedule& schedule,
                                      const launch_context& context) {
        const device_info& device = *context.device;
        tile_schedule tiles =
            variant.schedule_tiles(pass, schedule.limbs, device, context.workspace_bytes);
        const pass_layout at = variant.lay_out(pass, schedule.limbs, tiles);
        char* const workspace = static_cast<char*>(context.workspace);
        const auto operand = [&](size_t limbs, size_t cells, size_t lines, size_t samples) {
            return packed_operand{workspace + limbs,
                                  reinterpret_cast<float*>(workspace + cells),
                                  reinterpret_cast<float*>(workspace + lines),
                                  reinterpret_cast<unsigned*>(workspace + samples)};
        };
        packed_pass packed{};
        packed.a = operand(at.limbs_a, at.cell_scales_a, at.line_scales_a, at.samples_a);
        packed.b = operand(at.limbs_b, at.cell_scales_b, at.line_scales_b, at.samples_b);
        packed.taken = reinterpret_cast<precision_path*>(workspace);
        packed.other = schedule.has_fallback ? path_bf16x6 : path_strict;
        static_assert(sizeof(lossy_record) == sizeof(float));
        packed.lossy_distance =
            static_cast<int64_t>((at.lossy_a - at.cell_scales_a) / sizeof(float));
        packed.most_listed = variant.most_listed(pass);
        packed.counters = context.counters;
        tiles.sums = reinterpret_cast<float*>(workspace + at.sums);
        tiles.counters = context.counters + pass_counters;

        strip_schedule strips;
        const bool has_strips =
            variant.may_pack_beside(p) && variant.schedule_strips(pass, tiles, device, strips);
        packed.has_no_fallback_launch =
            variant.is_short(pass, device) && (Shape::halves == 1 || has_strips);
        const pass_job job{p, pass, packed};
        const strip_schedule* const beside = has_strips ? &strips : nullptr;
        myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
        if (pass.corrects)
            status = launch_limbs<corrected>(job, tiles, beside, context);
        else
            status = launch_limbs<Shape>(job, tiles, beside, context);
        if (status != MYBLAS_STATUS_SUCCESS || packed.has_no_fallback_launch)
            return status;
        packed.other = path_strict;
        if constexpr (has_fallback)
            if (schedule.has_fallback)
                return launch_fallback(job, tiles, context);
        return launch_strict_pass(p, pass, packed.taken, context);
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const pass_schedule schedule =
            variant.schedule_passes(p, *context.device, context.workspace_bytes);
        const limb_pass& size = schedule.first;
        limb_pass pass = size;
        for (pass.first_batch = 0; pass.first_batch < p.batch_count;
             pass.first_batch += size.batches) {
            pass.batches = std::min(size.batches, p.batch_count - pass.first_batch);
            for (pass.col = 0; pass.col < p.n; pass.col += size.cols) {
                pass.cols = std::min(size.cols, p.n - pass.col);
                for (pass.row = 0; pass.row < p.m; pass.row += size.rows) {
                    pass.rows = std::min(size.rows, p.m - pass.row);
                    pass.first_k = 0;
                    do { // at least once, as beta applies also if k is 0
                        pass.k = std::min(size.k, p.k - pass.first_k);
                        variant.count_panels(pass);
                        if (const myblasStatus_t failure = launch_pass(p, pass, schedule, context))
                            return failure;
                        pass.first_k += size.k;
                    } while (pass.first_k < p.k);
                }
            }
        }
        return MYBLAS_STATUS_SUCCESS;
    }

    template <class S>
    static myblasStatus_t prepare_scheme() {
        myblasStatus_t failure = allow_smem(product_kernel<S>, S::smem_bytes);
        failure = failure ? failure : allow_smem(product_kernel<with_epilogue<S>>, S::smem_bytes);
        failure = failure ? failure : prefer_smem(pack_kernel<typename S::Scheme>);
        return failure ? failure : prefer_smem(pack_ahead_kernel<typename S::Scheme>);
    }

    template <class S>
    static myblasStatus_t prepare_limbs() {
        myblasStatus_t failure = prepare_scheme<S>();
        if constexpr (overlaps) {
            using O = overlap_shape<S>;
            failure = failure ? failure : allow_smem(pack_and_multiply_kernel<O>, O::smem_bytes);
            failure = failure
                          ? failure
                          : allow_smem(pack_and_multiply_kernel<with_epilogue<O>>, O::smem_bytes);
        }
        return failure;
    }

    static myblasStatus_t prepare(const device_info&) {
        myblasStatus_t failure = prepare_limbs<Shape>();
        failure = failure ? failure : prepare_limbs<corrected>();
        if constexpr (has_fallback) {
            constexpr size_t bytes = Fallback::smem_bytes;
            failure = failure ? failure : allow_smem(fallback_kernel<Fallback>, bytes);
            failure =
                failure ? failure : allow_smem(fallback_kernel<with_epilogue<Fallback>>, bytes);
        }
        return failure ? failure : prepare_strict_pass();
    }

    static constexpr kernel_entry<sgemm_problem> entry(const char* name, const char* description) {
        using Problem = const sgemm_problem;
        using Device = const device_info;
        return {
            .name = name,
            .description = description,
            .min_arch = 90,
            .max_arch = 90,
            .block_m = Shape::block_m,
            .block_n = Shape::block_n,
            .block_k = chunk_k,
            .threads = Shape::threads,
            .stages = Shape::stages,
            .smem_bytes = Shape::smem_bytes,
            .takes_triangles = true,
            .math = MYBLAS_FP32_EMULATED_MATH,
            .has_epilogue = true,
            .uses_counters = true,
            .accepts = fits_counts,
            .accepts_what = "it accepts up to 2^40 elements of an operand",
            .workspace_bytes = [](Problem& p, Device& d) { return variant.least_bytes(p, d); },
            .best_workspace_bytes = [](Problem& p, Device& d) { return variant.best_bytes(p, d); },
            .work = [](const work_query& q) { return variant.work(q); },
            .prepare = prepare,
            .launch = launch,
        };
    }
};

} // namespace myblas::cuda

// The launches of the sliced kernels: passes that fit the workspace, and in each the packing, the product
// on the tensor cores and what computes in its stead.
//
// Workspace of a pass: route, slices of A, slices of B, samples of their lines, scales of their parts and lines, and
// the sums of blocks that share a tile.
#pragma once

#include "kernels/sgemm/slice_fallback.h"
#include "kernels/sgemm/slice_overlap.cuh"
#include "kernels/sgemm/slice_pack.cuh"
#include "kernels/sgemm/slice_product.cuh"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace myblas::cuda {

inline constexpr size_t slice_header_bytes = 1024; // the route
inline constexpr size_t least_pass_bytes = size_t{4} << 20;
inline constexpr size_t usual_pass_bytes = size_t{32}
                                           << 20; // the workspace that handles have anyway
inline constexpr int min_part_chunks = 4; // of a block that shares its tile: less is all prologue

struct slice_layout { // in bytes from the start of the workspace
    size_t slices_a, slices_b, samples_a, samples_b, part_scales_a, part_scales_b, line_scales_a,
        line_scales_b, sums, end;
};

constexpr int64_t round_up(int64_t value, int64_t multiple) {
    return ceil_div(value, multiple) * multiple;
}

// Shape is that of the product kernel, Fallback that of the one that computes what the slices of the first
// lose too much of; void where the strict kernel does. With `overlaps` packing goes on beside the product.
template <class Shape, class Fallback = void, bool overlaps = false>
struct slice_launcher {
    using Scheme = typename Shape::Scheme;
    static constexpr bool has_fallback = !std::is_void_v<Fallback>;

    static constexpr int64_t slices() {
        if constexpr (has_fallback)
            return std::max(Scheme::slices, Fallback::Scheme::slices);
        else
            return Scheme::slices;
    }

    // ---- Passes ----------------------------------------------------------------------------------

    // Extents beyond this are of no operand that a GPU holds, and would overflow counts and sizes.
    static constexpr int64_t max_extent = int64_t{1} << 30;
    static constexpr double max_elements = 1ull << 40; // of an operand of a batch

    static bool accepts(const sgemm_problem& p, const device_info&) {
        const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
        const double k = static_cast<double>(p.k), batches = static_cast<double>(p.batch_count);
        return p.m <= max_extent && p.n <= max_extent && p.k <= max_extent &&
               batches * m * k <= max_elements && batches * k * n <= max_elements &&
               batches * m * n <= max_elements;
    }

    static void count_panels(slice_pass& pass) {
        const auto count = [](int64_t extent, int step) {
            return static_cast<int>(ceil_div<int64_t>(std::min(extent, max_extent), step));
        };
        pass.panels_a = count(pass.rows, Shape::block_m) * Shape::panels_m;
        pass.panels_b = count(pass.cols, Shape::block_n);
        pass.chunks = count(pass.k, chunk_k);
    }

    // The first pass of these extents.
    static slice_pass make_pass(int64_t batches, int64_t rows, int64_t cols, int64_t k) {
        slice_pass pass{};
        pass.batches = batches;
        pass.rows = rows;
        pass.cols = cols;
        pass.k = k;
        count_panels(pass);
        return pass;
    }

    static slice_pass whole_pass(const sgemm_problem& p) {
        return make_pass(p.batch_count, p.m, p.n, p.k);
    }

    static int64_t tile_count(const slice_pass& pass) {
        return pass.batches * (pass.panels_a / Shape::panels_m) * pass.panels_b;
    }

    // Blocks for each tile: as many as multiprocessors would be idle otherwise.
    static int part_count(const slice_pass& pass, const device_info& device) {
        const int64_t tiles = tile_count(pass);
        if (tiles > counter_count - slice_counters)
            return 1;
        const int64_t wanted =
            std::min<int64_t>(device.sm_count / tiles, pass.chunks / min_part_chunks);
        const int part_chunks =
            ceil_div(pass.chunks, static_cast<int>(std::max<int64_t>(wanted, 1)));
        return part_chunks == 0 ? 1 : ceil_div(pass.chunks, part_chunks);
    }

    // Whether to do without the fallback's launches, which nearly always end at once: they would take longer than is
    // lost where the FP32 units compute in its stead. So with one wave of blocks, on most of the multiprocessors,
    // and a short k.
    static bool is_short(const slice_pass& pass, const device_info& device) {
        constexpr int most_parts = 2, most_chunks = 64;
        const int parts = part_count(pass, device);
        const int64_t blocks = tile_count(pass) * parts;
        return 2 * blocks > device.sm_count && blocks <= device.sm_count && parts <= most_parts &&
               pass.chunks <= most_chunks;
    }

    static slice_layout lay_out(const slice_pass& pass, const device_info& device) {
        const int64_t a = pass.batches * pass.panels_a, b = pass.batches * pass.panels_b;
        const int64_t parts_bytes = pass.chunks * panel_parts * sizeof(float); // of a panel
        constexpr size_t lines_bytes = panel_rows * sizeof(float);
        constexpr size_t samples_bytes = panel_parts * part_samples * sizeof(unsigned);
        const int parts = part_count(pass, device);
        slice_layout at;
        at.slices_a = slice_header_bytes;
        at.slices_b = at.slices_a + a * pass.chunks * slices() * slice_bytes;
        at.samples_a = at.slices_b + b * pass.chunks * slices() * slice_bytes; // in whole sectors
        at.samples_b = at.samples_a + (overlaps ? a * samples_bytes : 0);
        at.part_scales_a = at.samples_b + (overlaps ? b * samples_bytes : 0);
        at.part_scales_b = at.part_scales_a + a * parts_bytes;
        at.line_scales_a = at.part_scales_b + b * parts_bytes;
        at.line_scales_b = at.line_scales_a + a * lines_bytes;
        at.sums = at.line_scales_b + b * lines_bytes;
        at.end = at.sums;
        if (parts > largest_tile_cluster)
            at.end += tile_count(pass) * parts * Shape::sum_floats * sizeof(float);
        return at;
    }

    static bool fits(const slice_pass& pass, const device_info& device, size_t workspace_bytes) {
        return lay_out(pass, device).end <= workspace_bytes;
    }

    // The extents of a pass: all, or else as many whole products of a batch as fit, or else a part of one,
    // cut so that packing and adding to C move the fewest bytes.
    static slice_pass
    choose_pass(const sgemm_problem& p, const device_info& device, size_t workspace_bytes) {
        slice_pass pass = whole_pass(p);
        while (!fits(pass, device, workspace_bytes) && pass.batches > 1)
            pass = make_pass(ceil_div<int64_t>(pass.batches, 2), p.m, p.n, p.k);
        if (fits(pass, device, workspace_bytes))
            return pass;

        double fewest = std::numeric_limits<double>::infinity();
        for (int64_t rows = p.m;; rows = round_up(ceil_div<int64_t>(rows, 2), Shape::block_m)) {
            for (int64_t cols = p.n;; cols = round_up(ceil_div<int64_t>(cols, 2), Shape::block_n)) {
                slice_pass part = make_pass(1, rows, cols, p.k);
                for (int64_t cuts = 2; part.k > chunk_k && !fits(part, device, workspace_bytes);
                     cuts += ceil_div<int64_t>(cuts, 4))
                    part = make_pass(1, rows, cols, round_up(ceil_div(p.k, cuts), chunk_k));
                const double bytes = work_in(p, device, part).bytes;
                if (bytes < fewest && fits(part, device, workspace_bytes)) {
                    fewest = bytes;
                    pass = part;
                }
                if (cols <= Shape::block_n)
                    break;
            }
            if (rows <= Shape::block_m)
                break;
        }
        return pass;
    }

    static size_t whole_bytes(const sgemm_problem& p, const device_info& device) {
        return lay_out(whole_pass(p), device).end;
    }

    // More makes the passes larger.
    static size_t least_bytes(const sgemm_problem& p, const device_info& device) {
        return std::min(whole_bytes(p, device), least_pass_bytes);
    }

    // ---- Work ------------------------------------------------------------------------------------

    // In passes of these extents. Waves count passes, but short ones of a kernel that has a fallback, which is not
    // launched then; steps the chunks that a block works through.
    static work_estimate
    work_in(const sgemm_problem& p, const device_info& device, const slice_pass& pass) {
        const auto cuts = [](int64_t whole, int64_t part) {
            return static_cast<double>(ceil_div(whole, std::max<int64_t>(part, 1)));
        };
        const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
        const double k = static_cast<double>(p.k);
        const double cuts_m = cuts(p.m, pass.rows), cuts_n = cuts(p.n, pass.cols);
        const double cuts_k = std::max(cuts(p.k, pass.k), 1.0);
        const double passes = cuts(p.batch_count, pass.batches) * cuts_m * cuts_n * cuts_k;
        const int parts = part_count(pass, device);
        const double turns = cuts(tile_count(pass) * parts, device.sm_count);
        // Packing that goes on beside a product takes a third of the time.
        const double packings = overlaps && !inputs_aligned16(p) ? 3 : 1;
        const double packed = packings * 4 * (1 + Scheme::slices) * k * (m * cuts_n + n * cuts_m);
        const double added = 8 * m * n * cuts_k;
        const double shared =
            parts <= largest_tile_cluster ? 0 : 8.0 * tile_count(pass) * parts * Shape::sum_floats;
        return {.waves = has_fallback && is_short(pass, device) ? 0 : passes,
                .steps = passes * turns * ceil_div(pass.chunks, parts),
                .bytes = static_cast<double>(p.batch_count) * (packed + added) + passes * shared};
    }

    static work_estimate whole_work(const sgemm_problem& p, const device_info& device) {
        return work_in(p, device, whole_pass(p));
    }
    static work_estimate usual_work(const sgemm_problem& p, const device_info& device) {
        return work_in(p, device, choose_pass(p, device, usual_pass_bytes));
    }

    // ---- Launches --------------------------------------------------------------------------------

    static pack_plan plan_packing(const slice_pass& pass, const device_info& device) {
        constexpr int longest_strip = 16;
        const double warps = double{pack_warps} * pack_blocks_per_sm * device.sm_count;
        const double a = 1.0 * pass.batches * pass.panels_a * panel_parts * pass.chunks; // parts
        const double b = 1.0 * pass.batches * pass.panels_b * panel_parts * pass.chunks;
        const double turns = std::max((a + b) / warps, 1.0);
        const auto blocks = [&](double parts) {
            return std::max(static_cast<int>(std::ceil(parts / turns / pack_warps)), 1);
        };
        const int strip = static_cast<int>(std::min(std::ceil(turns), double{longest_strip}));
        return {strip, blocks(a), blocks(b)};
    }

    // Strips in the order in which tiles want them, counted by as many counters as the stream has places for.
    // False where these are too few.
    static bool plan_strips(const slice_pass& pass,
                            const tile_plan& tiles,
                            const device_info& device,
                            strip_plan& plan) {
        const int64_t panels_a = pass.batches * pass.panels_a;
        const int64_t panels_b = pass.batches * pass.panels_b;
        plan.first_counter = slice_counters;
        if (tiles.parts > largest_tile_cluster)
            plan.first_counter += static_cast<int>(tiles.tiles);
        const int places = counter_count - plan.first_counter - strip_counters;
        if (pass.chunks == 0 || panels_a + panels_b > places)
            return false;
        plan.strips = static_cast<int>(round_up(ceil_div(pass.chunks, strip_chunks), tiles.parts));
        plan.span = 1;
        while ((panels_a + panels_b) * ceil_div(pass.chunks, plan.span) > places)
            plan.span *= 2;
        plan.counters = plan.first_counter + strip_counters +
                        static_cast<int>(panels_a + panels_b) * ceil_div(pass.chunks, plan.span);

        // What the first wave of tiles reads (locate_tile), and as much for each bundle after it.
        const int64_t tiles_m = pass.panels_a / Shape::panels_m, tiles_n = pass.panels_b;
        const int64_t sms = device.sm_count;
        const int64_t height = std::min<int64_t>(tiles_m, tile_patch<Shape>);
        const int64_t width = std::min(tiles_n, ceil_div(sms, height));
        const int64_t products = std::min(ceil_div(sms, tiles_m * tiles_n), pass.batches);
        plan.bundle_a = static_cast<int>(products * height * Shape::panels_m);
        plan.bundle_b = static_cast<int>(products * width);
        plan.bundles = static_cast<int>(std::max(ceil_div<int64_t>(panels_a, plan.bundle_a),
                                                 ceil_div<int64_t>(panels_b, plan.bundle_b)));

        // A lead strip for each warp of all blocks. Where blocks share tiles, each would want its own.
        const int groups = (plan.bundle_a + plan.bundle_b) * panel_parts;
        const int warps = Shape::threads / 32 * device.sm_count;
        const int longest = warps / groups * lead_strip_chunks / strip_chunks * strip_chunks;
        plan.lead_chunks = tiles.parts > 1 ? 0 : std::min(longest, plan.strips * strip_chunks);
        plan.lead_strips = groups * (plan.lead_chunks / lead_strip_chunks);
        return plan_units(plan) <= max_extent;
    }

    // Packing and product of one scheme.
    template <class S>
    static myblasStatus_t launch_scheme(const sgemm_problem& p,
                                        const slice_pass& pass,
                                        const packed_pass& packed,
                                        const tile_plan& tiles,
                                        const launch_context& context) {
        const pack_plan plan = plan_packing(pass, *context.device);
        const myblasStatus_t status = launch_overlapped(pack_kernel<typename S::Scheme>,
                                                        dim3(plan.blocks_a + plan.blocks_b),
                                                        pack_threads,
                                                        context,
                                                        p,
                                                        pass,
                                                        plan,
                                                        packed);
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
        const unsigned blocks =
            std::min<unsigned>(tiles.tiles * tiles.parts, context.device->sm_count);
        const int cluster = tiles.parts <= largest_tile_cluster ? tiles.parts : 1;
        return launch_clusters(product_kernel<S>,
                               dim3(blocks),
                               cluster,
                               true,
                               S::threads,
                               S::smem_bytes,
                               context,
                               p,
                               pass,
                               packed,
                               tiles);
    }

    // The same of the first scheme, in one launch where strips were planned.
    static myblasStatus_t launch_first(const sgemm_problem& p,
                                       const slice_pass& pass,
                                       const strip_plan* strips,
                                       const packed_pass& packed,
                                       const tile_plan& tiles,
                                       const launch_context& context) {
        if constexpr (overlaps) {
            using overlap = overlap_shape<Shape>;
            if (strips) {
                const bool is_cluster = tiles.parts <= largest_tile_cluster;
                const unsigned blocks =
                    tiles.parts == 1 ? context.device->sm_count : tiles.tiles * tiles.parts;
                return launch_clusters(pack_and_multiply_kernel<overlap>,
                                       dim3(blocks),
                                       is_cluster ? tiles.parts : 1,
                                       true,
                                       overlap::threads,
                                       overlap::smem_bytes,
                                       context,
                                       p,
                                       pass,
                                       *strips,
                                       packed,
                                       tiles);
            }
        }
        return launch_scheme<Shape>(p, pass, packed, tiles, context);
    }

    static myblasStatus_t
    launch_pass(const sgemm_problem& p, const slice_pass& pass, const launch_context& context) {
        const slice_layout at = lay_out(pass, *context.device);
        char* workspace = static_cast<char*>(context.workspace);
        packed_pass packed;
        const auto floats = [&](size_t offset) {
            return reinterpret_cast<float*>(workspace + offset);
        };
        const auto words = [&](size_t offset) {
            return reinterpret_cast<unsigned*>(workspace + offset);
        };
        packed.a = {workspace + at.slices_a,
                    floats(at.part_scales_a),
                    floats(at.line_scales_a),
                    words(at.samples_a)};
        packed.b = {workspace + at.slices_b,
                    floats(at.part_scales_b),
                    floats(at.line_scales_b),
                    words(at.samples_b)};
        packed.taken = reinterpret_cast<route*>(workspace);
        packed.other = route_strict;
        packed.is_fallback = false;
        packed.is_alone = false;
        packed.counters = context.counters;
        tile_plan tiles;
        tiles.tiles = static_cast<unsigned>(tile_count(pass));
        tiles.parts = part_count(pass, *context.device);
        tiles.part_chunks = ceil_div(pass.chunks, tiles.parts);
        tiles.sums = floats(at.sums);
        tiles.counters = packed.counters + slice_counters;

        // Warps that pack beside a product are too few to copy floats one by one.
        strip_plan plan;
        const strip_plan* const strips =
            overlaps && inputs_aligned16(p) && plan_strips(pass, tiles, *context.device, plan)
                ? &plan
                : nullptr;
        const bool is_brief = is_short(pass, *context.device);
        const bool ends_in_strict = !has_fallback || is_brief;
        packed.is_alone = is_brief && (Shape::halves == 1 || strips);
        if constexpr (has_fallback)
            if (!ends_in_strict)
                packed.other = route_of<typename Fallback::Scheme>;
        myblasStatus_t status = launch_first(p, pass, strips, packed, tiles, context);
        if (packed.is_alone)
            return status;
        packed.other = route_strict;
        packed.is_fallback = true;
        if constexpr (has_fallback)
            if (status == MYBLAS_STATUS_SUCCESS && !ends_in_strict)
                status = launch_scheme<Fallback>(p, pass, packed, tiles, context);
        return status == MYBLAS_STATUS_SUCCESS ? launch_strict_pass(p, pass, packed.taken, context)
                                               : status;
    }

    static myblasStatus_t launch_passes(const sgemm_problem& p, const launch_context& context) {
        const slice_pass size = choose_pass(p, *context.device, context.workspace_bytes);
        slice_pass pass = size;
        for (pass.first_batch = 0; pass.first_batch < p.batch_count;
             pass.first_batch += size.batches) {
            pass.batches = std::min(size.batches, p.batch_count - pass.first_batch);
            for (pass.col = 0; pass.col < p.n; pass.col += size.cols) {
                pass.cols = std::min(size.cols, p.n - pass.col);
                for (pass.row = 0; pass.row < p.m; pass.row += size.rows) {
                    pass.rows = std::min(size.rows, p.m - pass.row);
                    pass.first_k = 0;
                    do { // once also without any k, for beta
                        pass.k = std::min(size.k, p.k - pass.first_k);
                        count_panels(pass);
                        const myblasStatus_t status = launch_pass(p, pass, context);
                        if (status != MYBLAS_STATUS_SUCCESS)
                            return status;
                        pass.first_k += size.k;
                    } while (pass.first_k < p.k);
                }
            }
        }
        return MYBLAS_STATUS_SUCCESS;
    }

    template <class S>
    static myblasStatus_t prepare_scheme() {
        const myblasStatus_t status = allow_smem(product_kernel<S>, S::smem_bytes);
        return status == MYBLAS_STATUS_SUCCESS ? prefer_smem(pack_kernel<typename S::Scheme>)
                                               : status;
    }

    static myblasStatus_t prepare(const device_info& device) {
        myblasStatus_t status = prepare_scheme<Shape>();
        if constexpr (has_fallback) {
            if (status == MYBLAS_STATUS_SUCCESS)
                status = prepare_scheme<Fallback>();
        }
        if constexpr (overlaps) {
            using overlap = overlap_shape<Shape>;
            if (status == MYBLAS_STATUS_SUCCESS)
                status = allow_smem(pack_and_multiply_kernel<overlap>, overlap::smem_bytes);
        }
        return status == MYBLAS_STATUS_SUCCESS ? prepare_strict_pass(device) : status;
    }

    // ---- Descriptors -----------------------------------------------------------------------------

    // In one pass.
    static constexpr kernel_entry<sgemm_problem>
    entry(const char* name, const char* description, myblasMath_t math) {
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
            .math = math,
            .accepts = accepts,
            .workspace_bytes = whole_bytes,
            .work = whole_work,
            .prepare = prepare,
            .launch = launch_passes,
        };
    }

    // In as many passes as the workspace makes necessary.
    static constexpr kernel_entry<sgemm_problem>
    entry_in_passes(const char* name, const char* description, myblasMath_t math) {
        kernel_entry<sgemm_problem> e = entry(name, description, math);
        e.workspace_bytes = least_bytes;
        e.work = usual_work;
        return e;
    }
};

} // namespace myblas::cuda

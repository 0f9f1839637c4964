#include "kernels/sgemm/tensor/schedule.h"

#include "kernels/sgemm/components/work.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace myblas::cuda {
namespace {

constexpr int64_t no_bound = std::numeric_limits<int64_t>::max();

// Larger extents do not fit into the memory of a GPU, and would overflow counts and sizes.
constexpr int64_t max_extent = int64_t{1} << 30;
constexpr double max_elements = 1ull << 40; // of an operand of a batch

// The least k of a pass over a triangle, if k is that long.
constexpr int64_t least_triangle_k = 8 * chunk_k;

constexpr int64_t round_up(int64_t value, int64_t multiple) {
    return ceil_div(value, multiple) * multiple;
}

// One part, when an extent is cut into equal runs of whole tiles. The last part may be shorter.
struct share {
    int64_t extent;
    double parts;
    double tiles; // tiles in one part
};

share share_out(int64_t extent, int tile, int parts) {
    const int tiles = static_cast<int>(ceil_div<int64_t>(std::min(extent, max_extent), tile));
    const int most = ceil_div(tiles, parts);
    return {std::min(int64_t{most} * tile, extent),
            static_cast<double>(ceil_div(tiles, most)),
            static_cast<double>(most)};
}

} // namespace

// The work of all passes of a product.
struct pass_work {
    double passes;
    double steps; // chunks that a multiprocessor works through
    // Bytes. packed: of operands and limbs. added: of C and of the sums of blocks that share a
    // tile.
    double packed, added;
};

bool fits_counts(const sgemm_problem& p, const device_info&) {
    if (p.triangle != triangle_of_c::none && !is_single(p))
        return false;
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const double k = static_cast<double>(p.k), batches = static_cast<double>(p.batch_count);
    return std::max({p.m, p.n, p.k}) <= max_extent &&
           batches * std::max({m * k, k * n, m * n}) <= max_elements;
}

// ---- Passes -------------------------------------------------------------------------------------

void limb_variant::count_panels(limb_pass& pass) const {
    const auto count = [](int64_t extent, int step) {
        return static_cast<int>(quotient_up(std::min(extent, max_extent), step));
    };
    pass.panels_a = count(pass.rows, block_m) * panels_m();
    pass.panels_b = count(pass.cols, panel_lines);
    pass.chunks = count(pass.k, chunk_k);
}

limb_pass limb_variant::make_pass(
    const sgemm_problem& p, int64_t batches, int64_t rows, int64_t cols, int64_t k) const {
    limb_pass pass{};
    pass.triangle = p.triangle;
    if (is_single(p) && rows == p.m && cols == p.n && k == p.k)
        pass.zeros = p.zeros;
    pass.shares_panels =
        p.triangle != triangle_of_c::none && p.a == p.b && p.lda == p.ldb && p.transa != p.transb;
    pass.corrects = corrects(p);
    pass.batches = batches;
    pass.rows = rows;
    pass.cols = cols;
    pass.k = k;
    count_panels(pass);
    return pass;
}

int64_t limb_variant::tile_count(const limb_pass& pass) const {
    const int64_t tiles_m = pass.panels_a / panels_m();
    if (pass.triangle == triangle_of_c::none)
        return pass.batches * tiles_m * pass.panels_b;
    return triangle_tiles(
        pass.triangle == triangle_of_c::upper, panels_m(), tiles_m, pass.panels_b);
}

// The number of blocks for each tile. Several blocks use multiprocessors that would be idle
// otherwise.
int limb_variant::split_count(const limb_pass& pass,
                              const device_info& device,
                              int64_t most) const {
    constexpr int min_chunks_of_split = 4; // with less, the prologue dominates
    const int64_t tiles = tile_count(pass);
    if (tiles > counter_count - pass_counters)
        return 1;
    const int64_t wanted = std::min(
        {quotient(device.sm_count, tiles), int64_t{pass.chunks / min_chunks_of_split}, most});
    const int chunks_of_split =
        ceil_div(pass.chunks, static_cast<int>(std::max<int64_t>(wanted, 1)));
    return chunks_of_split == 0 ? 1 : ceil_div(pass.chunks, chunks_of_split);
}

// Splits each tile along k into at most `most` splits. A few splits become a cluster if all
// clusters run at the same time.
tile_schedule
limb_variant::split_tiles(const limb_pass& pass, const device_info& device, int64_t most) const {
    tile_schedule tiles{};
    tiles.tiles = static_cast<unsigned>(tile_count(pass));
    tiles.splits = split_count(pass, device, most);
    tiles.in_cluster = tiles.splits > 1 && tiles.splits <= largest_tile_cluster &&
                       tile_count(pass) <= cluster_places(device, tiles.splits);
    tiles.chunks_of_split = ceil_div(pass.chunks, tiles.splits);
    return tiles;
}

bool limb_variant::is_short(const limb_pass& pass, const device_info& device) const {
    constexpr int most_splits = 2, most_chunks = 64;
    const int splits = split_count(pass, device, no_bound);
    const int64_t blocks = tile_count(pass) * splits;
    return !pass.corrects && 2 * blocks > device.sm_count && blocks <= device.sm_count &&
           splits <= most_splits && pass.chunks <= most_chunks;
}

pass_layout
limb_variant::lay_out(const limb_pass& pass, int held_limbs, const tile_schedule& tiles) const {
    const int64_t a = pass.batches * pass.panels_a;
    const int64_t b = pass.shares_panels ? 0 : pass.batches * pass.panels_b;
    const int64_t limbs_bytes = int64_t{pass.chunks} * held_limbs * limb_bytes; // of a panel
    const int64_t cells_bytes = pass.chunks * panel_cells * sizeof(float);
    const int64_t samples_bytes = packs_beside ? panel_cells * cell_samples * sizeof(unsigned) : 0;
    const int64_t lossy_bytes =
        pass.corrects ? pass.chunks * panel_cells * sizeof(lossy_record) : 0;
    constexpr size_t lines_bytes = panel_lines * sizeof(float), header_bytes = 1024;
    pass_layout at;
    at.limbs_a = header_bytes;
    at.limbs_b = at.limbs_a + a * limbs_bytes;
    at.samples_a = at.limbs_b + b * limbs_bytes; // aligned to whole sectors
    at.samples_b = at.samples_a + a * samples_bytes;
    at.cell_scales_a = at.samples_b + b * samples_bytes;
    at.cell_scales_b = at.cell_scales_a + a * cells_bytes;
    at.lossy_a = at.cell_scales_b + b * cells_bytes;
    at.line_scales_a = at.lossy_a + (a + b) * lossy_bytes;
    at.line_scales_b = at.line_scales_a + a * lines_bytes;
    at.sums = at.line_scales_b + b * lines_bytes;
    at.end = at.sums;
    if (tiles.has_sums())
        at.end += int64_t{tiles.tiles} * tiles.splits * tile_floats() * sizeof(float);
    if (pass.shares_panels) {
        at.limbs_b = at.limbs_a;
        at.samples_b = at.samples_a;
        at.cell_scales_b = at.cell_scales_a;
        at.line_scales_b = at.line_scales_a;
    }
    return at;
}

unsigned limb_variant::most_listed(const limb_pass& pass) const {
    constexpr int64_t cells_of_listed = 8, least = 8;
    const int64_t panels =
        pass.batches * (pass.panels_a + (pass.shares_panels ? 0 : pass.panels_b));
    const int64_t cells = panels * panel_cells * pass.chunks;
    return static_cast<unsigned>(
        std::min<int64_t>(least + cells / cells_of_listed, std::numeric_limits<int>::max()));
}

// The workspace of a pass with as many blocks for each tile as the pass can use.
size_t
limb_variant::room_for(const limb_pass& pass, int held_limbs, const device_info& device) const {
    return lay_out(pass, held_limbs, split_tiles(pass, device, no_bound)).end;
}

pass_schedule limb_variant::schedule_whole(const sgemm_problem& p,
                                           const device_info& device) const {
    const limb_pass pass = make_pass(p, p.batch_count, p.m, p.n, p.k);
    const bool has_fallback = fallback_limbs != 0 && !is_short(pass, device);
    return {pass, has_fallback ? std::max(limbs, fallback_limbs) : limbs, has_fallback};
}

// A pass over all rows and columns of a triangle, with at most k.
limb_pass limb_variant::make_triangle_pass(const sgemm_problem& p, int64_t k) const {
    return make_pass(p, 1, p.m, p.n, std::min(p.k, k));
}

// The work of a product that is cut into passes with the extents of `pass`.
pass_work limb_variant::work_in(const sgemm_problem& p,
                                const device_info& device,
                                const limb_pass& pass) const {
    const auto cuts = [](int64_t whole, int64_t part) {
        return static_cast<double>(quotient_up(whole, std::max<int64_t>(part, 1)));
    };
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const double k = static_cast<double>(p.k), batches = static_cast<double>(p.batch_count);
    const double cuts_m = cuts(p.m, pass.rows), cuts_n = cuts(p.n, pass.cols);
    const double cuts_k = std::max(cuts(p.k, pass.k), 1.0);
    const tile_schedule tiles = split_tiles(pass, device, no_bound);
    const double blocks = static_cast<double>(tile_count(pass)) * tiles.splits;
    const double sums = tiles.has_sums() ? 8 * blocks * tile_floats() : 0;
    const double passes = cuts(p.batch_count, pass.batches) * cuts_m * cuts_n * cuts_k;
    return {.passes = passes,
            .steps = passes * std::ceil(blocks / device.sm_count) * tiles.chunks_of_split *
                     (pass.zeros == known_zeros::none ? 1 : 0.5),
            .packed = batches * 4 * (1 + limbs) * k *
                      (m * cuts_n + (pass.shares_panels ? 0 : n * cuts_m)),
            .added = batches * 8 * computed_elements(p) * cuts_k + passes * sums};
}

// If the workspace is large enough: the whole product, with room for the fallback's limbs.
// Otherwise the cheapest passes without these limbs, which would make passes smaller by a third. A
// pass is whole products, or a part of one, with the largest k that fits.
//
// Every call with a new shape waits for this function, so a lower bound of the cost excludes most
// candidates early.
pass_schedule limb_variant::schedule_passes(const sgemm_problem& p,
                                            const device_info& device,
                                            size_t bytes) const {
    // In us. The factor `exposed` is the fraction of the packing time that is not hidden.
    const device_costs& costs = costs_of(device);
    const double exposed = packs_beside ? 0.3 : 1;
    const auto cost_of = [&](const pass_work& work) {
        return work.passes * costs.pass_us + work.steps * costs.limb_row_us * block_m * pairs +
               (work.added + work.packed * exposed) / costs.packing_rate;
    };

    const pass_schedule whole = schedule_whole(p, device);
    if (room_for(whole.first, whole.limbs, device) <= bytes)
        return whole;
    if (p.triangle != triangle_of_c::none) { // cut along k only
        int64_t k = round_up(std::min(p.k, max_extent), chunk_k);
        limb_pass pass = make_triangle_pass(p, k);
        while (k > least_triangle_k && room_for(pass, limbs, device) > bytes) {
            k = std::max(least_triangle_k, round_up(k / 2, chunk_k));
            pass = make_triangle_pass(p, k);
        }
        return {pass, limbs, false};
    }
    const auto bytes_of = [&](int panels, int chunks) {
        limb_pass pass{};
        pass.corrects = whole.first.corrects;
        pass.batches = 1;
        pass.panels_a = panels;
        pass.chunks = chunks;
        return static_cast<double>(lay_out(pass, limbs, {}).end);
    };
    const double room = static_cast<double>(bytes) - bytes_of(0, 0);
    const double panel_bytes = bytes_of(1, 0) - bytes_of(0, 0);
    const double chunk_bytes = bytes_of(1, 1) - bytes_of(1, 0); // of a panel
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const double k = static_cast<double>(p.k), batch_count = static_cast<double>(p.batch_count);
    const int64_t all_k = std::min(p.k, max_extent);
    const int chunks = whole.first.chunks;

    constexpr double never = std::numeric_limits<double>::infinity();
    pass_schedule best{whole.first, limbs, false};
    double least = never;
    // Returns a lower bound of the cost. As the number of parts along an extent grows, the bound
    // roughly falls, then rises.
    const auto consider = [&](const share& batches, const share& rows, const share& cols) {
        const double panels = batches.tiles * (rows.tiles * panels_m() + cols.tiles);
        const double room_in_chunks = (room - panels * panel_bytes) / (panels * chunk_bytes);
        if (room_in_chunks < 1)
            return never;
        const double parts = batches.parts * rows.parts * cols.parts;
        const double waves = batches.tiles * rows.tiles * cols.tiles / device.sm_count;
        const auto bound_of = [&](double parts_k, double least_waves) {
            return cost_of(
                {.passes = parts * parts_k,
                 .steps = parts * least_waves * chunks,
                 .packed = batch_count * 4 * (1 + limbs) * k * (m * cols.parts + n * rows.parts),
                 .added = batch_count * 8 * m * n * parts_k});
        };
        const double bound = bound_of(std::max(chunks / room_in_chunks, 1.0), waves);
        if (bound >= least)
            return bound;
        // Blocks share tiles if there are two multiprocessors for each tile. Their sums need
        // workspace, too, and with fewer chunks in a pass the work may be more even.
        const bool may_share = 2 * waves <= 1;
        const double whole_waves = may_share ? waves : whole_up(static_cast<float>(waves));
        int most_chunks = static_cast<int>(std::min<double>(room_in_chunks, std::max(chunks, 1)));
        for (int trials = may_share ? 2 : 1; trials > 0 && most_chunks > 0;) {
            const int parts_k = std::max(ceil_div(chunks, most_chunks), 1);
            if (bound_of(parts_k, whole_waves) >= least)
                break;
            const limb_pass pass = make_pass(
                p,
                batches.extent,
                rows.extent,
                cols.extent,
                parts_k > 1 ? round_up(ceil_div<int64_t>(all_k, parts_k), chunk_k) : all_k);
            if (room_for(pass, limbs, device) <= bytes) {
                --trials;
                const double cost = cost_of(work_in(p, device, pass));
                if (cost < least) {
                    least = cost;
                    best.first = pass;
                }
            }
            most_chunks = pass.chunks - ceil_div(pass.chunks, 32);
        }
        return bound;
    };

    const share all_rows = share_out(p.m, block_m, 1), all_cols = share_out(p.n, panel_lines, 1);
    for (int parts = 1;; parts += ceil_div(parts, 8)) {
        const share batches = share_out(p.batch_count, 1, parts);
        if (batches.tiles <= 1)
            break;
        consider(batches, all_rows, all_cols);
    }
    const share one_by_one{1, batch_count, 1};
    for (int parts_m = 1;; parts_m += ceil_div(parts_m, 3)) {
        const share rows = share_out(p.m, block_m, parts_m);
        double before = never;
        for (int parts_n = 1;; parts_n += ceil_div(parts_n, 3)) {
            const share cols = share_out(p.n, panel_lines, parts_n);
            const double bound = consider(one_by_one, rows, cols);
            if (cols.tiles <= 1 || (bound >= least && bound > before))
                break;
            before = bound;
        }
        if (rows.tiles <= 1)
            break;
    }
    return best;
}

size_t limb_variant::best_bytes(const sgemm_problem& p, const device_info& device) const {
    const pass_schedule whole = schedule_whole(p, device);
    return room_for(whole.first, whole.limbs, device);
}

size_t limb_variant::least_bytes(const sgemm_problem& p, const device_info& device) const {
    constexpr size_t least_pass_bytes = size_t{4} << 20;
    if (p.triangle != triangle_of_c::none)
        return std::min(room_for(schedule_whole(p, device).first, limbs, device),
                        room_for(make_triangle_pass(p, least_triangle_k), limbs, device));
    return std::min(room_for(schedule_whole(p, device).first, limbs, device), least_pass_bytes);
}

// `rounds` is the number of passes. Variants that pack beside the product pack before it if
// operands are unaligned.
work_estimate limb_variant::work(const work_query& q) const {
    const sgemm_problem& p = q.problem;
    // A smaller workspace is refused, and schedule_passes cannot handle it.
    const size_t bytes = std::max(q.workspace_bytes, least_bytes(p, q.device));
    const pass_schedule schedule = schedule_passes(p, q.device, bytes);
    const pass_work work = work_in(p, q.device, schedule.first);
    const int splits = split_count(schedule.first, q.device, no_bound);
    const auto tiles = static_cast<double>(tile_count(schedule.first));
    const double blocks = tiles * splits, sms = q.device.sm_count;
    const bool beside = may_pack_beside(p);
    const bool has_no_fallback_launch =
        is_short(schedule.first, q.device) && (block_m == panel_lines || beside);
    const int launches = (beside ? 1 : 2) + (has_no_fallback_launch ? 0 : 1);
    work_estimate w;
    w.launches = static_cast<float>(work.passes * launches);
    w.rounds = static_cast<float>(work.passes);
    w.steps = static_cast<float>(work.steps);
    w.math_cycles = static_cast<float>(work.steps * chunk_k * block_m * panel_lines * pairs /
                                       costs_of(q.device).products_of_16_bits);
    // Packing before the product, in units of the 32 floats that a warp reads together.
    w.copies = beside ? 0 : static_cast<float>(work.packed / (4 * (1 + limbs) * 32 * sms));
    w.l2_bytes = static_cast<float>(work.steps * chunk_k * 2 * limbs * (block_m + panel_lines));
    w.memory_bytes = static_cast<float>(work.packed + work.added);
    w.exchanges = static_cast<float>(splits - 1);
    w.wave_efficiency = static_cast<float>(blocks / (std::ceil(blocks / sms) * sms));
    w.tile_utilisation =
        q.c_elements * q.batch / static_cast<float>(tiles * tile_floats() * work.passes);
    return w;
}

// ---- Packing and tiles --------------------------------------------------------------------------

pack_schedule schedule_packing(const sgemm_problem& p,
                               const limb_pass& pass,
                               int tile_rows,
                               const device_info& device) {
    constexpr int longest_strip = 16;
    constexpr double sample = 1;   // of the lines of a strip, in times of a cell
    constexpr int least_ahead = 5; // cells of a warp
    const int64_t cells = pass.batches *
                          (pass.panels_a + (pass.shares_panels ? 0 : pass.panels_b)) * panel_cells *
                          pass.chunks;
    const bool reads_ahead =
        inputs_aligned16(p) && pass.zeros == known_zeros::none &&
        cells >= int64_t{least_ahead} * pack_warps * pack_ahead_blocks_per_sm * device.sm_count;
    const int64_t blocks =
        int64_t{reads_ahead ? pack_ahead_blocks_per_sm : pack_blocks_per_sm} * device.sm_count;
    // As strip_count does (pack.cuh), in blocks of strips.
    const auto block_strips = [&](int64_t panels, bool k_contiguous, int strip) {
        const int step = k_contiguous ? pack_warps : 1;
        const int64_t strips =
            pass.batches * panels * panel_cells * ceil_div(pass.chunks, strip * step) * step;
        return ceil_div<int64_t>(strips, pack_warps);
    };
    pack_schedule best{1, 1, 1, tile_rows, reads_ahead};
    double least = std::numeric_limits<double>::infinity();
    for (int strip = 1; strip <= longest_strip; ++strip) {
        const int64_t a = block_strips(pass.panels_a, p.transa, strip);
        const int64_t b = pass.shares_panels ? 0 : block_strips(pass.panels_b, !p.transb, strip);
        // The least number of rounds. A warp packs one strip in each.
        int64_t rounds = std::max<int64_t>(ceil_div(a + b, blocks), 1);
        while (rounds < a + b && ceil_div(a, rounds) + ceil_div(b, rounds) > blocks)
            ++rounds;
        const double time = static_cast<double>(rounds) * (strip + sample);
        if (time < least) {
            least = time;
            const auto count = [&](int64_t strips) {
                return static_cast<int>(ceil_div(strips, rounds));
            };
            best.strip = strip;
            best.blocks_a = std::max(count(a), 1);
            best.blocks_b = pass.shares_panels ? 0 : std::max(count(b), 1);
        }
    }
    return best;
}

tile_schedule limb_variant::schedule_tiles(const limb_pass& pass,
                                           int held_limbs,
                                           const device_info& device,
                                           size_t bytes) const {
    tile_schedule tiles = split_tiles(pass, device, no_bound);
    while (tiles.has_sums() && lay_out(pass, held_limbs, tiles).end > bytes)
        tiles = split_tiles(pass, device, tiles.splits - 1);
    return tiles;
}

bool limb_variant::schedule_strips(const limb_pass& pass,
                                   const tile_schedule& tiles,
                                   const device_info& device,
                                   strip_schedule& schedule) const {
    const int64_t panels_a = pass.batches * pass.panels_a;
    const int64_t panels_b = pass.batches * pass.panels_b;
    schedule.first_counter = pass_counters;
    if (tiles.splits > 1 && !tiles.in_cluster)
        schedule.first_counter += static_cast<int>(tiles.tiles);
    const int places = counter_count - schedule.first_counter - strip_counters;
    if (pass.chunks == 0 || panels_a + panels_b > places)
        return false;
    schedule.strips = static_cast<int>(round_up(ceil_div(pass.chunks, strip_chunks), tiles.splits));
    schedule.span = 1;
    while ((panels_a + panels_b) * ceil_div(pass.chunks, schedule.span) > places)
        schedule.span *= 2;
    schedule.counters =
        schedule.first_counter + strip_counters +
        static_cast<int>(panels_a + panels_b) * ceil_div(pass.chunks, schedule.span);

    // The panels that the first wave of tiles reads (locate_tile). Each later bundle has the same
    // size.
    const int64_t tiles_m = pass.panels_a / panels_m(), tiles_n = pass.panels_b;
    const int64_t sms = device.sm_count;
    // C of few columns has several patches of rows in a wave. One that would be less than a quarter
    // of the wave is left to the next bundle.
    const int64_t patch = patch_rows / block_m, patch_tiles = patch * tiles_n;
    const int64_t patches = std::max<int64_t>((4 * sms + 3 * patch_tiles) / (4 * patch_tiles), 1);
    const int64_t height = std::min(tiles_m, patch * patches);
    const int64_t width = std::min(tiles_n, ceil_div(sms, std::min(height, patch)));
    const int64_t products = std::min(ceil_div(sms, tiles_m * tiles_n), pass.batches);
    schedule.bundle_a = static_cast<int>(products * height * panels_m());
    schedule.bundle_b = static_cast<int>(products * width);
    schedule.bundles = static_cast<int>(std::max(ceil_div<int64_t>(panels_a, schedule.bundle_a),
                                                 ceil_div<int64_t>(panels_b, schedule.bundle_b)));

    // One lead strip for each warp of all blocks. There is no lead if blocks share tiles, as each
    // block would need its own.
    const int groups = (schedule.bundle_a + schedule.bundle_b) * panel_cells;
    const int longest =
        warps * device.sm_count / groups * lead_strip_chunks / strip_chunks * strip_chunks;
    schedule.lead_chunks = tiles.splits > 1 ? 0 : std::min(longest, schedule.strips * strip_chunks);
    schedule.lead_strips = groups * (schedule.lead_chunks / lead_strip_chunks);
    return schedule.units() <= max_extent;
}

} // namespace myblas::cuda

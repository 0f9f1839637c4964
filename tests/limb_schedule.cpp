// The passes of the packed SGEMM kernels (src/kernels/sgemm/tensor/schedule.h): for every product
// and workspace, each pass stays inside the workspace, and all passes together make the product.
#include "kernels/sgemm/tensor/schedule.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <random>
#include <setjmp.h>

extern "C" {
#include <cmocka.h>
}

namespace myblas::cuda {
namespace {

constexpr limb_variant variants[] = {
    {.block_m = 256,
     .warps = 12,
     .limbs = 3,
     .fallback_limbs = 0,
     .pairs = 6,
     .packs_beside = false},
    {.block_m = 128,
     .warps = 12,
     .limbs = 3,
     .fallback_limbs = 0,
     .pairs = 6,
     .packs_beside = false},
    {.block_m = 256,
     .warps = 12,
     .limbs = 2,
     .fallback_limbs = 3,
     .pairs = 3,
     .packs_beside = true},
    {.block_m = 128,
     .warps = 12,
     .limbs = 2,
     .fallback_limbs = 3,
     .pairs = 3,
     .packs_beside = false},
};

// A random number, as likely between 1 and 10 as between 1000 and 10000.
int64_t spread(std::mt19937_64& random, double low, double high) {
    std::uniform_real_distribution<double> logarithm(std::log(low), std::log(high));
    return static_cast<int64_t>(std::exp(logarithm(random)));
}

bool fits(const limb_variant& v,
          const limb_pass& pass,
          const pass_schedule& schedule,
          const device_info& device,
          size_t bytes) {
    const tile_schedule tiles = v.schedule_tiles(pass, schedule.limbs, device, bytes);
    return v.lay_out(pass, schedule.limbs, tiles).end <= bytes;
}

// The first and the last of the passes along each extent.
void check_schedule(const limb_variant& v,
                    const sgemm_problem& p,
                    const device_info& device,
                    size_t bytes) {
    const pass_schedule schedule = v.schedule_passes(p, device, bytes);
    const limb_pass& first = schedule.first;
    assert_true(first.batches >= 1 && first.rows >= 1 && first.cols >= 1 && first.k >= 1);
    assert_true(first.rows == p.m || first.rows % v.block_m == 0);
    assert_true(first.cols == p.n || first.cols % panel_lines == 0);
    assert_true(first.k == p.k || first.k % chunk_k == 0);
    if (schedule.has_fallback)
        assert_true(first.batches == p.batch_count && first.rows == p.m && first.cols == p.n &&
                    first.k == p.k);
    const auto last = [](int64_t whole, int64_t part) { return whole - (whole - 1) / part * part; };
    for (unsigned ends = 0; ends < 16; ++ends) {
        limb_pass pass = first;
        if (ends & 1)
            pass.rows = last(p.m, first.rows);
        if (ends & 2)
            pass.cols = last(p.n, first.cols);
        if (ends & 4)
            pass.k = last(p.k, first.k);
        if (ends & 8)
            pass.batches = last(p.batch_count, first.batches);
        v.count_panels(pass);
        assert_true(fits(v, pass, schedule, device, bytes));
    }
}

void test_passes_stay_in_the_workspace(void**) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20000; ++round) {
        device_info device;
        device.arch = 90;
        device.sm_count = round % 2 ? 132 : 78;
        sgemm_problem p;
        p.m = spread(random, 1, 20000);
        p.n = spread(random, 1, 20000);
        p.k = spread(random, 1, 100000);
        p.batch_count = round % 3 ? 1 : spread(random, 1, 300);
        p.math = round / 6 % 2 ? MYBLAS_FP32_FAST_MATH : MYBLAS_FP32_EMULATED_MATH;
        p.lda = p.ldb = p.ldc = 4;
        for (const limb_variant& v : variants) {
            const size_t least = v.least_bytes(p, device), best = v.best_bytes(p, device);
            assert_true(least <= best);
            check_schedule(v, p, device, least);
            check_schedule(v, p, device, best);
            const auto between = static_cast<double>(std::max(best, least + 1));
            check_schedule(
                v,
                p,
                device,
                std::max<size_t>(spread(random, static_cast<double>(least), between), least));
        }
    }
}

// The same for triangles, whose passes have all rows and columns, also where one operand is packed
// for both.
void test_triangles_stay_in_the_workspace(void**) {
    std::mt19937_64 random(4);
    for (int round = 0; round < 5000; ++round) {
        device_info device;
        device.arch = 90;
        device.sm_count = round % 2 ? 132 : 78;
        const float operands[4] = {};
        sgemm_problem p;
        p.triangle = round % 4 < 2 ? triangle_of_c::lower : triangle_of_c::upper;
        p.m = p.n = spread(random, 1, 40000);
        p.k = spread(random, 1, 100000);
        p.transa = round % 3;
        p.transb = !p.transa;
        p.lda = p.ldb = p.ldc = 4;
        p.a = operands;
        p.b = operands + (round % 5 ? 0 : 1);
        for (const limb_variant& v : variants) {
            const size_t least = v.least_bytes(p, device), best = v.best_bytes(p, device);
            assert_true(least <= best);
            for (const size_t bytes : {least, (least + best) / 2, best}) {
                check_schedule(v, p, device, bytes);
                const limb_pass pass = v.schedule_passes(p, device, bytes).first;
                assert_true(pass.rows == p.m && pass.cols == p.n);
                assert_int_equal(pass.shares_panels, p.a == p.b);
            }
        }
    }
}

// The products of fused.c whose passes should divide the batch, the rows, the columns or k do so.
void test_cuts(void**) {
    device_info device;
    device.arch = 90;
    device.sm_count = 132;
    const auto first_pass =
        [&](const limb_variant& v, int64_t m, int64_t n, int64_t k, int64_t batch_count, int mib) {
            sgemm_problem p;
            p.m = m, p.n = n, p.k = k, p.batch_count = batch_count;
            p.lda = p.ldb = p.ldc = 4;
            const size_t bytes = static_cast<size_t>(mib) << 20;
            assert_true(v.least_bytes(p, device) <= bytes);
            return v.schedule_passes(p, device, bytes).first;
        };
    bool has_both = false;
    for (const limb_variant& v : variants) {
        assert_true(first_pass(v, 1000, 900, 3000, 1, 8).k < 3000);
        assert_true(first_pass(v, 600, 500, 400, 13, 4).batches < 13);
        assert_true(first_pass(v, 4000, 600, 300, 1, 4).rows < 4000);
        assert_true(first_pass(v, 600, 4000, 300, 1, 4).cols < 4000);
        const limb_pass both = first_pass(v, 300, 5000, 600, 1, 4);
        has_both = has_both || (both.cols < 5000 && both.k < 600);
    }
    assert_true(has_both);
}

// Blocks that share a tile are a cluster where all clusters run at the same time.
void test_clusters(void**) {
    device_info device;
    device.arch = 90;
    device.sm_count = 132;
    const struct {
        int64_t tiles, k;
        int splits;
        bool in_cluster;
    } expected[] = {
        {132, 400, 1, false}, // a multiprocessor for each
        {66, 400, 2, true},
        {39, 400, 3, true},
        {40, 400, 3, false},
        {44, 400, 3, false},
        {30, 600, 4, true},
        {31, 600, 4, false},
        {33, 600, 4, false},
        {26, 2000, 5, false}, // no larger clusters
        {1, 100, 1, false},   // too short to be shared
    };
    for (const limb_variant& v : variants)
        for (const auto& e : expected) {
            sgemm_problem p;
            p.m = e.tiles * v.block_m;
            p.n = panel_lines;
            p.k = e.k;
            p.batch_count = 1;
            const size_t best = v.best_bytes(p, device);
            const pass_schedule schedule = v.schedule_passes(p, device, best);
            const tile_schedule tiles =
                v.schedule_tiles(schedule.first, schedule.limbs, device, best);
            assert_int_equal(tiles.tiles, e.tiles);
            assert_int_equal(tiles.splits, e.splits);
            assert_int_equal(tiles.in_cluster, e.in_cluster);
            const pass_layout at = v.lay_out(schedule.first, schedule.limbs, tiles);
            assert_int_equal(at.end > at.sums, e.splits > 1 && !e.in_cluster);
        }
}

// More than best_bytes changes nothing, and a byte less needs another pass or the fallback.
void test_best_workspace(void**) {
    device_info device;
    device.arch = 90;
    device.sm_count = 132;
    sgemm_problem p;
    p.m = p.n = p.k = 4096;
    for (const limb_variant& v : variants) {
        const size_t best = v.best_bytes(p, device);
        const pass_schedule whole = v.schedule_passes(p, device, best);
        assert_true(whole.first.rows == p.m && whole.first.cols == p.n && whole.first.k == p.k);
        assert_true(whole.has_fallback == (v.fallback_limbs != 0));
        const pass_schedule less = v.schedule_passes(p, device, best - 1);
        assert_true(!less.has_fallback);
        assert_true(v.fallback_limbs != 0 || less.first.k < p.k || less.first.rows < p.m ||
                    less.first.cols < p.n);
    }
}

// The cost that schedule_passes computes; infinite if the passes do not fit.
double cost_of(const limb_variant& v,
               const sgemm_problem& p,
               const device_info& device,
               const limb_pass& first,
               size_t bytes) {
    const auto parts_of = [](int64_t whole, int64_t part) {
        return static_cast<double>((whole - 1) / part + 1);
    };
    const tile_schedule tiles = v.schedule_tiles(first, v.limbs, device, size_t{1} << 60);
    if (v.lay_out(first, v.limbs, tiles).end > bytes)
        return INFINITY;
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const double k = static_cast<double>(p.k), batches = static_cast<double>(p.batch_count);
    const double parts_m = parts_of(p.m, first.rows), parts_n = parts_of(p.n, first.cols);
    const double parts_k = parts_of(p.k, first.k);
    const double passes = parts_of(p.batch_count, first.batches) * parts_m * parts_n * parts_k;
    const double blocks = 1.0 * tiles.tiles * tiles.splits;
    const double steps = passes * std::ceil(blocks / device.sm_count) * tiles.chunks_of_split;
    const double packed = batches * 4 * (1 + v.limbs) * k * (m * parts_n + n * parts_m);
    const double sums = tiles.has_sums() ? passes * 8 * blocks * v.block_m * panel_lines : 0;
    return passes * 36e6 + steps * 3300 * v.block_m * v.pairs +
           packed * (v.packs_beside ? 0.3 : 1) + batches * 8 * m * n * parts_k + sums;
}

// The least cost over passes of all extents, tried one by one.
double
least_cost(const limb_variant& v, const sgemm_problem& p, const device_info& device, size_t bytes) {
    const auto part_of = [](int64_t whole, int64_t parts, int64_t multiple) {
        const int64_t part = (whole - 1) / parts + 1;
        return std::min(((part - 1) / multiple + 1) * multiple, whole);
    };
    const auto next = [](int64_t parts) { return parts + (parts + 2) / 3; };
    double least = INFINITY;
    const auto consider = [&](int64_t batches, int64_t rows, int64_t cols) {
        double cost = INFINITY;
        for (int64_t parts = 1; parts < 2 * p.k / chunk_k + 2 && cost == INFINITY;
             parts += 1 + parts / 16) {
            limb_pass pass{};
            pass.batches = batches;
            pass.rows = rows;
            pass.cols = cols;
            pass.k = part_of(p.k, parts, chunk_k);
            pass.corrects = v.corrects(p);
            v.count_panels(pass);
            cost = cost_of(v, p, device, pass, bytes);
        }
        least = std::min(least, cost);
    };
    for (int64_t parts = 1; parts <= p.batch_count; parts = next(parts))
        consider(part_of(p.batch_count, parts, 1), p.m, p.n);
    for (int64_t parts_m = 1; parts_m < 2 * p.m / v.block_m + 2; parts_m = next(parts_m))
        for (int64_t parts_n = 1; parts_n < 2 * p.n / panel_lines + 2; parts_n = next(parts_n))
            consider(1, part_of(p.m, parts_m, v.block_m), part_of(p.n, parts_n, panel_lines));
    return least;
}

// The search with shortcuts, which skips most candidates, finds the same as the search without
// them.
void test_plans_are_cheap(void**) {
    std::mt19937_64 random(3);
    double sum = 0, worst = 0;
    int count = 0;
    for (int round = 0; round < 1000; ++round) {
        device_info device;
        device.arch = 90;
        device.sm_count = round % 2 ? 132 : 78;
        sgemm_problem p;
        p.m = spread(random, round % 4 ? 300 : 1, 30000);
        p.n = spread(random, round % 4 ? 300 : 1, 30000);
        p.k = spread(random, 64, 30000);
        p.batch_count = round % 3 ? 1 : spread(random, 2, 300);
        p.math = round / 6 % 2 ? MYBLAS_FP32_FAST_MATH : MYBLAS_FP32_EMULATED_MATH;
        p.lda = p.ldb = p.ldc = 4;
        for (const limb_variant& v : variants) {
            const auto low = static_cast<double>(v.least_bytes(p, device));
            const auto high = static_cast<double>(v.best_bytes(p, device));
            const size_t bytes = spread(random, low, std::max(high, low + 1));
            const pass_schedule schedule =
                v.schedule_passes(p, device, std::max<size_t>(bytes, low));
            if (schedule.has_fallback || v.best_bytes(p, device) <= bytes)
                continue; // the whole product fits
            const double ratio =
                cost_of(v, p, device, schedule.first, bytes) / least_cost(v, p, device, bytes);
            worst = std::max(worst, ratio);
            sum += ratio;
            ++count;
        }
    }
    assert_true(count > 2000);
    assert_true(sum < 1.001 * count && worst < 1.03);
}

// Kernels describe their work before anyone asks whether they accept the workspace.
// Strips of the first bundle are packed first, so most tiles of the first wave find their panels
// there (locate_tile has the order of tiles).
void test_first_bundle(void**) {
    std::mt19937_64 random(7);
    device_info device;
    device.arch = 90;
    device.sm_count = 132;
    const limb_variant& v = variants[2];
    const int64_t patch = patch_rows / v.block_m, panels_m = v.block_m / panel_lines;
    int checked = 0;
    for (int round = 0; round < 2000; ++round) {
        const int64_t m = spread(random, 200, 60000), n = spread(random, 200, 60000);
        const sgemm_problem p{.m = m, .n = n, .k = 1024, .lda = m, .ldb = 1024, .ldc = m};
        const pass_schedule whole = v.schedule_passes(p, device, size_t{1} << 40);
        const tile_schedule tiles =
            v.schedule_tiles(whole.first, whole.limbs, device, size_t{1} << 40);
        strip_schedule strips{};
        if (!v.schedule_strips(whole.first, tiles, device, strips))
            continue;
        ++checked;
        const int64_t tiles_m = whole.first.panels_a / panels_m, tiles_n = whole.first.panels_b;
        const int64_t wave = std::min<int64_t>(tiles_m * tiles_n, device.sm_count);
        int64_t inside = 0;
        for (int64_t tile = 0; tile < wave; ++tile) {
            const int64_t band = tile / (patch * tiles_n), rest = tile % (patch * tiles_n);
            const int64_t height = std::min(tiles_m - band * patch, patch);
            const int64_t row = band * patch + rest % height, col = rest / height;
            inside += (row + 1) * panels_m <= strips.bundle_a && col < strips.bundle_b;
        }
        if (4 * inside < 3 * wave)
            fail_msg("%lld x %lld: %lld of %lld tiles",
                     static_cast<long long>(m),
                     static_cast<long long>(n),
                     static_cast<long long>(inside),
                     static_cast<long long>(wave));
    }
    assert_true(checked > 1000);
}

void test_work_in_any_workspace(void**) {
    std::mt19937_64 random(2);
    device_info device;
    device.arch = 90;
    device.sm_count = 132;
    for (int round = 0; round < 500; ++round) {
        sgemm_problem p;
        p.m = spread(random, 1, 1e7);
        p.n = spread(random, 1, 1e6);
        p.k = round % 10 ? spread(random, 1, 1e6) : 0;
        p.batch_count = round % 3 ? 1 : spread(random, 1, 1e6);
        p.lda = p.ldb = p.ldc = 4;
        for (const limb_variant& v : variants) {
            const size_t least = v.least_bytes(p, device), best = v.best_bytes(p, device);
            const auto work = [&](size_t bytes) { return v.work(work_query(p, device, bytes)); };
            const work_estimate needed = work(least), enough = work(best);
            for (const size_t bytes : {size_t{0}, size_t{1}, least - 1}) {
                const work_estimate refused = work(bytes);
                assert_true(refused.steps == needed.steps && refused.rounds == needed.rounds);
            }
            assert_true(work(SIZE_MAX).steps == enough.steps);
            for (const work_estimate& w : {needed, enough})
                for (const float count :
                     {w.launches, w.rounds, w.wave_efficiency, w.tile_utilisation, w.memory_bytes})
                    assert_true(std::isfinite(count) && count > 0);
            assert_true(needed.rounds >= enough.rounds && needed.launches >= enough.rounds);
            assert_true(enough.wave_efficiency < 1.001f && enough.tile_utilisation < 1.001f &&
                        enough.rounds == 1);
        }
    }
}

} // namespace
} // namespace myblas::cuda

int main() {
    using namespace myblas::cuda;
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_passes_stay_in_the_workspace),
        cmocka_unit_test(test_triangles_stay_in_the_workspace),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_best_workspace),
        cmocka_unit_test(test_plans_are_cheap),
        cmocka_unit_test(test_first_bundle),
        cmocka_unit_test(test_work_in_any_workspace),
    };
    return cmocka_run_group_tests_name("limb_schedule", tests, nullptr, nullptr);
}

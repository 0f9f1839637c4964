// src/select and the cache of a handle, with kernels and a model made up here: no GPU, no library.
#include "select/select.h"
#include "api/context.h"
#include "core/selection_cache.h"
#include "kernels/sgemm/components/work.h"
#include "select/tuning.h"
#include "select/tuning_file.h"

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <setjmp.h>
#include <string>
#include <vector>

extern "C" {
#include <cmocka.h>
}

using namespace myblas;

namespace {

// ---- Kernels ------------------------------------------------------------------------------------

// A selection reads at most what the descriptor promises to read.
bool takes_aligned(const sgemm_problem& p, const device_info&) {
    return reinterpret_cast<uintptr_t>(p.a) % 128 == 0 && p.lda % 4 == 0 && !p.a_array;
}
bool takes_few_rows(const sgemm_problem& p, const device_info&) { return p.m <= 1000; }
size_t workspace_of_n(const sgemm_problem& p, const device_info&) {
    return static_cast<size_t>(p.n) * 1000;
}
work_estimate small_work(const work_query& q) { return {.steps = q.m * q.n}; }
work_estimate large_work(const work_query& q) {
    return {.rounds = q.batch,
            .steps = 0.5f * q.m * q.n * q.batch / static_cast<float>(q.device.sm_count)};
}

using entry = kernel_entry<sgemm_problem>;
constexpr entry plain = {.name = "plain", .description = ""};
constexpr entry small = {.name = "small",
                         .description = "",
                         .keeps_k_order = true,
                         .accepts = takes_few_rows,
                         .work = small_work};
constexpr entry large = {
    .name = "large", .description = "", .accepts = takes_aligned, .work = large_work};
constexpr entry split = {
    .name = "split", .description = "", .workspace_bytes = workspace_of_n, .work = large_work};
constexpr entry loose = {
    .name = "loose", .description = "", .math = MYBLAS_FP32_FAST_MATH, .work = large_work};
constexpr entry future = {.name = "future", .description = "", .min_arch = 100, .work = large_work};
constexpr const entry* registry[] = {&small, &large, &split, &loose, &future};

// Families as in a registry.
constexpr entry make_entry(const char* name) { return {.name = name, .description = ""}; }
constexpr entry rung = make_entry("rung"), tile_1 = make_entry("tile/1"),
                tile_12 = make_entry("tile/12"), tile_123 = make_entry("tile/123"),
                other_tile = make_entry("tile_2/1");
constexpr const entry* families[] = {&rung, &tile_1, &tile_12, &tile_123, &other_tile};

constexpr half_octaves all_extents = {0, half_octave_count - 1};
constexpr std::array<half_octaves, domain_count> everywhere = {
    {all_extents, all_extents, all_extents, all_extents, all_extents}};

// Cycles: `launch`, and `step` for each step.
constexpr variant_model make_variant(const char* name, float launch, float step) {
    constexpr learned_weights none = {0.001f, 1000, {}, {}};
    return {name, {launch, 0, 0, step, 0, 0, 0, 0, 0}, everywhere, 1e9f, none, none, {}};
}
// Weights: the logarithm of the factor.
constexpr size_t offset_feature = 10;

struct made_up_model {
    std::array<variant_model, 5> variants = {{make_variant("small", 0, 1),
                                              make_variant("large", 10, 1),
                                              make_variant("split", 10, 0.9f),
                                              make_variant("loose", 10, 0.7f),
                                              make_variant("future", 0, 0.01f)}};
    time_model model{90, 1, {}, {}, variants, {}};
    predictor by{&model};

    made_up_model() { tabulate(); }
    made_up_model(const made_up_model&) = delete;

    void tabulate() {
        model.competing = tabulate_domains(model.variants);
        for (size_t i = 0; i < variants.size(); ++i)
            by.kernels[i] = registry[i];
    }
    variant_model& of(const entry& kernel) {
        return variants[static_cast<size_t>(by.variant_of(kernel))];
    }
};
const made_up_model plain_model;

constexpr rule<sgemm_problem> rules[] = {{any_form, {any, any, any, any}, &plain}};
const selection_table<sgemm_problem> table{rules, &plain_model.by};

device_info make_device() {
    device_info device;
    device.arch = 90;
    device.sm_count = 100;
    device.clock_mhz = 1000;
    device.memory_gbps = 1000;
    device.l2_bytes = 10 << 20;
    return device;
}
const device_info device = make_device();

const float* at(uintptr_t address) { return reinterpret_cast<const float*>(address); }

sgemm_problem square(int64_t n) {
    return {.m = n, .n = n, .k = n, .a = at(0x1000), .lda = 1024, .ldb = 1024, .ldc = 1024};
}

const char* selected(const sgemm_problem& p, size_t workspace_bytes) {
    return select(table, p, device, workspace_bytes)->name;
}
const char* selected_by(const made_up_model& m, const sgemm_problem& p, size_t workspace_bytes) {
    return select({rules, &m.by}, p, device, workspace_bytes)->name;
}

// ---- Arithmetic ---------------------------------------------------------------------------------

void test_fast_logarithm(void**) {
    for (int exponent = -126; exponent < 128; ++exponent) {
        const float power = std::ldexp(1.0f, exponent);
        assert_true(fast_log2(power) >= static_cast<float>(exponent)); // or edges would be left out
        for (int i = 0; i < 4096; ++i) {
            const float x = power * (1 + static_cast<float>(i) / 4096);
            assert_true(std::fabs(fast_log2(x) - std::log2(x)) < 2.2e-4f);
        }
    }
}

void test_fast_power(void**) {
    for (int i = -125 * 4096; i < 125 * 4096; ++i) {
        const float x = static_cast<float>(i) / 4096;
        assert_true(std::fabs(fast_exp2(x) / std::exp2(x) - 1) < 2.2e-4f);
    }
    for (float x = 0.01f; x < 1e6f; x *= 1.01f)
        assert_true(std::fabs(fast_exp2(fast_log2(x)) / x - 1) < 5e-4f);
}

void test_whole_up(void**) {
    // The largest numbers of tiles, of blocks on a multiprocessor and of slabs.
    for (const int divisor : {1, 8, 16, 32, 64, 78, 108, 114, 120, 128, 132, 148, 256})
        for (int64_t n = 0; n < int64_t{1} << 30; n += 1 + n / 2000) {
            const auto exact = static_cast<float>((n + divisor - 1) / divisor);
            const float found = cuda::whole_up(static_cast<float>(n) / static_cast<float>(divisor));
            assert_true(found == std::round(found));
            if (exact <= 2048)
                assert_true(found == exact);
            else
                assert_true(std::fabs(found - exact) <= std::max(1.0f, 3e-7f * exact));
        }
    assert_true(cuda::whole_up(5) == 5 && cuda::whole_up(5.0002f) == 6);
}

void test_rounds_of_blocks(void**) {
    device_info d;
    d.sm_count = 132;
    const cuda::block_rounds one(d, 512, 1), two(d, 512, 2), few(d, 7, 4);
    assert_true(one.turns == 4 && one.rounds == 4 &&
                std::fabs(one.wave_efficiency - 512.0f / 528) < 1e-6f);
    assert_true(two.turns == 4 && two.rounds == 2);
    assert_true(few.turns == 1 && few.rounds == 1 &&
                std::fabs(few.wave_efficiency - 7.0f / 132) < 1e-6f);
    // Clusters of 4 reach 120 multiprocessors, clusters of 2 all of them.
    assert_true(cuda::block_rounds(d, 240, 1, 4).rounds == 2);
    assert_true(cuda::block_rounds(d, 264, 1, 2).rounds == 2);
    d.sm_count = 1;
    assert_true(cuda::block_rounds(d, 3, 1, 8).rounds == 3);
}

// ---- Prediction ---------------------------------------------------------------------------------

void test_physical_time(void**) {
    made_up_model m;
    variant_model& v = m.of(small);
    v.costs = {1000, 100, 10, 4, 3, 2, 0.5f, 2, 1};
    const sgemm_problem p = square(64);
    device_info slow = device;
    slow.memory_gbps = 1; // a byte a cycle
    const work_query query(p, slow, 0);
    const problem_view view(m.model, query);
    const work_estimate work{.launches = 2,
                             .rounds = 3,
                             .steps = 50,
                             .math_cycles = 600,
                             .copies = 70,
                             .l2_bytes = 8000,
                             .memory_bytes = 9000,
                             .exchanges = 5};
    const physical_time time(v, view, work);
    assert_true(time.overhead == 2000 + 300 + 50);
    assert_true(time.arithmetic == 200 + 1800 + 140);
    assert_true(time.cache == 4000);
    // Bytes of the operands that do not fit in the cache, and of C.
    assert_true(view.uncached > 0.34f && view.uncached < 0.36f);
    assert_true(std::fabs(time.memory - (18000 * view.uncached + 4 * 64 * 64)) < 1);
    const double sum =
        std::pow(time.arithmetic, 4) + std::pow(time.cache, 4) + std::pow(time.memory, 4);
    assert_true(std::fabs(time.total - (time.overhead + std::pow(sum, 0.25))) < 2);
    // With no learned factor, except for the error of fast_exp2.
    assert_true(std::fabs(learned_factor(v.of_single, view, work) - 1) < 3e-4f);
    v.of_single.work[offset_feature] = 1;
    assert_true(std::fabs(learned_factor(v.of_single, view, work) - 2) < 1e-3f);
    v.of_single.work[offset_feature] = 0;
    v.of_single.work[0] = 8; // of rounds + 1
    assert_true(std::fabs(learned_factor(v.of_single, view, work) - 4) < 2e-3f);
}

// An operand that all products of a batch share counts once, and has a weight of its own.
void test_shared_operands(void**) {
    sgemm_problem p = square(64);
    p.batch_count = 10;
    p.stride_a = p.stride_b = p.stride_c = 64 * 64;
    time_model model = plain_model.model;
    const auto bytes_and_hidden = [&] {
        const work_query query(p, device, 0);
        return std::pair(query.operand_bytes / (4 * 64 * 64), problem_view(model, query).hidden[0]);
    };
    for (size_t bits = 0; bits < model.fact_weights.size(); ++bits)
        model.fact_weights[bits][0] = static_cast<float>(bits >> 6); // A shared 1, B shared 2
    assert_true(bytes_and_hidden() == std::pair(30.0f, 0.0f));
    p.stride_a = 0;
    assert_true(bytes_and_hidden() == std::pair(21.0f, 1.0f));
    p.stride_b = 0;
    assert_true(bytes_and_hidden() == std::pair(12.0f, 3.0f));
    const float* pointers[10] = {};
    p.a_array = p.b_array = pointers;
    assert_true(bytes_and_hidden().first == 30);
    p.batch_count = 1;
    assert_true(bytes_and_hidden().first == 3);
}

// In the shortest and the longest times, no term is lost or becomes infinite.
void test_extreme_times(void**) {
    sgemm_problem p = square(64);
    const work_query query(p, device, 0);
    const problem_view view(plain_model.model, query);
    for (float steps = 0.25f; steps < 0x1p60f; steps *= 2) {
        const physical_time time(plain_model.variants[0], view, {.steps = steps});
        assert_true(std::isfinite(time.total));
        assert_true(std::fabs(time.total / (steps + 1) - 1) < 1e-5f);
    }
}

// A slower memory, a slower clock or a smaller cache does not make a product faster.
void test_device_counts(void**) {
    sgemm_problem p = square(1024);
    made_up_model m;
    variant_model& v = m.of(large);
    v.costs = {10, 1, 1, 1, 1, 1, 1, 1, 1};
    const auto microseconds = [&](const device_info& d) {
        const work_query query(p, d, 0);
        work_estimate work = large_work(query);
        work.memory_bytes = query.operand_bytes;
        const problem_view view(m.model, query);
        return physical_time(v, view, work).total / static_cast<float>(d.clock_mhz);
    };
    const float us = microseconds(device);
    device_info other = device;
    other.memory_gbps *= 2;
    assert_true(microseconds(other) < us);
    other = device;
    other.clock_mhz *= 2;
    assert_true(microseconds(other) < us);
    other = device;
    other.l2_bytes *= 4;
    assert_true(microseconds(other) < us);
    other = device;
    other.sm_count /= 2;
    assert_true(microseconds(other) > us);
}

// ---- Selection ----------------------------------------------------------------------------------

void test_least_time(void**) {
    assert_string_equal(selected(square(2), 0), "small"); // 4 against 10.02
    assert_string_equal(selected(square(64), 0), "large");
    assert_string_equal(selected(square(64), 64000), "split");
    assert_string_equal(selected(square(64), 63999), "large");
    sgemm_problem moved = square(64);
    moved.a = at(0x1004);
    assert_string_equal(selected(moved, 0), "small");
    assert_string_equal(selected(moved, 64000), "split");
    moved.m = 1001; // no kernel with a time accepts it
    assert_string_equal(selected(moved, 0), "plain");
    const selection_table<sgemm_problem> without{rules};
    assert_string_equal(select(without, square(64), device, 64000)->name, "plain");
    assert_null(select(selection_table<sgemm_problem>{}, square(64), device, 64000));
}

// The kernel for the smallest products computes all that it accepts.
void test_tiny(void**) {
    made_up_model m;
    m.by.by_rule[0] = {&small};
    sgemm_problem p = square(512);
    assert_string_equal(selected_by(m, p, 0), "small");
    p.m = 1001; // which `small` does not accept
    assert_string_equal(selected_by(m, p, 0), "large");
}

// A kernel that is worse for vectors gives way to the kernel for vectors, if that accepts.
void test_vectors(void**) {
    made_up_model m;
    m.by.for_vectors = &small;
    m.by.worse_for_vectors = {&large, &future};
    sgemm_problem p = square(512);
    assert_string_equal(selected_by(m, p, 0), "large");
    p.n = 1;
    assert_string_equal(selected_by(plain_model, p, 0), "large");
    assert_string_equal(selected_by(m, p, 0), "small");
    std::swap(p.m, p.n);
    assert_string_equal(selected_by(m, p, 0), "small");
    p.m = 1001, p.n = 1;
    assert_string_equal(selected_by(m, p, 0), "large");
    p.m = 512;
    m.by.worse_for_vectors = {&split, &future};
    assert_string_equal(selected_by(m, p, 0), "large");
}

// In reproducible mode, a kernel that keeps the order of k competes outside of its domain, too.
void test_domains_in_reproducible_mode(void**) {
    static constexpr entry ordered = {
        .name = "ordered", .description = "", .keeps_k_order = true, .work = large_work};
    made_up_model m;
    m.of(large).domain[0] = {0, 2};
    m.tabulate();
    m.by.kernels[1] = &ordered; // instead of `large`
    sgemm_problem p = square(512);
    assert_string_equal(selected_by(m, p, 0), "small");
    p.math = MYBLAS_FP32_REPRODUCIBLE_MATH;
    assert_string_equal(selected_by(m, p, 0), "ordered");
}

void test_modes_and_architectures(void**) {
    sgemm_problem p = square(64);
    p.math = MYBLAS_FP32_EMULATED_MATH;
    assert_string_equal(selected(p, 64000), "split");
    p.math = MYBLAS_FP32_FAST_MATH;
    assert_string_equal(selected(p, 64000), "loose");
    p.math = MYBLAS_FP32_REPRODUCIBLE_MATH;
    assert_string_equal(selected(p, 64000), "small");
    p.m = 1001; // `small` does not accept it, and the others do not keep the order of k
    assert_null(select(table, p, device, 64000));
    // A kernel that is faster by less than its margin is not taken.
    made_up_model m;
    p = square(500);
    p.math = MYBLAS_FP32_FAST_MATH;
    m.of(loose).costs.step = 0.81f;
    assert_string_equal(selected_by(m, p, 500000), "loose");
    p.batch_count = 2; // the margin of batches is larger
    assert_string_equal(selected_by(m, p, 500000), "split");
    p.batch_count = 1;
    m.of(loose).costs.step = 0.86f;
    assert_string_equal(selected_by(m, p, 500000), "split");
    p = square(64);
    device_info newer = device;
    newer.arch = 100;
    assert_string_equal(select(table, p, newer, 64000)->name, "future");
}

// The learned factor decides between kernels with similar physical times.
void test_learned_factors_decide(void**) {
    made_up_model m;
    sgemm_problem p = square(500);
    p.math = MYBLAS_FP32_FAST_MATH;
    assert_string_equal(selected_by(m, p, 500000), "loose");
    m.of(loose).of_single.work[offset_feature] = 1;
    assert_string_equal(selected_by(m, p, 500000), "split");
    m.of(split).of_single.work[offset_feature] = 1;
    assert_string_equal(selected_by(m, p, 500000), "large");
    m.of(large).of_single.work[offset_feature] = 1;
    assert_string_equal(selected_by(m, p, 500000), "loose");
    m.of(large).of_single.work[offset_feature] = -1;
    assert_string_equal(selected_by(m, p, 500000), "large");
    m.of(large).of_single.least_factor = 1.7f; // which its weights do not go below
    assert_string_equal(selected_by(m, p, 500000), "loose");
    m.of(large).of_single.least_factor = 0.1f;
    assert_string_equal(selected_by(m, p, 500000), "large");
    // Batches have factors of their own.
    p.batch_count = 2;
    assert_string_equal(selected_by(m, p, 500000), "loose");
    m.of(loose).of_batch.work[offset_feature] = 1;
    assert_string_equal(selected_by(m, p, 500000), "split");
}

// Where C may be read, a kernel's time has another factor.
void test_factors_of_reading_c(void**) {
    made_up_model m;
    m.of(loose).c_weights[0] = 3;
    sgemm_problem p = square(500);
    p.math = MYBLAS_FP32_FAST_MATH;
    const float device_beta = 0;
    assert_string_equal(selected_by(m, p, 500000), "loose");
    p.beta.device = &device_beta; // which the host does not read
    assert_string_equal(selected_by(m, p, 500000), "split");
    p.beta = {.value = 1};
    assert_string_equal(selected_by(m, p, 500000), "split");
    const work_query query(p, device, 0);
    const problem_view view(m.model, query);
    const double least = 3 / (1 + 500.0 / 256); // the more k, the less reading C adds
    assert_true(std::fabs(factor_of_c(m.of(loose), view) - std::exp2(least)) < 1e-3);
    // log2 k, log2 of the elements of C, log2 of the shortest side, and whether C is aligned
    m.of(loose).c_weights = {0, 1, 0, 0};
    const double of_k = (std::log2(500.0) - 6) / (1 + 500.0 / 256);
    assert_true(std::fabs(factor_of_c(m.of(loose), view) - std::exp2(of_k)) < 1e-3);
    m.of(loose).c_weights = {0, 0, 1, 0};
    const double of_c = (2 * std::log2(500.0) - 20) / (1 + 500.0 / 256);
    assert_true(std::fabs(factor_of_c(m.of(loose), view) - std::exp2(of_c)) < 1e-3);
    m.of(loose).c_weights = {0, 0, 0, 1};
    assert_true(std::fabs(factor_of_c(m.of(loose), view) - std::exp2(of_k)) < 1e-3);
    m.of(loose).c_weights = {0, 0, 0, 0, 3};
    assert_true(std::fabs(factor_of_c(m.of(loose), view) - std::exp2(least)) < 1e-3);
    p.ldc = 1025;
    const problem_view unaligned(m.model, query);
    assert_true(std::fabs(factor_of_c(m.of(loose), unaligned) - 1) < 1e-3);
}

// A kernel that refuses does not affect which others count as similar.
void test_who_refuses_is_not_compared(void**) {
    made_up_model m;
    m.of(small).costs.step = 0.001f;
    m.of(large).costs.launch = 0;
    m.of(split).costs = {0, 0, 0, 1.1f, 0, 0, 0, 0, 0};
    m.of(split).of_single.work[offset_feature] = -1;
    sgemm_problem p = square(1024); // more rows than `small` takes
    assert_string_equal(selected_by(m, p, 1024000), "split");
    p.a = at(0x1004);
    assert_string_equal(selected_by(m, p, 1024000), "split");
    assert_string_equal(selected_by(m, p, 1023999), "plain");
}

// The variants whose domains contain a product are compared. If all of them decline it, all
// variants are compared.
void test_domains(void**) {
    made_up_model m;
    m.of(large).domain[0] = {8, 10}; // short side from 16 to 45
    m.of(split).domain[0] = {0, 7};
    m.of(small).domain[0] = {0, 0};
    m.of(loose).domain[0] = {0, 0};
    m.tabulate();
    const auto candidates = [&](const sgemm_problem& p) {
        return problem_view(m.model, work_query(p, device, 0)).candidates & 0xf;
    };
    const auto bit = [&](const entry& kernel) { return uint64_t{1} << m.by.variant_of(kernel); };
    sgemm_problem p = square(1000);
    for (int64_t m_rows = 1; m_rows < 1000; ++m_rows) {
        p.m = m_rows;
        const uint64_t expected = m_rows == 1   ? bit(small) | bit(loose) | bit(split)
                                  : m_rows < 16 ? bit(split)
                                  : m_rows < 46 ? bit(large)
                                                : 0;
        assert_int_equal(candidates(p), expected);
        std::swap(p.m, p.n); // the short side, wherever it is
        assert_int_equal(candidates(p), expected);
        std::swap(p.m, p.n);
    }
    p.m = 20;
    assert_string_equal(selected_by(m, p, 1000000), "large"); // though `split` is faster
    p.a = at(0x1004);
    assert_string_equal(selected_by(m, p, 1000000), "split");
    assert_string_equal(selected_by(m, p, 0), "small");
}

// For each kind of domain, a power of 2 begins a half octave, and a value just below it ends the
// one before.
void test_edges_of_domains(void**) {
    const auto view_of = [](const made_up_model& m, const sgemm_problem& p) {
        return problem_view(m.model, work_query(p, device, 0)).candidates & 1;
    };
    for (int kind = 0; kind < static_cast<int>(domain_count); ++kind)
        for (int exponent = 1; exponent < 30; ++exponent) {
            made_up_model m;
            m.of(small).domain[static_cast<size_t>(kind)] = {2 * exponent, half_octave_count - 1};
            m.tabulate();
            const auto of_extent = [&](int64_t extent) {
                sgemm_problem p = square(1);
                (kind == 0 || kind == 1 ? p.m : kind == 2 ? p.k : p.batch_count) = extent;
                if (kind == 0)
                    p.n = int64_t{1} << 31;
                return view_of(m, p);
            };
            const int64_t edge = int64_t{1} << exponent;
            assert_int_equal(of_extent(edge), 1);
            assert_int_equal(of_extent(edge + 1), 1);
            assert_int_equal(of_extent(edge - 1 - edge / 1000), 0);
        }
    // m * n * batch, whose logarithm is a sum of three
    made_up_model m;
    m.of(small).domain[4] = {40, 40};
    m.tabulate();
    for (int i = 0; i <= 20; ++i)
        for (int j = 0; i + j <= 20; ++j) {
            sgemm_problem p = square(1);
            p.m = 1 << i, p.n = 1 << j, p.batch_count = 1 << (20 - i - j);
            assert_int_equal(view_of(m, p), 1);
            p.batch_count *= 2;
            assert_int_equal(view_of(m, p), 0);
        }
    // Values far beyond all domains
    m.of(small).domain[4] = {half_octave_count - 1, half_octave_count - 1};
    m.tabulate();
    sgemm_problem p = square(int64_t{1} << 62);
    assert_int_equal(view_of(m, p), 1);
    p.m = p.n = p.k = p.batch_count = 0; // as 1
    m.of(small).domain = {{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}};
    m.tabulate();
    assert_int_equal(view_of(m, p), 1);
}

void test_most_rounds(void**) {
    made_up_model m;
    m.of(large).most_rounds = m.of(split).most_rounds = 3;
    m.of(small).costs.step = 100;
    sgemm_problem p = square(100);
    p.batch_count = 3;
    assert_string_equal(selected_by(m, p, 100000), "split");
    p.batch_count = 4;
    assert_string_equal(selected_by(m, p, 100000), "small");
    p.m = 1001; // which `small` refuses
    assert_string_equal(selected_by(m, p, 100000), "split");
    assert_string_equal(selected_by(m, p, 0), "large");
}

// ---- Families -----------------------------------------------------------------------------------

std::string named(const char* name) {
    const forced_kernel found = find_kernel(MYBLAS_ROUTINE_SGEMM, MYBLAS_BACKEND_HOST, name);
    if (found.index == forced_kernel::unknown)
        return "";
    std::string names;
    for (int i = 0; i < found.count; ++i)
        names += std::string(" ") + families[static_cast<size_t>(found.index + i)]->name;
    return names.substr(1);
}

void test_names_of_families(void**) {
    for (const entry* kernel : families)
        assert_string_equal(named(kernel->name).c_str(), kernel->name);
    assert_string_equal(named("tile").c_str(), "tile/1 tile/12 tile/123");
    assert_string_equal(named("tile_2").c_str(), "tile_2/1");
    for (const char* name :
         {"", "/", "til", "tile/", "tile/2", "tile/1234", "tile_", "rungs", "run"})
        assert_string_equal(named(name).c_str(), "");
    assert_int_equal(find_kernel(MYBLAS_ROUTINE_SGEMM, MYBLAS_BACKEND_CUDA, "tile").index,
                     forced_kernel::unknown);
}

// In a forced family, the fastest variant that accepts the product is taken, whether or not its
// domain contains the product; without times, the first.
void test_forced_family(void**) {
    made_up_model m;
    const entry* const family[] = {&small, &large, &split, &plain};
    const auto taken = [&](const sgemm_problem& p, size_t workspace_bytes) -> std::string {
        const entry* kernel = select_among({family}, {rules, &m.by}, p, device, workspace_bytes);
        return kernel ? kernel->name : "none";
    };
    assert_string_equal(taken(square(2), 0).c_str(), "small");
    assert_string_equal(taken(square(64), 0).c_str(), "large");
    assert_string_equal(taken(square(64), 64000).c_str(), "split");
    m.of(split).domain[0] = m.of(large).domain[0] = {100, 100};
    m.tabulate();
    assert_string_equal(selected_by(m, square(64), 64000), "small");
    assert_string_equal(taken(square(64), 64000).c_str(), "split");
    m.of(split).most_rounds = 0;
    assert_string_equal(taken(square(64), 64000).c_str(), "split");
    m.of(split).of_single.work[offset_feature] =
        0.5f; // near in physical time, slower by the factor
    assert_string_equal(taken(square(64), 64000).c_str(), "large");
    sgemm_problem p = square(64);
    p.a = at(0x1004), p.m = 1001; // which `small` and `large` refuse
    assert_string_equal(taken(p, 64000).c_str(), "split");
    assert_string_equal(taken(p, 63999).c_str(), "plain"); // it has no time
    const auto first = [&](std::initializer_list<const entry*> kernels) {
        return select_among({kernels.begin(), kernels.size()}, {rules}, p, device, 64000);
    };
    assert_ptr_equal(first({&small, &plain, &split}), &plain);
    assert_ptr_equal(first({&small, &split, &plain}), &split);
    assert_null(first({&small, &large, &loose, &future}));
    assert_null(select_among({family, 2}, {rules, &m.by}, p, device, 64000));
}

// If few kernels of strict mode compete, all do, in every mode.
void test_least_competing(void**) {
    made_up_model m;
    m.of(large).domain[0] = {0, 0};
    m.tabulate();
    sgemm_problem p = square(100);
    assert_string_equal(selected_by(m, p, 0), "small");
    p.math = MYBLAS_FP32_FAST_MATH;
    assert_string_equal(selected_by(m, p, 0), "loose");
    m.of(loose).domain[0] = {0, 0};
    m.tabulate();
    assert_string_equal(selected_by(m, p, 0), "small");
    m.model.least_competing = 2; // `small` and `split`
    assert_string_equal(selected_by(m, p, 0), "small");
    m.model.least_competing = 3;
    assert_string_equal(selected_by(m, p, 0), "loose");
    p.math = MYBLAS_FP32_STRICT_MATH;
    assert_string_equal(selected_by(m, p, 0), "large");
}

// As many variants as there are bits.
void test_most_variants(void**) {
    constexpr size_t count = tuning_factors::most_variants;
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i)
        names.push_back("kernel" + std::to_string(i));
    std::vector<entry> entries(count, split);
    std::vector<variant_model> variants;
    std::string text = "myblas-tuning 2\narch 90\n";
    for (size_t i = 0; i < count; ++i) {
        entries[i].name = names[i].c_str();
        variants.push_back(make_variant(entries[i].name, 0, 1 + static_cast<float>(i) / 100));
        for (const char* form : {"NN", "NT", "TN", "TT"})
            text += "sgemm " + names[i] + " " + form + " 2\n";
    }
    time_model model{90, 1, {}, {}, variants, tabulate_domains(variants)};
    predictor by{&model};
    for (size_t i = 0; i < count; ++i)
        by.kernels[i] = &entries[i];
    for (const size_t best : {size_t{0}, count / 2, count - 1}) {
        variants[best].costs.step /= 10;
        assert_ptr_equal(fastest(by, square(64), device, 64000), &entries[best]);
        variants[best].domain[0] = {100, 100}; // of none then, and of all in the end
        model.competing = tabulate_domains(variants);
        assert_ptr_not_equal(fastest(by, square(64), device, 64000), &entries[best]);
    }
    for (variant_model& v : variants)
        v.domain[0] = {100, 100};
    model.competing = tabulate_domains(variants);
    assert_ptr_equal(fastest(by, square(64), device, 64000), &entries[0]);
    assert_null(fastest(by, square(64), device, 63999));

    tuning_file file;
    static const time_model* tuned_model;
    tuned_model = &model;
    assert_null(parse_tuning(
                    text, [](int) { return tuned_model; }, &file)
                    .what);
    for (const auto& factors : file.factors.of_variant)
        for (const float factor : factors)
            assert_true(factor == 2);
}

// The model that bench/fit.py wrote.
void test_fitted_model(void**) {
    const time_model& model = sgemm_model_sm90;
    assert_int_equal(model.arch, 90);
    assert_in_range(model.variants.size(), 20, tuning_factors::most_variants);
    for (const variant_model& v : model.variants) {
        for (const variant_model& other : model.variants)
            assert_true(&v == &other || std::strcmp(v.name, other.name) != 0);
        const work_costs& c = v.costs;
        for (const float cost :
             {c.launch, c.round, c.exchange, c.step, c.math, c.copy, c.l2, c.dram, c.store})
            assert_true(std::isfinite(cost) && cost >= 0);
        for (const half_octaves& range : v.domain)
            assert_true(0 <= range.low && range.low <= range.high &&
                        range.high < half_octave_count);
        assert_true(v.most_rounds >= 1);
        for (const learned_weights& learned : {v.of_single, v.of_batch}) {
            assert_true(0 < learned.least_factor && learned.least_factor <= learned.most_factor);
            for (const float weight : learned.work)
                assert_true(std::isfinite(weight) && std::fabs(weight) < 20);
            for (const float weight : learned.hidden)
                assert_true(std::isfinite(weight) && std::fabs(weight) < 20);
        }
    }
    assert_true(model.competing == tabulate_domains(model.variants));
    // Every product has a candidate, except some batches.
    std::mt19937 random(23);
    constexpr int rounds = 20000;
    int single = 0, batches = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto extent = [&](double octaves) {
            std::uniform_real_distribution<double> logarithm(0, octaves);
            return static_cast<int64_t>(std::exp2(logarithm(random)));
        };
        sgemm_problem p = square(1);
        p.m = extent(13);
        p.n = extent(13);
        p.k = extent(13);
        p.batch_count = random() % 2 ? 1 : extent(10);
        const work_query query(p, device, 0);
        if (query.operand_bytes < 0x1p30f && problem_view(model, query).candidates == 0)
            ++(p.batch_count == 1 ? single : batches);
    }
    assert_int_equal(single, 0);
    assert_in_range(batches, 0, rounds / 200);
}

// ---- Epilogues ----------------------------------------------------------------------------------

// A described call says only that there is an epilogue (myblasCall_t::is_fused). The kernel is the
// same for every epilogue, and the handle remembers them as one.
void test_epilogues_are_alike(void**) {
    made_up_model m;
    const auto with_epilogue = [](entry kernel) {
        kernel.has_epilogue = true;
        return kernel;
    };
    const entry last = with_epilogue(plain), some[] = {with_epilogue(small), with_epilogue(split)};
    for (const entry& kernel : some)
        for (const auto*& known : m.by.kernels)
            if (known && std::strcmp(known->name, kernel.name) == 0)
                known = &kernel;
    const rule<sgemm_problem> rules_with_epilogue[] = {{any_form, {any, any, any, any}, &last}};
    const selection_table<sgemm_problem> by{rules_with_epilogue, &m.by};
    std::mt19937 random(23);
    static float numbers[8];
    const auto some_number = [&] { return random() % 2 ? numbers + random() % 8 : nullptr; };
    int other_than_plain = 0;
    for (int round = 0; round < 20000; ++round) {
        sgemm_problem p = square(1 + static_cast<int64_t>(random() % 1500));
        p.n = 1 + static_cast<int64_t>(random() % 100);
        p.a = at(0x1000 + 4 * (random() % 3));
        const size_t workspace = random() % 100000;
        sgemm_problem relu = p, any_epilogue = p;
        relu.epilogue.activation = MYBLAS_ACTIVATION_RELU;
        product_epilogue& f = any_epilogue.epilogue;
        f.activation = static_cast<myblasActivation_t>(random() % 3);
        f.bias = some_number();
        f.is_bias_of_columns = random() % 2;
        f.source = some_number();
        f.aux = some_number();
        f.ld_source = f.ld_aux = static_cast<int64_t>(p.m + random() % 5);
        any_epilogue.beta.value = static_cast<float>(random() % 2);
        sgemm_problem described = f.is_empty() ? p : relu;
        described.beta = any_epilogue.beta;
        const auto* const told = select(by, described, device, workspace);
        assert_ptr_equal(select(by, any_epilogue, device, workspace), told);
        assert_true(inputs_of(any_epilogue, workspace) == inputs_of(described, workspace));
        other_than_plain += !f.is_empty() && told != select(by, p, device, workspace);
    }
    assert_true(other_than_plain > 0);
}

// ---- The cache of a handle ----------------------------------------------------------------------

// Few values of each input, so that problems occur again, or differ in one input alone.
void test_cache_is_exact(void**) {
    std::mt19937 random(17);
    const auto one_of = [&](std::initializer_list<int64_t> values) {
        return values.begin()[random() % values.size()];
    };
    selection_cache cache;
    int selections = 0;
    constexpr int rounds = 200000;
    for (int round = 0; round < rounds; ++round) {
        sgemm_problem p = square(one_of({2, 5, 64}));
        p.transa = random() % 2;
        p.transb = random() % 2;
        p.n = one_of({2, 64});
        p.lda = one_of({1024, 1026});
        p.a = at(static_cast<uintptr_t>(one_of({0, 0x1000, 0x1004, 0x1080, 0x2000, 0x2004})));
        const float* const array[] = {p.a};
        p.a_array = random() % 4 ? nullptr : array;
        const size_t workspace = static_cast<size_t>(one_of({0, 2000, 64000}));
        const auto* now = select(table, p, device, workspace);
        const selection<sgemm_problem> remembered = cache.find(p, workspace, [&] {
            ++selections;
            const auto* kernel = select(table, p, device, workspace);
            return selection<sgemm_problem>{kernel, useful_workspace(*kernel, p, device)};
        });
        assert_ptr_equal(remembered.kernel, now);
        assert_int_equal(remembered.workspace_bytes, useful_workspace(*now, p, device));
    }
    assert_true(selections < rounds);
}

void test_cache_remembers(void**) {
    selection_cache cache;
    int selections = 0;
    const auto count = [&] {
        ++selections;
        return selection<sgemm_problem>{&plain, 0};
    };
    sgemm_problem p = square(64);
    static float c[10 * pointer_period];
    for (int i = 0; i < 10; ++i) {
        // Other addresses with the same alignment, other scalars
        p.a += pointer_period / sizeof(float);
        p.c = c + i * pointer_period / sizeof(float);
        p.alpha.value = static_cast<float>(i);
        cache.find(p, 0, count);
    }
    assert_int_equal(selections, 1);
    cache.find(p, 1, count); // another workspace
    assert_int_equal(selections, 2);
    // Every input makes a difference.
    const auto differs = [&](auto change) {
        sgemm_problem other = p;
        change(other);
        cache = {};
        selections = 0;
        cache.find(p, 0, count);
        cache.find(other, 0, count);
        return selections == 2;
    };
    assert_true(differs([](sgemm_problem& o) { o.transa = true; }));
    assert_true(differs([](sgemm_problem& o) { o.transb = true; }));
    assert_true(differs([](sgemm_problem& o) { ++o.m; }));
    assert_true(differs([](sgemm_problem& o) { ++o.n; }));
    assert_true(differs([](sgemm_problem& o) { ++o.k; }));
    assert_true(differs([](sgemm_problem& o) { ++o.lda; }));
    assert_true(differs([](sgemm_problem& o) { ++o.ldb; }));
    assert_true(differs([](sgemm_problem& o) { ++o.ldc; }));
    assert_true(differs([](sgemm_problem& o) { ++o.stride_a; }));
    assert_true(differs([](sgemm_problem& o) { ++o.stride_b; }));
    assert_true(differs([](sgemm_problem& o) { ++o.stride_c; }));
    assert_true(differs([](sgemm_problem& o) { ++o.batch_count; }));
    assert_true(differs([](sgemm_problem& o) { ++o.a; }));
    assert_true(differs([](sgemm_problem& o) { ++o.b; }));
    assert_true(differs([](sgemm_problem& o) { ++o.c; }));
    assert_true(differs([](sgemm_problem& o) { o.a = nullptr; }));
    static float* array[1];
    assert_true(differs([](sgemm_problem& o) { o.a_array = array; }));
    assert_true(differs([](sgemm_problem& o) { o.b_array = array; }));
    assert_true(differs([](sgemm_problem& o) { o.c_array = array; }));
    static const float beta = 0;
    assert_true(differs([](sgemm_problem& o) { o.beta.value = 1; }));
    assert_true(differs([](sgemm_problem& o) { o.beta.value = 2; }));
    assert_true(differs([](sgemm_problem& o) { o.beta.device = &beta; }));
}

// ---- Tuning files -------------------------------------------------------------------------------

const std::string valid = "myblas-tuning 2\n"
                          "arch 90\n"
                          "# a comment\n"
                          "sgemm small NN 2.5e+00\n"
                          "\n"
                          "sgemm large NN 0.5\n"
                          "sgemm\tsmall  NT 64 \n"
                          "  sgemm small TN 0.015625\n"
                          "sgemm split TT 1";

// The model has times for compute capability 8.0 and later, except for `small` on 10.0.
const time_model* find_made_up_model(int arch) {
    static const time_model without_small = {
        100, 1, {}, {}, std::span(plain_model.variants).subspan(1), {}};
    return arch < 80 ? nullptr : arch < 100 ? &plain_model.model : &without_small;
}

tuning_fault parse(const std::string& text, tuning_file* file) {
    return parse_tuning(text, find_made_up_model, file);
}

void test_valid_file(void**) {
    tuning_file file;
    assert_null(parse(valid, &file).what);
    assert_int_equal(file.arch, 90);
    const std::array<float, 4> of_small = {2.5f, 64, 1.0f / 64, 1}, of_large = {0.5f, 1, 1, 1},
                               none = {1, 1, 1, 1};
    assert_true(file.factors.of_variant[0] == of_small);
    assert_true(file.factors.of_variant[1] == of_large);
    for (size_t i = 2; i < tuning_factors::most_variants; ++i)
        assert_true(file.factors.of_variant[i] == none);
    assert_null(parse(valid + "\n", &file).what);
    // A file without factors, and blank lines before its first
    assert_null(parse("# of nothing\n\n \t\nmyblas-tuning 2\n\n\tarch\t80\t", &file).what);
    assert_int_equal(file.arch, 80);
    assert_true(file.factors.of_variant[0] == none);
    // Factors are of the variants of the architecture's own model.
    assert_null(parse("myblas-tuning 2\narch 100\nsgemm split TT 2\n", &file).what);
    assert_int_equal(file.arch, 100);
    const std::array<float, 4> twice = {1, 1, 1, 2};
    assert_true(file.factors.of_variant[1] == twice && file.factors.of_variant[2] == none);
}

// The factors outrank the library's own choice, for each form.
void test_factors_decide(void**) {
    for (int form = 0; form < 4; ++form) {
        const char* const names[] = {"NN", "NT", "TN", "TT"};
        tuning_file file;
        const std::string text =
            "myblas-tuning 2\narch 90\nsgemm large " + std::string(names[form]) + " 0.25\n";
        assert_null(parse(text, &file).what);
        predictor tuned = plain_model.by;
        tuned.factors = &file.factors;
        for (int of = 0; of < 4; ++of) {
            sgemm_problem p = square(64);
            p.transa = of / 2;
            p.transb = of % 2;
            const entry* taken = select({rules, &tuned}, p, device, 64000);
            assert_string_equal(taken->name, of == form ? "large" : "split");
        }
    }
}

std::string replaced(const std::string& old_text, const std::string& new_text) {
    std::string text = valid;
    const size_t place = text.find(old_text);
    assert_true(place != text.npos);
    return text.replace(place, old_text.size(), new_text);
}

void test_malformed_files(void**) {
    const char* const version = "the first line is not \"myblas-tuning 2\"";
    const char* const arch = "the second line is not \"arch\" and a compute capability x 10";
    const char* const no_model = "this library predicts no times for the architecture";
    const char* const ends = "the file ends before the architecture";
    const char* const record = "not \"sgemm\", a kernel, a form and a factor";
    const char* const kernel = "there is no such kernel, or its time cannot be predicted";
    const char* const form = "the form is not NN, NT, TN or TT";
    const char* const factor = "the factor is not a number from 1/64 to 64";
    const char* const twice = "the kernel has a factor for the form already";
    const struct {
        std::string text;
        int line;
        const char* what;
    } cases[] = {
        {"", 0, ends},
        {"\n\n", 2, ends},
        {"# nothing\n", 1, ends},
        {"myblas-tuning 2\n", 1, ends},
        {replaced("myblas-tuning 2", "myblas-tuning 1"), 1, version},
        {replaced("myblas-tuning 2", "myblas-tuning 2 1"), 1, version},
        {replaced("myblas-tuning 2\n", ""), 1, version},
        {replaced("arch 90", "arch 9.0"), 2, arch},
        {replaced("arch 90", "arch sm_90"), 2, arch},
        {replaced("arch 90", "arch -90"), 2, arch},
        {replaced("arch 90", "arch 0"), 2, arch},
        {replaced("arch 90", "arch 99999999999"), 2, arch},
        {replaced("arch 90", "arch 90 100"), 2, arch},
        {replaced("arch 90\n", ""), 3, arch},
        {replaced("arch 90", "arch 75"), 2, no_model},
        {replaced("arch 90", "arch 100"), 4, kernel},
        {replaced("sgemm small NN", "dgemm small NN"), 4, record},
        {replaced("sgemm small NN", "sgemm unknown NN"), 4, kernel},
        {replaced("sgemm small NN", "sgemm plain NN"), 4, kernel}, // has no time
        {replaced("sgemm small NN", "sgemm little NN"), 4, kernel},
        {replaced("sgemm small NN", "sgemm small/16x16 NN"), 4, kernel},
        {replaced("sgemm small NN", "sgemm small NC"), 4, form},
        {replaced("sgemm small NN", "sgemm small nn"), 4, form},
        {replaced("sgemm small NN", "sgemm small"), 4, record},
        {replaced("2.5e+00", "2.5e+00 1"), 4, record},
        {replaced("2.5e+00", "0 0 1 0"), 4, record}, // as in version 1
        {replaced("2.5e+00", ""), 4, record},
        {replaced("2.5e+00", "2.5e+00x"), 4, factor},
        {replaced("2.5e+00", "2,5"), 4, factor},
        {replaced("2.5e+00", "-2.5"), 4, factor},
        {replaced("2.5e+00", "0"), 4, factor},
        {replaced("2.5e+00", "64.0001"), 4, factor},
        {replaced("2.5e+00", "0.0156249"), 4, factor},
        {replaced("2.5e+00", "inf"), 4, factor},
        {replaced("2.5e+00", "nan"), 4, factor},
        {replaced("2.5e+00", "1e999"), 4, factor},
        {replaced("2.5e+00", "+1"), 4, factor},
        {replaced("2.5e+00", std::string("3\0", 2)), 4, factor},
        {replaced("sgemm large NN", "sgemm small NN"), 6, twice},
        {replaced("split TT", "small TN"), 9, twice},
        {replaced("sgemm split TT 1", "sgemm split TT"), 9, record},
        {valid + "\narch 90", 10, record},
        {valid + "\nmyblas-tuning 2", 10, record},
    };
    for (const auto& wrong : cases) {
        tuning_file file;
        const tuning_fault found = parse(wrong.text, &file);
        if (!found.what || found.line != wrong.line || std::strcmp(found.what, wrong.what) != 0)
            fail_msg("line %d (%s), not %d (%s), of:\n%s",
                     found.line,
                     found.what ? found.what : "no fault",
                     wrong.line,
                     wrong.what,
                     wrong.text.c_str());
    }
}

// For every text there is an answer, accepted factors are usable, and nothing is read after the
// end.
void test_arbitrary_files(void**) {
    std::mt19937 random(19);
    constexpr char alphabet[] = "sgemmallrch 0123456789.eE+-NT#\n\t\0\xff";
    int accepted = 0;
    for (int round = 0; round < 100000; ++round) {
        std::string text = valid;
        for (unsigned change = random() % 4 + 1; change > 0 && !text.empty(); --change) {
            const size_t place = random() % text.size();
            switch (random() % 4) {
            case 0:
                text.erase(place, random() % 20);
                break;
            case 1:
                text.insert(place, text, random() % text.size(), random() % 30);
                break;
            case 2:
                text.resize(place);
                break;
            default:
                text[place] = alphabet[random() % (sizeof alphabet - 1)];
            }
        }
        const std::vector<char> exact(text.begin(), text.end()); // ends where its allocation ends
        tuning_file file;
        if (parse_tuning({exact.data(), exact.size()}, find_made_up_model, &file).what)
            continue;
        ++accepted;
        assert_true(file.arch > 0);
        for (const auto& factors : file.factors.of_variant)
            for (const float factor : factors)
                assert_true(factor >= 1.0f / 64 && factor <= 64);
    }
    assert_true(accepted > 1000);
}

} // namespace

// The host's registries, in which find_kernel searches. (no_cuda.cpp has the others.)
namespace myblas {
// clang-format off
template <> kernel_list<sgemm_problem> host_kernels() { return families; }
template <> kernel_list<transpose_problem> host_kernels() { return {}; }
template <> kernel_list<geam_problem> host_kernels() { return {}; }
template <> kernel_list<sum_problem<float>> host_kernels() { return {}; }
template <> kernel_list<sum_problem<double>> host_kernels() { return {}; }
template <> kernel_list<axpy_problem> host_kernels() { return {}; }
template <> kernel_list<copy_problem> host_kernels() { return {}; }
template <> kernel_list<gemsum_problem> host_kernels() { return {}; }
template <> kernel_list<histogram_problem> host_kernels() { return {}; }
// clang-format on
} // namespace myblas

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_fast_logarithm),
        cmocka_unit_test(test_fast_power),
        cmocka_unit_test(test_whole_up),
        cmocka_unit_test(test_rounds_of_blocks),
        cmocka_unit_test(test_physical_time),
        cmocka_unit_test(test_shared_operands),
        cmocka_unit_test(test_extreme_times),
        cmocka_unit_test(test_device_counts),
        cmocka_unit_test(test_least_time),
        cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_domains_in_reproducible_mode),
        cmocka_unit_test(test_modes_and_architectures),
        cmocka_unit_test(test_learned_factors_decide),
        cmocka_unit_test(test_factors_of_reading_c),
        cmocka_unit_test(test_who_refuses_is_not_compared),
        cmocka_unit_test(test_domains),
        cmocka_unit_test(test_edges_of_domains),
        cmocka_unit_test(test_most_rounds),
        cmocka_unit_test(test_least_competing),
        cmocka_unit_test(test_names_of_families),
        cmocka_unit_test(test_forced_family),
        cmocka_unit_test(test_most_variants),
        cmocka_unit_test(test_fitted_model),
        cmocka_unit_test(test_epilogues_are_alike),
        cmocka_unit_test(test_cache_is_exact),
        cmocka_unit_test(test_cache_remembers),
        cmocka_unit_test(test_valid_file),
        cmocka_unit_test(test_factors_decide),
        cmocka_unit_test(test_malformed_files),
        cmocka_unit_test(test_arbitrary_files),
    };
    return cmocka_run_group_tests_name("select", tests, nullptr, nullptr);
}

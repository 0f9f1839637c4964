// The tuner on a machine that is made up: what kernels cost there is known, and must be found.
#include "cost_model.h"
#include "errors.h"
#include "tune.h"

#include "select/tuning_file.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <random>
#include <setjmp.h>

extern "C" {
#include <cmocka.h>
}

using namespace bench;

namespace {

struct simulated_kernel {
    const char* name;
    double tile; // edge of a block tile
    cost truth;
    bool is_known; // the library has the true costs already
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    bool needs_workspace = false; // on large shapes
};

// One block for each tile on 100 multiprocessors. "sliced" outruns all others on large shapes by more than
// what makes a kernel hopeless.
constexpr int useful_count = 5;
constexpr simulated_kernel simulated[] = {
    {"large", 128, {3, 0.5, 2, 3e-7}, true},
    {"small", 32, {2, 0, 0.2, 3e-7}, false},
    {"fine", 8, {1, 0.1, 0.03, 0}, false},
    {"sliced", 128, {20, 0, 0.1, 4e-7}, true, MYBLAS_FP32_FAST_MATH, true},
    {"passes", 128, {20, 0, 1, 4e-7}, true, MYBLAS_FP32_FAST_MATH},
    {"useless", 128, {300, 5, 20, 3e-6}, true},
};

work work_of(const simulated_kernel& kernel, const shape& s) {
    const auto tiles = [&](int64_t size) {
        return std::ceil(static_cast<double>(size) / kernel.tile);
    };
    const double waves = std::ceil(tiles(s.m) * tiles(s.n) * static_cast<double>(s.batch) / 100);
    return {waves,
            waves * std::ceil(static_cast<double>(s.k) / 16),
            4.0 * static_cast<double>(s.m * s.k + s.k * s.n + s.m * s.n) *
                static_cast<double>(s.batch)};
}

class simulated_bed : public test_bed {
public:
    std::vector<tuned_kernel> kernels() const override {
        std::vector<tuned_kernel> found;
        for (const simulated_kernel& kernel : simulated)
            found.push_back({kernel.name, kernel.math});
        return found;
    }
    bool fits(const shape& s) const override { return s.m != 512; }

    std::vector<estimate> estimates(const shape& s) override {
        std::vector<estimate> found;
        for (const simulated_kernel& kernel : simulated) {
            const work w = work_of(kernel, s);
            const bool accepted = kernel.tile > 8 || s.k <= 1000;
            const bool lent = kernel.needs_workspace && s.m * s.n * s.k > 1 << 28;
            found.push_back({accepted, lent, w, kernel.is_known ? kernel.truth.predict_us(w) : 0});
        }
        return found;
    }

    std::vector<double> time_us(const shape& s, std::span<const int> kernels) override {
        assert_true(s.m != 512);
        std::vector<double> times;
        for (const int kernel : kernels) {
            ++measured[kernel];
            const double noise = std::uniform_real_distribution(0.98, 1.02)(random_);
            times.push_back(noise *
                            simulated[kernel].truth.predict_us(work_of(simulated[kernel], s)));
        }
        clock_s_ += 0.1;
        return times;
    }

    double elapsed_s() const override { return clock_s_; }

    int measured[std::size(simulated)] = {};

private:
    std::mt19937 random_{23};
    double clock_s_ = 100;
};

void assert_near(double found, double expected, double tolerance) {
    if (!(std::fabs(found - expected) <= tolerance))
        fail_msg("%g, not %g", found, expected);
}

// ---- The fit -------------------------------------------------------------------------------------

void test_fit_is_exact(void**) {
    const cost truth{2, 0.5, 1.5, 3e-7};
    std::vector<observation> seen;
    for (double waves = 1; waves < 20; waves *= 2)
        for (double slabs = 1; slabs < 1000; slabs *= 3)
            for (double bytes = 1e3; bytes < 1e10; bytes *= 10) {
                const work w{waves, waves * slabs, bytes};
                seen.push_back({w, truth.predict_us(w)});
            }
    const cost found = fit(seen);
    assert_near(found.fixed, truth.fixed, 1e-6);
    assert_near(found.per_wave, truth.per_wave, 1e-6);
    assert_near(found.per_step, truth.per_step, 1e-6);
    assert_near(found.per_byte, truth.per_byte, 1e-12);
    assert_near(error_of(found, seen).worst, 0, 1e-6);
}

void test_fit_is_never_negative(void**) {
    // The time falls with the waves: least squares alone would give them a negative cost.
    const std::vector<observation> seen = {
        {{1, 10, 0}, 12}, {{2, 10, 0}, 11}, {{3, 20, 0}, 19}, {{4, 20, 0}, 18}};
    const cost found = fit(seen);
    assert_true(found.fixed >= 0 && found.per_wave == 0 && found.per_step > 0);
    assert_true(found.per_byte == 0); // no bytes anywhere
    // Features that depend on one another, and a single observation
    const cost alone = fit(std::vector<observation>{{{1, 1, 1}, 5}});
    assert_near(alone.predict_us({1, 1, 1}), 5, 1e-9);
}

void test_fit_heeds_weights(void**) {
    const std::vector<observation> seen = {{{1, 1, 0}, 10, 1}, {{1, 1, 0}, 20, 0.001}};
    assert_near(fit(seen).predict_us({1, 1, 0}), 10, 0.01);
}

// ---- The tuner -----------------------------------------------------------------------------------

void test_shapes(void**) {
    const std::vector<shape> shapes = tuning_shapes();
    assert_true(shapes.size() >= 800 && shapes.size() % form_count == 0);
    int64_t largest = 0;
    bool has_skinny = false, has_long = false, has_batch = false;
    for (size_t i = 0; i < shapes.size(); ++i) {
        assert_int_equal(form_of(shapes[i]), i % form_count);
        largest = std::max(largest, std::min({shapes[i].m, shapes[i].n, shapes[i].k}));
        has_skinny = has_skinny || (shapes[i].n <= 4 && shapes[i].m >= 4096);
        has_long = has_long || shapes[i].k >= 100000;
        has_batch = has_batch || shapes[i].batch >= 500;
    }
    assert_true(largest >= 6000 && has_skinny && has_long && has_batch);
}

void test_tuner_finds_the_truth(void**) {
    simulated_bed bed;
    const tuning result = tune(bed, 1e9);
    assert_int_equal(result.costs.size(), useful_count + 1);
    for (size_t i = 0; i < useful_count; ++i) {
        assert_string_equal(result.costs[i].kernel.c_str(), simulated[i].name);
        assert_int_equal(result.costs[i].of_form.size(), form_count);
        for (const auto& [form, found] : result.costs[i].of_form) {
            const cost& truth = simulated[i].truth;
            assert_near(found.per_step, truth.per_step, 0.05 * truth.per_step);
            assert_near(found.fixed, truth.fixed, 0.2 * truth.fixed);
            const auto seen = observations_of(result, static_cast<int>(i), form);
            assert_true(error_of(found, seen).mean < 0.02);
        }
    }
    assert_true(result.regret.geometric_mean >= 1 && result.regret.geometric_mean < 1.01);
    assert_true(result.regret.worst < 1.1);
    assert_int_equal(result.regret.unmeasured, 0);
    assert_int_equal(bed.measured[useful_count], 0); // hopeless everywhere, as the library knew
    for (const trial& t : result.trials)
        assert_true(!t.measured || t.us > 0);
}

// What was not measured keeps the costs that the library has, and is named.
void test_tuner_keeps_costs(void**) {
    simulated_bed bed;
    const tuning result = tune(bed, 1e9);
    const kernel_costs& kept = result.costs.back();
    const cost& known = simulated[useful_count].truth;
    assert_string_equal(kept.kernel.c_str(), "useless");
    assert_int_equal(kept.of_form.size(), form_count);
    for (const auto& [form, found] : kept.of_form) {
        assert_near(found.fixed, known.fixed, 1e-6);
        assert_near(found.per_wave, known.per_wave, 1e-6);
        assert_near(found.per_step, known.per_step, 1e-6);
        assert_near(found.per_byte, known.per_byte, 1e-12);
    }
    assert_int_equal(result.kept.size(), form_count);
    assert_string_equal(result.kept[1].c_str(), "useless NT");
}

// A kernel is held against those that there are wherever it is there, in what is measured, in the weights and
// in the choices: neither a weaker mode nor a larger workspace makes it hopeless.
void test_settings_compete_apart(void**) {
    simulated_bed bed;
    const tuning result = tune(bed, 1e9);
    constexpr int large = 0, sliced = 3, passes = 4;
    int outrun[useful_count] = {};
    for (const trial& t : result.trials) {
        const shape& s = result.shapes[t.shape];
        if (s.m != s.n || s.m != s.k || s.m < 2000)
            continue; // small, or ill suited for large tiles
        assert_true(t.measured || (t.kernel != large && t.kernel != sliced && t.kernel != passes));
        for (const trial& other : result.trials)
            if (other.shape == t.shape && other.kernel == sliced && t.us > 5 * other.us)
                ++outrun[t.kernel];
    }
    for (const int kernel : {large, passes}) {
        assert_true(outrun[kernel] > 10);
        for (int form = 0; form < form_count; ++form) {
            double heaviest = 0;
            for (const observation& o : observations_of(result, kernel, form))
                if (o.us > 10000)
                    heaviest = std::max(heaviest, o.weight);
            assert_near(heaviest, 1, 0);
        }
    }
}

void test_tuner_keeps_to_its_budget(void**) {
    simulated_bed bed;
    const tuning result = tune(bed, 20);
    assert_true(result.shapes.size() >= 195 && result.shapes.size() <= 205);
    assert_true(result.regret.geometric_mean < 1.02);
    simulated_bed hurried;
    bool has_failed = false;
    try {
        tune(hurried, 0);
    } catch (const failure&) {
        has_failed = true;
    }
    assert_true(has_failed);
}

// ---- What it writes ------------------------------------------------------------------------------

void test_files(void**) {
    simulated_bed bed;
    const tuning result = tune(bed, 1e9);
    const std::string text = to_tuning_file(90, {"some GPU", "some day"}, result.costs);

    const auto work = [](const myblas::sgemm_problem&, const myblas::device_info&) {
        return myblas::work_estimate{};
    };
    const myblas::kernel_entry<myblas::sgemm_problem> entries[] = {
        {.name = "large", .description = "", .work = work},
        {.name = "small", .description = "", .work = work},
        {.name = "fine", .description = "", .work = work},
        {.name = "sliced", .description = "", .work = work},
        {.name = "passes", .description = "", .work = work},
        {.name = "useless", .description = "", .work = work},
    };
    const myblas::kernel_entry<myblas::sgemm_problem>* const list[] = {
        &entries[0], &entries[1], &entries[2], &entries[3], &entries[4], &entries[5]};
    myblas::tuning_file file;
    assert_null(myblas::parse_tuning(text, list, &file).what);
    assert_int_equal(file.arch, 90);
    assert_int_equal(file.sgemm_costs().size(), std::size(entries));
    for (size_t i = 0; i < std::size(entries); ++i)
        for (size_t form = 0; form < form_count; ++form) {
            const cost& written = result.costs[i].of_form.at(static_cast<int>(form));
            const myblas::cost& read = file.sgemm_costs()[i].of_form[form];
            assert_ptr_equal(file.sgemm_costs()[i].kernel, &entries[i]);
            assert_near(read.fixed, written.fixed, 1e-3 * written.fixed);
            assert_near(read.per_byte, written.per_byte, 1e-3 * written.per_byte);
        }

    const std::string source = to_source(90, {"some GPU", "some day"}, result.costs);
    for (const char* part : {"// some GPU\n// some day\n#include",
                             "{&cuda::sgemm_small, {{\n",
                             "{&cuda::sgemm_sliced, {{\n",
                             "sgemm_costs_sm90 = costs;\n"})
        assert_true(source.find(part) != source.npos);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_is_exact),
        cmocka_unit_test(test_fit_is_never_negative),
        cmocka_unit_test(test_fit_heeds_weights),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_tuner_finds_the_truth),
        cmocka_unit_test(test_tuner_keeps_costs),
        cmocka_unit_test(test_settings_compete_apart),
        cmocka_unit_test(test_tuner_keeps_to_its_budget),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests_name("tune", tests, nullptr, nullptr);
}

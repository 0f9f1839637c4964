// The predictor: how long a kernel takes on a product.
//
// A physical model turns the kernel's work (core/kernel_entry.h) into cycles:
//
//   cycles = launch * launches + round * rounds + exchange * exchanges
//            + cube root of (arithmetic^3 + cache^3 + memory^3)
//   arithmetic = step * steps + math * math_cycles + copy * copies
//   cache      = l2 * l2_bytes              memory = dram * memory_bytes / (bytes a cycle) + store * c_bytes / (the same)
//
// The coefficients, in cycles, are a variant's own. What they leave is a factor learned from readings: a function
// of the problem that all variants share (one hidden layer), seen by each variant with weights of its own, and a
// linear function of the logarithms of the variant's work. All of it is data that bench/fit.py writes; the number of
// multiprocessors, clock, memory rate and cache are the device's.
//
// A variant competes where it was ever close to the best, and a factor of two beyond: its domain. Elsewhere its
// prediction would be a guess.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace myblas {

// ---- Data ----------------------------------------------------------------------------------------

// Of the physical model, in cycles.
struct work_costs {
    float launch, round, exchange, step, math, copy, l2, dram, store;
};

inline constexpr size_t problem_feature_count = 15, work_feature_count = 10, hidden_count = 24;
inline constexpr size_t domain_count = 6;

// Base 2 logarithms, both ends included.
struct log_range {
    float low, high;
};

struct variant_model {
    const char* name;
    work_costs costs;
    std::array<log_range, domain_count> domain; // short side, long side, k, batch, elements of C, rounds
    std::array<float, work_feature_count> work_weights;
    std::array<float, hidden_count> hidden_weights;
};

struct time_model {
    int arch; // compute capability x 10 of what was measured
    std::array<std::array<float, hidden_count>, problem_feature_count> hidden;
    std::span<const variant_model> variants;
};

// ---- Features ------------------------------------------------------------------------------------

// log2(x) for positive normal x, to 2e-4: library functions take longer than all else here.
inline float fast_log2(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    const float exponent = static_cast<float>(static_cast<int>(bits >> 23) - 127);
    const float mantissa = std::bit_cast<float>((bits & 0x007fffff) | 0x3f800000); // [1, 2)
    return exponent + (((-0.07915037f * mantissa + 0.62881573f) * mantissa - 2.08106020f) * mantissa +
                       4.02837277f) * mantissa - 2.49677377f;
}

// 2^x for |x| < 126, to 2e-4.
inline float fast_exp2(float x) {
    const float shifted = x + 127;
    const int whole = static_cast<int>(shifted);
    const float part = shifted - static_cast<float>(whole); // [0, 1)
    const float mantissa = ((0.07901994f * part + 0.22412644f) * part + 0.69683858f) * part + 0.99981196f;
    return std::bit_cast<float>(static_cast<uint32_t>(whole) << 23) * mantissa;
}

// What all variants see of a problem, computed once.
struct problem_view {
    std::array<float, domain_count - 1> domain; // as variant_model::domain, without the rounds
    std::array<float, hidden_count> hidden;     // outputs of the hidden layer
    float bytes_per_cycle;                      // of the device's memory
    float c_cycles;                             // to write C there
    float cached;                               // part of the operands that the L2 cache may hold, 0 to 1

    problem_view(const time_model& model, const sgemm_problem& p, const device_info& device) {
        const auto at_least_1 = [](int64_t x) { return static_cast<float>(x > 0 ? x : 1); };
        const float m = at_least_1(p.m), n = at_least_1(p.n), k = at_least_1(p.k);
        const float batch = at_least_1(p.batch_count);
        const float log_m = fast_log2(m), log_n = fast_log2(n), log_k = fast_log2(k);
        const float log_batch = fast_log2(batch);
        const float log_short = log_m < log_n ? log_m : log_n, log_long = log_m < log_n ? log_n : log_m;
        const float bytes = 4 * batch * (m * k + k * n + m * n);
        const float log_cache = fast_log2(bytes / static_cast<float>(device.l2_bytes));
        domain = {log_short, log_long, log_k, log_batch, log_m + log_n + log_batch};
        bytes_per_cycle = device.memory_gbps * 1000 / device.clock_mhz;
        c_cycles = 4 * batch * m * n / bytes_per_cycle;
        cached = 1 / (1 + fast_exp2(clamp(4.3281f * (log_cache + 0.7f))));

        constexpr float scale = 1.0f / 8;
        const auto flag = [](bool x) { return x ? 1.0f : 0.0f; };
        const auto on_grid = [](const float* x, int64_t ld) {
            return reinterpret_cast<uintptr_t>(x) % 16 == 0 && ld % 4 == 0;
        };
        const std::array<float, problem_feature_count> features = {
            log_m * scale,
            log_n * scale,
            log_k * scale,
            log_batch * scale,
            log_short * scale,
            log_long * scale,
            (log_cache < -16 ? -16 : log_cache > 8 ? 8 : log_cache) * scale,
            flag(p.transa),
            flag(p.transb),
            flag(p.transa && p.transb),
            flag(on_grid(p.a, p.lda)),
            flag(on_grid(p.b, p.ldb)),
            flag(on_grid(p.c, p.ldc)),
            flag(p.a_array),
            1,
        };
        hidden = {};
        for (size_t i = 0; i < problem_feature_count; ++i)
            for (size_t h = 0; h < hidden_count; ++h)
                hidden[h] += features[i] * model.hidden[i][h];
        for (float& h : hidden)
            h = h > 0 ? h : 0;
    }

private:
    static float clamp(float x) { return x < -100 ? -100 : x > 100 ? 100 : x; }
};

// ---- Prediction ----------------------------------------------------------------------------------

// Whether the variant may compete; what depends on its work is left to lies_within_rounds.
inline bool lies_in_domain(const variant_model& variant, const problem_view& problem) {
    for (size_t i = 0; i < problem.domain.size(); ++i)
        if (problem.domain[i] < variant.domain[i].low || problem.domain[i] > variant.domain[i].high)
            return false;
    return true;
}

inline bool has_few_rounds(const variant_model& variant, const work_estimate& work) {
    return fast_log2(work.rounds + 1) <= variant.domain.back().high;
}

// A prediction, in parts.
struct prediction {
    float arithmetic, cache, memory; // cycles; of these mostly the largest counts
    float overhead;                  // cycles of launches, rounds and exchanges
    float log_physical;              // of all cycles together
    float log_factor;                // learned

    float log_cycles() const { return log_physical + log_factor; }
};

inline prediction
predict(const variant_model& variant, const problem_view& problem, const work_estimate& work) {
    const work_costs& c = variant.costs;
    prediction found;
    const float memory_cycles = work.memory_bytes / problem.bytes_per_cycle;
    found.arithmetic = c.step * work.steps + c.math * work.math_cycles + c.copy * work.copies;
    found.cache = c.l2 * work.l2_bytes;
    found.memory =
        c.dram * memory_cycles * (1 - 0.65f * problem.cached) + c.store * problem.c_cycles;
    found.overhead = c.launch * work.launches + c.round * work.rounds + c.exchange * work.exchanges;
    const auto cube = [](float x) { return x * x * x; };
    // In units in which no cube overflows
    constexpr float unit = 1.0f / 65536;
    const float cubes = cube(found.arithmetic * unit) + cube(found.cache * unit) +
                        cube(found.memory * unit) + 1e-30f;
    const float together = fast_exp2(fast_log2(cubes) * (1.0f / 3)) / unit;
    found.log_physical = fast_log2(found.overhead + together);

    constexpr float scale = 1.0f / 8;
    const std::array<float, work_feature_count> features = {
        fast_log2(work.rounds + 1) * scale,
        fast_log2(work.steps + 1) * scale,
        fast_log2(work.math_cycles + 100) * scale,
        fast_log2(work.copies + 100) * scale,
        fast_log2(work.l2_bytes + 1000) * scale,
        fast_log2(memory_cycles + 100) * scale,
        fast_log2(work.exchanges + 1) * scale,
        fast_log2(work.fill + 0.01f) * scale,
        fast_log2(work.edge + 0.01f) * scale,
        1,
    };
    float factor = 0;
    for (size_t i = 0; i < work_feature_count; ++i)
        factor += features[i] * variant.work_weights[i];
    for (size_t h = 0; h < hidden_count; ++h)
        factor += problem.hidden[h] * variant.hidden_weights[h];
    found.log_factor = factor;
    return found;
}

} // namespace myblas

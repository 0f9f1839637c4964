// The predictor: the time that a kernel takes for a product.
//
// A physical model turns the kernel's work (core/kernel_entry.h) into cycles:
//
//   cycles = launch * launches + round * rounds + exchange * exchanges
//            + fourth root of (arithmetic^4 + cache^4 + memory^4)
//   arithmetic = step * steps + math * math_cycles + copy * copies
//   cache      = l2 * l2_bytes
//   memory     = (dram * uncached * memory_bytes + store * c_bytes) / bytes a cycle
//
// The coefficients, in cycles, belong to a variant. A factor learned from readings corrects the
// rest. One part of the factor is a function of the problem with one hidden layer, which all
// variants share and each variant weights by itself. The other part is a linear function of the
// logarithms of the variant's work. Batches have weights of their own. All of this is data that
// bench/fit.py writes. The number of multiprocessors, clock, memory rate and cache are those of the
// device.
//
// Where C may be read (beta is not known to be 0), the time is multiplied by another factor. Its
// logarithm is a linear function of features that do not depend on the variant: problem_view
// computes them.
//
// A variant competes for products where it was ever close to the best, and a little beyond: its
// domain. Elsewhere its prediction would be a guess, which is used only if few variants compete.
// The domains are bits of tables, so that a new product finds its candidates with five loads. The
// learned factor is computed only for candidates that it can make the fastest.
#pragma once

#include "core/device_costs.h"
#include "core/kernel_entry.h"
#include "core/problem.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

namespace myblas {

// ---- Data ---------------------------------------------------------------------------------------

// Costs of the physical model, in cycles.
struct work_costs {
    float launch, round, exchange, step, math, copy, l2, dram, store;
};

inline constexpr size_t work_feature_count = 12, hidden_count = 48;
// Features of a problem: logarithms of sizes, and facts, which are 0 or 1. A product of facts is a
// fact too.
inline constexpr size_t size_feature_count = 7, fact_count = 8, fact_feature_count = 10;

// Features of a problem whose C may be read.
inline constexpr size_t c_feature_count = 8;

// A range of half octaves, both ends included. Number i is from 2^(i/2) to 2^((i+1)/2).
struct half_octaves {
    int low, high;
};

inline constexpr size_t domain_count = 5;     // short side, long side, k, batch, elements of C
inline constexpr int half_octave_count = 128; // enough for all products

// A learned factor: weights of the variant's work and of the hidden layer's outputs.
struct learned_weights {
    float least_factor, most_factor; // range on readings
    std::array<float, work_feature_count> work;
    std::array<float, hidden_count> hidden;
};

struct variant_model {
    const char* name;
    work_costs costs;
    std::array<half_octaves, domain_count> domain;
    float most_rounds; // the variant competes up to it
    learned_weights of_single, of_batch;
    std::array<float, c_feature_count> c_weights;

    const learned_weights& weights_for(const sgemm_problem& p) const {
        return p.batch_count > 1 ? of_batch : of_single;
    }
};

struct time_model {
    int arch; // compute capability x 10 of the GPU that was measured
    // If fewer kernels of strict mode compete for a problem, there were no readings near it, and
    // all kernels compete. Only strict mode counts, so that weaker modes are not slower.
    size_t least_competing;
    std::array<std::array<float, hidden_count>, size_feature_count> size_weights;
    // Index: bits of facts.
    std::array<std::array<float, hidden_count>, 1 << fact_count> fact_weights;
    std::span<const variant_model> variants;
    std::array<std::array<uint64_t, half_octave_count>, domain_count> competing; // bits of variants
};

// Computes time_model::competing.
constexpr auto tabulate_domains(std::span<const variant_model> variants) {
    std::array<std::array<uint64_t, half_octave_count>, domain_count> bits{};
    for (size_t variant = 0; variant < variants.size(); ++variant)
        for (size_t i = 0; i < domain_count; ++i)
            for (int at = variants[variant].domain[i].low; at <= variants[variant].domain[i].high;
                 ++at)
                bits[i][static_cast<size_t>(at)] |= uint64_t{1} << variant;
    return bits;
}

// Computes time_model::fact_weights: for each set of facts the sum of its rows. The rows are for
// transa, transb, both, A aligned, B aligned, C aligned, pointer arrays, A shared, B shared, and
// always.
constexpr auto
tabulate_facts(const std::array<std::array<float, hidden_count>, fact_feature_count>& rows) {
    std::array<std::array<float, hidden_count>, 1 << fact_count> sums{};
    const auto add = [&](size_t bits, size_t row) {
        for (size_t h = 0; h < hidden_count; ++h)
            sums[bits][h] += rows[row][h];
    };
    for (size_t bits = 1; bits < sums.size(); ++bits) {
        const auto last = static_cast<size_t>(std::bit_width(bits)) - 1;
        sums[bits] = sums[bits - (size_t{1} << last)]; // of the facts before the last one
        add(bits, last < 2 ? last : last + 1);
        if (bits == 3) // transa and transb
            add(bits, 2);
    }
    for (size_t bits = 0; bits < sums.size(); ++bits)
        add(bits, fact_feature_count - 1);
    return sums;
}

// ---- Features -----------------------------------------------------------------------------------

// Explicit vectors: compilers use scalar instructions for the learned factor.
using floats = float __attribute__((vector_size(16)));
using int32s = int32_t __attribute__((vector_size(16)));
inline constexpr size_t lanes = 4;

inline floats load(const float* from) {
    floats loaded;
    std::memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

// log2(x) for positive normal x, to 2e-4. A library function would take longer than all the rest.
template <class Real>
Real log2_of(Real exponent, Real mantissa) { // mantissa in [1, 2)
    return exponent +
           (((-0.07915037f * mantissa + 0.62881573f) * mantissa - 2.08106020f) * mantissa +
            4.02837277f) *
               mantissa -
           2.49677377f;
}
inline float fast_log2(float x) {
    const auto bits = std::bit_cast<int32_t>(x);
    return log2_of(static_cast<float>((bits >> 23) - 127),
                   std::bit_cast<float>((bits & 0x007fffff) | 0x3f800000));
}
inline floats fast_log2(floats x) {
    const auto bits = std::bit_cast<int32s>(x);
    return log2_of(__builtin_convertvector((bits >> 23) - 127, floats),
                   std::bit_cast<floats>((bits & 0x007fffff) | 0x3f800000));
}

// 2^x for |x| < 126, to 2e-4.
inline float fast_exp2(float x) {
    const float shifted = x + 127;
    const int whole = static_cast<int>(shifted);
    const float part = shifted - static_cast<float>(whole); // [0, 1)
    const float mantissa =
        ((0.07901994f * part + 0.22412644f) * part + 0.69683858f) * part + 0.99981196f;
    return std::bit_cast<float>(static_cast<uint32_t>(whole) << 23) * mantissa;
}

inline constexpr float log_scale = 1.0f / 8; // scales the logarithms among the features

// The part of a prediction that all variants share, computed once for a problem.
struct problem_view {
    // Variants whose domains contain the problem, apart from their rounds.
    uint64_t candidates;
    std::array<float, hidden_count> hidden; // outputs of the hidden layer
    float cycles_per_byte;                  // of the device's memory
    float c_cycles;                         // to write C there
    float uncached;                         // part of the operands that comes from memory
    bool may_read_c;
    std::array<float, c_feature_count> c_features; // if may_read_c

    problem_view(const time_model& model, const work_query& q) {
        const sgemm_problem& p = q.problem;
        const float log_m = fast_log2(q.m), log_n = fast_log2(q.n), log_k = fast_log2(q.k);
        const float log_batch = fast_log2(q.batch);
        const float log_short = log_m < log_n ? log_m : log_n,
                    log_long = log_m < log_n ? log_n : log_m;
        const float log_cache = fast_log2(q.operand_bytes / static_cast<float>(q.device.l2_bytes));
        candidates = ~uint64_t{0};
        const float domain[] = {log_short, log_long, log_k, log_batch, log_m + log_n + log_batch};
        for (size_t i = 0; i < domain_count; ++i)
            candidates &= model.competing[i][half_octave(domain[i])];
        cycles_per_byte = static_cast<float>(1 / memory_bytes_per_cycle(q.device));
        c_cycles = 4 * q.batch * q.c_elements * cycles_per_byte;
        uncached = 1 - 0.65f / (1 + fast_exp2(clamp(4.3281f * (log_cache + 0.7f))));

        constexpr float scale = log_scale;
        const auto is_aligned = [](const float* x, int64_t ld) {
            return reinterpret_cast<uintptr_t>(x) % 16 == 0 && ld % 4 == 0;
        };
        const bool facts[fact_count] = {p.transa,
                                        p.transb,
                                        is_aligned(p.a, p.lda),
                                        is_aligned(p.b, p.ldb),
                                        is_aligned(p.c, p.ldc),
                                        p.a_array != nullptr,
                                        shares_a(p),
                                        shares_b(p)};
        size_t bits = 0;
        for (size_t i = 0; i < fact_count; ++i)
            bits |= size_t{facts[i]} << i;
        const float sizes[size_feature_count] = {
            log_m * scale,
            log_n * scale,
            log_k * scale,
            log_batch * scale,
            log_short * scale,
            log_long * scale,
            (log_cache < -16 ? -16
             : log_cache > 8 ? 8
                             : log_cache) *
                scale,
        };
        hidden = model.fact_weights[bits];
        for (size_t i = 0; i < size_feature_count; ++i)
            for (size_t h = 0; h < hidden_count; ++h)
                hidden[h] += sizes[i] * model.size_weights[i][h];
        for (float& h : hidden)
            h = h > 0 ? h : 0;

        may_read_c = may_be_nonzero(p.beta);
        // What reading C adds is less, the more k there is to multiply. Of a C with up to 8 rows or
        // columns, or with up to 2^13 elements, there are few readings.
        const float log_c = log_m + log_n + log_batch;
        const float taper =
            limit((log_short - 3) / 2, 0, 1) * limit((log_c - 13) / 2, 0, 1) / (1 + q.k / 256);
        const auto of_fact = [&](bool fact) { return fact ? taper : 0; };
        c_features = {taper,
                      taper * (limit(log_k, 4, 9) - 6),
                      taper * (limit(log_c, 14, 26) - 20),
                      taper * (limit(log_short, 3, 10) - 6),
                      of_fact(facts[4]),
                      of_fact(p.transa),
                      of_fact(p.transb),
                      of_fact(!is_one(p.beta))}; // if beta is 1, kernels may add to C in memory
    }

private:
    static float limit(float x, float least, float most) {
        return x < least ? least : x > most ? most : x;
    }
    static float clamp(float x) { return limit(x, -100, 100); }

    static size_t half_octave(float log) {
        constexpr int last = half_octave_count - 1;
        const int at = static_cast<int>(2 * log + 1e-3f); // fast_log2 may lie below a power of two
        return static_cast<size_t>(at < 0 ? 0 : at > last ? last : at);
    }
};

// ---- Prediction ---------------------------------------------------------------------------------

// Cycles by cause. The largest of the first three mostly decides.
struct physical_time {
    float arithmetic, cache, memory;
    float overhead; // of launches, rounds and exchanges
    float total;

    physical_time(const variant_model& variant,
                  const problem_view& problem,
                  const work_estimate& work) {
        const work_costs& c = variant.costs;
        const float memory_cycles = work.memory_bytes * problem.cycles_per_byte;
        arithmetic = c.step * work.steps + c.math * work.math_cycles + c.copy * work.copies;
        cache = c.l2 * work.l2_bytes;
        memory = c.dram * memory_cycles * problem.uncached + c.store * problem.c_cycles;
        overhead = c.launch * work.launches + c.round * work.rounds + c.exchange * work.exchanges;
        constexpr float unit = 0x1p28f; // fourth powers stay normal from 1 cycle to 18 years
        const auto fourth = [](float x) {
            return (x / unit) * (x / unit) * (x / unit) * (x / unit);
        };
        const float together = fourth(arithmetic) + fourth(cache) + fourth(memory);
        total = overhead + std::sqrt(std::sqrt(together)) * unit + 1;
    }
};

inline float learned_factor(const learned_weights& weights,
                            const problem_view& problem,
                            const work_estimate& work) {
    const floats features[] = {
        {work.rounds + 1, work.steps + 1, work.math_cycles + 100, work.copies + 100},
        {work.l2_bytes + 1000,
         work.memory_bytes * problem.cycles_per_byte + 100,
         work.exchanges + 1,
         work.wave_efficiency + 0.01f},
        {work.tile_utilisation + 0.01f,
         work.launches,
         256,
         1}, // 256: its weight is an offset; 1: padding
    };
    static_assert(std::size(features) * lanes == work_feature_count && hidden_count % lanes == 0);
    floats of_work = {}, of_problem = {};
    for (size_t i = 0; i < std::size(features); ++i)
        of_work += fast_log2(features[i]) * load(&weights.work[i * lanes]);
    for (size_t i = 0; i < hidden_count; i += lanes)
        of_problem += load(&problem.hidden[i]) * load(&weights.hidden[i]);
    const floats sums = of_work * log_scale + of_problem;
    const float factor = fast_exp2((sums[0] + sums[1]) + (sums[2] + sums[3]));
    return factor < weights.least_factor  ? weights.least_factor
           : factor > weights.most_factor ? weights.most_factor
                                          : factor;
}

// How many times as long the variant takes if C is read.
inline float factor_of_c(const variant_model& variant, const problem_view& problem) {
    if (!problem.may_read_c)
        return 1;
    float sum = 0;
    for (size_t i = 0; i < c_feature_count; ++i)
        sum += variant.c_weights[i] * problem.c_features[i];
    return fast_exp2(sum);
}

} // namespace myblas

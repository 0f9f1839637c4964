#include "tune.h"

#include "errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bench {
namespace {

constexpr int shapes_of_family = 40;
constexpr int64_t most_elements = int64_t{1} << 27; // of an operand
constexpr double hopeless = 4;     // times the best prediction: not worth measuring
constexpr size_t least_trials = 8; // from which costs are fitted

// The n-th number of van der Corput's sequence: any number of the first ones lie evenly in (0, 1).
double radical_inverse(int n, int base) {
    double value = 0, digit = 1.0 / base;
    for (; n > 0; n /= base, digit /= base)
        value += n % base * digit;
    return value;
}

struct range {
    double low, high;
};

// Sizes beyond a few are multiples of 4, as most are that anyone uses.
int64_t log_spaced(const range& r, double at) {
    const int64_t size = std::llround(r.low * std::pow(r.high / r.low, at));
    return size <= 16 ? size : (size + 2) / 4 * 4;
}

struct family {
    range m, n, k, batch;
    bool is_cube = false; // m = n = k
};

constexpr range one{1, 1};
constexpr family families[] = {
    {{32, 8192}, {}, {}, one, true},
    {{32, 8192}, {32, 8192}, {32, 8192}, one},
    {{8, 384}, {8, 384}, {8, 384}, one},       // small
    {{1, 32}, {256, 16384}, {256, 8192}, one}, // skinny, either way
    {{256, 16384}, {1, 32}, {256, 8192}, one},
    {{1, 512}, {1, 512}, {4096, 262144}, one},  // long k
    {{8, 256}, {8, 256}, {8, 256}, {16, 1024}}, // batches
};

shape member(const family& f, int index) {
    shape s;
    s.m = log_spaced(f.m, radical_inverse(index + 1, 2));
    s.n = f.is_cube ? s.m : log_spaced(f.n, radical_inverse(index + 1, 3));
    s.k = f.is_cube ? s.m : log_spaced(f.k, radical_inverse(index + 1, 5));
    s.batch = log_spaced(f.batch, radical_inverse(index + 1, 7));
    return s;
}

bool is_reasonable(const shape& s) {
    return std::max({s.m * s.k, s.k * s.n, s.m * s.n}) * s.batch <= most_elements;
}

constexpr myblasMath_t modes[] = {
    MYBLAS_FP32_STRICT_MATH, MYBLAS_FP32_EMULATED_MATH, MYBLAS_FP32_FAST_MATH};

// The setting that allows the fewest other kernels; it is the one in which the kernel competes.
setting own_setting(const tuning& result, const trial& t) {
    return {result.kernels[t.kernel].math, t.lent};
}

bool allows(const setting& chosen, const setting& needed) {
    return needed.math <= chosen.math && (chosen.lends || !needed.lends);
}

// The least time among the trials of one shape that a setting allows.
double best_us(const tuning& result, std::span<const trial> trials, const setting& chosen) {
    double best = std::numeric_limits<double>::infinity();
    for (const trial& t : trials)
        if (t.measured && allows(chosen, own_setting(result, t)))
            best = std::min(best, t.us);
    return best;
}

// Calls visit(trials) for each shape that has any.
template <class Trials, class Visit>
void for_each_shape(Trials&& trials, Visit&& visit) {
    for (size_t first = 0; first < trials.size();) {
        size_t last = first;
        while (last < trials.size() && trials[last].shape == trials[first].shape)
            ++last;
        visit(std::span(&trials[first], last - first));
        first = last;
    }
}

// What the measurements so far say of a kernel in a form; nothing while they are few.
void fit_kernel(tuning& result, int kernel, int form) {
    const std::vector<observation> seen = observations_of(result, kernel, form);
    if (seen.size() >= least_trials)
        result.costs[kernel].of_form[form] = fit(seen);
}

// Where measurements stayed few, the costs are those that the library has: its predictions show them.
void keep_costs(tuning& result, int kernel, int form) {
    std::vector<observation> known;
    for (const trial& t : result.trials)
        if (t.kernel == kernel && t.known_us > 0 && form_of(result.shapes[t.shape]) == form)
            known.push_back({t.work, t.known_us});
    if (known.size() < least_trials || result.costs[kernel].of_form.contains(form))
        return;
    result.costs[kernel].of_form[form] = fit(known);
    result.kept.push_back(result.kernels[kernel].name + " " + form_name(form));
}

// By the new costs; 0 where there are none.
double predict_us(const tuning& result, const trial& t) {
    const auto& of_form = result.costs[t.kernel].of_form;
    const auto found = of_form.find(form_of(result.shapes[t.shape]));
    return found == of_form.end() ? 0 : found->second.predict_us(t.work);
}

// Measures the kernels that are not hopeless by every prediction there is: the library's, and that of
// the costs fitted so far.
void measure_shape(test_bed& bed, tuning& result, size_t index) {
    const shape& s = result.shapes[index];
    const std::vector<estimate> estimates = bed.estimates(s);
    std::vector<trial> trials;
    std::vector<double> hopes; // the lesser prediction of each; 0: there is none
    for (int kernel = 0; kernel < static_cast<int>(estimates.size()); ++kernel) {
        const estimate& e = estimates[kernel];
        if (!e.accepted)
            continue;
        trials.push_back({.shape = index,
                          .kernel = kernel,
                          .lent = e.lent,
                          .work = e.work,
                          .known_us = e.predicted_us});
        const double fitted = predict_us(result, trials.back());
        hopes.push_back(e.predicted_us > 0 && fitted > 0 ? std::min(e.predicted_us, fitted)
                                                         : std::max(e.predicted_us, fitted));
    }
    const auto best_hope = [&](const setting& chosen) {
        double best = std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < trials.size(); ++i)
            if (hopes[i] > 0 && allows(chosen, own_setting(result, trials[i])))
                best = std::min(best, hopes[i]);
        return best;
    };
    std::vector<int> wanted;
    for (size_t i = 0; i < trials.size(); ++i) {
        trials[i].measured = hopes[i] <= hopeless * best_hope(own_setting(result, trials[i]));
        if (trials[i].measured)
            wanted.push_back(trials[i].kernel);
    }
    if (wanted.empty())
        return;
    const std::vector<double> times = bed.time_us(s, wanted);
    size_t next = 0;
    for (trial& t : trials)
        if (t.measured)
            t.us = times[next++];
    result.trials.insert(result.trials.end(), trials.begin(), trials.end());
}

// Whether some kernel needs all of a setting: else the choice is that of another.
bool adds_kernels(const tuning& result, std::span<const trial> trials, const setting& chosen) {
    return std::any_of(trials.begin(), trials.end(), [&](const trial& t) {
        const setting needed = own_setting(result, t);
        return needed.math == chosen.math && needed.lends == chosen.lends;
    });
}

// What the library would take by the new costs; null: nothing.
const trial* choose(const tuning& result, std::span<const trial> trials, const setting& chosen) {
    const trial* best = nullptr;
    for (const trial& t : trials)
        if (t.predicted_us > 0 && allows(chosen, own_setting(result, t)) &&
            (!best || t.predicted_us < best->predicted_us))
            best = &t;
    return best;
}

regret judge(const tuning& result) {
    regret found;
    double logarithms = 0;
    int choices = 0;
    const auto judge_choice = [&](std::span<const trial> trials, const setting& chosen) {
        const trial* const taken = choose(result, trials, chosen);
        if (!taken || !taken->measured) {
            ++found.unmeasured;
            return;
        }
        const double ratio = taken->us / best_us(result, trials, chosen);
        logarithms += std::log(ratio);
        ++choices;
        if (ratio > found.worst) {
            found.worst = ratio;
            found.worst_shape = taken->shape;
            found.worst_setting = chosen;
        }
    };
    for_each_shape(result.trials, [&](std::span<const trial> trials) {
        for (const myblasMath_t math : modes)
            for (const bool lends : {false, true})
                if (adds_kernels(result, trials, {math, lends}))
                    judge_choice(trials, {math, lends});
    });
    if (choices > 0)
        found.geometric_mean = std::exp(logarithms / choices);
    return found;
}

} // namespace

std::vector<shape> tuning_shapes() {
    std::vector<shape> shapes;
    for (int index = 0; index < shapes_of_family; ++index)
        for (const family& f : families) {
            shape s = member(f, index);
            if (!is_reasonable(s))
                continue;
            for (int form = 0; form < form_count; ++form) {
                s.transa = form / 2;
                s.transb = form % 2;
                shapes.push_back(complete(s));
            }
        }
    return shapes;
}

// A kernel's observation counts the less the farther it is from the best of its shape in the setting where
// it competes: errors matter there.
std::vector<observation> observations_of(const tuning& result, int kernel, int form) {
    std::vector<observation> found;
    for_each_shape(result.trials, [&](std::span<const trial> trials) {
        if (form_of(result.shapes[trials[0].shape]) != form)
            return;
        for (const trial& t : trials)
            if (t.kernel == kernel && t.measured)
                found.push_back(
                    {t.work, t.us, best_us(result, trials, own_setting(result, t)) / t.us});
    });
    return found;
}

tuning tune(test_bed& bed, double budget_s) {
    tuning result;
    result.kernels = bed.kernels();
    if (result.kernels.empty())
        throw failure("no kernel of this backend predicts its time");
    for (const tuned_kernel& kernel : result.kernels)
        result.costs.push_back({kernel.name, {}});
    const int kernel_count = static_cast<int>(result.kernels.size());

    const double start_s = bed.elapsed_s();
    for (const shape& s : tuning_shapes()) {
        if (bed.elapsed_s() - start_s >= budget_s)
            break;
        if (!bed.fits(s))
            continue;
        result.shapes.push_back(s);
        measure_shape(bed, result, result.shapes.size() - 1);
        for (int kernel = 0; kernel < kernel_count; ++kernel)
            fit_kernel(result, kernel, form_of(s));
    }
    for (int kernel = 0; kernel < kernel_count; ++kernel)
        for (int form = 0; form < form_count; ++form)
            keep_costs(result, kernel, form);
    for (trial& t : result.trials)
        t.predicted_us = predict_us(result, t);
    result.regret = judge(result);
    std::erase_if(result.costs, [](const kernel_costs& known) { return known.of_form.empty(); });
    if (result.costs.empty())
        throw failure("too few shapes were measured: allow more time with --budget");
    return result;
}

} // namespace bench

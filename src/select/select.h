// Problem + device -> kernel. Pure: no CUDA, no handle, no state.
#pragma once

#include "core/kernel_entry.h"
#include "core/routine.h"
#include "select/model.h"
#include "select/rule.h"

#include <algorithm>
#include <array>
#include <limits>

namespace myblas {

// ---- Tables -------------------------------------------------------------------------------------

// Factors on predicted times, which a user measured on a GPU, by form (transa * 2 + transb).
struct tuning_factors {
    static constexpr size_t most_variants = 64;
    std::array<std::array<float, 4>, most_variants> of_variant{};

    constexpr tuning_factors() { of_variant.fill({1, 1, 1, 1}); }
};

// A kernel that is chosen without a prediction, for the products that it accepts and is best for.
struct rule_of_products {
    const kernel_entry<sgemm_problem>* kernel = nullptr; // null: none
    bool (*is_best)(const sgemm_problem&) = nullptr;     // null: for all that it accepts

    bool applies_to(const sgemm_problem& p) const { return kernel && (!is_best || is_best(p)); }
};

// A model with the kernel of each variant; null if the library has no kernel of that name.
struct predictor {
    const time_model* model;
    std::array<const kernel_entry<sgemm_problem>*, tuning_factors::most_variants> kernels{};
    const tuning_factors* factors = nullptr; // null: none
    std::array<rule_of_products, 2> by_rule{};
    // The kernel that is chosen for a single product with a vector in place of those in
    // `worse_for_vectors`, whose predictions are too short where sizes are beyond readings
    // (docs/experiments/selection.md). Null: none.
    const kernel_entry<sgemm_problem>* for_vectors = nullptr;
    std::array<const kernel_entry<sgemm_problem>*, 4> worse_for_vectors{};

    // The variant of a kernel; -1 if its time cannot be predicted.
    int variant_of(const kernel_entry<sgemm_problem>& kernel) const {
        for (size_t i = 0; i < model->variants.size(); ++i)
            if (kernels[i] == &kernel)
                return static_cast<int>(i);
        return -1;
    }

    float factor(size_t variant, const sgemm_problem& p) const {
        return factors ? factors->of_variant[variant][p.transa * 2 + p.transb] : 1;
    }
};

// The data of the selection. Products use the predictor first, if there is one, then the rules.
template <class Problem>
struct selection_table {
    rule_list<Problem> rules;
    const myblas::predictor* predictor = nullptr; // for sgemm_problem only
};

// The table for a device: of the newest tuned architecture that is not newer than the device.
template <class Problem>
selection_table<Problem> host_table();
template <class Problem>
selection_table<Problem> cuda_table(int arch);

template <class Problem>
selection_table<Problem> table_of(myblasBackend_t backend, const device_info& device) {
    return backend == MYBLAS_BACKEND_HOST ? host_table<Problem>()
                                          : cuda_table<Problem>(device.arch);
}

// ---- Acceptance ---------------------------------------------------------------------------------

template <class Problem>
bool runs_on(const kernel_entry<Problem>& kernel, const device_info& device) {
    return (!kernel.min_arch || device.arch >= kernel.min_arch) &&
           (!kernel.max_arch || device.arch <= kernel.max_arch);
}

// Whether the caller's math mode allows the kernel.
template <class Problem>
bool allows(const Problem& problem, const kernel_entry<Problem>& kernel) {
    if constexpr (requires { problem.math; })
        return problem.math == MYBLAS_FP32_REPRODUCIBLE_MATH ? kernel.keeps_k_order
                                                             : kernel.math <= problem.math;
    else
        return true;
}

// Why the kernel cannot do what a product asks for besides its extents; null if it can.
template <class Problem>
const char* missing_in(const kernel_entry<Problem>& kernel, const Problem& problem) {
    if constexpr (std::is_same_v<Problem, sgemm_problem>) {
        if (!kernel.has_epilogue && !problem.epilogue.is_empty())
            return "it has no epilogue";
        if (!kernel.takes_triangles && problem.triangle != triangle_of_c::none)
            return "it computes all of C";
        if (!kernel.takes_backwards && runs_backwards(problem))
            return "its vectors run forwards";
    }
    return nullptr;
}

template <class Problem>
bool accepts(const kernel_entry<Problem>& kernel,
             const Problem& problem,
             const device_info& device,
             size_t workspace_bytes) {
    return runs_on(kernel, device) && allows(problem, kernel) && !missing_in(kernel, problem) &&
           (!kernel.accepts || kernel.accepts(problem, device)) &&
           (!kernel.workspace_bytes || kernel.workspace_bytes(problem, device) <= workspace_bytes);
}

// ---- Choice -------------------------------------------------------------------------------------

inline bool is_strict(const kernel_entry<sgemm_problem>& kernel) {
    return kernel.math == MYBLAS_FP32_STRICT_MATH;
}

// Factor on the predicted times of weaker modes' kernels. A caller who allows weaker modes must not
// wait longer than in strict mode, if both are about as fast (docs/experiments/selection.md). Times
// of batches are predicted less exactly, as they depend on scalars and on pointers in arrays.
inline float margin_of_weaker_modes(const sgemm_problem& p) {
    return p.batch_count > 1 ? 1.12f : 1.08f;
}

// The kernel with the least predicted time, that margin included, among the variants in the mask
// that accept the problem. Null if there is none, or if too few compete.
inline const kernel_entry<sgemm_problem>* fastest_of(uint64_t variants,
                                                     bool any_rounds,
                                                     const predictor& by,
                                                     const problem_view& view,
                                                     const work_query& q) {
    struct candidate {
        float cycles;
        size_t variant;
        union { // so that unused elements are not initialised
            work_estimate work;
        };
        candidate() {}
    };
    std::array<candidate, tuning_factors::most_variants> candidates;
    size_t count = 0, strict_count = 0;
    for (; variants; variants &= variants - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(variants));
        const kernel_entry<sgemm_problem>* kernel = by.kernels[i];
        if (!kernel || !allows(q.problem, *kernel) || missing_in(*kernel, q.problem) ||
            !runs_on(*kernel, q.device))
            continue;
        candidate& next = candidates[count];
        next.variant = i;
        next.work = kernel->work(q);
        if (!any_rounds && next.work.rounds > by.model->variants[i].most_rounds)
            continue;
        ++count;
        strict_count += is_strict(*kernel);
    }
    if (!any_rounds && strict_count < by.model->least_competing)
        return nullptr;
    const std::span all(candidates.data(), count);
    for (candidate& c : all) {
        const physical_time time(by.model->variants[c.variant], view, c.work);
        c.cycles = time.total * by.factor(c.variant, q.problem) *
                   factor_of_c(by.model->variants[c.variant], view);
        if (!is_strict(*by.kernels[c.variant]))
            c.cycles *= margin_of_weaker_modes(q.problem);
    }
    // The accepting candidate with the fewest cycles; null if there is none. Asking a kernel
    // whether it accepts takes as long as a prediction. In the order of cycles, mostly only one or
    // two kernels are asked.
    constexpr float never = std::numeric_limits<float>::infinity();
    const candidate* known = nullptr; // it accepts the problem
    const auto find_least = [&]() -> const candidate* {
        for (;;) {
            candidate* least = nullptr;
            float least_cycles = never;
            for (candidate& c : all)
                if (c.cycles < least_cycles)
                    least = &c, least_cycles = c.cycles;
            if (!least || least == known)
                return least;
            const kernel_entry<sgemm_problem>& kernel = *by.kernels[least->variant];
            if (accepts(kernel, q.problem, q.device, q.workspace_bytes))
                return least;
            least->cycles = never;
        }
    };
    known = find_least();
    if (!known)
        return nullptr;
    const auto weights_of = [&](const candidate& c) -> const learned_weights& {
        return by.model->variants[c.variant].weights_for(q.problem);
    };
    const float most_cycles = known->cycles * weights_of(*known).most_factor;
    for (candidate& c : all) {
        const learned_weights& weights = weights_of(c);
        c.cycles = c.cycles * weights.least_factor <= most_cycles
                       ? c.cycles * learned_factor(weights, view, c.work)
                       : never; // not the fastest with any factor
    }
    const candidate* best = find_least();
    return by.kernels[(best ? best : known)->variant];
}

// The bits of all variants.
inline uint64_t all_variants(const time_model& model) {
    return ~uint64_t{0} >> (64 - model.variants.size());
}

// All but the kernel for vectors, if it would read the long operand from memory once for each line
// of the short side. Its predictions are too short there.
inline uint64_t reading_once(const predictor& by, const work_query& q) {
    const sgemm_problem& p = q.problem;
    const auto long_elements = static_cast<double>(std::max(p.m, p.n)) * static_cast<double>(p.k);
    const bool reads_again =
        p.batch_count == 1 && std::min(p.m, p.n) > 1 &&
        2 * sizeof(float) * long_elements > static_cast<double>(q.device.l2_bytes);
    const int variant = reads_again && by.for_vectors ? by.variant_of(*by.for_vectors) : -1;
    return variant < 0 ? ~uint64_t{0} : ~(uint64_t{1} << variant);
}

// Those of the variants that compete for the problem. In reproducible mode all do, because domains
// were measured in other modes, where more kernels compete.
inline uint64_t competing(const predictor& by, const problem_view& view, const work_query& q) {
    return q.problem.math == MYBLAS_FP32_REPRODUCIBLE_MATH ? all_variants(*by.model)
                                                           : view.candidates & reading_once(by, q);
}

// Tries the variants that compete for the problem. If they are too few, or none accepts, tries all,
// the kernel for vectors last if it reads again.
inline const kernel_entry<sgemm_problem>* fastest(const predictor& by,
                                                  const sgemm_problem& problem,
                                                  const device_info& device,
                                                  size_t workspace_bytes) {
    for (const rule_of_products& rule : by.by_rule)
        if (rule.applies_to(problem) && accepts(*rule.kernel, problem, device, workspace_bytes))
            return rule.kernel;
    const work_query query(problem, device, workspace_bytes);
    const problem_view view(*by.model, query);
    const auto* kernel = fastest_of(competing(by, view, query), false, by, view, query);
    const uint64_t all = all_variants(*by.model);
    if (!kernel)
        kernel = fastest_of(all & reading_once(by, query), true, by, view, query);
    if (!kernel)
        kernel = fastest_of(all, true, by, view, query);
    const auto& worse = by.worse_for_vectors;
    const bool is_replaced = kernel && problem.batch_count == 1 &&
                             std::min(problem.m, problem.n) == 1 &&
                             std::find(worse.begin(), worse.end(), kernel) != worse.end() &&
                             accepts(*by.for_vectors, problem, device, workspace_bytes);
    return is_replaced ? by.for_vectors : kernel;
}

// The kernel with the least predicted time, with the margin for weaker modes, or of the first rule
// that matches and accepts. Null only if the last rule does not accept everything, which the tests
// exclude.
template <class Problem>
const kernel_entry<Problem>* select(const selection_table<Problem>& table,
                                    const Problem& problem,
                                    const device_info& device,
                                    size_t workspace_bytes) {
    if constexpr (std::is_same_v<Problem, sgemm_problem>)
        if (table.predictor && !runs_backwards(problem))
            if (const auto* kernel = fastest(*table.predictor, problem, device, workspace_bytes))
                return kernel;
    const selection_key key = make_key(problem);
    for (const rule<Problem>& candidate : table.rules) {
        if (!(candidate.forms & key.form))
            continue;
        bool inside = true;
        for (size_t i = 0; i < key.extents.size(); ++i)
            inside = inside && candidate.extents[i].contains(key.extents[i]);
        if (inside && accepts(*candidate.kernel, problem, device, workspace_bytes))
            return candidate.kernel;
    }
    return nullptr;
}

// The one of `kernels` that the selection would choose: the fastest by prediction, or else the
// first that accepts.
template <class Problem>
const kernel_entry<Problem>* select_among(kernel_list<Problem> kernels,
                                          const selection_table<Problem>& table,
                                          const Problem& problem,
                                          const device_info& device,
                                          size_t workspace_bytes) {
    if constexpr (std::is_same_v<Problem, sgemm_problem>)
        if (const predictor* by = table.predictor; by && kernels.size() > 1) {
            uint64_t variants = 0;
            for (const kernel_entry<sgemm_problem>* kernel : kernels)
                if (const int variant = by->variant_of(*kernel); variant >= 0)
                    variants |= uint64_t{1} << variant;
            const work_query query(problem, device, workspace_bytes);
            const problem_view view(*by->model, query);
            if (const auto* kernel = fastest_of(variants, true, *by, view, query))
                return kernel;
        }
    for (const kernel_entry<Problem>* kernel : kernels)
        if (accepts(*kernel, problem, device, workspace_bytes))
            return kernel;
    return nullptr;
}

} // namespace myblas

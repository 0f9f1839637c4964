// Problem + device -> kernel. Pure: no CUDA, no handle, no state.
#pragma once

#include "core/kernel_entry.h"
#include "core/routine.h"
#include "select/model.h"

#include <array>
#include <limits>

namespace myblas {

// ---- Tables --------------------------------------------------------------------------------------

// What a user measured on a card of his own: factors on predicted times, by form (transa * 2 + transb), as
// logarithms to base 2.
struct tuning_factors {
    static constexpr size_t most_variants = 64;
    std::array<std::array<float, 4>, most_variants> of_variant{};
};

// A model with the kernels that its variants are; null where the library has none of that name.
struct predictor {
    const time_model* model;
    std::array<const kernel_entry<sgemm_problem>*, tuning_factors::most_variants> kernels{};
    const tuning_factors* factors = nullptr; // null: none

    // The variant of a kernel; -1 if its time cannot be predicted.
    int variant_of(const kernel_entry<sgemm_problem>& kernel) const {
        for (size_t i = 0; i < model->variants.size(); ++i)
            if (kernels[i] == &kernel)
                return static_cast<int>(i);
        return -1;
    }

    float log_factor(size_t variant, const sgemm_problem& p) const {
        return factors ? factors->of_variant[variant][p.transa * 2 + p.transb] : 0;
    }
};

// All that the selection goes by: for products the predictor first, where there is one, then the rules.
template <class Problem>
struct selection_table {
    rule_list<Problem> rules;
    const myblas::predictor* predictor = nullptr; // of sgemm_problem alone
};

// What was measured for a device: the table of the newest tuned architecture not newer than it.
template <class Problem>
selection_table<Problem> host_table();
template <class Problem>
selection_table<Problem> cuda_table(int arch);

template <class Problem>
selection_table<Problem> table_of(myblasBackend_t backend, const device_info& device) {
    return backend == MYBLAS_BACKEND_HOST ? host_table<Problem>()
                                          : cuda_table<Problem>(device.arch);
}

// ---- Acceptance ----------------------------------------------------------------------------------

template <class Problem>
bool runs_on(const kernel_entry<Problem>& kernel, const device_info& device) {
    return (!kernel.min_arch || device.arch >= kernel.min_arch) &&
           (!kernel.max_arch || device.arch <= kernel.max_arch);
}

// Whether the caller's math mode allows what the kernel promises.
template <class Problem>
bool allows(const Problem& problem, const kernel_entry<Problem>& kernel) {
    if constexpr (requires { problem.math; })
        return kernel.math <= problem.math;
    else
        return true;
}

template <class Problem>
bool accepts(const kernel_entry<Problem>& kernel,
             const Problem& problem,
             const device_info& device,
             size_t workspace_bytes) {
    if (!runs_on(kernel, device) || !allows(problem, kernel))
        return false;
    if (kernel.accepts && !kernel.accepts(problem, device))
        return false;
    return !kernel.workspace_bytes || kernel.workspace_bytes(problem, device) <= workspace_bytes;
}

// ---- Choice --------------------------------------------------------------------------------------

// The kernel of the least predicted time that accepts the problem, of those that compete for it, or else of all;
// null if there is none.
inline const kernel_entry<sgemm_problem>* fastest(const predictor& by,
                                                  const sgemm_problem& problem,
                                                  const device_info& device,
                                                  size_t workspace_bytes) {
    const std::span<const variant_model> variants = by.model->variants;
    const problem_view view(*by.model, problem, device);
    struct candidate {
        float log_cycles;
        const kernel_entry<sgemm_problem>* kernel;
    };
    for (const bool competes : {true, false}) {
        std::array<candidate, tuning_factors::most_variants> candidates;
        size_t count = 0;
        for (size_t i = 0; i < variants.size(); ++i) {
            const kernel_entry<sgemm_problem>* kernel = by.kernels[i];
            if (!kernel || (competes && !lies_in_domain(variants[i], view)) ||
                !allows(problem, *kernel) || !runs_on(*kernel, device))
                continue;
            const work_estimate work = kernel->work(problem, device, workspace_bytes);
            if (competes && !has_few_rounds(variants[i], work))
                continue;
            candidates[count++] = {predict(variants[i], view, work).log_cycles() +
                                       by.log_factor(i, problem),
                                   kernel};
        }
        while (count > 0) {
            size_t best = 0;
            for (size_t i = 1; i < count; ++i)
                if (candidates[i].log_cycles < candidates[best].log_cycles)
                    best = i;
            if (accepts(*candidates[best].kernel, problem, device, workspace_bytes))
                return candidates[best].kernel;
            candidates[best] = candidates[--count];
        }
    }
    return nullptr;
}

// The kernel of the least predicted time, or of the first rule that matches and accepts; null only if the last rule
// does not accept everything, which the tests exclude.
template <class Problem>
const kernel_entry<Problem>* select(const selection_table<Problem>& table,
                                    const Problem& problem,
                                    const device_info& device,
                                    size_t workspace_bytes) {
    if constexpr (std::is_same_v<Problem, sgemm_problem>)
        if (table.predictor)
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

} // namespace myblas

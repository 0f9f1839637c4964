// Problem + device -> kernel. Pure: no CUDA, no handle, no state.
#pragma once

#include "core/kernel_entry.h"
#include "core/routine.h"

#include <limits>

namespace myblas {

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

// The kernel of the least predicted time among those that have costs and accept the problem.
template <class Problem>
const kernel_entry<Problem>* fastest(cost_list<Problem> costs,
                                     const Problem& problem,
                                     const device_info& device,
                                     size_t workspace_bytes) {
    const size_t form = form_of(problem);
    const kernel_entry<Problem>* best = nullptr;
    double best_us = std::numeric_limits<double>::infinity();
    for (const kernel_cost<Problem>& candidate : costs) {
        const cost& measured = candidate.of_form[form];
        if (!measured.is_measured() || !allows(problem, *candidate.kernel))
            continue;
        const double us = measured.predict_us(candidate.kernel->work(problem, device));
        if (us < best_us && accepts(*candidate.kernel, problem, device, workspace_bytes)) {
            best = candidate.kernel;
            best_us = us;
        }
    }
    return best;
}

// The kernel of the first rule that matches and accepts; null only if the last rule does not accept
// everything, which the tests exclude.
template <class Problem>
const kernel_entry<Problem>* select(const selection_table<Problem>& table,
                                    const Problem& problem,
                                    const device_info& device,
                                    size_t workspace_bytes) {
    const selection_key key = make_key(problem);
    for (const rule<Problem>& candidate : table.rules) {
        if (!(candidate.forms & key.form))
            continue;
        bool inside = true;
        for (size_t i = 0; i < key.extents.size(); ++i)
            inside = inside && candidate.extents[i].contains(key.extents[i]);
        if (!inside)
            continue;
        if (candidate.kernel == by_cost) {
            if (const auto* kernel = fastest(table.costs, problem, device, workspace_bytes))
                return kernel;
        } else if (accepts(*candidate.kernel, problem, device, workspace_bytes)) {
            return candidate.kernel;
        }
    }
    return nullptr;
}

} // namespace myblas

// Problem + device -> kernel. Pure: no CUDA, no handle, no state.
#pragma once

#include "core/kernel_entry.h"
#include "core/routine.h"

namespace myblas {

// The measured rules for a device: those of the newest tuned architecture not newer than it.
template <class Problem>
rule_list<Problem> host_rules();
template <class Problem>
rule_list<Problem> cuda_rules(int arch);

template <class Problem>
rule_list<Problem> rules_of(myblasBackend_t backend, const device_info& device) {
    return backend == MYBLAS_BACKEND_HOST ? host_rules<Problem>()
                                          : cuda_rules<Problem>(device.arch);
}

template <class Problem>
bool runs_on(const kernel_entry<Problem>& kernel, const device_info& device) {
    return (!kernel.min_arch || device.arch >= kernel.min_arch) &&
           (!kernel.max_arch || device.arch <= kernel.max_arch);
}

template <class Problem>
bool accepts(const kernel_entry<Problem>& kernel,
             const Problem& problem,
             const device_info& device,
             size_t workspace_bytes) {
    if (!runs_on(kernel, device))
        return false;
    if (kernel.accepts && !kernel.accepts(problem, device))
        return false;
    return !kernel.workspace_bytes || kernel.workspace_bytes(problem, device) <= workspace_bytes;
}

// The kernel of the first rule that matches and accepts; null only if the last rule does not accept
// everything, which the tests exclude.
template <class Problem>
const kernel_entry<Problem>* select(rule_list<Problem> rules,
                                    const Problem& problem,
                                    const device_info& device,
                                    size_t workspace_bytes) {
    const selection_key key = make_key(problem);
    for (const rule<Problem>& candidate : rules) {
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

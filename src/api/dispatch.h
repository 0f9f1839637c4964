// From a validated problem to the launch of a kernel.
#pragma once

#include "api/context.h"
#include "api/describe.h"
#include "api/tuning.h"
#include "core/routine.h"
#include "select/select.h"

#include <type_traits>

namespace myblas {

// The kernel that a call takes with this much workspace: the one that is forced, if it accepts the
// problem, else the selection's. Null if there is none.
template <class Problem>
const kernel_entry<Problem>*
choose_kernel(myblasContext& handle, const Problem& problem, size_t workspace_bytes) noexcept {
    const myblasBackend_t backend = handle.backend->id;
    const int forced = handle.forced[routine_traits<Problem>::routine].index;
    if (forced == forced_kernel::none) {
        const auto select_now = [&] {
            return select(current_table<Problem>(backend, handle.device),
                          problem,
                          handle.device,
                          workspace_bytes);
        };
        if constexpr (std::is_same_v<Problem, sgemm_problem>)
            return handle.sgemm_selections.find(problem, workspace_bytes, select_now);
        else
            return select_now();
    }
    if (forced == forced_kernel::unknown)
        return nullptr;
    const kernel_entry<Problem>& kernel = *kernels_of<Problem>(backend)[forced];
    return accepts(kernel, problem, handle.device, workspace_bytes) ? &kernel : nullptr;
}

template <class Problem>
myblasStatus_t refuse_kernel(const myblasContext& handle, const char* function) noexcept {
    switch (handle.forced[routine_traits<Problem>::routine].index) {
    case forced_kernel::none:
        return refuse(function, MYBLAS_STATUS_NOT_SUPPORTED, "no kernel accepts the call");
    case forced_kernel::unknown:
        return refuse(function,
                      MYBLAS_STATUS_NOT_SUPPORTED,
                      "the environment forces a kernel that this backend does not have");
    default:
        return refuse(
            function, MYBLAS_STATUS_NOT_SUPPORTED, "the forced kernel does not accept the call");
    }
}

// The way of every call that computes. Nothing here allocates, waits or throws.
template <class Problem>
[[nodiscard]] myblasStatus_t
dispatch(myblasContext& handle, const char* function, const Problem& problem) noexcept {
    const launch_context context = make_launch_context(handle);
    const kernel_entry<Problem>* kernel = choose_kernel(handle, problem, context.workspace_bytes);
    if (!kernel)
        return refuse_kernel<Problem>(handle, function);

    if (logger::is_on())
        logger::write("%s: %s %s", function, kernel->name, describe(problem).text);
    const device_guard guard(handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (const myblasStatus_t failure = kernel->launch(problem, context))
        return refuse(function, failure, "the launch failed");
    handle.last_kernel[routine_traits<Problem>::routine] = kernel->name;
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas

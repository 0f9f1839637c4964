// From a validated problem to the launch of a kernel.
#pragma once

#include "api/context.h"
#include "api/describe.h"
#include "api/plan.h"
#include "api/tuning.h"
#include "core/routine.h"
#include "select/select.h"

#include <algorithm>
#include <type_traits>

namespace myblas {

// The kernel that a call takes with this much workspace: the one that is forced, if it accepts the
// problem, else the selection's.
template <class Problem>
selection<Problem>
choose_kernel(myblasContext& handle, const Problem& problem, size_t workspace_bytes) noexcept {
    const myblasBackend_t backend = handle.backend->id;
    const forced_kernel forced = handle.forced[routine_traits<Problem>::routine];
    const auto with_workspace = [&](const kernel_entry<Problem>* kernel) -> selection<Problem> {
        if (!kernel)
            return {};
        if constexpr (planned<Problem>)
            if (!kernel->launch)
                return choose_plan(handle, *kernel, problem, workspace_bytes);
        return {kernel,
                std::min(workspace_bytes, useful_workspace(*kernel, problem, handle.device))};
    };
    if (forced.index == forced_kernel::none) {
        const auto select_now = [&] {
            return with_workspace(select(current_table<Problem>(backend, handle.device),
                                         problem,
                                         handle.device,
                                         workspace_bytes));
        };
        if constexpr (std::is_same_v<Problem, sgemm_problem>)
            return handle.sgemm_selections.find(problem, workspace_bytes, select_now);
        else
            return select_now();
    }
    if (forced.index == forced_kernel::unknown)
        return {};
    return with_workspace(
        select_among(kernels_of<Problem>(backend).subspan(static_cast<size_t>(forced.index),
                                                          static_cast<size_t>(forced.count)),
                     current_table<Problem>(backend, handle.device),
                     problem,
                     handle.device,
                     workspace_bytes));
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

// Where the kernel can use more workspace than the stream has from the beginning: gives it as much, or
// as much as there may be, for which another kernel may be better. A call never gets more than it can use,
// so that its result does not depend on how far earlier calls made the workspace grow.
template <class Problem>
selection<Problem> find_room(myblasContext& handle,
                             const Problem& problem,
                             selection<Problem> chosen,
                             launch_context* context) noexcept {
    while (chosen.kernel && chosen.workspace_bytes > context->workspace_bytes) {
        const size_t bytes = grow_workspace(handle, chosen.workspace_bytes);
        if (bytes == chosen.workspace_bytes) {
            context->workspace = handle.current->grown->memory;
            context->workspace_bytes = bytes;
        } else {
            chosen = choose_kernel(handle, problem, bytes);
        }
    }
    return chosen;
}

template <class Problem>
[[nodiscard]] myblasStatus_t launch(myblasContext& handle,
                                    const Problem& problem,
                                    const selection<Problem>& chosen,
                                    const launch_context& context) noexcept {
    if constexpr (planned<Problem>)
        if (!chosen.kernel->launch)
            return run_plan(handle, problem, chosen, context);
    return chosen.kernel->launch(problem, context);
}

// The way of every call that computes. Nothing here waits or throws, and nothing but grow_workspace
// allocates.
template <class Problem>
[[nodiscard]] myblasStatus_t
dispatch(myblasContext& handle, const char* function, const Problem& problem) noexcept {
    const device_guard guard(handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    launch_context context = make_launch_context(handle);
    selection<Problem> chosen = choose_kernel(handle, problem, most_workspace(handle));
    if (chosen.workspace_bytes > context.workspace_bytes)
        chosen = find_room(handle, problem, chosen, &context);
    const kernel_entry<Problem>* const kernel = chosen.kernel;
    if (!kernel)
        return refuse_kernel<Problem>(handle, function);

    if (logger::is_on())
        logger::write("%s: %s %s", function, kernel->name, describe(problem).text);
    if (const myblasStatus_t failure = launch(handle, problem, chosen, context))
        return refuse(function, failure, "the launch failed");
    handle.last_kernel[routine_traits<Problem>::routine] = kernel->name;
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas

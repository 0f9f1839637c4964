// From a validated problem to the launch of a kernel.
#pragma once

#include "api/context.h"
#include "api/describe.h"
#include "api/plan.h"
#include "api/preparation.h"
#include "api/tuning.h"
#include "core/routine.h"
#include "select/select.h"

#include <algorithm>
#include <type_traits>

namespace myblas {

// The kernel that a call takes with this much workspace: selected among the forced kernels, or
// among all if none is forced.
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
        return refuse(function,
                      MYBLAS_STATUS_NOT_SUPPORTED,
                      handle.math_mode == MYBLAS_FP32_REPRODUCIBLE_MATH
                          ? "no kernel computes the call in reproducible mode"
                          : "no kernel accepts the call");
    case forced_kernel::unknown:
        return refuse(function,
                      MYBLAS_STATUS_NOT_SUPPORTED,
                      "the environment forces a kernel that this backend does not have");
    default:
        return refuse(
            function, MYBLAS_STATUS_NOT_SUPPORTED, "the forced kernel does not accept the call");
    }
}

// Plans launch kernels that use counters.
template <class Problem>
bool uses_counters(const kernel_entry<Problem>& kernel) {
    return kernel.uses_counters || !kernel.launch;
}

// Finds a workspace of the size that the chosen kernel can use, and counters. If only a smaller
// workspace is available, chooses the kernel again. A call never gets more workspace than it can
// use, so that its result does not depend on earlier calls, which may have enlarged the workspace.
template <class Problem>
[[nodiscard]] myblasStatus_t find_memory(myblasContext& handle,
                                         const Problem& problem,
                                         selection<Problem>* chosen,
                                         launch_context* context) noexcept {
    stream_capture capture;
    if (const myblasStatus_t failure = find_capture(handle, &capture))
        return failure;
    while (chosen->workspace_bytes > context->workspace_bytes) {
        const size_t bytes =
            take_workspace(handle, capture, chosen->workspace_bytes, &context->workspace);
        if (bytes == chosen->workspace_bytes)
            context->workspace_bytes = bytes;
        else
            *chosen = choose_kernel(handle, problem, bytes);
        if (!chosen->kernel)
            return MYBLAS_STATUS_ALLOC_FAILED;
    }
    if (uses_counters(*chosen->kernel)) {
        context->counters = take_counters(handle, capture);
        if (!context->counters)
            return MYBLAS_STATUS_ALLOC_FAILED;
    }
    return MYBLAS_STATUS_SUCCESS;
}

// ALLOC_FAILED: there is no memory for a kernel's code, and nothing was launched.
template <class Problem>
[[nodiscard]] myblasStatus_t launch(myblasContext& handle,
                                    const Problem& problem,
                                    const selection<Problem>& chosen,
                                    const launch_context& context,
                                    const char** reason) noexcept {
    if (const myblasStatus_t failure = prepare(*chosen.kernel, handle, reason))
        return failure;
    if constexpr (planned<Problem>)
        if (!chosen.kernel->launch)
            return run_plan(handle, problem, chosen, context, reason);
    return chosen.kernel->launch(problem, context);
}

// Every call that computes passes here. Nothing here throws. Nothing waits for the stream, unless
// memory is lacking. Only find_memory allocates, and the runtime when it loads a kernel's code
// (api/preparation.h).
template <class Problem>
[[nodiscard, gnu::noinline]] myblasStatus_t
dispatch(myblasContext& handle, const char* function, const Problem& problem) noexcept {
    const device_guard guard(handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    selection<Problem> chosen = choose_kernel(handle, problem, most_workspace(handle));
    if (!chosen.kernel)
        return refuse_kernel<Problem>(handle, function);
    launch_context context{.device = &handle.device, .stream = handle.stream};
    if (handle.has_user_workspace) {
        context.workspace = handle.user_workspace;
        context.workspace_bytes = chosen.workspace_bytes;
    }
    if (chosen.workspace_bytes > context.workspace_bytes || uses_counters(*chosen.kernel))
        if (const myblasStatus_t failure = find_memory(handle, problem, &chosen, &context))
            return refuse(function,
                          failure,
                          failure == MYBLAS_STATUS_ALLOC_FAILED
                              ? "no memory for the kernel's workspace or counters"
                              : "the capture of its stream is invalid");
    const kernel_entry<Problem>* const kernel = chosen.kernel;

    if (logger::is_on())
        logger::write("%s: %s %s", function, kernel->name, describe(problem).text);
    const char* reason = "the launch failed";
    myblasStatus_t failure = launch(handle, problem, chosen, context, &reason);
    if (failure == MYBLAS_STATUS_ALLOC_FAILED && release_unused(handle)) {
        reason = "the launch failed";
        failure = launch(handle, problem, chosen, context, &reason);
    }
    if (failure != MYBLAS_STATUS_SUCCESS)
        return refuse(function, failure, reason);
    handle.last_kernel[routine_traits<Problem>::routine] = kernel->name;
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas

// From a validated problem to the launch of a kernel.
#pragma once

#include "api/context.h"
#include "api/describe.h"
#include "api/tuning.h"
#include "core/routine.h"
#include "level3/plan.h"
#include "select/select.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace myblas {

// Routines that have a plan.
template <class Problem>
concept planned = requires(const Problem& p, const device_info& d) {
    need_of(p, d);
};

// What a plan takes with this much workspace, for itself and for its products (below).
template <planned Problem>
selection<Problem> choose_plan(myblasContext& handle,
                               const kernel_entry<Problem>& kernel,
                               const Problem& problem,
                               size_t workspace_bytes) noexcept;

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

// ---- Plans -----------------------------------------------------------------------------------------

inline constexpr size_t workspace_multiple =
    256; // bytes, at which a plan's products find their workspace

// Looks at a plan without running it: what workspace the products want that it has, of at most `limit` for each.
class plan_measure final : public plan_steps {
public:
    plan_measure(myblasContext& of, size_t most) : handle(of), limit(most) {}

    size_t bytes() const { return most_wanted; }

    myblasStatus_t take(const sgemm_problem& p) noexcept override { return add(p); }
    myblasStatus_t take(const geam_problem& p) noexcept override { return add(p); }
    myblasStatus_t take(const mirror_part&) noexcept override { return MYBLAS_STATUS_SUCCESS; }
    myblasStatus_t take(const store_part&) noexcept override { return MYBLAS_STATUS_SUCCESS; }
    myblasStatus_t take(const triangle_part&) noexcept override { return MYBLAS_STATUS_SUCCESS; }
    myblasStatus_t take(const gate_part&) noexcept override { return MYBLAS_STATUS_SUCCESS; }
    myblasStatus_t take(const pointers_part&) noexcept override { return MYBLAS_STATUS_SUCCESS; }

private:
    template <class Problem>
    myblasStatus_t add(const Problem& problem) noexcept {
        const selection<Problem> chosen = choose_kernel(handle, problem, limit);
        most_wanted = std::max(most_wanted, chosen.workspace_bytes);
        return chosen.kernel ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_NOT_SUPPORTED;
    }

    myblasContext& handle;
    const size_t limit;
    size_t most_wanted = 0;
};

// Launches the steps of a plan, with the workspace that its products share.
class plan_run final : public plan_steps {
public:
    plan_run(myblasContext& of, const launch_context& with)
        : handle(of), context(with),
          parts(of.backend->id == MYBLAS_BACKEND_HOST ? host_parts() : cuda_parts()) {}

    myblasStatus_t take(const sgemm_problem& p) noexcept override { return launch(p); }
    myblasStatus_t take(const geam_problem& p) noexcept override { return launch(p); }
    myblasStatus_t take(const mirror_part& p) noexcept override { return parts.mirror(p, context); }
    myblasStatus_t take(const store_part& p) noexcept override { return parts.store(p, context); }
    myblasStatus_t take(const triangle_part& p) noexcept override {
        return parts.triangle(p, context);
    }
    myblasStatus_t take(const gate_part& p) noexcept override { return parts.gate(p, context); }
    myblasStatus_t take(const pointers_part& p) noexcept override {
        return parts.pointers(p, context);
    }

private:
    template <class Problem>
    myblasStatus_t launch(const Problem& problem) noexcept {
        const auto chosen = choose_kernel(handle, problem, context.workspace_bytes);
        return chosen.kernel ? chosen.kernel->launch(problem, context)
                             : MYBLAS_STATUS_NOT_SUPPORTED;
    }

    myblasContext& handle;
    const launch_context context;
    const part_kernels& parts;
};

// The plan takes for itself what is of use to it, but of a small workspace no more than half unless it needs more.
template <planned Problem>
selection<Problem> choose_plan(myblasContext& handle,
                               const kernel_entry<Problem>& kernel,
                               const Problem& problem,
                               size_t workspace_bytes) noexcept {
    const plan_need need = need_of(problem, handle.device);
    const size_t own = std::min(need.best, std::max(need.least, workspace_bytes / 2));
    const size_t offset = (own + workspace_multiple - 1) / workspace_multiple * workspace_multiple;
    if (own > workspace_bytes)
        return {};
    const size_t rest = workspace_bytes - std::min(workspace_bytes, offset);
    // Memory that nobody follows, aligned as what the plan will have.
    void* const somewhere = reinterpret_cast<void*>(uintptr_t{workspace_multiple});
    plan_measure measure(handle, rest);
    if (make_plan(problem, handle.device, {somewhere, own}, measure) != MYBLAS_STATUS_SUCCESS)
        return {};
    return {&kernel, measure.bytes() ? offset + measure.bytes() : own, own};
}

template <planned Problem>
[[nodiscard]] myblasStatus_t run_plan(myblasContext& handle,
                                      const Problem& problem,
                                      const selection<Problem>& chosen,
                                      launch_context context) noexcept {
    const plan_room room{context.workspace, chosen.plan_bytes};
    const size_t offset =
        (chosen.plan_bytes + workspace_multiple - 1) / workspace_multiple * workspace_multiple;
    const size_t used = std::min(chosen.workspace_bytes, offset);
    context.workspace = static_cast<char*>(context.workspace) + used;
    context.workspace_bytes = chosen.workspace_bytes - used;
    plan_run run(handle, context);
    return make_plan(problem, handle.device, room, run);
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

// Plans (level3/plan.h) of a handle: their workspace, and their launches.
#pragma once

#include "api/context.h"
#include "api/describe.h"
#include "api/logger.h"
#include "api/preparation.h"
#include "core/kernel_entry.h"
#include "core/routine.h"
#include "level3/plan.h"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>

namespace myblas {

// Routines that have a plan.
template <class Problem>
concept planned = requires(const Problem& p, const device_info& d) {
    workspace_need(p, d);
};

// In api/dispatch.h: kernels for a plan's products are chosen as for the caller's products.
template <class Problem>
selection<Problem>
choose_kernel(myblasContext& handle, const Problem& problem, size_t workspace_bytes) noexcept;

// The alignment in bytes of the products' workspace, which lies behind the plan's own part.
inline constexpr size_t workspace_multiple = 256;

constexpr size_t products_offset(size_t plan_bytes) {
    return (plan_bytes + workspace_multiple - 1) / workspace_multiple * workspace_multiple;
}

template <class Step>
concept has_kernels = std::is_same_v<Step, sgemm_problem> || std::is_same_v<Step, geam_problem>;

// Reads a plan without running it: calls use(selection) for each of its products, with the kernel
// that it takes with this much workspace. A failure of `use` ends the reading.
template <class Use>
class plan_reader final : public plan_steps {
public:
    plan_reader(myblasContext& of, size_t workspace_bytes, Use each)
        : handle(of), bytes(workspace_bytes), use(each) {}

    bool can_take(const sgemm_problem& p) noexcept override {
        return choose_kernel(handle, p, bytes).kernel;
    }

private:
    // NOLINTNEXTLINE(bugprone-exception-escape): a variant of trivial types always has a value
    myblasStatus_t execute(const plan_step& step) noexcept override {
        return std::visit([this](const auto& s) { return read(s); }, step);
    }
    template <class Step>
    myblasStatus_t read(const Step& step) {
        if constexpr (has_kernels<Step>) {
            const selection<Step> chosen = choose_kernel(handle, step, bytes);
            return chosen.kernel ? use(chosen) : MYBLAS_STATUS_NOT_SUPPORTED;
        }
        return MYBLAS_STATUS_SUCCESS; // small steps have no kernels to choose
    }

    myblasContext& handle;
    const size_t bytes;
    const Use use;
};

// Launches the steps of a plan, with the workspace that its products share.
class plan_run final : public plan_steps {
public:
    plan_run(myblasContext& of, const launch_context& with)
        : handle(of), context(with),
          steps(of.backend->id == MYBLAS_BACKEND_HOST ? host_steps() : cuda_steps()) {}

    bool can_take(const sgemm_problem& p) noexcept override {
        return choose_kernel(handle, p, context.workspace_bytes).kernel;
    }

private:
    // NOLINTNEXTLINE(bugprone-exception-escape): a variant of trivial types always has a value
    myblasStatus_t execute(const plan_step& step) noexcept override {
        const myblasStatus_t status = std::visit([this](const auto& s) { return run(s); }, step);
        if (status != MYBLAS_STATUS_SUCCESS && has_begun)
            return MYBLAS_STATUS_EXECUTION_FAILED; // others mean that nothing was computed
        has_begun = true;
        return status;
    }
    template <class Problem>
    requires has_kernels<Problem> myblasStatus_t run(const Problem& problem) {
        const auto chosen = choose_kernel(handle, problem, context.workspace_bytes);
        if (!chosen.kernel)
            return MYBLAS_STATUS_NOT_SUPPORTED;
        if (logger::is_on())
            logger::write("  step: %s by %s, %s",
                          routine_traits<Problem>::name,
                          chosen.kernel->name,
                          describe(problem).text);
        return chosen.kernel->launch(problem, context);
    }
    myblasStatus_t run(const mirror_step& s) { return run(s, steps.mirror, "mirror", s.n, s.n); }
    myblasStatus_t run(const store_step& s) {
        return run(s, steps.store, "diagonal blocks", s.n, s.block);
    }
    myblasStatus_t run(const join_step& s) {
        return run(s, steps.join, "operands joined", s.rows, s.cols);
    }
    myblasStatus_t run(const triangle_step& s) {
        const char* name = s.is_solve ? "triangles solved" : "triangles multiplied";
        return run(s, steps.triangle, name, s.n, s.lines);
    }
    myblasStatus_t run(const zero_if_alpha_zero& s) { return run(s, steps.gate, "gate", 1, 1); }
    myblasStatus_t run(const pointers_step& s) {
        return run(s, steps.pointers, "pointers", s.count, 3);
    }
    myblasStatus_t run(const zero_fill_step& s) { return steps.zero_fill(s, context); }
    myblasStatus_t run(const nonfinite_fixup& s) { return steps.fix_nonfinite(s, context); }

    template <class Step>
    myblasStatus_t run(const Step& step,
                       myblasStatus_t (*launch)(const Step&, const launch_context&),
                       const char* name,
                       int64_t rows,
                       int64_t cols) {
        if (logger::is_on())
            logger::write("  step: %s, %" PRId64 " x %" PRId64, name, rows, cols);
        return launch(step, context);
    }

    myblasContext& handle;
    const launch_context context;
    const step_functions& steps;
    bool has_begun = false;
};

// The workspace of a plan with `own` bytes for itself and up to `limit` for each of its products.
// No kernel: there is no kernel for one of the products.
template <planned Problem>
selection<Problem> measure_plan(myblasContext& handle,
                                const kernel_entry<Problem>& kernel,
                                const Problem& problem,
                                size_t own,
                                size_t limit) noexcept {
    // A pointer that is never dereferenced, aligned as the plan's memory will be.
    void* const somewhere = reinterpret_cast<void*>(uintptr_t{workspace_multiple});
    size_t most = 0;
    plan_reader measure(handle, limit, [&](const auto& chosen) {
        most = std::max(most, chosen.workspace_bytes);
        return MYBLAS_STATUS_SUCCESS;
    });
    make_plan(problem, handle.device, {somewhere, own}, measure);
    if (measure.status() != MYBLAS_STATUS_SUCCESS)
        return {};
    return {&kernel, most ? products_offset(own) + most : own, own};
}

// A plan takes all the workspace that is useful to itself and its products. If that is too much,
// the plan takes its own useful size, and the products get the rest. In a still smaller workspace
// the plan takes at most half, unless it needs more.
template <planned Problem>
selection<Problem> choose_plan(myblasContext& handle,
                               const kernel_entry<Problem>& kernel,
                               const Problem& problem,
                               size_t workspace_bytes) noexcept {
    const workspace_range need = workspace_need(problem, handle.device);
    if (need.best <= workspace_bytes) {
        constexpr size_t unlimited = std::numeric_limits<size_t>::max();
        const auto best = measure_plan(handle, kernel, problem, need.best, unlimited);
        if (!best.kernel || best.workspace_bytes <= workspace_bytes)
            return best;
    }
    // The products use the rest.
    const auto with_own = [&](size_t own) {
        const size_t rest = workspace_bytes - std::min(workspace_bytes, products_offset(own));
        return measure_plan(handle, kernel, problem, own, rest);
    };
    if (need.best <= workspace_bytes)
        if (const auto all = with_own(need.best); all.kernel)
            return all;
    const size_t own = std::min(need.best, std::max(need.least, workspace_bytes / 2));
    return own <= workspace_bytes ? with_own(own) : selection<Problem>{};
}

template <planned Problem>
[[nodiscard]] myblasStatus_t run_plan(myblasContext& handle,
                                      const Problem& problem,
                                      const selection<Problem>& chosen,
                                      launch_context context,
                                      const char** reason) noexcept {
    const plan_workspace workspace{context.workspace, chosen.plan_bytes};
    const size_t used = std::min(chosen.workspace_bytes, products_offset(chosen.plan_bytes));
    context.workspace = static_cast<char*>(context.workspace) + used;
    context.workspace_bytes = chosen.workspace_bytes - used;
    // Before any step is launched, so that a call whose kernels cannot be loaded has no effect.
    plan_reader preparation(handle, context.workspace_bytes, [&](const auto& product) {
        return prepare(*product.kernel, handle, reason);
    });
    make_plan(problem, handle.device, workspace, preparation);
    if (preparation.status() != MYBLAS_STATUS_SUCCESS)
        return preparation.status();
    plan_run run(handle, context);
    make_plan(problem, handle.device, workspace, run);
    return run.status();
}

} // namespace myblas

// Turns a described call (myblasCall_t) into the problem that the call itself would dispatch.
#pragma once

#include "api/logger.h"
#include "api/read.h"
#include "core/routine.h"
#include "myblas/myblas.h"

namespace myblas {

// The handle's settings that a described call depends on.
struct call_setting {
    myblasMath_t math;
    bool has_results_on_device;
    bool has_scalars_on_host; // of a handle on the cuda backend
};

// Fills in the problem. Returns the fault of the call, or null. *is_quick: the call would end
// without a kernel.
template <class Problem>
fault read_call(const myblasCall_t& call,
                const call_setting& setting,
                Problem* p,
                bool* is_quick) noexcept {
    if constexpr (requires { p->take_form(call); })
        p->take_form(call);
    if constexpr (requires { p->math; })
        p->math = setting.math;
    reader list(described_source(
        call, requires { p->a; }));
    p->operands(list);
    if (list.wrong)
        return list.wrong;
    normalise(*p);
    if constexpr (reduction<Problem>) {
        *is_quick = p->n == 0 && !setting.has_results_on_device;
    } else {
        *is_quick = is_empty(*p);
        if (*is_quick)
            return nullptr;
    }
    if constexpr (requires { p->take_more(call); })
        if (const fault found = p->take_more(call))
            return found;
    if (const fault found = check_operands(*p))
        return found;
    at_first_elements(*p);
    return nullptr;
}

// rotg and rotmg have only scalars, which calls do not describe.
template <class Problem>
requires std::is_same_v<Problem, rotg_problem> || std::is_same_v<Problem, rotmg_problem>
    fault read_call(const myblasCall_t&, const call_setting& setting, Problem*, bool* is_quick)
noexcept {
    *is_quick = setting.has_scalars_on_host;
    return nullptr;
}

// ---- Any routine --------------------------------------------------------------------------------

// Calls visit(problem) with the problem that the described call would dispatch, and returns visit's
// status. Returns SUCCESS if the call would dispatch nothing.
template <class Visitor>
myblasStatus_t visit_call(const char* function,
                          const myblasCall_t* call,
                          const call_setting& setting,
                          Visitor&& visit) noexcept {
    if (!call)
        return refuse(function, "call is NULL");
    if (call->size_bytes != sizeof(myblasCall_t))
        return refuse(function, wrong_size("call->size_bytes", call->size_bytes, sizeof *call));
    if (!is_routine(call->routine))
        return refuse(function, not_a_routine("call->routine", call->routine));
    return visit_routine(call->routine, [&]<class Problem>() {
        Problem problem;
        bool is_quick = false;
        if (const fault found = read_call(*call, setting, &problem, &is_quick))
            return refuse(function, found);
        return is_quick ? MYBLAS_STATUS_SUCCESS : visit(problem);
    });
}

} // namespace myblas

#include "cublas/call.h"

#include "common/environment.h"
#include "common/report.h"
#include "cublas/shadow.h"

namespace myblas::preload {
namespace {

// What is wrong with serving a call at all, or null.
const char* reason_against(const request& r) noexcept {
    if (const char* reason = why_switched_off())
        return reason;
    if (!r.handle)
        return "the handle is NULL";
    if (r.real.of_handles.major != 12 && r.real.of_handles.major != 13)
        return "cuBLAS is neither 12 nor 13";
    return r.against;
}

// True: *status is the answer of the call, and *label the kernel if a report is wanted; else *label says why not.
bool try_to_serve(const request& r, int* status, const char** label) noexcept {
    *label = reason_against(r);
    if (*label)
        return false;
    shadow* s = shadow::of(r.handle);
    if (!s) {
        *label = "too many cuBLAS handles";
        return false;
    }
    const std::lock_guard lock(s->mutex);
    const myblasHandle_t handle = s->prepare(r.handle, r.real.of_handles, label);
    if (!handle)
        return false;
    if (s->may_lack_room()) {
        myblasCall_t call = r.describe();
        call.routine = r.routine;
        s->make_room(call);
    }
    const myblasStatus_t answer = r.serve(handle);
    // A refused call has no side effects, so it is forwarded to cuBLAS.
    if (answer != MYBLAS_STATUS_SUCCESS && answer != MYBLAS_STATUS_EXECUTION_FAILED) {
        *label = s->why_refused(r.routine);
        if (answer == MYBLAS_STATUS_INVALID_VALUE)
            *label = "an argument is wrong";
        else if (!*label)
            *label = "libmyblas does not take the call";
        return false;
    }
    *status = answer;
    if (report::is_on()) {
        *label = nullptr;
        load_library()->get_last_kernel(handle, r.routine, label);
        if (!*label)
            *label = "none: nothing to compute";
    }
    return true;
}

} // namespace

const char* why_switched_off() noexcept {
    static constexpr const char *on = nullptr, *never = "MYBLAS_OFFLOAD=never",
                                *senseless = "MYBLAS_OFFLOAD makes no sense";
    static constexpr choice<const char*> choices[] = {
        {"auto", on}, {"always", on}, {"never", never}};
    static const char* const reason = read_choice("MYBLAS_OFFLOAD", choices, on, senseless);
    return reason;
}

int answer(const request& r) noexcept {
    const uint64_t begin = report::is_on() ? report::now_ns() : 0;
    int status = cublas_not_initialized;
    const char* label;
    const bool is_served = try_to_serve(r, &status, &label);
    if (!is_served)
        if (void* function = r.real.function(r.which, r.is_64, r.name, r.caller))
            status = r.forward(function);
    if (report::is_on()) {
        const myblasCall_t call = r.describe();
        report::add(static_cast<int>(r.which),
                    {call.m, call.n, call.k},
                    is_served,
                    label,
                    report::now_ns() - begin);
    }
    return status;
}

} // namespace myblas::preload

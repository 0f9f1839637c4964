// The way of every call: served through the shadow of its handle, or forwarded with the reason counted.
#pragma once

#include "common/report.h"
#include "cublas/shadow.h"

namespace myblas::preload {

const char*
why_switched_off() noexcept; // MYBLAS_OFFLOAD=never, or something senseless; null: it is not

// What is wrong with serving a call at all, or null.
inline const char* reason_against(const real_cublas& real, void* cublas) noexcept {
    if (const char* reason = why_switched_off())
        return reason;
    if (!cublas)
        return "the handle is NULL";
    if (real.major != 12 && real.major != 13)
        return "cuBLAS is neither 12 nor 13";
    return nullptr;
}

struct served {
    myblasStatus_t status;
    myblasRoutine_t computed_by;
};

// Tries `serve(library, handle, shadow)`, which answers a `served`. True: *status is the answer of the
// call. `against` is a reason not to try, or null.
template <class Serve>
bool try_to_serve(const real_cublas& real,
                  void* cublas,
                  bool uses_scalars,
                  const char* against,
                  int* status,
                  const char** label,
                  Serve&& serve) noexcept {
    *label = against ? against : reason_against(real, cublas);
    if (*label)
        return false;
    shadow* s = shadow::of(cublas);
    if (!s) {
        *label = "too many cuBLAS handles";
        return false;
    }
    const std::lock_guard lock(s->mutex);
    const myblasHandle_t handle = s->prepare(cublas, real, uses_scalars, label);
    if (!handle)
        return false;
    const library& l = *load_library();
    const served answer = serve(l, handle, *s);
    // A refused call has no side effects, so it is forwarded to cuBLAS.
    if (answer.status != MYBLAS_STATUS_SUCCESS && answer.status != MYBLAS_STATUS_EXECUTION_FAILED) {
        *label = s->why_refused(answer.computed_by);
        if (answer.status == MYBLAS_STATUS_INVALID_VALUE)
            *label = "an argument is wrong";
        else if (!*label)
            *label = "libmyblas does not take the call";
        return false;
    }
    *status = answer.status;
    if (report::is_on()) {
        *label = nullptr;
        l.get_last_kernel(handle, answer.computed_by, label);
        if (!*label)
            *label = "none: nothing to compute";
    }
    return true;
}

// As above, and if it fails calls `function` with the arguments. The handle is the first of them.
template <class Function, class Serve, class... Arguments>
int answer(entry e,
           const report::extents& extents,
           const real_cublas& real,
           Function* function,
           bool uses_scalars,
           const char* against,
           Serve&& serve,
           void* cublas,
           Arguments... arguments) noexcept {
    const uint64_t begin = report::is_on() ? report::now_ns() : 0;
    int status = cublas_not_initialized;
    const char* label;
    const bool is_served =
        try_to_serve(real, cublas, uses_scalars, against, &status, &label, serve);
    if (!is_served && function)
        status = function(cublas, arguments...);
    if (report::is_on())
        report::add(static_cast<int>(e), extents, is_served, label, report::now_ns() - begin);
    return status;
}

} // namespace myblas::preload

// Decides whether a call of cuBLAS is served or forwarded (try_to_serve). A call is forwarded if
//   the settings of the process rule it out (why_switched_off),
//   its arguments do, such as a type that is not FP32 (request::against, from entries.cpp, lt.cpp),
//   the settings of the cuBLAS handle do (read_settings, shadow::prepare), or
//   libmyblas refuses it.
#include "cublas/call.h"

#include "common/call_log.h"
#include "common/report.h"
#include "core/environment.h"

#include <algorithm>

namespace myblas::preload {
namespace {

// False: the math mode allows arithmetic that libmyblas does not have.
bool read_math_mode(int mode, arithmetic* asked) noexcept {
    switch (mode & ~cublas_irrelevant_math) {
    case cublas_default_math:
        *asked = arithmetic::fp32;
        return true;
    case cublas_pedantic_math:
        *asked = arithmetic::pedantic;
        return true;
    case cublas_emulated_math:
        *asked = arithmetic::emulated;
        return true;
    case cublas_tensor_op_math:
    case cublas_tf32_math:
        *asked = arithmetic::fp32;
        return serves_tf32();
    default:
        return false;
    }
}

// Why serving the call is ruled out from the start, or null.
const char* reason_against(const request& r) noexcept {
    if (const char* reason = why_switched_off())
        return reason;
    if (!r.handle)
        return "the handle is NULL";
    if (!is_known_version(r.major))
        return "cuBLAS is neither 12 nor 13";
    return r.against;
}

const char* read_settings(const real_cublas::settings& real, void* handle, call_settings* s) {
    int math = 0;
    if (!real.get_stream || !real.get_pointer_mode || !real.get_math_mode ||
        real.get_stream(handle, &s->stream) != 0 ||
        real.get_pointer_mode(handle, &s->pointer_mode) != 0 ||
        real.get_math_mode(handle, &math) != 0)
        return "cuBLAS does not tell the handle's settings";
    // The math mode applies to calls whose compute type leaves the arithmetic open.
    arithmetic of_handle = arithmetic::fp32;
    if (!read_math_mode(math, &of_handle) && s->asked != arithmetic::emulated)
        return "the math mode allows TF32 or half";
    if (s->asked == arithmetic::fp32)
        s->asked = of_handle;
    return nullptr;
}

// True: *status is the status of the call, and *label is the kernel if a report is wanted. False:
// *label says why the call is not served.
bool try_to_serve(const request& r, int* status, const char** label) noexcept {
    *label = reason_against(r);
    if (*label)
        return false;
    call_settings settings = r.given;
    if (r.real)
        *label = read_settings(*r.real, r.handle, &settings);
    if (*label)
        return false;
    shadow* s = shadow::of(r.real ? r.handle : lt_owner(r.handle));
    if (!s) {
        *label = "too many cuBLAS handles";
        return false;
    }
    const std::lock_guard lock(s->mutex);
    const myblasHandle_t handle = s->prepare(settings, label);
    if (!handle)
        return false;
    if (s->may_lack_room()) {
        described_call call = r.describe();
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

// Only calls in FP32 are logged.
void log_call(const request& r) noexcept {
    if (r.against)
        return;
    const described_call call = r.describe();
    call_log::add({.routine = static_cast<int>(r.which),
                   .side = call.side,
                   .uplo = call.uplo,
                   .transa = call.transa,
                   .transb = call.transb,
                   .diag = call.diag,
                   .m = call.m,
                   .n = call.n,
                   .k = call.k,
                   .lda = call.lda,
                   .ldb = call.ldb,
                   .ldc = call.ldc,
                   .incx = call.incx,
                   .incy = call.incy,
                   .batch = std::max<int64_t>(call.batch_count, 1),
                   .pointer_array = call.pointer_array != 0});
}

} // namespace

bool serves_tf32() noexcept {
    static constexpr choice<bool> choices[] = {{"forward", false}, {"serve", true}};
    static const bool serves = read_choice("MYBLAS_CUBLAS_TF32", choices, false, false);
    return serves;
}

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
        status = r.forward();
    if (call_log::is_on())
        log_call(r);
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

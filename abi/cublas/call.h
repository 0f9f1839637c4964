// The way of every call: served through the shadow of its handle, or forwarded with the reason counted.
#pragma once

#include "common/function_ref.h"
#include "cublas/real_cublas.h"
#include "cublas/shadow.h"

namespace myblas::preload {

// MYBLAS_OFFLOAD=never, or something senseless; null: calls may be served.
const char* why_switched_off() noexcept;

inline bool is_known_version(int major) { return major == 12 || major == 13; }

// Whether what asks for TF32 is computed all the same: MYBLAS_CUBLAS_TF32.
bool serves_tf32() noexcept;

// The sizes of a call. What libmyblas's description of a call has no field for, the log of calls wants.
struct described_call : myblasCall_t {
    int64_t incx = 1, incy = 1;
};

struct request {
    void* handle;                      // of the call
    const real_cublas::settings* real; // tell the handle's settings; null: they are `given`
    call_settings given;
    int major; // version of cuBLAS
    entry which;
    myblasRoutine_t routine;
    const char* against; // why it is not served, or null
    function_ref<described_call()> describe;
    function_ref<myblasStatus_t(myblasHandle_t)> serve; // by libmyblas, which is loaded
    function_ref<int()> forward;                        // to cuBLAS
};

// cuBLAS's status.
int answer(const request&) noexcept;

} // namespace myblas::preload

// The path of every call: it is served through the shadow of its handle, or forwarded with the
// reason counted.
#pragma once

#include "common/function_ref.h"
#include "cublas/real_cublas.h"
#include "cublas/shadow.h"

namespace myblas::preload {

// The reason if MYBLAS_OFFLOAD is `never` or makes no sense; null: calls may be served.
const char* why_switched_off() noexcept;

inline bool is_known_version(int major) { return major == 12 || major == 13; }

// Whether calls that ask for TF32 are served all the same: MYBLAS_CUBLAS_TF32.
bool serves_tf32() noexcept;

// The sizes of a call. The log of calls needs the additional fields, which libmyblas's description
// of a call lacks.
struct described_call : myblasCall_t {
    int64_t incx = 1, incy = 1;
};

struct request {
    void* handle;                      // of the call
    const real_cublas::settings* real; // getters of the handle's settings; null: use `given`
    call_settings given;
    int major; // version of cuBLAS
    entry which;
    myblasRoutine_t routine;
    const char* against; // why it is not served, or null
    function_ref<described_call()> describe;
    function_ref<myblasStatus_t(myblasHandle_t)> serve; // by libmyblas, which is loaded
    function_ref<int()> forward;                        // to cuBLAS
};

// Serves or forwards the call. Returns cuBLAS's status.
int answer(const request&) noexcept;

} // namespace myblas::preload

// The way of every call: served through the shadow of its handle, or forwarded with the reason counted.
#pragma once

#include "common/function_ref.h"
#include "cublas/real_cublas.h"

namespace myblas::preload {

// MYBLAS_OFFLOAD=never, or something senseless; null: calls may be served.
const char* why_switched_off() noexcept;

struct request {
    const void* caller;
    const real_cublas& real;
    void* handle; // cuBLAS's
    entry which;
    const char* name; // of cuBLAS's function
    bool is_64;
    myblasRoutine_t routine;
    const char* against; // why it is not served, or null
    function_ref<myblasCall_t()> describe;
    function_ref<myblasStatus_t(myblasHandle_t)> serve; // by libmyblas, which is loaded
    function_ref<int(void*)> forward;                   // to cuBLAS's function
};

// cuBLAS's status.
int answer(const request&) noexcept;

} // namespace myblas::preload

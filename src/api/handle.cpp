// Handles: creation, destruction and settings.
#include "api/check.h"
#include "api/context.h"
#include "api/preparation.h"
#include "api/tuning.h"
#include "core/environment.h"
#include "core/kernel_variables.h"
#include "core/static_program.h"
#include "select/select.h"

#include <climits>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <optional>

namespace myblas {
namespace {

constexpr size_t workspace_alignment = 256;
constexpr size_t result_bytes = sizeof(double); // the widest scalar result

myblasStatus_t release_resources(myblasContext& handle) noexcept {
    // Memory can be freed although the device cannot be made current.
    const device_guard guard(handle);
    const myblasStatus_t status = release_streams(handle);
    return guard.status() != MYBLAS_STATUS_SUCCESS ? guard.status() : status;
}

struct deleter {
    void operator()(myblasContext* handle) const noexcept {
        release_resources(*handle);
        delete handle;
    }
};

// ---- The environment ----------------------------------------------------------------------------

constexpr int no_choice = -1; // the variable holds another text

int read_backend() noexcept {
    constexpr choice<int> choices[] = {{"auto", MYBLAS_BACKEND_AUTO},
                                       {"host", MYBLAS_BACKEND_HOST},
                                       {"cuda", MYBLAS_BACKEND_CUDA}};
    return read_choice<int>("MYBLAS_BACKEND", choices, MYBLAS_BACKEND_AUTO, no_choice);
}

int read_math() noexcept {
    constexpr choice<int> choices[] = {{"strict", MYBLAS_FP32_STRICT_MATH},
                                       {"emulated", MYBLAS_FP32_EMULATED_MATH},
                                       {"fast", MYBLAS_FP32_FAST_MATH},
                                       {"reproducible", MYBLAS_FP32_REPRODUCIBLE_MATH}};
    return read_choice<int>("MYBLAS_MATH", choices, MYBLAS_FP32_STRICT_MATH, no_choice);
}

// The workspace limit of new handles; *limit stays if the variable is not set.
bool read_workspace_limit(std::optional<size_t>* limit) noexcept {
    const char* text = read_variable("MYBLAS_WORKSPACE");
    size_t bytes = 0;
    if (!text)
        return true;
    if (!parse_bytes(text, &bytes))
        return false;
    *limit = bytes;
    return true;
}

// MYBLAS_SGEMM_KERNEL and the variables of the other routines.
void read_forced_kernels(myblasContext& handle) noexcept {
    for (int i = 0; i < MYBLAS_ROUTINE_COUNT; ++i)
        if (const char* name = read_variable(kernel_variables[i]))
            handle.forced[i] =
                find_kernel(static_cast<myblasRoutine_t>(i), handle.backend->id, name);
}

// Refuses a variable with a wrong value.
myblasStatus_t
refuse_variable(const char* function, const char* variable, const char* expected) noexcept {
    char why[256];
    std::snprintf(
        why, sizeof why, "%s=%.100s: not %s", variable, read_variable(variable), expected);
    return refuse(function, why);
}

// ---- Creation -----------------------------------------------------------------------------------

// Prepares the first kernel that needs it, which shows whether the library has code for the device;
// calls prepare the others. If the context is unknown, calls could not tell it from an earlier one,
// so each handle prepares all kernels.
myblasStatus_t prepare_for(const myblasContext& handle, const char** reason) noexcept {
    const bool is_known = handle.context != 0;
    bool is_done = false;
    for (int i = 0; i < MYBLAS_ROUTINE_COUNT && !is_done; ++i) {
        const myblasStatus_t status =
            visit_routine(static_cast<myblasRoutine_t>(i), [&]<class Problem>() {
                for (const kernel_entry<Problem>* kernel :
                     kernels_of<Problem>(handle.backend->id)) {
                    if (!kernel->prepare || !runs_on(*kernel, handle.device))
                        continue;
                    if (!is_known || !prepared.contains(kernel, handle.context))
                        if (const myblasStatus_t failure = prepare_now(*kernel, handle, reason))
                            return failure;
                    if (is_done = is_known; is_done)
                        break;
                }
                return MYBLAS_STATUS_SUCCESS;
            });
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
    }
    return MYBLAS_STATUS_SUCCESS;
}

// The environment's settings for new handles.
struct settings {
    myblasMath_t math_mode;
    std::optional<size_t> workspace_limit;
    int sm_count = INT_MAX; // at most
};

// Calls plan for the target, or for the usual number if the target is 0. The host backend has no
// multiprocessors.
void apply_sm_count(myblasContext& handle) noexcept {
    if (handle.backend->id != MYBLAS_BACKEND_CUDA)
        return;
    handle.device.sm_count = handle.sm_count_target > 0 ? handle.sm_count_target : handle.usual_sms;
    handle.sgemm_selections = {};
}

// A handle on one backend, or the reason why there is none.
myblasStatus_t open_handle(const backend_ops& backend,
                           const settings& initial,
                           myblasHandle_t* made,
                           const char** reason) noexcept {
    device_info device;
    if (const myblasStatus_t failure = backend.open(&device, reason))
        return failure;
    *reason = "out of memory";
    std::unique_ptr<myblasContext, deleter> owner(new (std::nothrow) myblasContext);
    if (!owner)
        return MYBLAS_STATUS_ALLOC_FAILED;
    myblasContext& handle = *owner;
    handle.backend = &backend;
    handle.device = device;
    handle.all_sms = device.sm_count;
    handle.usual_sms = std::min(device.sm_count, initial.sm_count);
    apply_sm_count(handle);
    handle.math_mode = initial.math_mode;
    handle.workspace_limit =
        initial.workspace_limit.value_or(default_workspace_limit(device.memory_bytes));
    handle.context = current_context(backend);
    myblasStatus_t failure = backend.allocate(&handle.result, result_bytes);
    if (failure == MYBLAS_STATUS_SUCCESS)
        failure = use_stream(handle, nullptr);
    if (failure == MYBLAS_STATUS_ALLOC_FAILED)
        return failure;
    if (failure != MYBLAS_STATUS_SUCCESS) {
        *reason = "the device cannot be used";
        return MYBLAS_STATUS_NOT_INITIALIZED;
    }
    failure = prepare_for(handle, reason);
    if (failure != MYBLAS_STATUS_SUCCESS)
        return failure;
    read_forced_kernels(handle);
    if (!live_handles.add(&handle)) {
        *reason = "there are as many handles as there can be, 65536";
        return MYBLAS_STATUS_ALLOC_FAILED;
    }
    *made = owner.release();
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t
create(const char* function, myblasHandle_t* handle, myblasBackend_t backend) noexcept {
    read_tuning();
    settings initial;
    const int math = read_math();
    if (math == no_choice)
        return refuse_variable(function, "MYBLAS_MATH", "strict, emulated, fast or reproducible");
    if (!read_workspace_limit(&initial.workspace_limit))
        return refuse_variable(
            function, "MYBLAS_WORKSPACE", "a number of bytes, such as 512M or 4G");
    if (!is_count("MYBLAS_SMS"))
        return refuse_variable(function, "MYBLAS_SMS", "a number of multiprocessors from 1 on");
    initial.math_mode = static_cast<myblasMath_t>(math);
    initial.sm_count = read_count("MYBLAS_SMS", INT_MAX, INT_MAX);
    if (!is_count("MYBLAS_NUM_THREADS"))
        return refuse_variable(function, "MYBLAS_NUM_THREADS", "a number of threads from 1 on");

    const char* why_host = "it was asked for";
    if (backend != MYBLAS_BACKEND_HOST) {
        const char* reason = nullptr;
        const myblasStatus_t status = open_handle(cuda_backend(), initial, handle, &reason);
        if (status == MYBLAS_STATUS_SUCCESS) {
            const device_info& device = (*handle)->device;
            logger::write("%s: cuda backend on %s (sm_%d)", function, device.name, device.arch);
            return status;
        }
        // With auto, an unusable device is no error; a device without free memory is.
        const bool is_unusable =
            status == MYBLAS_STATUS_NOT_INITIALIZED || status == MYBLAS_STATUS_ARCH_MISMATCH;
        if (backend == MYBLAS_BACKEND_CUDA || !is_unusable)
            return refuse(function, status, reason);
        why_host = reason;
    }
    const char* reason = nullptr;
    if (const myblasStatus_t failure = open_handle(host_backend(), initial, handle, &reason))
        return refuse(function, failure, reason);
    logger::write("%s: host backend: %s%s",
                  function,
                  why_host,
                  is_static_program()
                      ? "; OpenBLAS is not used, since the program is linked statically"
                      : "");
    return MYBLAS_STATUS_SUCCESS;
}

// *value = a setting of the handle.
template <class Value>
myblasStatus_t get(const char* function,
                   myblasHandle_t handle,
                   Value myblasContext::*member,
                   const char* name,
                   Value* value) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!value)
        return refuse(function, fault(fault::kind::null, name));
    *value = handle->*member;
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t myblasCreate(myblasHandle_t* handle) {
    constexpr const char* function = "myblasCreate";
    logger::read_environment();
    if (!handle)
        return refuse(function, "handle is NULL");
    const int backend = read_backend();
    if (backend == no_choice)
        return refuse_variable(function, "MYBLAS_BACKEND", "auto, host or cuda");
    return create(function, handle, static_cast<myblasBackend_t>(backend));
}

myblasStatus_t myblasCreateOn(myblasHandle_t* handle, myblasBackend_t backend) {
    constexpr const char* function = "myblasCreateOn";
    logger::read_environment();
    if (!handle)
        return refuse(function, "handle is NULL");
    if (backend != MYBLAS_BACKEND_AUTO && backend != MYBLAS_BACKEND_HOST &&
        backend != MYBLAS_BACKEND_CUDA)
        return refuse(function, {"backend", backend, "which is not a backend"});
    return create(function, handle, backend);
}

myblasStatus_t myblasDestroy(myblasHandle_t handle) {
    constexpr const char* function = "myblasDestroy";
    if (!live_handles.remove(handle))
        return refuse(function, MYBLAS_STATUS_NOT_INITIALIZED, not_a_handle(handle));
    // In a forked child the device memory belongs to the parent.
    const bool owns_device_memory = handle->backend->check_process() == MYBLAS_STATUS_SUCCESS;
    const myblasStatus_t status =
        owns_device_memory ? release_resources(*handle) : MYBLAS_STATUS_SUCCESS;
    delete handle;
    if (status != MYBLAS_STATUS_SUCCESS)
        return refuse(
            function, MYBLAS_STATUS_EXECUTION_FAILED, "the device memory could not be freed");
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasGetVersion(myblasHandle_t, int* version) {
    if (!version)
        return refuse("myblasGetVersion", MYBLAS_STATUS_INVALID_VALUE, "version is NULL");
    *version = MYBLAS_VERSION;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasGetProperty(myblasProperty_t type, int* value) {
    constexpr const char* function = "myblasGetProperty";
    constexpr int parts[] = {MYBLAS_VERSION_MAJOR, MYBLAS_VERSION_MINOR, MYBLAS_VERSION_PATCH};
    if (static_cast<unsigned>(type) >= std::size(parts))
        return refuse(function, {"type", type, "which is not a property"});
    if (!value)
        return refuse(function, "value is NULL");
    *value = parts[type];
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasGetBackend(myblasHandle_t handle, myblasBackend_t* backend) {
    constexpr const char* function = "myblasGetBackend";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!backend)
        return refuse(function, "backend is NULL");
    *backend = handle->backend->id;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasSetPointerMode(myblasHandle_t handle, myblasPointerMode_t mode) {
    constexpr const char* function = "myblasSetPointerMode";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (mode != MYBLAS_POINTER_MODE_HOST && mode != MYBLAS_POINTER_MODE_DEVICE)
        return refuse(function, {"mode", mode, "which is not a pointer mode"});
    handle->pointer_mode = mode;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasGetPointerMode(myblasHandle_t handle, myblasPointerMode_t* mode) {
    return get("myblasGetPointerMode", handle, &myblasContext::pointer_mode, "mode", mode);
}

myblasStatus_t myblasGetStream(myblasHandle_t handle, myblasStream_t* stream) {
    return get("myblasGetStream", handle, &myblasContext::stream, "stream", stream);
}

myblasStatus_t myblasSetMathMode(myblasHandle_t handle, myblasMath_t mode) {
    constexpr const char* function = "myblasSetMathMode";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!is_math_mode(mode))
        return refuse(function, {"mode", mode, "which is not a math mode"});
    handle->math_mode = mode;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasGetMathMode(myblasHandle_t handle, myblasMath_t* mode) {
    return get("myblasGetMathMode", handle, &myblasContext::math_mode, "mode", mode);
}

myblasStatus_t myblasSetSmCountTarget(myblasHandle_t handle, int count) {
    constexpr const char* function = "myblasSetSmCountTarget";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (count < 0)
        return refuse(function, {"count", count, "which is negative"});
    if (handle->backend->id == MYBLAS_BACKEND_CUDA && count > handle->all_sms)
        return refuse(function, {"count", count, "and the device has fewer multiprocessors"});
    handle->sm_count_target = count;
    apply_sm_count(*handle);
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasGetSmCountTarget(myblasHandle_t handle, int* count) {
    return get("myblasGetSmCountTarget", handle, &myblasContext::sm_count_target, "count", count);
}

myblasStatus_t myblasSetWorkspace(myblasHandle_t handle, void* workspace, size_t size_bytes) {
    constexpr const char* function = "myblasSetWorkspace";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!workspace && size_bytes != 0)
        return refuse(function, "workspace is NULL, with a size");
    if (reinterpret_cast<uintptr_t>(workspace) % workspace_alignment != 0)
        return refuse(function, "workspace is not aligned to 256 bytes");
    handle->has_user_workspace = true;
    handle->user_workspace = workspace;
    handle->user_workspace_bytes = size_bytes;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasSetWorkspaceLimit(myblasHandle_t handle, size_t size_bytes) {
    constexpr const char* function = "myblasSetWorkspaceLimit";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    limit_workspace(*handle, size_bytes);
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasGetWorkspaceLimit(myblasHandle_t handle, size_t* size_bytes) {
    return get("myblasGetWorkspaceLimit",
               handle,
               &myblasContext::workspace_limit,
               "size_bytes",
               size_bytes);
}

} // extern "C"

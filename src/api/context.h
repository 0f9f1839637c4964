// The steps of entry points that concern the handle.
#pragma once

#include "api/live_handles.h"
#include "api/logger.h"
#include "core/handle.h"
#include "core/problem.h"
#include "core/routine.h"

#include <cstring>

namespace myblas {

inline constexpr const char* lost_device = "the handle's device cannot be made current";

[[nodiscard]] inline myblasStatus_t check_handle(const char* function,
                                                 const myblasContext* handle) noexcept {
    if (!is_live(handle))
        return refuse(function, MYBLAS_STATUS_NOT_INITIALIZED, not_a_handle(handle));
    if (const myblasStatus_t failure = handle->backend->check_process())
        return refuse(function, failure, "the handle's CUDA context was lost by fork()");
    return MYBLAS_STATUS_SUCCESS;
}

// The handle's device is current during the guard's lifetime.
class device_guard {
public:
    explicit device_guard(const myblasContext& handle) noexcept
        : backend(*handle.backend), ordinal(handle.device.ordinal),
          result(backend.enter_device(ordinal, &was_current)) {}
    ~device_guard() {
        if (result == MYBLAS_STATUS_SUCCESS && !was_current)
            backend.leave_device(ordinal);
    }
    device_guard(const device_guard&) = delete;
    device_guard& operator=(const device_guard&) = delete;

    myblasStatus_t status() const noexcept { return result; }

private:
    const backend_ops& backend;
    const int ordinal;
    bool was_current = false;
    const myblasStatus_t result;
};

// For calls that cannot be captured.
[[nodiscard]] inline myblasStatus_t
refuse_capture(const char* function, const myblasContext& handle, myblasStream_t stream) noexcept {
    const myblasStatus_t status = handle.backend->require_no_capture(stream);
    if (status == MYBLAS_STATUS_SUCCESS)
        return status;
    return refuse(function,
                  status,
                  status == MYBLAS_STATUS_INTERNAL_ERROR ? "its stream is being captured"
                                                         : "its stream cannot be used");
}

// A scalar operand in the handle's pointer mode; not NULL. With MYBLAS_POINTER_MODE_DEVICE, the
// value is unknown while arguments are checked, even on the host backend, which could read it: so
// both backends refuse the same calls.
inline scalar read_scalar(const myblasContext& handle, const float* pointer) noexcept {
    if (handle.pointer_mode == MYBLAS_POINTER_MODE_HOST)
        return {*pointer, nullptr};
    return {0, pointer};
}

// Whether scalar results go to memory that only the device may write.
inline bool has_results_on_device(const myblasContext& handle) noexcept {
    return handle.pointer_mode == MYBLAS_POINTER_MODE_DEVICE &&
           handle.backend->id == MYBLAS_BACKEND_CUDA;
}

// A kernel by its name, or a family by the part of its kernels' names before the slash; `unknown`
// if the backend has neither.
inline forced_kernel
find_kernel(myblasRoutine_t routine, myblasBackend_t backend, const char* name) noexcept {
    forced_kernel found{forced_kernel::unknown};
    visit_routine(routine, [&]<class Problem>() {
        const kernel_list<Problem> kernels = kernels_of<Problem>(backend);
        const size_t length = std::strlen(name);
        for (size_t i = 0; i < kernels.size(); ++i) {
            const char* candidate = kernels[i]->name;
            if (std::strncmp(candidate, name, length) != 0 ||
                (candidate[length] != '\0' && candidate[length] != '/'))
                continue;
            if (found.index == forced_kernel::unknown)
                found.index = static_cast<int>(i);
            found.count = static_cast<int>(i) - found.index + 1;
        }
        return MYBLAS_STATUS_SUCCESS;
    });
    return found;
}

// ---- The resources of streams (stream.cpp) ------------------------------------------------------

// Makes `stream` the handle's stream, with separate resources, and drops the user's workspace. On
// failure the handle stays as it was.
[[nodiscard]] myblasStatus_t use_stream(myblasContext& handle, myblasStream_t stream) noexcept;

// Waits for all work on the handle's device, which is current. Frees the handle's memory there,
// except memory that is kept for later handles, and then the memory of graphs that no longer exist.
[[nodiscard]] myblasStatus_t release_streams(myblasContext& handle) noexcept;

// Frees the memory that destroyed handles left for later handles of the current context. False:
// there was none.
bool release_idle(const backend_ops&) noexcept;

// Frees that memory, and memory of graphs that no longer exist, for a call that lacks memory. The
// handle's device is current. False: nothing was freed, because the handle's stream is captured or
// cannot be asked.
bool release_unused(const myblasContext& handle) noexcept;

// ---- Workspace (stream.cpp) ---------------------------------------------------------------------

// The largest workspace that a call may have.
inline size_t most_workspace(const myblasContext& handle) noexcept {
    return handle.has_user_workspace ? handle.user_workspace_bytes : handle.current->most_bytes;
}

// The capture that the handle's stream is part of. EXECUTION_FAILED: it is invalid.
[[nodiscard]] myblasStatus_t find_capture(const myblasContext& handle,
                                          stream_capture* capture) noexcept;

// The handle's own workspace, for a call that can use `wanted` bytes, at most most_workspace().
// Returns `wanted` if *workspace has that size. Otherwise returns a smaller size, which the caller
// requests instead. The handle's device is current.
[[nodiscard]] size_t take_workspace(myblasContext& handle,
                                    const stream_capture& capture,
                                    size_t wanted,
                                    void** workspace) noexcept;

// Null: no memory. The handle's device is current.
[[nodiscard]] unsigned* take_counters(const myblasContext& handle,
                                      const stream_capture& capture) noexcept;

// Sets the limit of all streams. Frees blocks above the limit, of the handle's stream and of
// destroyed graphs. The handle's device is current.
void limit_workspace(myblasContext& handle, size_t bytes) noexcept;

} // namespace myblas

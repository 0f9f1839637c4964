// Device memory, and copies between host and device.
#include "api/memory.h"

#include "api/check.h"
#include "api/context.h"

namespace myblas {
namespace {

fault check_sizes(
    int64_t rows, int64_t cols, int64_t element_bytes, int64_t source_ld, int64_t target_ld) {
    if (rows < 0)
        return negative("rows", rows);
    if (cols < 0)
        return negative("cols (of a vector: n)", cols);
    if (element_bytes < 1)
        return {"element_bytes", element_bytes, "but it must be positive"};
    const char* const rule = "but the matrix has";
    if (const fault wrong =
            check_distance("the source's leading dimension or increment", source_ld, rule, rows))
        return wrong;
    return check_distance("the target's leading dimension or increment", target_ld, rule, rows);
}

fault check_operands(int64_t rows,
                     int64_t cols,
                     int64_t element_bytes,
                     const void* source,
                     int64_t source_ld,
                     const void* target,
                     int64_t target_ld) {
    if (!is_addressable(last_index(rows, cols, source_ld), element_bytes) ||
        !is_addressable(last_index(rows, cols, target_ld), element_bytes))
        return too_large;
    if (!source)
        return "the source is NULL";
    if (!target)
        return "the target is NULL";
    return nullptr;
}

// Describes the copy for the backend. The arguments are checked. Contiguous columns become one.
matrix_copy make_copy(int64_t rows,
                      int64_t cols,
                      int64_t element_bytes,
                      const void* source,
                      int64_t source_ld,
                      void* target,
                      int64_t target_ld,
                      bool to_device) {
    if (source_ld == rows && target_ld == rows) {
        rows *= cols;
        cols = 1;
    }
    const size_t bytes = static_cast<size_t>(element_bytes);
    return {.source = source,
            .source_pitch_bytes = static_cast<size_t>(source_ld) * bytes,
            .target = target,
            .target_pitch_bytes = static_cast<size_t>(target_ld) * bytes,
            .column_bytes = static_cast<size_t>(rows) * bytes,
            .cols = static_cast<size_t>(cols),
            .to_device = to_device};
}

} // namespace

myblasStatus_t enter(const matrix_copy_call& call,
                     myblasHandle_t handle,
                     int64_t rows,
                     int64_t cols,
                     int64_t element_bytes,
                     const void* source,
                     int64_t source_ld,
                     void* target,
                     int64_t target_ld,
                     myblasStream_t stream) noexcept {
    if (const myblasStatus_t failure = check_handle(call.function, handle))
        return failure;
    if (const fault found = check_sizes(rows, cols, element_bytes, source_ld, target_ld))
        return refuse(call.function, found);
    if (rows == 0 || cols == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found =
            check_operands(rows, cols, element_bytes, source, source_ld, target, target_ld))
        return refuse(call.function, found);

    const backend_ops& backend = *handle->backend;
    if (call.waits)
        stream = handle->stream;
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(call.function, failure, lost_device);
    if (call.waits)
        if (const myblasStatus_t failure = refuse_capture(call.function, *handle, stream))
            return failure;
    const matrix_copy copy =
        make_copy(rows, cols, element_bytes, source, source_ld, target, target_ld, call.to_device);
    if (const myblasStatus_t failure = backend.copy(copy, stream))
        return refuse(call.function, failure, "the copy failed");
    if (call.waits && backend.stream_synchronize(stream) != MYBLAS_STATUS_SUCCESS)
        return refuse(call.function, MYBLAS_STATUS_MAPPING_ERROR, "the copy failed");
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t myblasMalloc(myblasHandle_t handle, void** ptr, size_t size_bytes) {
    constexpr const char* function = "myblasMalloc";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!ptr)
        return refuse(function, "ptr is NULL");
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (const myblasStatus_t failure = handle->backend->allocate(ptr, size_bytes))
        return refuse(function,
                      failure,
                      {"size_bytes",
                       static_cast<int64_t>(size_bytes),
                       failure != MYBLAS_STATUS_ALLOC_FAILED ? "but the device cannot be used"
                       : handle->backend->id == MYBLAS_BACKEND_HOST
                           ? "but there is no memory for that"
                           : "but the device has no memory for that"});
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasFree(myblasHandle_t handle, void* ptr) {
    constexpr const char* function = "myblasFree";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (const myblasStatus_t failure = handle->backend->release(ptr))
        return refuse(function, failure, "the memory cannot be freed");
    return MYBLAS_STATUS_SUCCESS;
}

} // extern "C"

// Device memory, and copies between host and device.
#include "api/memory.h"

#include "api/check.h"
#include "api/context.h"

namespace myblas {
namespace {

fault check_sizes(const matrix_transfer& t) {
    if (t.rows < 0)
        return negative("rows", t.rows);
    if (t.cols < 0)
        return negative("cols (of a vector: n)", t.cols);
    if (t.element_bytes < 1)
        return {"element_bytes", t.element_bytes, "but it must be positive"};
    const char* const rule = "but the matrix has";
    if (const fault wrong = check_distance(
            "the source's leading dimension or increment", t.source_ld, rule, t.rows))
        return wrong;
    return check_distance("the target's leading dimension or increment", t.target_ld, rule, t.rows);
}

fault check_operands(const matrix_transfer& t) {
    for (const int64_t ld : {t.source_ld, t.target_ld})
        if (!is_addressable(last_index(t.rows, t.cols, ld), t.element_bytes))
            return too_large;
    if (!t.source)
        return "the source is NULL";
    return t.target ? nullptr : fault("the target is NULL");
}

} // namespace

matrix_copy matrix_transfer::in_bytes(bool to_device) const {
    const bool is_one_column = source_ld == rows && target_ld == rows;
    const auto bytes = [this](int64_t elements) {
        return static_cast<size_t>(elements) * static_cast<size_t>(element_bytes);
    };
    return {.source = source,
            .source_pitch_bytes = bytes(source_ld),
            .target = target,
            .target_pitch_bytes = bytes(target_ld),
            .column_bytes = bytes(is_one_column ? rows * cols : rows),
            .cols = is_one_column ? 1 : static_cast<size_t>(cols),
            .to_device = to_device};
}

myblasStatus_t transfer(const matrix_copy_call& call,
                        myblasHandle_t handle,
                        const matrix_transfer& matrix,
                        myblasStream_t stream) noexcept {
    if (const myblasStatus_t failure = check_handle(call.function, handle))
        return failure;
    if (const fault found = check_sizes(matrix))
        return refuse(call.function, found);
    if (matrix.rows == 0 || matrix.cols == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = check_operands(matrix))
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
    if (const myblasStatus_t failure = backend.copy(matrix.in_bytes(call.to_device), stream))
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

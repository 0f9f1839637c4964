// Device memory, and copies between host and device.
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

// Turns validated sizes and pointers into a copy with the fewest and longest columns.
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

struct copy_call {
    const char* function;
    bool to_device;
    bool waits;            // and then on the handle's stream
    myblasStream_t stream; // where it does not wait
};

myblasStatus_t copy_matrix(const copy_call& call,
                           myblasHandle_t handle,
                           int64_t rows,
                           int64_t cols,
                           int64_t element_bytes,
                           const void* source,
                           int64_t source_ld,
                           void* target,
                           int64_t target_ld) noexcept {
    if (const myblasStatus_t failure = check_handle(call.function, handle))
        return failure;
    if (const fault found = check_sizes(rows, cols, element_bytes, source_ld, target_ld))
        return refuse(call.function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (rows == 0 || cols == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found =
            check_operands(rows, cols, element_bytes, source, source_ld, target, target_ld))
        return refuse(call.function, MYBLAS_STATUS_INVALID_VALUE, found);

    const backend_ops& backend = *handle->backend;
    const myblasStream_t stream = call.waits ? handle->stream : call.stream;
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(call.function, failure, lost_device);
    if (call.waits && backend.stream_is_capturing(stream))
        return refuse(call.function, MYBLAS_STATUS_INTERNAL_ERROR, being_captured);
    const matrix_copy copy =
        make_copy(rows, cols, element_bytes, source, source_ld, target, target_ld, call.to_device);
    if (const myblasStatus_t failure = backend.copy(copy, stream))
        return refuse(call.function, failure, "the copy failed");
    if (call.waits && backend.stream_synchronize(stream) != MYBLAS_STATUS_SUCCESS)
        return refuse(call.function, MYBLAS_STATUS_MAPPING_ERROR, "the copy failed");
    return MYBLAS_STATUS_SUCCESS;
}

// A vector is a matrix of one row whose leading dimensions are the increments.
myblasStatus_t copy_vector(const copy_call& call,
                           myblasHandle_t handle,
                           int64_t n,
                           int64_t element_bytes,
                           const void* x,
                           int64_t incx,
                           void* y,
                           int64_t incy) noexcept {
    return copy_matrix(call, handle, 1, n, element_bytes, x, incx, y, incy);
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t myblasMalloc(myblasHandle_t handle, void** ptr, size_t size_bytes) {
    constexpr const char* function = "myblasMalloc";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!ptr)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "ptr is NULL");
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (const myblasStatus_t failure = handle->backend->allocate(ptr, size_bytes))
        return refuse(function,
                      failure,
                      {"size_bytes",
                       static_cast<int64_t>(size_bytes),
                       handle->backend->id == MYBLAS_BACKEND_HOST
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

myblasStatus_t myblasSetMatrix(myblasHandle_t handle,
                               int rows,
                               int cols,
                               int element_bytes,
                               const void* A,
                               int lda,
                               void* B,
                               int ldb) {
    return copy_matrix({"myblasSetMatrix", true, true, nullptr},
                       handle,
                       rows,
                       cols,
                       element_bytes,
                       A,
                       lda,
                       B,
                       ldb);
}

myblasStatus_t myblasSetMatrix_64(myblasHandle_t handle,
                                  int64_t rows,
                                  int64_t cols,
                                  int64_t element_bytes,
                                  const void* A,
                                  int64_t lda,
                                  void* B,
                                  int64_t ldb) {
    return copy_matrix({"myblasSetMatrix", true, true, nullptr},
                       handle,
                       rows,
                       cols,
                       element_bytes,
                       A,
                       lda,
                       B,
                       ldb);
}

myblasStatus_t myblasGetMatrix(myblasHandle_t handle,
                               int rows,
                               int cols,
                               int element_bytes,
                               const void* A,
                               int lda,
                               void* B,
                               int ldb) {
    return copy_matrix({"myblasGetMatrix", false, true, nullptr},
                       handle,
                       rows,
                       cols,
                       element_bytes,
                       A,
                       lda,
                       B,
                       ldb);
}

myblasStatus_t myblasGetMatrix_64(myblasHandle_t handle,
                                  int64_t rows,
                                  int64_t cols,
                                  int64_t element_bytes,
                                  const void* A,
                                  int64_t lda,
                                  void* B,
                                  int64_t ldb) {
    return copy_matrix({"myblasGetMatrix", false, true, nullptr},
                       handle,
                       rows,
                       cols,
                       element_bytes,
                       A,
                       lda,
                       B,
                       ldb);
}

myblasStatus_t myblasSetVector(
    myblasHandle_t handle, int n, int element_bytes, const void* x, int incx, void* y, int incy) {
    return copy_vector(
        {"myblasSetVector", true, true, nullptr}, handle, n, element_bytes, x, incx, y, incy);
}

myblasStatus_t myblasSetVector_64(myblasHandle_t handle,
                                  int64_t n,
                                  int64_t element_bytes,
                                  const void* x,
                                  int64_t incx,
                                  void* y,
                                  int64_t incy) {
    return copy_vector(
        {"myblasSetVector", true, true, nullptr}, handle, n, element_bytes, x, incx, y, incy);
}

myblasStatus_t myblasGetVector(
    myblasHandle_t handle, int n, int element_bytes, const void* x, int incx, void* y, int incy) {
    return copy_vector(
        {"myblasGetVector", false, true, nullptr}, handle, n, element_bytes, x, incx, y, incy);
}

myblasStatus_t myblasGetVector_64(myblasHandle_t handle,
                                  int64_t n,
                                  int64_t element_bytes,
                                  const void* x,
                                  int64_t incx,
                                  void* y,
                                  int64_t incy) {
    return copy_vector(
        {"myblasGetVector", false, true, nullptr}, handle, n, element_bytes, x, incx, y, incy);
}

myblasStatus_t myblasSetMatrixAsync(myblasHandle_t handle,
                                    int rows,
                                    int cols,
                                    int element_bytes,
                                    const void* A,
                                    int lda,
                                    void* B,
                                    int ldb,
                                    myblasStream_t stream) {
    return copy_matrix({"myblasSetMatrixAsync", true, false, stream},
                       handle,
                       rows,
                       cols,
                       element_bytes,
                       A,
                       lda,
                       B,
                       ldb);
}

myblasStatus_t myblasSetMatrixAsync_64(myblasHandle_t handle,
                                       int64_t rows,
                                       int64_t cols,
                                       int64_t element_bytes,
                                       const void* A,
                                       int64_t lda,
                                       void* B,
                                       int64_t ldb,
                                       myblasStream_t stream) {
    return copy_matrix({"myblasSetMatrixAsync", true, false, stream},
                       handle,
                       rows,
                       cols,
                       element_bytes,
                       A,
                       lda,
                       B,
                       ldb);
}

myblasStatus_t myblasGetMatrixAsync(myblasHandle_t handle,
                                    int rows,
                                    int cols,
                                    int element_bytes,
                                    const void* A,
                                    int lda,
                                    void* B,
                                    int ldb,
                                    myblasStream_t stream) {
    return copy_matrix({"myblasGetMatrixAsync", false, false, stream},
                       handle,
                       rows,
                       cols,
                       element_bytes,
                       A,
                       lda,
                       B,
                       ldb);
}

myblasStatus_t myblasGetMatrixAsync_64(myblasHandle_t handle,
                                       int64_t rows,
                                       int64_t cols,
                                       int64_t element_bytes,
                                       const void* A,
                                       int64_t lda,
                                       void* B,
                                       int64_t ldb,
                                       myblasStream_t stream) {
    return copy_matrix({"myblasGetMatrixAsync", false, false, stream},
                       handle,
                       rows,
                       cols,
                       element_bytes,
                       A,
                       lda,
                       B,
                       ldb);
}

myblasStatus_t myblasSetVectorAsync(myblasHandle_t handle,
                                    int n,
                                    int element_bytes,
                                    const void* x,
                                    int incx,
                                    void* y,
                                    int incy,
                                    myblasStream_t stream) {
    return copy_vector(
        {"myblasSetVectorAsync", true, false, stream}, handle, n, element_bytes, x, incx, y, incy);
}

myblasStatus_t myblasSetVectorAsync_64(myblasHandle_t handle,
                                       int64_t n,
                                       int64_t element_bytes,
                                       const void* x,
                                       int64_t incx,
                                       void* y,
                                       int64_t incy,
                                       myblasStream_t stream) {
    return copy_vector(
        {"myblasSetVectorAsync", true, false, stream}, handle, n, element_bytes, x, incx, y, incy);
}

myblasStatus_t myblasGetVectorAsync(myblasHandle_t handle,
                                    int n,
                                    int element_bytes,
                                    const void* x,
                                    int incx,
                                    void* y,
                                    int incy,
                                    myblasStream_t stream) {
    return copy_vector(
        {"myblasGetVectorAsync", false, false, stream}, handle, n, element_bytes, x, incx, y, incy);
}

myblasStatus_t myblasGetVectorAsync_64(myblasHandle_t handle,
                                       int64_t n,
                                       int64_t element_bytes,
                                       const void* x,
                                       int64_t incx,
                                       void* y,
                                       int64_t incy,
                                       myblasStream_t stream) {
    return copy_vector(
        {"myblasGetVectorAsync", false, false, stream}, handle, n, element_bytes, x, incx, y, incy);
}

} // extern "C"

// Vector addition and copy.
#include "api/dispatch.h"
#include "api/validate.h"

namespace myblas {
namespace {

myblasStatus_t axpy(myblasHandle_t handle, const float* alpha, axpy_problem p) noexcept {
    constexpr const char* function = "mysaxpy";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (p.n <= 0)
        return MYBLAS_STATUS_SUCCESS;
    if (!alpha)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "alpha is NULL");
    if (const fault found = check_vectors(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    p.alpha = read_scalar(*handle, alpha);
    if (!may_count(p.alpha))
        return MYBLAS_STATUS_SUCCESS;
    return dispatch(*handle, function, at_first_elements(p));
}

myblasStatus_t copy(myblasHandle_t handle, copy_problem p) noexcept {
    constexpr const char* function = "myscopy";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (p.n <= 0)
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = check_vectors(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    return dispatch(*handle, function, at_first_elements(p));
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t mysaxpy(myblasHandle_t handle,
                       int n,
                       const float* alpha,
                       const float* x,
                       int incx,
                       float* y,
                       int incy) {
    return axpy(handle, alpha, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t mysaxpy_64(myblasHandle_t handle,
                          int64_t n,
                          const float* alpha,
                          const float* x,
                          int64_t incx,
                          float* y,
                          int64_t incy) {
    return axpy(handle, alpha, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t myscopy(myblasHandle_t handle, int n, const float* x, int incx, float* y, int incy) {
    return copy(handle, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t
myscopy_64(myblasHandle_t handle, int64_t n, const float* x, int64_t incx, float* y, int64_t incy) {
    return copy(handle, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

} // extern "C"

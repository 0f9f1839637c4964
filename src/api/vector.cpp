// Routines that change vectors element by element, and the rotations that are generated for them.
#include "api/dispatch.h"
#include "api/validate.h"
#include "core/rotation.h"

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

// With x and y alone, or with scalars that have been read.
template <class Problem>
myblasStatus_t change(const char* function, myblasHandle_t handle, const Problem& p) noexcept {
    if (const fault found = check_vectors(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    return dispatch(*handle, function, at_first_elements(p));
}

myblasStatus_t copy(myblasHandle_t handle, const copy_problem& p) noexcept {
    constexpr const char* function = "myscopy";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    return p.n <= 0 ? MYBLAS_STATUS_SUCCESS : change(function, handle, p);
}

myblasStatus_t swap(myblasHandle_t handle, const swap_problem& p) noexcept {
    constexpr const char* function = "mysswap";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    return p.n <= 0 ? MYBLAS_STATUS_SUCCESS : change(function, handle, p);
}

myblasStatus_t scal(myblasHandle_t handle, const float* alpha, scal_problem p) noexcept {
    constexpr const char* function = "mysscal";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (p.n <= 0 || p.incx <= 0)
        return MYBLAS_STATUS_SUCCESS;
    if (!alpha)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "alpha is NULL");
    if (const fault found = check_vectors(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    p.alpha = read_scalar(*handle, alpha);
    return dispatch(*handle, function, p);
}

myblasStatus_t rot(myblasHandle_t handle, const float* c, const float* s, rot_problem p) noexcept {
    constexpr const char* function = "mysrot";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (p.n <= 0)
        return MYBLAS_STATUS_SUCCESS;
    if (!c)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "c is NULL");
    if (!s)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "s is NULL");
    p.c = read_scalar(*handle, c);
    p.s = read_scalar(*handle, s);
    return change(function, handle, p);
}

myblasStatus_t rotm(myblasHandle_t handle, const float* param, rotm_problem p) noexcept {
    constexpr const char* function = "mysrotm";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (p.n <= 0)
        return MYBLAS_STATUS_SUCCESS;
    if (!param)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "param is NULL");
    if (const fault found = check_vectors(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (has_results_on_device(*handle)) {
        p.param = param;
    } else {
        p.h = read_rotm(param);
        if (p.h.is_identity)
            return MYBLAS_STATUS_SUCCESS;
    }
    return dispatch(*handle, function, at_first_elements(p));
}

// rotg and rotmg, whose operands are scalars alone.
template <class Problem>
myblasStatus_t
generate_rotation(const char* function, myblasHandle_t handle, const Problem& p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (handle->backend->id == MYBLAS_BACKEND_CUDA && !has_results_on_device(*handle)) {
        generate(p);
        return MYBLAS_STATUS_SUCCESS;
    }
    return dispatch(*handle, function, p);
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

// ---- Level 1 -------------------------------------------------------------------------------------

myblasStatus_t mysscal(myblasHandle_t handle, int n, const float* alpha, float* x, int incx) {
    return scal(handle, alpha, {.n = n, .x = x, .incx = incx});
}

myblasStatus_t
mysscal_64(myblasHandle_t handle, int64_t n, const float* alpha, float* x, int64_t incx) {
    return scal(handle, alpha, {.n = n, .x = x, .incx = incx});
}

myblasStatus_t mysswap(myblasHandle_t handle, int n, float* x, int incx, float* y, int incy) {
    return swap(handle, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t
mysswap_64(myblasHandle_t handle, int64_t n, float* x, int64_t incx, float* y, int64_t incy) {
    return swap(handle, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t mysrot(myblasHandle_t handle,
                      int n,
                      float* x,
                      int incx,
                      float* y,
                      int incy,
                      const float* c,
                      const float* s) {
    return rot(handle, c, s, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t mysrot_64(myblasHandle_t handle,
                         int64_t n,
                         float* x,
                         int64_t incx,
                         float* y,
                         int64_t incy,
                         const float* c,
                         const float* s) {
    return rot(handle, c, s, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t
mysrotm(myblasHandle_t handle, int n, float* x, int incx, float* y, int incy, const float* param) {
    return rotm(handle, param, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t mysrotm_64(myblasHandle_t handle,
                          int64_t n,
                          float* x,
                          int64_t incx,
                          float* y,
                          int64_t incy,
                          const float* param) {
    return rotm(handle, param, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy});
}

myblasStatus_t mysrotg(myblasHandle_t handle, float* a, float* b, float* c, float* s) {
    return generate_rotation("mysrotg", handle, rotg_problem{.a = a, .b = b, .c = c, .s = s});
}

myblasStatus_t
mysrotmg(myblasHandle_t handle, float* d1, float* d2, float* x1, const float* y1, float* param) {
    const rotmg_problem p = {.d1 = d1, .d2 = d2, .x1 = x1, .y1 = y1, .param = param};
    return generate_rotation("mysrotmg", handle, p);
}

} // extern "C"

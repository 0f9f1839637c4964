// Routines that reduce: sums, dot, nrm2, the extremum of a vector; sums of a matrix's rows and columns; and
// counts of bytes.
#include "api/dispatch.h"
#include "api/validate.h"

namespace myblas {
namespace {

// Lets the kernel write to device memory, then fetches the result and waits for it.
template <class T, class Problem>
myblasStatus_t
reduce_to_host(const char* function, myblasContext& handle, Problem p, T* result) noexcept {
    const backend_ops& backend = *handle.backend;
    const device_guard guard(handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (backend.stream_is_capturing(handle.stream))
        return refuse(function, MYBLAS_STATUS_INTERNAL_ERROR, being_captured);
    p.result = static_cast<T*>(handle.result);
    if (const myblasStatus_t failure = dispatch(handle, function, p))
        return failure;
    const matrix_copy fetch = {.source = p.result,
                               .source_pitch_bytes = sizeof(T),
                               .target = result,
                               .target_pitch_bytes = sizeof(T),
                               .column_bytes = sizeof(T),
                               .cols = 1,
                               .to_device = false};
    if (backend.copy(fetch, handle.stream) != MYBLAS_STATUS_SUCCESS ||
        backend.stream_synchronize(handle.stream) != MYBLAS_STATUS_SUCCESS)
        return refuse(function, MYBLAS_STATUS_EXECUTION_FAILED, "the result cannot be fetched");
    return MYBLAS_STATUS_SUCCESS;
}

// Any routine with one scalar result. p.n is 0 where there is nothing to read.
template <class T, class Problem>
myblasStatus_t reduce(const char* function, myblasHandle_t handle, Problem p, T* result) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!result)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "result is NULL");
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if constexpr (requires { p.incy; })
        p = at_first_elements(p);
    p.result = result;
    if (has_results_on_device(*handle))
        return dispatch(*handle, function, p); // also when n == 0: only a kernel may write there
    if (p.n == 0) {
        *result = 0;
        return MYBLAS_STATUS_SUCCESS;
    }
    if (handle->backend->id == MYBLAS_BACKEND_HOST)
        return dispatch(*handle, function, p);
    return reduce_to_host(function, *handle, p, result);
}

// The problem of a routine for which an increment of zero or less leaves nothing to read.
template <class Problem>
Problem forwards(Problem p) {
    if (p.n <= 0 || p.incx <= 0) {
        p.n = 0;
        p.incx = 1;
    }
    return p;
}

template <class T>
myblasStatus_t sum(const char* function,
                   myblasHandle_t handle,
                   int64_t n,
                   const T* x,
                   int64_t incx,
                   bool absolute,
                   T* result) noexcept {
    const sum_problem<T> p = {.n = n, .x = x, .incx = incx, .absolute = absolute};
    return reduce(function, handle, forwards(p), result);
}

myblasStatus_t dot(myblasHandle_t handle, dot_problem p, float* result) noexcept {
    if (p.n < 0)
        p.n = 0;
    return reduce("mysdot", handle, p, result);
}

myblasStatus_t nrm2(myblasHandle_t handle, const nrm2_problem& p, float* result) noexcept {
    return reduce("mysnrm2", handle, with_positive_increment(p), result);
}

// Index: int or int64_t.
template <class Index>
myblasStatus_t extremum(const char* function,
                        myblasHandle_t handle,
                        bool least,
                        int64_t n,
                        const float* x,
                        int64_t incx,
                        Index* result) noexcept {
    const extremum_problem p = {
        .least = least, .n = n, .x = x, .incx = incx, .wide = sizeof(Index) == sizeof(int64_t)};
    return reduce(function, handle, forwards(p), result);
}

// `p` has everything but the transposition.
myblasStatus_t gemsum(myblasHandle_t handle, myblasOperation_t op, gemsum_problem p) noexcept {
    constexpr const char* function = "mysgemsum";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_sizes(op, p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    p.trans = op != MYBLAS_OP_N;
    if (is_empty(p))
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    return dispatch(*handle, function, p);
}

myblasStatus_t histogram(myblasHandle_t handle, const histogram_problem& p) noexcept {
    constexpr const char* function = "myhistogram256";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (p.n < 0)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, negative("n", p.n));
    if (const fault found = check_operands(p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    return dispatch(*handle, function, p);
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t mysum(myblasHandle_t handle, int n, const float* x, int incx, float* result) {
    return sum("mysum", handle, n, x, incx, false, result);
}

myblasStatus_t
mysum_64(myblasHandle_t handle, int64_t n, const float* x, int64_t incx, float* result) {
    return sum("mysum", handle, n, x, incx, false, result);
}

myblasStatus_t mysasum(myblasHandle_t handle, int n, const float* x, int incx, float* result) {
    return sum("mysasum", handle, n, x, incx, true, result);
}

myblasStatus_t
mysasum_64(myblasHandle_t handle, int64_t n, const float* x, int64_t incx, float* result) {
    return sum("mysasum", handle, n, x, incx, true, result);
}

myblasStatus_t mydsum(myblasHandle_t handle, int n, const double* x, int incx, double* result) {
    return sum("mydsum", handle, n, x, incx, false, result);
}

myblasStatus_t
mydsum_64(myblasHandle_t handle, int64_t n, const double* x, int64_t incx, double* result) {
    return sum("mydsum", handle, n, x, incx, false, result);
}

myblasStatus_t mysgemsum(myblasHandle_t handle,
                         myblasOperation_t op,
                         int m,
                         int n,
                         const float* A,
                         int lda,
                         float* result) {
    return gemsum(handle, op, {.m = m, .n = n, .a = A, .lda = lda, .result = result});
}

myblasStatus_t mysgemsum_64(myblasHandle_t handle,
                            myblasOperation_t op,
                            int64_t m,
                            int64_t n,
                            const float* A,
                            int64_t lda,
                            float* result) {
    return gemsum(handle, op, {.m = m, .n = n, .a = A, .lda = lda, .result = result});
}

myblasStatus_t
myhistogram256(myblasHandle_t handle, int n, const unsigned char* x, uint64_t* counts) {
    return histogram(handle, {.n = n, .x = x, .counts = counts});
}

myblasStatus_t
myhistogram256_64(myblasHandle_t handle, int64_t n, const unsigned char* x, uint64_t* counts) {
    return histogram(handle, {.n = n, .x = x, .counts = counts});
}

// ---- Level 1 -------------------------------------------------------------------------------------

myblasStatus_t mysdot(myblasHandle_t handle,
                      int n,
                      const float* x,
                      int incx,
                      const float* y,
                      int incy,
                      float* result) {
    return dot(handle, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy}, result);
}

myblasStatus_t mysdot_64(myblasHandle_t handle,
                         int64_t n,
                         const float* x,
                         int64_t incx,
                         const float* y,
                         int64_t incy,
                         float* result) {
    return dot(handle, {.n = n, .x = x, .incx = incx, .y = y, .incy = incy}, result);
}

myblasStatus_t mysnrm2(myblasHandle_t handle, int n, const float* x, int incx, float* result) {
    return nrm2(handle, {.n = n, .x = x, .incx = incx}, result);
}

myblasStatus_t
mysnrm2_64(myblasHandle_t handle, int64_t n, const float* x, int64_t incx, float* result) {
    return nrm2(handle, {.n = n, .x = x, .incx = incx}, result);
}

myblasStatus_t myisamax(myblasHandle_t handle, int n, const float* x, int incx, int* result) {
    return extremum("myisamax", handle, false, n, x, incx, result);
}

myblasStatus_t
myisamax_64(myblasHandle_t handle, int64_t n, const float* x, int64_t incx, int64_t* result) {
    return extremum("myisamax", handle, false, n, x, incx, result);
}

myblasStatus_t myisamin(myblasHandle_t handle, int n, const float* x, int incx, int* result) {
    return extremum("myisamin", handle, true, n, x, incx, result);
}

myblasStatus_t
myisamin_64(myblasHandle_t handle, int64_t n, const float* x, int64_t incx, int64_t* result) {
    return extremum("myisamin", handle, true, n, x, incx, result);
}

} // extern "C"

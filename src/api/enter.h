// From the arguments of an entry point to the dispatch of its problem.
#pragma once

#include "api/dispatch.h"
#include "api/read.h"
#include "core/rotation.h"

#include <cassert>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace myblas {

// A list that reads scalars in the handle's pointer mode, and finds scalars that are NULL.
class scalar_reader : public ignored_operands {
public:
    explicit scalar_reader(const myblasContext& handle) : handle_(handle) {}

    const char* missing = nullptr; // the first that is NULL

    void scalar(const char* name, myblas::scalar& s) {
        if (s.device)
            s = read_scalar(handle_, s.device);
        else if (!missing)
            missing = name;
    }
    void rotation(const char* name, rotm_matrix& h, const float*& param) {
        if (!param)
            missing = name;
        else if (!has_results_on_device(handle_))
            h = read_rotm(param), param = nullptr;
    }

private:
    const myblasContext& handle_;
};

// A list that reads scalars of device memory, which on the host backend is ordinary memory.
struct device_scalar_reader : ignored_operands {
    void scalar(const char*, myblas::scalar& s) {
        if (s.device)
            s = {*s.device, nullptr};
    }
};

// The steps of a call with valid sizes, up to its dispatch. *is_done: the call ends with the
// status.
template <class Problem, class Scalars>
[[nodiscard]] myblasStatus_t complete(const char* function,
                                      const myblasContext& handle,
                                      Problem& p,
                                      Scalars&& scalars,
                                      bool* is_done) noexcept {
    *is_done = true;
    if (is_empty(p))
        return MYBLAS_STATUS_SUCCESS;
    p.operands(scalars);
    if (scalars.missing)
        return refuse(function, fault(fault::kind::null, scalars.missing));
    if constexpr (requires { p.math; })
        p.math = handle.math_mode;
    if (is_skipped(p))
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = check_operands(p))
        return refuse(function, found);
    if (handle.pointer_mode == MYBLAS_POINTER_MODE_DEVICE &&
        handle.backend->id == MYBLAS_BACKEND_HOST) {
        device_scalar_reader list;
        p.operands(list);
    }
    // In reproducible mode fma(1, C, 0) is computed, which makes -0 to +0, wherever scalars are.
    bool is_reproducible = false;
    if constexpr (requires { p.math; })
        is_reproducible = p.math == MYBLAS_FP32_REPRODUCIBLE_MATH;
    if (is_skipped(p) || (!is_reproducible && is_unchanged(p)))
        return MYBLAS_STATUS_SUCCESS;
    at_first_elements(p);
    *is_done = false;
    return MYBLAS_STATUS_SUCCESS;
}

// The rest of a call with valid sizes. Routines with special rules have an overload.
template <class Problem>
[[nodiscard]] myblasStatus_t run(const char* function, myblasContext& handle, Problem& p) noexcept {
    bool is_done;
    const myblasStatus_t status = complete(function, handle, p, scalar_reader(handle), &is_done);
    if (is_done)
        return status;
    if constexpr (requires { p.as_product(); })
        return dispatch(handle, function, p.as_product());
    else
        return dispatch(handle, function, p);
}

// Waits for the result that a kernel has written to handle.result.
[[nodiscard]] inline myblasStatus_t
fetch_result(const char* function, myblasContext& handle, void* result, size_t bytes) noexcept {
    const matrix_copy fetch = {.source = handle.result,
                               .source_pitch_bytes = bytes,
                               .target = result,
                               .target_pitch_bytes = bytes,
                               .column_bytes = bytes,
                               .cols = 1,
                               .to_device = false};
    if (handle.backend->copy(fetch, handle.stream) != MYBLAS_STATUS_SUCCESS ||
        handle.backend->stream_synchronize(handle.stream) != MYBLAS_STATUS_SUCCESS)
        return refuse(function, MYBLAS_STATUS_EXECUTION_FAILED, "the result cannot be fetched");
    return MYBLAS_STATUS_SUCCESS;
}

template <reduction Problem>
[[nodiscard]] myblasStatus_t run(const char* function, myblasContext& handle, Problem& p) noexcept {
    scalar_reader scalars(handle);
    p.operands(scalars);
    if (scalars.missing)
        return refuse(function, fault(fault::kind::null, scalars.missing));
    if (!p.result)
        return refuse(function, "result is NULL");
    if (const fault found = check_operands(p))
        return refuse(function, found);
    at_first_elements(p);
    if (has_results_on_device(handle))
        return dispatch(handle, function, p); // also when n == 0: only a kernel may write there
    if (p.n == 0) {
        if constexpr (requires { p.of_sum(0.0); })
            *p.result = p.of_sum(0);
        else
            std::memset(p.result, 0, p.result_bytes());
        return MYBLAS_STATUS_SUCCESS;
    }
    if (handle.backend->id == MYBLAS_BACKEND_HOST)
        return dispatch(handle, function, p);
    const device_guard guard(handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (const myblasStatus_t failure = refuse_capture(function, handle, handle.stream))
        return failure;
    void* const result = p.result;
    p.result = static_cast<decltype(p.result)>(handle.result);
    if (const myblasStatus_t failure = dispatch(handle, function, p))
        return failure;
    return fetch_result(function, handle, result, p.result_bytes());
}

// rotg and rotmg, which have only scalars.
template <class Problem>
requires requires(const Problem& p) { generate(p); }
[[nodiscard]] myblasStatus_t run(const char* function, myblasContext& handle, Problem& p) noexcept {
    if (const fault found = check_operands(p))
        return refuse(function, found);
    if (handle.backend->id == MYBLAS_BACKEND_CUDA && !has_results_on_device(handle)) {
        generate(p);
        return MYBLAS_STATUS_SUCCESS;
    }
    return dispatch(handle, function, p);
}

// In sgemm.cpp.
[[nodiscard]] myblasStatus_t
run(const char* function, myblasContext& handle, fused_product& f) noexcept;
[[nodiscard]] myblasStatus_t
run(const char* function, myblasContext& handle, host_product& host) noexcept;

// Fills in the problem. `arguments` are all arguments after the handle; sizes are int or int64_t.
template <class Problem, class... Arguments>
[[nodiscard]] fault read_arguments(Problem& p, batch_form form, Arguments... arguments) noexcept {
    const argument given[] = {argument(arguments)...};
    constexpr bool has_wide_sizes = (std::is_same_v<Arguments, int64_t> || ...);
    reader list(argument_source(given, form, has_wide_sizes));
    p.operands(list);
    assert(list.source.next() == std::end(given)); // the list has the operands of the declaration
    normalise(p);
    return list.wrong;
}

// Each entry point calls this function. All but the dispatch is inlined, so lists cost nothing.
template <class Problem, class... Arguments>
[[nodiscard]] myblasStatus_t
enter(const routine_call<Problem>& call, myblasHandle_t handle, Arguments... arguments) noexcept {
    if (const myblasStatus_t failure = check_handle(call.name, handle))
        return failure;
    Problem p = call.preset;
    if (const fault found = read_arguments(p, call.form, arguments...))
        return refuse(call.name, found);
    return run(call.name, *handle, p);
}

// ---- Groups -------------------------------------------------------------------------------------

// The arrays of mysgemmGroupedBatched; sizes are int or int64_t.
template <class Size>
struct groups {
    const myblasOperation_t *transa, *transb;
    const Size *m, *n, *k;
    const float* alpha;
    const float* const* a;
    const Size* lda;
    const float* const* b;
    const Size* ldb;
    const float* beta;
    float* const* c;
    const Size* ldc;
    Size count;
    const Size* size;
};

// In sgemm.cpp.
template <class Size>
[[nodiscard]] myblasStatus_t
run(const char* function, myblasHandle_t handle, const groups<Size>& all) noexcept;

template <class Size, class... Others>
[[nodiscard]] myblasStatus_t enter(const routine_call<grouped_products>& call,
                                   myblasHandle_t handle,
                                   const myblasOperation_t* transa,
                                   const myblasOperation_t* transb,
                                   const Size* m,
                                   Others... others) noexcept {
    return run(call.name, handle, groups<Size>{transa, transb, m, others...});
}

} // namespace myblas

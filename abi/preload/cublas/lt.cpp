// cublasLtMatmul. The heuristics are cuBLAS's, and a forwarded call uses the algorithm that they
// chose. A served call ignores the algorithm, but many programs make no call without one. libcublas
// does not call this function: it calls the functions that cublasLtMatmul calls.
#include "cublas/lt.h"

#include "common/call_log.h"
#include "common/report.h"
#include "cublas/lt_description.h"

namespace myblas::preload {
namespace {

struct operands {
    const void *alpha, *a, *b, *beta, *c;
    void* d;
};

// Whether the call is a product without an epilogue in which D can take the place of C: D is C, or
// C is not read (beta is 0).
bool is_plain(const lt_call& call, const operands& x) {
    const myblasEpilogue_t& e = call.epilogue;
    if (e.activation != MYBLAS_ACTIVATION_NONE || e.bias || e.aux)
        return false;
    const bool is_in_place = x.c == x.d && call.ldc == call.ldd && call.stride_c == call.stride_d;
    return is_in_place ||
           (call.pointer_mode == MYBLAS_POINTER_MODE_HOST && x.beta && *floats(x.beta) == 0);
}

myblasStatus_t
serve_product(myblasHandle_t handle, const lt_call& call, const operands& x) noexcept {
    static auto* const multiply = reinterpret_cast<decltype(&mysgemmStridedBatched_64)>(
        library_function("mysgemmStridedBatched_64"));
    static auto* const fuse = reinterpret_cast<decltype(&mysgemmFusedStridedBatched_64)>(
        library_function("mysgemmFusedStridedBatched_64"));
    if (!multiply || !fuse)
        return MYBLAS_STATUS_NOT_SUPPORTED;
    const float* const a = floats(call.swap_ab ? x.b : x.a);
    const float* const b = floats(call.swap_ab ? x.a : x.b);
    // clang-format off
    const auto compute = [&](auto* function, auto... others) {
        return function(handle, call.transa, call.transb, call.m, call.n, call.k, floats(x.alpha),
                        a, call.lda, call.stride_a, b, call.ldb, call.stride_b, floats(x.beta),
                        others...);
    };
    float* const d = floats(x.d);
    if (is_plain(call, x))
        return compute(multiply, d, call.ldd, call.stride_d, call.batch_count);
    return compute(fuse, floats(x.c), call.ldc, call.stride_c, d, call.ldd, call.stride_d,
                   &call.epilogue, call.batch_count);
    // clang-format on
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

int cublasLtDestroy(void* handle) {
    const real_lt& real = lt_of(__builtin_return_address(0));
    if (handle)
        shadow::forget(lt_owner(handle));
    return real.destroy ? real.destroy(handle) : cublas_not_initialized;
}

// If cublasLt has no algorithm for an emulated product that libmyblas serves, it is asked for one
// in FP32, which the served call ignores.
// clang-format off
int cublasLtMatmulAlgoGetHeuristic(void* handle, const void* descriptor, const void* layout_a,
                                   const void* layout_b, const void* layout_c, const void* layout_d,
                                   const void* preference, int most, void* results, int* count) {
    // clang-format on
    const real_lt& real = lt_of(__builtin_return_address(0));
    auto* const ask =
        reinterpret_cast<decltype(&cublasLtMatmulAlgoGetHeuristic)>(real.get_heuristic);
    if (!ask)
        return cublas_not_initialized;
    // clang-format off
    const auto ask_about = [&](const void* operation) {
        return ask(handle, operation, layout_a, layout_b, layout_c, layout_d, preference, most,
                   results, count);
    };
    // clang-format on
    const int status = ask_about(descriptor);
    const bool has_none = status == cublas_not_supported || (status == 0 && count && *count == 0);
    if (!has_none || !handle || !descriptor || !layout_a || !layout_b || !layout_c || !layout_d ||
        !is_known_version(real.major) || why_switched_off())
        return status;
    lt_operation_copy complete(real, descriptor);
    complete.complete_epilogue();
    const lt_call& call = call_of(real, {complete.get(), layout_a, layout_b, layout_c, layout_d});
    if (call.against || call.asked != arithmetic::emulated)
        return status;
    shadow* const s = shadow::of(lt_owner(handle));
    if (!s || !s->computes(call.asked))
        return status;
    lt_operation_copy in_fp32(real, descriptor);
    return in_fp32.set_compute(compute_type::float_32) ? ask_about(in_fp32.get()) : status;
}

// clang-format off
int cublasLtMatmul(void* handle, const void* descriptor, const void* alpha, const void* a,
                   const void* layout_a, const void* b, const void* layout_b, const void* beta,
                   const void* c, const void* layout_c, void* d, const void* layout_d,
                   const void* algorithm, void* workspace, size_t workspace_bytes,
                   myblasStream_t stream) {
    // clang-format on
    const real_lt& real = lt_of(__builtin_return_address(0));
    // clang-format off
    const auto forward = [&] {
        auto* const f = reinterpret_cast<decltype(&cublasLtMatmul)>(real.matmul);
        return f ? f(handle, descriptor, alpha, a, layout_a, b, layout_b, beta, c, layout_c, d,
                     layout_d, algorithm, workspace, workspace_bytes, stream)
                 : cublas_not_initialized;
    };
    // clang-format on
    static constexpr lt_call nothing{};
    const lt_call* call = &nothing;
    const char* against = nullptr;
    const bool is_counted = report::is_on() || call_log::is_on();
    if (!descriptor || !layout_a || !layout_b || !layout_c || !layout_d) {
        against = "a descriptor is NULL";
    } else if (is_known_version(real.major) && (is_counted || !why_switched_off())) {
        // Most calls are in other precisions, which the type of A shows. Their other properties
        // matter only in reports.
        against = reason_against_layout(real, layout_a);
        if (!against || is_counted) {
            call = &call_of(real, {descriptor, layout_a, layout_b, layout_c, layout_d});
            against = first_of(against, call->against);
        }
    }
    const operands x = {.alpha = alpha, .a = a, .b = b, .beta = beta, .c = c, .d = d};
    const auto describe = [&] {
        // clang-format off
        described_call described = product(call->transa, call->transb, call->m, call->n, call->k,
                                           call->lda, call->ldb, call->ldd, call->batch_count);
        // clang-format on
        // If a call is not served, the location of beta is unknown.
        described.is_fused = call != &nothing && !against && !is_plain(*call, x);
        return described;
    };
    const auto serve = [&](myblasHandle_t own) { return serve_product(own, *call, x); };
    return answer({.handle = handle,
                   .real = nullptr,
                   .given = {.asked = call->asked,
                             .stream = stream,
                             .pointer_mode = call->pointer_mode,
                             .has_workspace = true,
                             .workspace = workspace,
                             .workspace_bytes = workspace_bytes,
                             .sm_count_target = call->sm_count_target},
                   .major = real.major,
                   .which = entry::cublasLtMatmul,
                   .routine = MYBLAS_ROUTINE_SGEMM,
                   .against = against,
                   .describe = describe,
                   .serve = serve,
                   .forward = forward});
}

} // extern "C"
#pragma GCC visibility pop

} // namespace myblas::preload

// cublasLtMatmul. Its heuristics are cuBLAS's own, and so is what they choose where a call is forwarded; a call that is
// served does not look at it. libcublas itself does not come here: it calls what cublasLtMatmul calls.
#include "common/caller_cache.h"
#include "common/mapped.h"
#include "cublas/lt_description.h"

#include <cstring>

namespace myblas::preload {
namespace {

bool is_cublas_lt(const char* base_name) {
    return std::strncmp(base_name, "libcublasLt.so", std::strlen("libcublasLt.so")) == 0;
}

void fill(real_lt* real, const void* caller) noexcept {
    const auto find = [=]<class Function>(Function& function, const char* symbol) {
        function = reinterpret_cast<Function>(
            symbol_for(caller, symbol, scope_order::caller_first, is_cublas_lt));
    };
    find(real->matmul, "cublasLtMatmul");
    find(real->destroy, "cublasLtDestroy");
    find(real->get_matmul_attribute, "cublasLtMatmulDescGetAttribute");
    find(real->get_layout_attribute, "cublasLtMatrixLayoutGetAttribute");
    size_t (*get_version)() = nullptr;
    find(get_version, "cublasLtGetVersion");
    constexpr size_t major_unit = 10000;
    real->major = get_version ? static_cast<int>(get_version() / major_unit) : 0;
    if (!real->get_matmul_attribute || !real->get_layout_attribute)
        real->major = 0;
}

constinit caller_cache<real_lt> callers;

const real_lt& lt_of(const void* caller) noexcept {
    return callers.of(caller, 0, [=](real_lt* real) { fill(real, caller); });
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

int cublasLtMatmul(void* handle,
                   const void* descriptor,
                   const void* alpha,
                   const void* a,
                   const void* layout_a,
                   const void* b,
                   const void* layout_b,
                   const void* beta,
                   const void* c,
                   const void* layout_c,
                   void* d,
                   const void* layout_d,
                   const void* algorithm,
                   void* workspace,
                   size_t workspace_bytes,
                   myblasStream_t stream) {
    const real_lt& real = lt_of(__builtin_return_address(0));
    const auto forward = [&] {
        auto* const f = reinterpret_cast<decltype(&cublasLtMatmul)>(real.matmul);
        return f ? f(handle,
                     descriptor,
                     alpha,
                     a,
                     layout_a,
                     b,
                     layout_b,
                     beta,
                     c,
                     layout_c,
                     d,
                     layout_d,
                     algorithm,
                     workspace,
                     workspace_bytes,
                     stream)
                 : cublas_not_initialized;
    };
    lt_operation o{};
    lt_product p{};
    if (!descriptor || !layout_a || !layout_b || !layout_c || !layout_d)
        p.against = "a descriptor is NULL";
    else if (!why_switched_off() && real.major != 0) {
        // Calls in other precisions, of which there are most, end with the first layout.
        const lt_layout first = layout_of(real, layout_a);
        p.against = first.against;
        if (!p.against) {
            o = operation_of(real, descriptor);
            p = product_of(o,
                           first,
                           layout_of(real, layout_b),
                           layout_of(real, layout_c),
                           layout_of(real, layout_d));
        }
    }
    const auto describe = [&] {
        return product(p.transa, p.transb, p.m, p.n, p.k, p.lda, p.ldb, p.ldc, p.batch_count);
    };
    const auto serve = [&](myblasHandle_t own) {
        return serve_product(own, o, p, alpha, a, b, beta, c, d);
    };
    return answer({.handle = handle,
                   .real = nullptr,
                   .given = {.stream = stream,
                             .pointer_mode = o.pointer_mode,
                             .has_workspace = true,
                             .workspace = workspace,
                             .workspace_bytes = workspace_bytes},
                   .major = real.major,
                   .which = entry::cublasLtMatmul,
                   .routine = MYBLAS_ROUTINE_SGEMM,
                   .against = p.against,
                   .describe = describe,
                   .serve = serve,
                   .forward = forward});
}

} // extern "C"
#pragma GCC visibility pop

} // namespace myblas::preload

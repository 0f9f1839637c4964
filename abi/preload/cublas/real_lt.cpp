#include "cublas/real_lt.h"

#include "common/caller_cache.h"
#include "cublas/lookup.h"

namespace myblas::preload {
namespace {

void fill(real_lt* real, const void* caller) noexcept {
    const auto find = [=]<class Function>(Function& function, const char* symbol) {
        function =
            reinterpret_cast<Function>(cublas_symbol(library_kind::cublas_lt, symbol, caller));
    };
    find(real->matmul, "cublasLtMatmul");
    find(real->destroy, "cublasLtDestroy");
    find(real->get_heuristic, "cublasLtMatmulAlgoGetHeuristic");
    find(real->set_matmul_attribute, "cublasLtMatmulDescSetAttribute");
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

} // namespace

const real_lt& lt_of(const void* caller) noexcept {
    return callers.of(caller, 0, [=](real_lt* real) { fill(real, caller); });
}

} // namespace myblas::preload

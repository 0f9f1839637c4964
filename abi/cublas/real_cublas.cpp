#include "cublas/real_cublas.h"

#include "common/caller_cache.h"
#include "common/mapped.h"

#include <cstring>

namespace myblas::preload {
namespace {

constexpr const char* symbols[2][entry_count] = {{"cublasSgemm_v2",
                                                  "cublasSgemmStridedBatched",
                                                  "cublasSgemmBatched",
                                                  "cublasGemmEx",
                                                  "cublasGemmStridedBatchedEx",
                                                  "cublasSgemv_v2",
                                                  "cublasSgeam",
                                                  "cublasSasum_v2",
                                                  "cublasSdot_v2",
                                                  "cublasSaxpy_v2",
                                                  "cublasScopy_v2"},
                                                 {"cublasSgemm_v2_64",
                                                  "cublasSgemmStridedBatched_64",
                                                  "cublasSgemmBatched_64",
                                                  "cublasGemmEx_64",
                                                  "cublasGemmStridedBatchedEx_64",
                                                  "cublasSgemv_v2_64",
                                                  "cublasSgeam_64",
                                                  "cublasSasum_v2_64",
                                                  "cublasSdot_v2_64",
                                                  "cublasSaxpy_v2_64",
                                                  "cublasScopy_v2_64"}};

bool is_cublas(const char* base_name) {
    return std::strncmp(base_name, "libcublas.so", std::strlen("libcublas.so")) == 0;
}

void fill(real_cublas* real, const void* caller) noexcept {
    const auto find = [=]<class Function>(Function& function, const char* symbol) {
        function = reinterpret_cast<Function>(
            symbol_for(caller, symbol, scope_order::caller_first, is_cublas));
    };
    for (int form = 0; form < 2; ++form)
        for (int e = 0; e < entry_count; ++e)
            find(real->functions[form][e], symbols[form][e]);
    find(real->destroy, "cublasDestroy_v2");
    find(real->set_stream, "cublasSetStream_v2");
    find(real->set_workspace, "cublasSetWorkspace_v2");
    find(real->get_stream, "cublasGetStream_v2");
    find(real->get_pointer_mode, "cublasGetPointerMode_v2");
    find(real->get_math_mode, "cublasGetMathMode");
    int (*get_property)(int, int*) = nullptr;
    find(get_property, "cublasGetProperty");
    constexpr int major_version = 0; // libraryPropertyType
    real->major = 0;
    if (get_property && get_property(major_version, &real->major) != 0)
        real->major = 0;
}

constinit caller_cache<real_cublas> callers;

} // namespace

const real_cublas& cublas_of(const void* caller) noexcept {
    return callers.of(caller, 0, [=](real_cublas* real) { fill(real, caller); });
}

} // namespace myblas::preload

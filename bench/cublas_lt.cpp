#include "cublas_lt.h"

#include "cublas.h"
#include "cuda_check.h"

#include <algorithm>

namespace bench {
namespace {

// As that of cuBLAS (cublas.cpp).
constexpr size_t workspace_bytes = size_t{32} << 20;

// Of cublas_api.h and cublasLt.h.
constexpr int compute_32f = 68, real_32f = 0;
constexpr int not_supported = 15; // CUBLAS_STATUS_NOT_SUPPORTED
constexpr int attribute_transa = 3, attribute_transb = 4, attribute_epilogue = 7,
              attribute_bias = 8;
constexpr int preference_workspace_bytes = 1;
constexpr int preference_alignment_a = 5, preference_alignment_d = 8; // B and C between them

// cublasLtMatmulHeuristicResult_t
struct choice {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
};

int epilogue_of(myblasActivation_t activation) {
    constexpr int relu = 2, bias = 4, gelu = 32;
    switch (activation) {
    case MYBLAS_ACTIVATION_RELU:
        return bias | relu;
    case MYBLAS_ACTIVATION_GELU:
        return bias | gelu;
    default:
        return bias;
    }
}

} // namespace

cublas_lt::cublas_lt(cudaStream_t stream)
    : library_{"libcublasLt.so.13", "libcublasLt.so.12"}, stream_(stream) {
    int (*create)(void**) = nullptr;
    library_.find(create, "cublasLtCreate");
    library_.find(destroy_, "cublasLtDestroy");
    library_.find(create_operation_, "cublasLtMatmulDescCreate");
    library_.find(set_operation_, "cublasLtMatmulDescSetAttribute");
    library_.find(destroy_operation_, "cublasLtMatmulDescDestroy");
    library_.find(create_layout_, "cublasLtMatrixLayoutCreate");
    library_.find(destroy_layout_, "cublasLtMatrixLayoutDestroy");
    library_.find(create_preferences_, "cublasLtMatmulPreferenceCreate");
    library_.find(set_preference_, "cublasLtMatmulPreferenceSetAttribute");
    library_.find(destroy_preferences_, "cublasLtMatmulPreferenceDestroy");
    library_.find(choose_algorithms_, "cublasLtMatmulAlgoGetHeuristic");
    library_.find(matmul_, "cublasLtMatmul");
    if (create && complete() && create(&handle_) != 0)
        handle_ = nullptr;
}

bool cublas_lt::complete() const {
    return destroy_ && create_operation_ && set_operation_ && destroy_operation_ &&
           create_layout_ && destroy_layout_ && create_preferences_ && set_preference_ &&
           destroy_preferences_ && choose_algorithms_ && matmul_;
}

std::unique_ptr<cublas_lt> cublas_lt::load(cudaStream_t stream) {
    std::unique_ptr<cublas_lt> loaded(new cublas_lt(stream));
    return loaded->handle_ ? std::move(loaded) : nullptr;
}

cublas_lt::~cublas_lt() {
    if (handle_)
        destroy_(handle_);
}

cublas_lt::descriptor cublas_lt::describe_operation(const shape& s, const operands& o) const {
    void* made = nullptr;
    require_cublas(create_operation_(&made, compute_32f, real_32f), "cublasLtMatmulDescCreate");
    const descriptor operation(made, destroy_operation_);
    const auto set = [&](int attribute, const auto& value) {
        require_cublas(set_operation_(made, attribute, &value, sizeof value),
                       "cublasLtMatmulDescSetAttribute");
    };
    set(attribute_transa, int{s.transa});
    set(attribute_transb, int{s.transb});
    set(attribute_epilogue, epilogue_of(s.activation));
    set(attribute_bias, o.bias);
    return operation;
}

cublas_lt::descriptor cublas_lt::describe_matrix(int64_t rows, int64_t cols, int64_t ld) const {
    void* made = nullptr;
    require_cublas(
        create_layout_(
            &made, real_32f, static_cast<uint64_t>(rows), static_cast<uint64_t>(cols), ld),
        "cublasLtMatrixLayoutCreate");
    return {made, destroy_layout_};
}

cublas_lt::descriptor cublas_lt::describe_preferences(const shape& s) const {
    void* made = nullptr;
    require_cublas(create_preferences_(&made), "cublasLtMatmulPreferenceCreate");
    const descriptor preferences(made, destroy_preferences_);
    const auto set = [&](int attribute, const auto& value) {
        require_cublas(set_preference_(made, attribute, &value, sizeof value),
                       "cublasLtMatmulPreferenceSetAttribute");
    };
    set(preference_workspace_bytes, workspace_bytes);
    constexpr uint64_t most_alignment = 256;
    const uint64_t offset_bytes =
        (static_cast<uint64_t>(s.offset) * sizeof(float)) | most_alignment;
    const auto alignment_bytes = static_cast<uint32_t>(offset_bytes & -offset_bytes);
    for (int i = preference_alignment_a; i <= preference_alignment_d; ++i)
        set(i, alignment_bytes);
    return preferences;
}

std::optional<subject> cublas_lt::fused_product(const shape& s, const operands& o) const {
    const descriptor operation = describe_operation(s, o), preferences = describe_preferences(s);
    const descriptor a = describe_matrix(s.transa ? s.k : s.m, s.transa ? s.m : s.k, s.lda);
    const descriptor b = describe_matrix(s.transb ? s.n : s.k, s.transb ? s.k : s.n, s.ldb);
    const descriptor c = describe_matrix(s.m, s.n, s.ldc);
    choice first{};
    int count = 0;
    const int status = choose_algorithms_(handle_,
                                          operation.get(),
                                          a.get(),
                                          b.get(),
                                          c.get(),
                                          c.get(),
                                          preferences.get(),
                                          1,
                                          &first,
                                          &count);
    if (status != not_supported)
        require_cublas(status, "cublasLtMatmulAlgoGetHeuristic");
    if (count == 0 || first.status != 0)
        return std::nullopt;
    const auto workspace =
        std::make_shared<device_memory>(std::max<size_t>(first.workspace_bytes, 1));
    return subject{"cublasLtMatmul",
                   [] {},
                   [=, this] {
                       const float one = 1, zero = 0;
                       require_cublas(matmul_(handle_,
                                              operation.get(),
                                              &one,
                                              o.a,
                                              a.get(),
                                              o.b,
                                              b.get(),
                                              &zero,
                                              o.c,
                                              c.get(),
                                              o.c,
                                              c.get(),
                                              first.algorithm,
                                              workspace->data(),
                                              workspace->bytes(),
                                              stream_),
                                      "cublasLtMatmul");
                   }};
}

} // namespace bench

#include "cublas_lt.h"

#include "cublas.h"
#include "cuda_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace bench {
namespace {

// The same size as for cuBLAS (cublas.cpp).
constexpr size_t workspace_bytes = size_t{32} << 20;

// Values of cublas_api.h and cublasLt.h.
constexpr int compute_32f = 68, real_32f = 0;
constexpr int not_supported = 15; // CUBLAS_STATUS_NOT_SUPPORTED
constexpr int attribute_transa = 3, attribute_transb = 4, attribute_epilogue = 7,
              attribute_bias = 8;
constexpr int layout_batch_count = 5, layout_batch_stride = 6;
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

int epilogue_of(const shape& s) {
    constexpr int none = 1, relu = 2, bias = 4, gelu = 32;
    if (s.routine != routine::sgemm_fused)
        return none;
    return s.activation == MYBLAS_ACTIVATION_RELU   ? bias | relu
           : s.activation == MYBLAS_ACTIVATION_GELU ? bias | gelu
                                                    : bias;
}

void set(any_function setter,
         const std::shared_ptr<void>& object,
         int attribute,
         const auto& value) {
    require_cublas(
        call_c<int>(
            setter, object.get(), attribute, static_cast<const void*>(&value), sizeof value),
        "setting an attribute of cuBLASLt");
}

} // namespace

cublas_lt::cublas_lt(cudaStream_t stream) : stream_(stream) {
    bool is_complete = true;
    const auto find = [&](const char* name) {
        const any_function found = library_.find(fmt::format("cublasLt{}", name));
        is_complete = is_complete && found;
        return found;
    };
    const any_function create = find("Create");
    destroy_ = find("Destroy");
    create_operation_ = find("MatmulDescCreate");
    set_operation_ = find("MatmulDescSetAttribute");
    destroy_operation_ = find("MatmulDescDestroy");
    create_layout_ = find("MatrixLayoutCreate");
    set_layout_ = find("MatrixLayoutSetAttribute");
    destroy_layout_ = find("MatrixLayoutDestroy");
    create_preferences_ = find("MatmulPreferenceCreate");
    set_preference_ = find("MatmulPreferenceSetAttribute");
    destroy_preferences_ = find("MatmulPreferenceDestroy");
    choose_algorithms_ = find("MatmulAlgoGetHeuristic");
    matmul_ = find("Matmul");
    if (is_complete && call_c<int>(create, &handle_) != 0)
        handle_ = nullptr;
}

std::unique_ptr<cublas_lt> cublas_lt::load(cudaStream_t stream) {
    std::unique_ptr<cublas_lt> loaded(new cublas_lt(stream));
    return loaded->handle_ ? std::move(loaded) : nullptr;
}

cublas_lt::~cublas_lt() {
    if (handle_)
        call_c<int>(destroy_, handle_);
}

template <class... Arguments>
cublas_lt::descriptor cublas_lt::make(const char* what,
                                      any_function create,
                                      any_function destroy,
                                      Arguments... arguments) const {
    void* made = nullptr;
    require_cublas(call_c<int>(create, &made, arguments...), what);
    return {made, [destroy](void* object) { call_c<int>(destroy, object); }};
}

cublas_lt::descriptor cublas_lt::describe_operation(const shape& s, const operands& o) const {
    const descriptor operation = make(
        "cublasLtMatmulDescCreate", create_operation_, destroy_operation_, compute_32f, real_32f);
    set(set_operation_, operation, attribute_transa, int{s.transa});
    set(set_operation_, operation, attribute_transb, int{s.transb});
    set(set_operation_, operation, attribute_epilogue, epilogue_of(s));
    if (o.bias)
        set(set_operation_, operation, attribute_bias, o.bias);
    return operation;
}

cublas_lt::descriptor
cublas_lt::describe_matrix(const shape& s, const extent& stored, int64_t ld, int64_t stride) const {
    const auto rows = static_cast<uint64_t>(stored.rows), cols = static_cast<uint64_t>(stored.cols);
    const char* const what = "cublasLtMatrixLayoutCreate";
    const descriptor layout = make(what, create_layout_, destroy_layout_, real_32f, rows, cols, ld);
    if (s.batch > 1) {
        set(set_layout_, layout, layout_batch_count, static_cast<int32_t>(s.batch));
        set(set_layout_, layout, layout_batch_stride, stride);
    }
    return layout;
}

cublas_lt::descriptor cublas_lt::describe_preferences(const shape& s) const {
    const descriptor preferences =
        make("cublasLtMatmulPreferenceCreate", create_preferences_, destroy_preferences_);
    set(set_preference_, preferences, preference_workspace_bytes, workspace_bytes);
    constexpr uint64_t most_alignment = 256;
    const uint64_t offset_bytes =
        (static_cast<uint64_t>(s.offset) * sizeof(float)) | most_alignment;
    const auto alignment_bytes = static_cast<uint32_t>(offset_bytes & -offset_bytes);
    for (int i = preference_alignment_a; i <= preference_alignment_d; ++i)
        set(set_preference_, preferences, i, alignment_bytes);
    return preferences;
}

std::vector<subject> cublas_lt::products(const shape& s, const operands& o, int count) const {
    const descriptor operation = describe_operation(s, o), preferences = describe_preferences(s);
    const operand_sizes stride = batch_strides(s);
    const routine_info& of = describe(s.routine);
    const descriptor a = describe_matrix(s, of.a(s), s.lda, stride.a);
    const descriptor b = describe_matrix(s, of.b(s), s.ldb, stride.b);
    const descriptor c = describe_matrix(s, of.c(s), s.ldc, stride.c);
    std::vector<choice> choices(static_cast<size_t>(count));
    int found = 0;
    // clang-format off
    const int status = call_c<int>(choose_algorithms_, handle_, operation.get(), a.get(), b.get(),
                                   c.get(), c.get(), preferences.get(), count, choices.data(),
                                   &found);
    // clang-format on
    if (status != not_supported)
        require_cublas(status, "cublasLtMatmulAlgoGetHeuristic");
    std::vector<subject> subjects;
    for (const choice& chosen : std::span(choices).first(static_cast<size_t>(found))) {
        if (chosen.status != 0)
            continue;
        const auto workspace =
            std::make_shared<device_memory>(std::max<size_t>(chosen.workspace_bytes, 1));
        subjects.push_back({"cublasLtMatmul", [=, this] {
                                const void *alpha = &s.alpha, *beta = &s.beta,
                                           *algorithm = chosen.algorithm;
                                // clang-format off
                                const int status = call_c<int>(
                                    matmul_, handle_, operation.get(), alpha, o.a, a.get(), o.b,
                                    b.get(), beta, o.c, c.get(), o.c, c.get(), algorithm,
                                    workspace->data(), workspace->bytes(), stream_);
                                // clang-format on
                                require_cublas(status, "cublasLtMatmul");
                            }});
    }
    return subjects;
}

} // namespace bench

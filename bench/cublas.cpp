#include "cublas.h"

#include "cuda_check.h"
#include "errors.h"

#include <fmt/format.h>

namespace bench {
namespace {

// The size of the workspace that cuBLAS allocates for itself on Hopper. If the bench lends it,
// cuBLAS's split-k kernels need no allocation nodes in a captured graph.
constexpr size_t workspace_bytes = size_t{32} << 20;

bool has_all(const blas_functions& functions) {
    bool found = functions.sgemm_batched && functions.sgemm_strided_batched;
    for (int i = 0; i < routine_count; ++i)
        found = found && (!describe(static_cast<routine>(i)).is_in_blas ||
                          functions[static_cast<routine>(i)]);
    return found;
}

} // namespace

std::string cublas_name(const std::string& function) {
    return "cublas" + to_upper(function.substr(0, 1)) + function.substr(1);
}

void require_cublas(int status, const char* what) {
    if (status != 0)
        throw failure(fmt::format("{} answered status {}", what, status));
}

cublas::cublas(cudaStream_t stream)
    : blas(find_functions([&](const std::string& name) {
          // The version _v2 of functions that have one.
          const any_function second = library.find(cublas_name(name) + "_v2");
          return second ? second : library.find(cublas_name(name));
      })),
      dgeam(library.find("cublasDgeam")), dasum(library.find("cublasDasum_v2")),
      destroy_(library.find("cublasDestroy_v2")),
      set_pointer_mode_(library.find("cublasSetPointerMode_v2")),
      set_math_mode_(library.find("cublasSetMathMode")),
      get_property_(library.find("cublasGetProperty")) {
    const any_function create = library.find("cublasCreate_v2");
    const any_function set_stream = library.find("cublasSetStream_v2");
    const any_function set_workspace = library.find("cublasSetWorkspace_v2");
    const bool is_complete = create && set_stream && set_workspace && destroy_ &&
                             set_pointer_mode_ && set_math_mode_ && get_property_ && dgeam &&
                             dasum && has_all(blas);
    if (!is_complete || call_c<int>(create, &handle) != 0) {
        handle = nullptr;
        return;
    }
    workspace_ = std::make_unique<device_memory>(workspace_bytes);
    require_cublas(call_c<int>(set_stream, handle, stream), "cublasSetStream");
    require_cublas(call_c<int>(set_workspace, handle, workspace_->data(), workspace_bytes),
                   "cublasSetWorkspace");
}

std::unique_ptr<cublas> cublas::load(cudaStream_t stream) {
    std::unique_ptr<cublas> loaded(new cublas(stream));
    return loaded->handle ? std::move(loaded) : nullptr;
}

cublas::~cublas() {
    if (handle)
        call_c<int>(destroy_, handle);
}

void cublas::set_pointer_mode(pointer_mode mode) const {
    require_cublas(call_c<int>(set_pointer_mode_, handle, int{mode}), "cublasSetPointerMode");
}

void cublas::set_math_mode(math_mode mode) const {
    require_cublas(call_c<int>(set_math_mode_, handle, int{mode}), "cublasSetMathMode");
}

std::string cublas::version() const {
    int part[3] = {}; // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
    for (int i = 0; i < 3; ++i)
        require_cublas(call_c<int>(get_property_, i, &part[i]), "cublasGetProperty");
    return fmt::format("{}.{}.{}", part[0], part[1], part[2]);
}

} // namespace bench

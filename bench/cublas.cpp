#include "cublas.h"

#include "cuda_check.h"
#include "errors.h"

#include <fmt/format.h>

namespace bench {
namespace {

// What cuBLAS allocates for itself on Hopper. Lent from outside, its split-k kernels need no
// allocation nodes in a captured graph.
constexpr size_t workspace_bytes = size_t{32} << 20;

bool has_all(const cublas_functions& functions) {
    bool found = true;
    for_each_function(functions, [&](routine, auto function) { found = found && function; });
    return found;
}

} // namespace

void require_cublas(int status, const char* what) {
    if (status != 0)
        throw failure(fmt::format("{} answered status {}", what, status));
}

cublas::cublas(cudaStream_t stream) : library_{"libcublas.so.13", "libcublas.so.12"} {
    int (*create)(void**) = nullptr;
    int (*set_stream)(void*, cudaStream_t) = nullptr;
    int (*set_workspace)(void*, void*, size_t) = nullptr;
    library_.find(create, "cublasCreate_v2");
    library_.find(set_stream, "cublasSetStream_v2");
    library_.find(set_workspace, "cublasSetWorkspace_v2");
    library_.find(destroy_, "cublasDestroy_v2");
    library_.find(set_pointer_mode_, "cublasSetPointerMode_v2");
    library_.find(set_math_mode_, "cublasSetMathMode");
    library_.find(get_property_, "cublasGetProperty");
    library_.find(sgemm, "cublasSgemm_v2");
    library_.find(sgemm_strided_batched, "cublasSgemmStridedBatched");
    library_.find(sgemm_batched, "cublasSgemmBatched");
    library_.find(sgeam, "cublasSgeam");
    library_.find(dgeam, "cublasDgeam");
    library_.find(dasum, "cublasDasum_v2");
    find_functions(blas, library_);
    if (!create || !set_stream || !set_workspace || !complete())
        return;

    if (create(&handle) != 0) {
        handle = nullptr;
        return;
    }
    workspace_ = std::make_unique<device_memory>(workspace_bytes);
    require_cublas(set_stream(handle, stream), "cublasSetStream");
    require_cublas(set_workspace(handle, workspace_->data(), workspace_bytes),
                   "cublasSetWorkspace");
}

bool cublas::complete() const {
    return destroy_ && set_pointer_mode_ && set_math_mode_ && get_property_ && sgemm &&
           sgemm_strided_batched && sgemm_batched && sgeam && dgeam && dasum && has_all(blas);
}

std::unique_ptr<cublas> cublas::load(cudaStream_t stream) {
    std::unique_ptr<cublas> loaded(new cublas(stream));
    return loaded->handle ? std::move(loaded) : nullptr;
}

cublas::~cublas() {
    if (handle)
        destroy_(handle);
}

void cublas::set_pointer_mode(pointer_mode mode) const {
    require_cublas(set_pointer_mode_(handle, mode), "cublasSetPointerMode");
}

void cublas::set_math_mode(math_mode mode) const {
    require_cublas(set_math_mode_(handle, mode), "cublasSetMathMode");
}

std::string cublas::version() const {
    int part[3] = {}; // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
    for (int i = 0; i < 3; ++i)
        require_cublas(get_property_(i, &part[i]), "cublasGetProperty");
    return fmt::format("{}.{}.{}", part[0], part[1], part[2]);
}

} // namespace bench

// The GPU's side of handles_command.cpp.
#include "cublas.h"
#include "cuda_check.h"
#include "handles_command.h"

#include <dlfcn.h>

#include <string>

namespace bench {
namespace {

struct cublas_state {
    dynamic_library library{"libcublas.so.13", "libcublas.so.12"};
    any_function create = library.find("cublasCreate_v2");
    any_function destroy = library.find("cublasDestroy_v2");
    std::shared_ptr<float> a, c;
};

// The name of the file that has a function: of a preload library, if it replaced the function.
std::string file_of(any_function function) {
    Dl_info found{};
    if (!dladdr(reinterpret_cast<void*>(function), &found) || !found.dli_fname)
        return "";
    const std::string path = found.dli_fname;
    return path.substr(path.find_last_of('/') + 1);
}

} // namespace

std::shared_ptr<float> make_device_zeros(size_t count) {
    void* data = nullptr;
    require_cuda(cudaMalloc(&data, count * sizeof(float)), "cudaMalloc");
    std::shared_ptr<float> memory(static_cast<float*>(data), cudaFree);
    require_cuda(cudaMemset(data, 0, count * sizeof(float)), "cudaMemset");
    return memory;
}

void create_context() {
    if (cudaFree(nullptr) != cudaSuccess)
        cudaGetLastError(); // there is no GPU: the first handle says so, if it needs one
}

void wait_for_device() { require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

std::optional<handle_library> cublas_handles(int64_t side) {
    const auto state = std::make_shared<cublas_state>();
    const any_function sgemm = state->library.find("cublasSgemm_v2");
    if (!state->create || !state->destroy || !sgemm)
        return std::nullopt;
    const int n = static_cast<int>(side);
    handle_library library;
    library.name = "cublas";
    library.file = file_of(state->create);
    library.create = [state] {
        void* handle = nullptr;
        require_cublas(call_c<int>(state->create, &handle), "cublasCreate");
        return handle;
    };
    library.prepare = [state, side](void*) {
        if (state->a)
            return;
        state->a = make_device_zeros(static_cast<size_t>(side * side));
        state->c = make_device_zeros(static_cast<size_t>(side * side));
    };
    library.multiply = [state, sgemm, n](void* handle) {
        const float one = 1, zero = 0;
        constexpr int plain = 0; // CUBLAS_OP_N
        float* const a = state->a.get();
        // clang-format off
        const int status = call_c<int>(sgemm, handle, plain, plain, n, n, n, &one, a, n, a, n,
                                       &zero, state->c.get(), n);
        // clang-format on
        require_cublas(status, "cublasSgemm");
        wait_for_device();
    };
    library.destroy = [state](void* handle) {
        require_cublas(call_c<int>(state->destroy, handle), "cublasDestroy");
    };
    return library;
}

} // namespace bench

// Functions of the CUDA driver, found at run time: the library does not link libcuda.
#pragma once

#include <cuda_runtime_api.h>

namespace myblas {

// Null: the driver lacks the function.
template <class Function>
Function* find_driver_function(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
#else
    const cudaError_t error = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
    const bool ok = error == cudaSuccess && result == cudaDriverEntryPointSuccess;
    return ok ? reinterpret_cast<Function*>(found) : nullptr;
}

} // namespace myblas

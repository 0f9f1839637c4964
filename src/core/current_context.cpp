#include "core/current_context.h"

#include "core/driver_function.h"

#include <cuda.h>

namespace myblas {

bool has_current_context() {
    static constinit driver_function<decltype(cuCtxGetCurrent)> function{"cuCtxGetCurrent"};
    auto* const ask = function.get();
    CUcontext context = nullptr;
    return ask && ask(&context) == CUDA_SUCCESS && context;
}

bool make_context_current() {
    int device = 0;
    return cudaGetDevice(&device) == cudaSuccess && cudaSetDevice(device) == cudaSuccess;
}

} // namespace myblas

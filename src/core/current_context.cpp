#include "core/current_context.h"

#include "core/driver_function.h"

#include <cuda.h>

namespace myblas {

namespace {

void release_context(int device) {
    static constinit driver_function<decltype(cuDevicePrimaryCtxRelease)> function{
        "cuDevicePrimaryCtxRelease"};
    if (auto* const release = function.get())
        (void)release(device);
}

} // namespace

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

bool push_context(int device) {
    static constinit driver_function<decltype(cuDevicePrimaryCtxRetain)> function{
        "cuDevicePrimaryCtxRetain"};
    static constinit driver_function<decltype(cuCtxPushCurrent)> push_function{"cuCtxPushCurrent"};
    auto* const retain = function.get();
    auto* const push = push_function.get();
    CUcontext context = nullptr;
    // No outside_captures here: in a thread without a context it would make that of GPU 0 current.
    // From cudaInitDevice on, the runtime keeps the context alive, so pop_context() ends none.
    if (!retain || !push || cudaInitDevice(device, 0, 0) != cudaSuccess ||
        retain(&context, device) != CUDA_SUCCESS)
        return false;
    if (push(context) == CUDA_SUCCESS)
        return true;
    release_context(device);
    return false;
}

void pop_context(int device) {
    static constinit driver_function<decltype(cuCtxPopCurrent)> function{"cuCtxPopCurrent"};
    CUcontext context = nullptr;
    if (auto* const pop = function.get())
        (void)pop(&context);
    release_context(device);
}

} // namespace myblas

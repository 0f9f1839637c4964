#include "blas/driver.h"

#include <dlfcn.h>

namespace myblas::preload {
namespace {

constinit const char* failure = nullptr; // written once, by load()

bool load(cuda_driver* d) noexcept {
    failure = "there is no CUDA driver";
    void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return false;
    bool complete = true;
    const auto find = [&]<class Function>(Function& function, const char* symbol) {
        function = reinterpret_cast<Function>(dlsym(handle, symbol));
        complete = complete && function;
    };
    int (*initialise)(unsigned) = nullptr;
    find(initialise, "cuInit");
    find(d->device_get_count, "cuDeviceGetCount");
    find(d->primary_context_retain, "cuDevicePrimaryCtxRetain");
    find(d->context_push, "cuCtxPushCurrent_v2");
    find(d->context_pop, "cuCtxPopCurrent_v2");
    find(d->memory_info, "cuMemGetInfo_v2");
    find(d->host_allocate, "cuMemHostAlloc");
    find(d->event_create, "cuEventCreate");
    find(d->event_record, "cuEventRecord");
    find(d->event_synchronize, "cuEventSynchronize");
    find(d->event_query, "cuEventQuery");
    find(d->stream_wait_event, "cuStreamWaitEvent");
    find(d->device_get_p2p_attribute, "cuDeviceGetP2PAttribute");
    find(d->context_enable_peer_access, "cuCtxEnablePeerAccess");
    find(d->copy_between_devices, "cuMemcpy3DPeerAsync");
    failure = "the CUDA driver lacks functions";
    if (!complete)
        return false;
    int count = 0;
    const int error = initialise(0);
    constexpr int no_device = 100; // CUDA_ERROR_NO_DEVICE
    failure =
        error == 0 || error == no_device ? "there is no GPU" : "the CUDA driver does not start";
    return error == 0 && d->device_get_count(&count) == 0 && count > 0;
}

} // namespace

const cuda_driver* load_driver() noexcept {
    static cuda_driver functions;
    static const bool is_loaded = load(&functions);
    return is_loaded ? &functions : nullptr;
}

const char* why_no_driver() noexcept { return load_driver() ? nullptr : failure; }

const char* why_no_context(int error) noexcept {
    switch (error) {
    case 2: // CUDA_ERROR_OUT_OF_MEMORY
        return "the GPU's memory is full";
    case 46: // CUDA_ERROR_DEVICE_UNAVAILABLE
        return "the GPU is busy: another process has it for itself";
    default:
        return "no GPU can be used";
    }
}

} // namespace myblas::preload

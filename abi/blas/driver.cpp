#include "blas/driver.h"

#include <dlfcn.h>

namespace myblas::preload {
namespace {

bool load(cuda_driver* d) noexcept {
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
    find(d->host_free, "cuMemFreeHost");
    find(d->event_create, "cuEventCreate");
    find(d->event_record, "cuEventRecord");
    find(d->event_synchronize, "cuEventSynchronize");
    find(d->event_query, "cuEventQuery");
    find(d->stream_wait_event, "cuStreamWaitEvent");
    int count = 0;
    return complete && initialise(0) == 0 && d->device_get_count(&count) == 0 && count > 0;
}

} // namespace

const cuda_driver* load_driver() noexcept {
    static cuda_driver functions;
    static const bool is_loaded = load(&functions);
    return is_loaded ? &functions : nullptr;
}

} // namespace myblas::preload

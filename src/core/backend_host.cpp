// The host backend: ordinary memory, and streams that have nothing to do because all work is done
// when a call returns.
#include "core/backend.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

namespace myblas {
namespace {

constexpr size_t alignment = 256;

myblasStatus_t open(device_info* device, const char**) {
    static const int processors = static_cast<int>(std::thread::hardware_concurrency());
    *device = {};
    device->sm_count = processors;
    std::strcpy(device->name, "host");
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t check_process() { return MYBLAS_STATUS_SUCCESS; }

myblasStatus_t enter_device(int, bool* was_current) {
    *was_current = true;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t allocate(void** ptr, size_t bytes) {
    *ptr = nullptr;
    if (bytes == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (bytes > SIZE_MAX - alignment)
        return MYBLAS_STATUS_ALLOC_FAILED;
    *ptr = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    return *ptr ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_ALLOC_FAILED;
}

myblasStatus_t release(void* ptr) {
    std::free(ptr);
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t zero(void* ptr, size_t bytes) {
    std::memset(ptr, 0, bytes);
    return MYBLAS_STATUS_SUCCESS;
}

// A stream is an address that no other stream has, and nothing more.
myblasStatus_t stream_create(myblasStream_t* stream) {
    *stream = reinterpret_cast<myblasStream_t>(new (std::nothrow) char{});
    return *stream ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_ALLOC_FAILED;
}

myblasStatus_t stream_destroy(myblasStream_t stream) {
    delete reinterpret_cast<char*>(stream);
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t stream_synchronize(myblasStream_t) { return MYBLAS_STATUS_SUCCESS; }

myblasStatus_t require_no_capture(myblasStream_t) { return MYBLAS_STATUS_SUCCESS; }

myblasStatus_t find_capture(myblasStream_t, stream_capture* capture) {
    *capture = {};
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t copy(const matrix_copy& c, myblasStream_t) {
    const char* source = static_cast<const char*>(c.source);
    char* target = static_cast<char*>(c.target);
    for (size_t col = 0; col < c.cols; ++col) {
        // Source and target may be the same memory here, where host and device are one.
        std::memmove(target, source, c.column_bytes);
        source += c.source_pitch_bytes;
        target += c.target_pitch_bytes;
    }
    return MYBLAS_STATUS_SUCCESS;
}

constexpr backend_ops ops = {
    .id = MYBLAS_BACKEND_HOST,
    .open = open,
    .check_process = check_process,
    .enter_device = enter_device,
    .allocate = allocate,
    .release = release,
    .zero = zero,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_synchronize = stream_synchronize,
    .require_no_capture = require_no_capture,
    .find_capture = find_capture,
    .copy = copy,
};

} // namespace

const backend_ops& host_backend() { return ops; }

} // namespace myblas

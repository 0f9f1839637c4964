// The cuda backend of a build without CUDA: open() fails, so nothing else is ever called.
#include "core/backend.h"

namespace myblas {
namespace {

myblasStatus_t open(device_info*, const char** reason) {
    *reason = "this library was built without CUDA";
    return MYBLAS_STATUS_NOT_INITIALIZED;
}

constexpr backend_ops ops = {
    .id = MYBLAS_BACKEND_CUDA,
    .open = open,
    .check_process = nullptr,
    .explain_preparation = nullptr,
    .exchange_device = nullptr,
    .allocate = nullptr,
    .release = nullptr,
    .zero = nullptr,
    .stream_allocate = nullptr,
    .stream_release = nullptr,
    .stream_create = nullptr,
    .stream_destroy = nullptr,
    .stream_synchronize = nullptr,
    .require_no_capture = nullptr,
    .find_capture = nullptr,
    .watch_graph = nullptr,
    .context_id = nullptr,
    .is_context_gone = nullptr,
    .copy = nullptr,
};

} // namespace

const backend_ops& cuda_backend() { return ops; }

} // namespace myblas

// The cuda backend of a build without CUDA: open() fails, so nothing else is ever called.
#include "core/backend.h"

namespace myblas {
namespace {

myblasStatus_t open(device_info*, const char** reason) {
    *reason = "this library was built without CUDA";
    return MYBLAS_STATUS_NOT_INITIALIZED;
}

constexpr backend_ops ops = {.id = MYBLAS_BACKEND_CUDA, .open = open};

} // namespace

const backend_ops& cuda_backend() { return ops; }

} // namespace myblas

// Stands in for machine_cuda.cu and handles_cuda.cpp in a build without CUDA.
#include "errors.h"
#include "handles_command.h"
#include "machine.h"

namespace bench {

std::unique_ptr<machine> make_cuda_machine() {
    throw failure("this myblas-bench was built without CUDA");
}

std::shared_ptr<float> make_device_zeros(size_t) {
    throw failure("this myblas-bench was built without CUDA");
}

void create_context() {}
void wait_for_device() {}

std::optional<handle_library> cublas_handles(int64_t) { return std::nullopt; }

} // namespace bench

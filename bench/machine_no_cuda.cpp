// Stands in for machine_cuda.cu and memory_ways.cpp in a build without CUDA.
#include "errors.h"
#include "machine.h"
#include "memory_ways.h"

namespace bench {

std::unique_ptr<machine> make_cuda_machine() {
    throw failure("this myblas-bench was built without CUDA");
}

void measure_memory_ways(const memory_options&,
                         myblasBackend_t,
                         uint64_t,
                         const std::function<void(const way_times&)>&) {
    throw failure("this myblas-bench was built without CUDA");
}

} // namespace bench

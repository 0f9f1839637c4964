// Stands in for machine_cuda.cu in a build without CUDA.
#include "errors.h"
#include "machine.h"

namespace bench {

std::unique_ptr<machine> make_cuda_machine() {
    throw failure("this myblas-bench was built without CUDA");
}

} // namespace bench

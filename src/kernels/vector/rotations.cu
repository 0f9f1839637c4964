// rotg, rotmg: rotations generated from scalars in device memory, with core/rotation.h.
//
// Bound: the latency of a launch, of memory, and of a root and divisions in double.
// Launch: one warp, in which one thread works.  Accepts: everything.

#include "core/rotation.h"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/vector/registry.h"

namespace myblas::cuda {
namespace {

template <class Problem>
__global__ void __launch_bounds__(warp_size) generate_one(Problem p) {
    grid_dependency_sync();
    if (threadIdx.x == 0)
        generate(p);
}

template <class Problem>
myblasStatus_t launch_one(const Problem& p, const launch_context& context) {
    return launch_overlapped(generate_one<Problem>, dim3(1), warp_size, context, p);
}

template <class Problem>
constexpr kernel_entry<Problem> entry = {
    .name = "one_thread",
    .description = "one thread, in double",
    .threads = warp_size,
    .launch = launch_one<Problem>,
};

} // namespace

constinit const kernel_entry<rotg_problem> rotg_one_thread = entry<rotg_problem>;
constinit const kernel_entry<rotmg_problem> rotmg_one_thread = entry<rotmg_problem>;

} // namespace myblas::cuda

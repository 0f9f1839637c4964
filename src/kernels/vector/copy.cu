// y = x: the ladder of walk.h with nothing to compute.
//
// Bound: 2 n floats moved.  Block: 256 threads.

#include "kernels/vector/registry.h"
#include "kernels/vector/walk.h"

namespace myblas::cuda {
namespace {

struct replace {
    static constexpr bool reads_y = false;

    __device__ explicit replace(const copy_problem&) {}
    __device__ bool idle() const { return false; }
    __device__ float apply(float x, float) const { return x; }
};

} // namespace

constinit const kernel_entry<copy_problem> copy_naive = {
    .name = "naive",
    .description = "one thread for each element; unit increments",
    .threads = walk_threads,
    .accepts = has_unit_increments<copy_problem>,
    .launch = launch_naive<replace, copy_problem>,
};

constinit const kernel_entry<copy_problem> copy_vectorised = {
    .name = "vectorised",
    .description = "16-byte accesses in a grid-stride loop; unit increments, x and y aligned alike",
    .threads = walk_threads,
    .accepts = is_equally_aligned<copy_problem>,
    .launch = launch_vectorised<replace, copy_problem>,
};

constinit const kernel_entry<copy_problem> copy_strided = {
    .name = "strided",
    .description = "element by element, any increments",
    .threads = walk_threads,
    .launch = launch_strided<replace, copy_problem>,
};

} // namespace myblas::cuda

// y = alpha x + y: the ladder of walk.h with a fused multiply-add.
//
// Bound: 3 n floats moved.  Block: 256 threads.

#include "kernels/common/scalar.h"
#include "kernels/vector/registry.h"
#include "kernels/vector/walk.h"

namespace myblas::cuda {
namespace {

struct multiply_add {
    static constexpr bool reads_y = true;
    float alpha;

    __device__ explicit multiply_add(const axpy_problem& p) : alpha(resolve(p.alpha)) {}
    __device__ bool idle() const { return alpha == 0; }
    __device__ float apply(float x, float y) const { return fmaf(alpha, x, y); }
};

} // namespace

constinit const kernel_entry<axpy_problem> axpy_naive = {
    .name = "naive",
    .description = "one thread for each element; unit increments",
    .threads = walk_threads,
    .accepts = has_unit_increments<axpy_problem>,
    .launch = launch_naive<multiply_add, axpy_problem>,
};

constinit const kernel_entry<axpy_problem> axpy_vectorised = {
    .name = "vectorised",
    .description = "16-byte accesses in a grid-stride loop; unit increments, x and y aligned alike",
    .threads = walk_threads,
    .accepts = is_equally_aligned<axpy_problem>,
    .launch = launch_vectorised<multiply_add, axpy_problem>,
};

constinit const kernel_entry<axpy_problem> axpy_strided = {
    .name = "strided",
    .description = "element by element, any increments",
    .threads = walk_threads,
    .launch = launch_strided<multiply_add, axpy_problem>,
};

} // namespace myblas::cuda

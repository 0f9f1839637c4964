// result = the sums of the rows of op(A): one thread for each sum.
//
// The simplest kernel. With op N, neighbouring threads go along neighbouring rows. With op T, each
// thread goes down its own column: the threads of a warp are lda elements apart.
//
// Accuracy: in order, (k - 1) u sum |A_ij| for sums of k elements.
// Bound: m n elements read.  Block: 256 threads, one sum each.  Accepts: everything.

#include "kernels/common/launch.h"
#include "kernels/sum/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 256;

__global__ void __launch_bounds__(threads) naive(gemsum_problem p) {
    const int64_t sums = p.trans ? p.n : p.m, terms = p.trans ? p.m : p.n;
    const int64_t sum_step = p.trans ? p.lda : 1, term_step = p.trans ? 1 : p.lda;
    const int64_t step = int64_t{gridDim.x} * threads;
    for (int64_t i = int64_t{blockIdx.x} * threads + threadIdx.x; i < sums; i += step) {
        float total = 0;
        for (int64_t l = 0; l < terms; ++l)
            total += p.a[i * sum_step + l * term_step];
        p.result[i] = total;
    }
}

myblasStatus_t launch_naive(const gemsum_problem& p, const launch_context& context) {
    const int64_t sums = p.trans ? p.n : p.m;
    const int64_t blocks = std::min(ceil_div<int64_t>(sums, threads), max_grid_x);
    return launch(naive, dim3(static_cast<unsigned>(blocks)), threads, 0, context, p);
}

} // namespace

constinit const kernel_entry<gemsum_problem> gemsum_naive = {
    .name = "naive",
    .description = "one thread for each sum",
    .threads = threads,
    .launch = launch_naive,
};

} // namespace myblas::cuda

// result = sum of x_i: every thread adds its element to the result with an atomic.
//
// The simplest kernel: all additions queue at one address.
//
// Bound: n elements read.  Block: 1024 threads, one element each.  Accepts: everything.
// Not deterministic.

#include "kernels/sum/ladder.cuh"
#include "kernels/sum/registry.h"

namespace myblas::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(ladder_threads) atomic(sum_problem<T> p) {
    const int64_t step = int64_t{gridDim.x} * ladder_threads;
    for (int64_t i = int64_t{blockIdx.x} * ladder_threads + threadIdx.x; i < p.n; i += step)
        atomicAdd(p.result, term(p, i));
}

template <class T>
myblasStatus_t launch_atomic(const sum_problem<T>& p, const launch_context& context) {
    return launch_ladder(atomic<T>, p, context);
}

template <class T>
constexpr kernel_entry<sum_problem<T>> entry{
    .name = "atomic",
    .description = "one atomic addition for each element",
    .threads = ladder_threads,
    .alignment_bytes = sizeof(T),
    .deterministic = false,
    .launch = launch_atomic<T>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_atomic = entry<float>;
constinit const kernel_entry<sum_problem<double>> dsum_atomic = entry<double>;

} // namespace myblas::cuda

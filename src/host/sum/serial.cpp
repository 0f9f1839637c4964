// *result = sum of x_i or of |x_i|, added in order in one accumulator.
//
// Works against the latency of an addition. Error at most (n - 1) u sum |x_i|.
// Accepts every problem.
#include "host/registry.h"

#include <cmath>

namespace myblas::host {
namespace {

template <class T>
myblasStatus_t launch(const sum_problem<T>& p, const launch_context&) {
    T sum = 0;
    for (int64_t i = 0; i < p.n; ++i) {
        const T x = p.x[i * p.incx];
        sum += p.absolute ? std::abs(x) : x;
    }
    *p.result = sum;
    return MYBLAS_STATUS_SUCCESS;
}

template <class T>
constexpr kernel_entry<sum_problem<T>> entry{
    .name = "serial",
    .description = "one accumulator, in order",
    .alignment_bytes = sizeof(T),
    .launch = launch<T>,
};

} // namespace

constinit const kernel_entry<sum_problem<float>> sum_serial = entry<float>;
constinit const kernel_entry<sum_problem<double>> dsum_serial = entry<double>;

} // namespace myblas::host

// result = the sums of the rows of op(A), each added in order in one accumulator.
//
// If A is not transposed, it is read along its rows: a whole cache line for each element, once A is
// larger than the cache. Error of a sum of k elements: at most (k - 1) u sum |A_ij|.
// Accepts every problem.
#include "host/registry.h"

namespace myblas::host {
namespace {

float add_in_order(const float* x, int64_t count, int64_t increment) {
    float sum = 0;
    for (int64_t i = 0; i < count; ++i)
        sum += x[i * increment];
    return sum;
}

myblasStatus_t launch(const gemsum_problem& p, const launch_context&) {
    if (p.trans)
        for (int64_t j = 0; j < p.n; ++j)
            p.result[j] = add_in_order(p.a + j * p.lda, p.m, 1);
    else
        for (int64_t i = 0; i < p.m; ++i)
            p.result[i] = add_in_order(p.a + i, p.n, p.lda);
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<gemsum_problem> gemsum_serial{
    .name = "serial",
    .description = "one accumulator for each sum, in order",
    .launch = launch,
};

} // namespace myblas::host

// y = alpha * x + y, in order.
//
// Works against memory: 3 elements moved for each element of y. An element takes a multiplication and
// an addition, fused into one rounding where the compiler targets processors that can.
// Any increments: with incy == 0 the updates follow each other on one element. alpha == 0 reads nothing.
// Accepts every problem.
#include "host/scalar.h"
#include "host/vector/registry.h"

namespace myblas::host {
namespace {

// Apart from the loop over any increments, so that compilers vectorise it: x and y do not overlap.
void add_contiguous(int64_t n, float alpha, const float* __restrict x, float* __restrict y) {
    for (int64_t i = 0; i < n; ++i)
        y[i] += alpha * x[i];
}

myblasStatus_t launch(const axpy_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha);
    if (alpha == 0.0f)
        return MYBLAS_STATUS_SUCCESS;
    if (p.incx == 1 && p.incy == 1)
        add_contiguous(p.n, alpha, p.x, p.y);
    else
        for (int64_t i = 0; i < p.n; ++i)
            p.y[i * p.incy] += alpha * p.x[i * p.incx];
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<axpy_problem> axpy_reference{
    .name = "reference",
    .description = "one loop, in order",
    .launch = launch,
};

} // namespace myblas::host

// y = x, in order.
//
// Works against memory: 2 elements moved for each element of y. Any increments: with incy == 0 the
// last element of x stays. Accepts every problem.
#include "host/vector/registry.h"

#include <algorithm>

namespace myblas::host {
namespace {

myblasStatus_t launch(const copy_problem& p, const launch_context&) {
    if (p.incx == 1 && p.incy == 1)
        std::copy_n(p.x, p.n, p.y);
    else
        for (int64_t i = 0; i < p.n; ++i)
            p.y[i * p.incy] = p.x[i * p.incx];
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<copy_problem> copy_reference{
    .name = "reference",
    .description = "one loop, in order",
    .launch = launch,
};

} // namespace myblas::host

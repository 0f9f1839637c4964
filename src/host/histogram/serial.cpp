// counts_v = number of bytes of x that equal v, byte by byte.
//
// Works against the latency of a store that the next load needs, if bytes repeat.
// Accepts every problem.
#include "host/registry.h"

#include <algorithm>

namespace myblas::host {
namespace {

myblasStatus_t launch(const histogram_problem& p, const launch_context&) {
    std::fill(p.counts, p.counts + 256, uint64_t{0});
    for (int64_t i = 0; i < p.n; ++i)
        ++p.counts[p.x[i]];
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<histogram_problem> histogram_serial{
    .name = "serial",
    .description = "byte by byte",
    .launch = launch,
};

} // namespace myblas::host

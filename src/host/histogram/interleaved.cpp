// counts_v = number of bytes of x that equal v, with eight tables in turn.
//
// Adds to `serial`: byte i of a word of eight counts in table i, so that repeated neighbours do not
// wait for each other.
// Works against one load and one store for each byte. Accepts every problem.
#include "host/registry.h"

#include <cstring>

namespace myblas::host {
namespace {

constexpr int tables = 8;

myblasStatus_t launch(const histogram_problem& p, const launch_context&) {
    uint64_t count[tables][256] = {};
    int64_t i = 0;
    for (; i + tables <= p.n; i += tables) {
        uint64_t word;
        std::memcpy(&word, p.x + i, sizeof word);
#pragma GCC unroll 8
        for (int t = 0; t < tables; ++t)
            ++count[t][word >> (8 * t) & 0xFF];
    }
    for (; i < p.n; ++i)
        ++count[0][p.x[i]];
    for (int v = 0; v < 256; ++v) {
        uint64_t total = 0;
        for (const auto& table : count)
            total += table[v];
        p.counts[v] = total;
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<histogram_problem> histogram_interleaved{
    .name = "interleaved",
    .description = "eight tables in turn",
    .launch = launch,
};

} // namespace myblas::host

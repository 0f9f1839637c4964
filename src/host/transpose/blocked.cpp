// B = A^T by square tiles that are transposed in registers (tile.h), on several threads if A is
// large.
//
// Adds to `naive`: each cache line of either matrix is moved once.
// Works against memory: 2 elements moved for each element of A.
// Accepts every problem that is not in place.
#include "host/registry.h"
#include "host/transpose/element.h"
#include "host/transpose/tile.h"

namespace myblas::host {
namespace {

bool accepts(const transpose_problem& p, const device_info&) { return !p.in_place(); }

myblasStatus_t launch(const transpose_problem& p, const launch_context&) {
    return with_element(p, [&p]<class T>(T) {
        for (int64_t i = 0; i < p.batch_count; ++i) {
            const transpose_problem one = p.part(i, 1);
            transpose_tiles(
                p.m, p.n, static_cast<const T*>(one.a), p.lda, static_cast<T*>(one.b), p.ldb);
        }
        return MYBLAS_STATUS_SUCCESS;
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_blocked{
    .name = "blocked",
    .description = "cache tiles, out of place",
    .block_m = tile_edge,
    .block_n = tile_edge,
    .accepts = accepts,
    .launch = launch,
};

} // namespace myblas::host

// C = alpha * op(A) + beta * op(B) by square tiles that stay in the first-level cache (tile.h).
//
// Adds to naive: a cache line of a transposed operand is still near when its other elements are due, so
// it is moved once. Works against memory: 3 elements moved for each element of C.
// Accepts every problem, in place with op(X) = X too: an element of C depends on the same elements of
// A and B alone.
#include "host/scalar.h"
#include "host/transpose/geam_operand.h"
#include "host/transpose/registry.h"
#include "host/transpose/tile.h"

namespace myblas::host {
namespace {

myblasStatus_t launch(const geam_problem& p, const launch_context&) {
    const geam_operand a(resolve(p.alpha), p.transa, p.a, p.lda);
    const geam_operand b(resolve(p.beta), p.transb, p.b, p.ldb);
    for_each_tile(p.m, p.n, [&](int64_t i, int64_t j, int rows, int cols) {
        for (int64_t column = j; column < j + cols; ++column)
            for (int64_t row = i; row < i + rows; ++row)
                p.c[row + column * p.ldc] = a(row, column) + b(row, column);
    });
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<geam_problem> geam_blocked{
    .name = "blocked",
    .description = "cache tiles",
    .block_m = tile_edge,
    .block_n = tile_edge,
    .launch = launch,
};

} // namespace myblas::host

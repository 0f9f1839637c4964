// C = alpha * op(A) + beta * op(B), element by element down the columns of C.
//
// A transposed operand is read along its rows. Bound: memory. 3 elements are moved for each element
// of C. If an operand is larger than the cache, each element that is read along a row moves a whole
// cache line. Accepts every problem, also in place with op(X) = X: an element of C depends only on
// the same elements of A and B.
#include "host/registry.h"
#include "host/scalar.h"
#include "host/transpose/geam_operand.h"

namespace myblas::host {
namespace {

myblasStatus_t launch(const geam_problem& p, const launch_context&) {
    const geam_operand a(resolve(p.alpha), p.transa, p.a, p.lda);
    const geam_operand b(resolve(p.beta), p.transb, p.b, p.ldb);
    for (int64_t j = 0; j < p.n; ++j)
        for (int64_t i = 0; i < p.m; ++i)
            p.c[i + j * p.ldc] = a(i, j) + b(i, j);
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<geam_problem> geam_naive{
    .name = "naive",
    .description = "element by element",
    .launch = launch,
};

} // namespace myblas::host

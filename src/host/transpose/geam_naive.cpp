// C = alpha * op(A) + beta * op(B), element by element down the columns of C.
//
// A transposed operand is read along its rows. Bound: memory. 3 elements are moved for each element
// of C. If an operand is larger than the cache, each element that is read along a row moves a whole
// cache line. Accepts every problem, also in place with op(X) = X: an element of C depends only on
// the same elements of A and B.
#include "host/registry.h"
#include "host/scalar.h"

namespace myblas::host {
namespace {

// Element (i, j) of op(X) is at data[i * row_stride + j * column_stride].
struct operand {
    float factor;
    const float* data;
    int64_t row_stride, column_stride;

    // An operand with factor 0 is not read, and may be null: a zero stands for each of its
    // elements.
    operand(float scale, bool transposed, const float* x, int64_t ld)
        : factor(scale), data(x), row_stride(transposed ? ld : 1),
          column_stride(transposed ? 1 : ld) {
        static constexpr float zero = 0;
        if (scale == 0.0f) {
            data = &zero;
            row_stride = column_stride = 0;
        }
    }
    float operator()(int64_t i, int64_t j) const {
        return factor * data[i * row_stride + j * column_stride];
    }
};

myblasStatus_t launch(const geam_problem& p, const launch_context&) {
    const operand a(resolve(p.alpha), p.transa, p.a, p.lda);
    const operand b(resolve(p.beta), p.transb, p.b, p.ldb);
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

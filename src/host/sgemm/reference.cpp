// C = alpha * op(A) * op(B) + beta * C by the textbook's triple loop, the simplest kernel of the
// ladder.
//
// The inner loop goes down a column, along which memory is contiguous. With op(A) = A it adds a
// multiple of a column of A to a column of C (loop order j, l, i). With op(A) = A^T it computes the
// dot product of a column of A and a column of op(B) (order j, i, l).
// Works against memory: 2 flops for every element of A loaded.
// At most k + 2 roundings touch any term.
// Accepts every problem.
#include "host/registry.h"
#include "host/sgemm/products.h"

namespace myblas::host {
namespace {

// Element (l, j) of op(B) is at b[l * depth_stride + j * column_stride].
struct right_operand {
    const float* b;
    int64_t depth_stride, column_stride;

    float operator()(int64_t l, int64_t j) const { return b[l * depth_stride + j * column_stride]; }
};

void multiply_columns(const sgemm_problem& p, const product& q, const right_operand& b) {
    scale_matrix(q.beta, p.m, p.n, q.c, p.ldc);
    for (int64_t j = 0; j < p.n; ++j) {
        float* column_c = q.c + j * p.ldc;
        for (int64_t l = 0; l < p.k; ++l) {
            const float* column_a = q.a + l * p.lda;
            const float factor = q.alpha * b(l, j);
            for (int64_t i = 0; i < p.m; ++i)
                column_c[i] += factor * column_a[i];
        }
    }
}

void multiply_dots(const sgemm_problem& p, const product& q, const right_operand& b) {
    for (int64_t j = 0; j < p.n; ++j) {
        for (int64_t i = 0; i < p.m; ++i) {
            const float* column_a = q.a + i * p.lda;
            float dot = 0;
            for (int64_t l = 0; l < p.k; ++l)
                dot += column_a[l] * b(l, j);
            float& c = q.c[i + j * p.ldc];
            c = q.beta == 0.0f ? q.alpha * dot : q.alpha * dot + q.beta * c;
        }
    }
}

myblasStatus_t launch(const sgemm_problem& p, const launch_context&) {
    return for_each_product(p, [&p](const product& q) {
        const right_operand b{q.b, p.transb ? p.ldb : 1, p.transb ? 1 : p.ldb};
        if (p.transa)
            multiply_dots(p, q, b);
        else
            multiply_columns(p, q, b);
    });
}

} // namespace

constinit const kernel_entry<sgemm_problem> sgemm_reference{
    .name = "reference",
    .description = "textbook triple loop",
    .has_epilogue = true,
    .takes_backwards = true,
    .launch = launch,
};

} // namespace myblas::host

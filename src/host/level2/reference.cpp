// symv, syr, syr2, ger, trmv, trsv column by column: each inner loop goes down the part of a column
// that lies in the triangle.
//
// Works against memory: the triangle is read once. Error of a sum of k terms: at most k + 2
// roundings touch any term. Accepts every problem.
#include "host/registry.h"
#include "host/scalar.h"

namespace myblas::host {
namespace {

// The rows begin ... end - 1 of column j are the triangle without its diagonal.
struct rows {
    int64_t begin, end;
};

rows strict_rows(bool upper, int64_t j, int64_t n) { return upper ? rows{0, j} : rows{j + 1, n}; }

myblasStatus_t launch(const symv_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    for (int64_t i = 0; i < p.n; ++i) {
        float& y = p.y[i * p.incy];
        y = beta == 0 ? 0 : beta * y;
    }
    for (int64_t j = 0; alpha != 0 && j < p.n; ++j) {
        const float* column = p.a + j * p.lda;
        const float factor = alpha * p.x[j * p.incx];
        float dot = column[j] * p.x[j * p.incx];
        const rows r = strict_rows(p.upper, j, p.n);
        for (int64_t i = r.begin; i < r.end; ++i) {
            p.y[i * p.incy] += factor * column[i];
            dot += column[i] * p.x[i * p.incx];
        }
        p.y[j * p.incy] += alpha * dot;
    }
    return MYBLAS_STATUS_SUCCESS;
}

// In double, so that no order of the three factors overflows or underflows on the way.
void update_all(const syr_problem& p, float alpha) {
    for (int64_t j = 0; alpha != 0 && j < p.n; ++j) {
        float* column = p.a + j * p.lda;
        const double factor = double{alpha} * p.y[j * p.incy];
        for (int64_t i = 0; i < p.m; ++i)
            column[i] = static_cast<float>(column[i] + factor * p.x[i * p.incx]);
    }
}

myblasStatus_t launch(const syr_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha);
    if (p.is_ger) {
        update_all(p, alpha);
        return MYBLAS_STATUS_SUCCESS;
    }
    for (int64_t j = 0; alpha != 0 && j < p.n; ++j) {
        float* column = p.a + j * p.lda;
        const rows strict = strict_rows(p.upper, j, p.n);
        const rows r = p.upper ? rows{0, j + 1} : rows{j, strict.end};
        const float factor_x = alpha * p.x[j * p.incx];
        if (!p.y) {
            for (int64_t i = r.begin; i < r.end; ++i)
                column[i] += factor_x * p.x[i * p.incx];
            continue;
        }
        const float factor_y = alpha * p.y[j * p.incy];
        for (int64_t i = r.begin; i < r.end; ++i)
            column[i] += factor_y * p.x[i * p.incx] + factor_x * p.y[i * p.incy];
    }
    return MYBLAS_STATUS_SUCCESS;
}

// Calls visit(j) for all columns, from the first or from the last.
template <class Visitor>
void for_columns(int64_t n, bool ascending, Visitor visit) {
    for (int64_t step = 0; step < n; ++step)
        visit(ascending ? step : n - 1 - step);
}

// Column j adds its old x_j to elements whose own columns are done. If transposed, x_j collects
// from elements whose columns are not done, so that they are still old.
myblasStatus_t launch(const trmv_problem& p, const launch_context&) {
    for_columns(p.n, !p.op_is_lower(), [&p](int64_t j) {
        const float* column = p.a + j * p.lda;
        const rows r = strict_rows(p.upper, j, p.n);
        float& x = p.x[j * p.incx];
        const float old = x;
        x = p.unit ? old : old * column[j];
        for (int64_t i = r.begin; i < r.end; ++i)
            if (p.trans)
                x += column[i] * p.x[i * p.incx];
            else
                p.x[i * p.incx] += column[i] * old;
    });
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t launch(const trsv_problem& p, const launch_context&) {
    for_columns(p.n, p.op_is_lower(), [&p](int64_t j) {
        const float* column = p.a + j * p.lda;
        const rows r = strict_rows(p.upper, j, p.n);
        float& x = p.x[j * p.incx];
        if (p.trans)
            for (int64_t i = r.begin; i < r.end; ++i)
                x -= column[i] * p.x[i * p.incx];
        if (!p.unit)
            x /= column[j];
        if (!p.trans)
            for (int64_t i = r.begin; i < r.end; ++i)
                p.x[i * p.incx] -= column[i] * x;
    });
    return MYBLAS_STATUS_SUCCESS;
}

template <class Problem>
constexpr kernel_entry<Problem> entry{
    .name = "reference",
    .description = "column by column",
    .launch = launch,
};

} // namespace

constinit const kernel_entry<symv_problem> symv_reference = entry<symv_problem>;
constinit const kernel_entry<syr_problem> syr_reference = entry<syr_problem>;
constinit const kernel_entry<trmv_problem> trmv_reference = entry<trmv_problem>;
constinit const kernel_entry<trsv_problem> trsv_reference = entry<trsv_problem>;

} // namespace myblas::host

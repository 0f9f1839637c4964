// Level 3 by the textbook's loops, the simplest kernels of each ladder; no workspace.
//
// One row or column of C at a time, by dot products: at most as many roundings as terms, plus two,
// touch an element. The other triangle of an operand is not read: symmetric operands are read
// through their mirror image, triangular ones as a lower triangle on the left
// (level3/triangular.h).
#include "host/level3/reference.h"

#include "host/batch.h"
#include "host/registry.h"
#include "host/scalar.h"
#include "level3/plan.h"
#include "level3/triangular.h"

#include <cmath>

namespace myblas::host {
namespace {

// An element of C by the expressions of reproducible mode (myblas.h), without reading c if beta is
// 0.
float blend(float alpha, float sum, float beta, float c) {
    const float scaled = std::fma(alpha, sum, 0.0f);
    return beta == 0 ? scaled : std::fma(beta, c, scaled);
}

// Element (i, l) of op(A) at a[i * row + l * col].
struct strided {
    const float* a;
    int64_t row, col;

    strided(const float* data, int64_t ld, bool trans)
        : a(data), row(trans ? ld : 1), col(trans ? 1 : ld) {}
    float operator()(int64_t i, int64_t l) const { return a[i * row + l * col]; }
};

template <bool twice>
myblasStatus_t launch_rank_k(const rank_k_problem<twice>& p, const launch_context&) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    const strided a(p.a, p.lda, p.transa), b(p.b, p.ldb, p.transb);
    const int64_t depth = alpha == 0 ? 0 : p.k;
    for (int64_t j = 0; j < p.n; ++j) {
        const int64_t first = p.upper ? 0 : j, end = p.upper ? j + 1 : p.n;
        for (int64_t i = first; i < end; ++i) {
            float sum = 0;
            for (int64_t l = 0; l < depth; ++l)
                sum = std::fma(a(i, l), b(l, j), sum);
            if (twice) // with A and B exchanged
                for (int64_t l = 0; l < depth; ++l)
                    sum = std::fma(b(l, i), a(j, l), sum);
            float& c = p.c[i + j * p.ldc];
            c = depth ? blend(alpha, sum, beta, c) : blend(0, 0, beta, c);
        }
    }
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t launch_symm(const symm_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    const auto a = [&p](int64_t i, int64_t j) {
        const bool is_stored = p.upper ? i <= j : i >= j;
        return is_stored ? p.a[i + j * p.lda] : p.a[j + i * p.lda];
    };
    const int64_t depth = alpha == 0 ? 0 : p.order();
    for (int64_t j = 0; j < p.n; ++j) {
        for (int64_t i = 0; i < p.m; ++i) {
            float sum = 0;
            for (int64_t l = 0; l < depth; ++l)
                sum = p.right ? std::fma(p.b[i + l * p.ldb], a(l, j), sum)
                              : std::fma(a(i, l), p.b[l + j * p.ldb], sum);
            float& c = p.c[i + j * p.ldc];
            c = blend(alpha, sum, beta, c);
        }
    }
    return MYBLAS_STATUS_SUCCESS;
}

// The lower triangle, by the strides of its form.
struct lower_triangle {
    const float* a;
    int64_t row, col;
    bool unit;

    lower_triangle(const float* data, const triangular_form& form, bool is_unit)
        : a(data + form.row(0) * (1 + form.lda)), row(form.a_row()), col(form.a_col()),
          unit(is_unit) {}
    float operator()(int64_t i, int64_t j) const {
        return unit && i == j ? 1.0f : a[i * row + j * col];
    }
};

// A line of B or C.
template <class T>
struct line {
    T* first;
    int64_t along;

    line(T* data, int64_t ld, const triangular_form& form, int64_t index)
        : first(data + form.row(0) * form.along(ld) + index * form.across(ld)),
          along(form.sign() * form.along(ld)) {}
    T& operator[](int64_t i) const { return first[i * along]; }
};

myblasStatus_t launch_trsm(const trsm_problem& p, const launch_context&) {
    for (int64_t i = 0; i < p.batch_count; ++i)
        solve_by_loops(p,
                       batch_operand(p.a, p.stride_a, p.a_array, i),
                       batch_operand(p.b, p.stride_b, p.b_array, i));
    return MYBLAS_STATUS_SUCCESS;
}

template <class Problem>
constexpr kernel_entry<Problem> textbook(myblasStatus_t (*launch)(const Problem&,
                                                                  const launch_context&)) {
    return {.name = "reference",
            .description = "the textbook's loops",
            .keeps_k_order = plan_keeps_k_order<Problem>,
            .launch = launch};
}

} // namespace

// Works from the last element to the first, so that c may be b.
myblasStatus_t multiply_by_loops(const trmm_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha);
    const triangular_form form(p);
    const lower_triangle l(p.a, form, p.unit);
    for (int64_t index = 0; index < p.lines(); ++index) {
        const line<const float> b(p.b, p.ldb, form, index);
        const line<float> c(p.c, p.ldc, form, index);
        for (int64_t i = form.n - 1; i >= 0; --i) {
            float sum = 0;
            if (alpha != 0)
                for (int64_t j = 0; j <= i; ++j)
                    sum += l(i, j) * b[j];
            c[i] = alpha * sum;
        }
    }
    return MYBLAS_STATUS_SUCCESS;
}

void solve_by_loops(const trsm_problem& p, const float* a, float* b) {
    const float alpha = resolve(p.alpha);
    const triangular_form form(p);
    const lower_triangle l(a, form, p.unit);
    for (int64_t index = 0; index < p.lines(); ++index) {
        const line<float> x(b, p.ldb, form, index);
        for (int64_t i = 0; i < form.n; ++i) {
            if (alpha == 0) {
                x[i] = 0;
                continue;
            }
            float rest = alpha * x[i];
            for (int64_t j = 0; j < i; ++j)
                rest -= l(i, j) * x[j];
            x[i] = p.unit ? rest : rest / l(i, i);
        }
    }
}

constinit const kernel_entry<syrk_problem> syrk_reference = textbook(launch_rank_k<false>);
constinit const kernel_entry<syr2k_problem> syr2k_reference = textbook(launch_rank_k<true>);
constinit const kernel_entry<symm_problem> symm_reference = textbook(launch_symm);
constinit const kernel_entry<trmm_problem> trmm_reference = textbook(multiply_by_loops);
constinit const kernel_entry<trsm_problem> trsm_reference = textbook(launch_trsm);

} // namespace myblas::host

// Level 3 by OpenBLAS, if it is installed (host/openblas.h), in OpenBLAS's own threads.
//
// Accepts: sizes and leading dimensions that fit an int; a syrk_problem only if it is the product
// of A and its own transpose.
//
// Two properties of OpenBLAS's packed kernels are hidden from the caller. The kernels multiply the
// zeros of a triangle, so that an Inf in alpha * B would become NaN elsewhere. And the kernels
// multiply by the reciprocals of a diagonal, which overflow or lose digits near the ends of the
// range. A trmm or trsm with such a B, and a trsm with such a diagonal, is computed by blocks:
// diagonal blocks by the steps of plans (level3/steps.h), the rest by OpenBLAS's products. (An Inf
// that trsm meets later, in A or by overflow, is not handled: looking for one in A would take as
// long as solving for a few lines.)
#include "host/openblas.h"

#include "host/batch.h"
#include "host/level3/reference.h"
#include "host/registry.h"
#include "host/scalar.h"
#include "level3/triangular.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace myblas::host {
namespace {

// ---- syrk, syr2k, symm --------------------------------------------------------------------------

bool accepts_syrk(const syrk_problem& p, const device_info&) {
    const bool is_syrk = p.a == p.b && p.lda == p.ldb && p.transa != p.transb;
    return is_syrk && fit_int({p.n, p.k, p.lda, p.ldc}) && is_usable(openblas().ssyrk);
}

// OpenBLAS takes a beta of NaN for zero. In that case, fills the triangle of C with NaN and returns
// 1; otherwise returns beta.
template <class Problem>
float take_nan(const Problem& p) {
    const float beta = resolve(p.beta);
    if (beta == beta)
        return beta;
    for (int64_t j = 0; j < p.n; ++j)
        std::fill(
            p.c + j * p.ldc + (p.upper ? 0 : j), p.c + j * p.ldc + (p.upper ? j + 1 : p.n), beta);
    return 1;
}

myblasStatus_t launch_syrk(const syrk_problem& p, const launch_context&) {
    const float beta = take_nan(p);
    return openblas().ssyrk(
        p.upper, p.transa, p.n, p.k, resolve(p.alpha), p.a, p.lda, beta, p.c, p.ldc);
}

bool accepts_syr2k(const syr2k_problem& p, const device_info&) {
    return fit_int({p.n, p.k, p.lda, p.ldb, p.ldc}) && is_usable(openblas().ssyr2k);
}

myblasStatus_t launch_syr2k(const syr2k_problem& p, const launch_context&) {
    const float beta = take_nan(p);
    return openblas().ssyr2k(
        p.upper, p.transa, p.n, p.k, resolve(p.alpha), p.a, p.lda, p.b, p.ldb, beta, p.c, p.ldc);
}

bool accepts_symm(const symm_problem& p, const device_info&) {
    return fit_int({p.m, p.n, p.lda, p.ldb, p.ldc}) && is_usable(openblas().ssymm);
}

myblasStatus_t launch_symm(const symm_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    return openblas().ssymm(
        p.right, p.upper, p.m, p.n, alpha, p.a, p.lda, p.b, p.ldb, beta, p.c, p.ldc);
}

// ---- Inf and NaN --------------------------------------------------------------------------------

// Whether alpha * B is finite.
bool is_finite(int64_t m, int64_t n, float alpha, const float* b, int64_t ldb) {
    constexpr uint32_t exponent = 0x7f800000; // all of its bits are set in Inf and NaN
    uint32_t found = 0;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i)
            found |= (std::bit_cast<uint32_t>(alpha * b[i + j * ldb]) & exponent) == exponent;
    return found == 0;
}

// ---- Triangles by blocks ------------------------------------------------------------------------

constexpr int64_t block = most_triangle_block; // rows of a diagonal block

// Lines X that are multiplied in place by a triangle or its inverse; rows as in triangular_form.
template <class Problem> // trmm_problem, trsm_problem
class blocked_triangle {
public:
    blocked_triangle(const Problem& of, const float* triangle, float* lines, int64_t ld)
        : p(of), form(of), a(triangle), x(lines), ldx(ld) {}

    // X_rows = alpha * L_rows * X_rows, or L_rows^-1 * alpha * X_rows, with these rows' diagonal
    // block.
    void update_diagonal(bool is_solve, int64_t first, int64_t count, float alpha) const {
        const int64_t row = form.row(first);
        triangle_step step = step_of(p, form, count, ldx, ldx);
        step.is_solve = is_solve;
        step.alpha = {alpha};
        step.a = {a + row * (1 + p.lda)};
        step.x = {x + row * form.along(ldx)};
        step.y = {x + row * form.along(ldx)};
        (void)host_steps().triangle(step, {});
    }

    // X_rows = alpha * L(rows, cols) * X_cols + beta * X_rows.
    void add_product(const rectangles& r, float alpha, float beta) const {
        const placed_product at = place(form, r, p.trans, p.lines(), ldx, ldx);
        const float *const l = a + at.offset_l, *const by = x + at.offset_x;
        openblas().sgemm(at.problem.transa,
                         at.problem.transb,
                         at.problem.m,
                         at.problem.n,
                         at.problem.k,
                         alpha,
                         p.right ? by : l,
                         p.right ? ldx : p.lda,
                         p.right ? l : by,
                         p.right ? p.lda : ldx,
                         beta,
                         x + at.offset_y,
                         ldx);
    }

private:
    const Problem& p;
    const triangular_form form;
    const float* a;
    float* x;
    int64_t ldx;
};

// C = alpha * op(A) * C or alpha * C * op(A), from the last rows of the triangle to the first:
// later rows need the old values of earlier ones.
void multiply_by_blocks(const trmm_problem& p, float alpha) {
    const blocked_triangle by(p, p.a, p.c, p.ldc);
    for (int64_t first = (p.order() - 1) / block * block; first >= 0; first -= block) {
        const int64_t count = std::min(block, p.order() - first);
        by.update_diagonal(false, first, count, 1);
        if (first > 0)
            by.add_product({first, 0, count, first, 0, 1}, 1, 1);
    }
    // alpha comes last, because alpha * B may overflow where C does not.
    for (int64_t j = 0; j < p.n; ++j)
        for (int64_t i = 0; i < p.m; ++i)
            p.c[i + j * p.ldc] *= alpha;
}

// One matrix of a batch.
void solve_by_blocks(const trsm_problem& p, float alpha, const float* a, float* b) {
    const blocked_triangle by(p, a, b, p.ldb);
    float scale = alpha; // factor of the right-hand sides that are not solved yet
    for (int64_t first = 0; first < p.order(); first += block) {
        const int64_t count = std::min(block, p.order() - first), next = first + count;
        by.update_diagonal(true, first, count, scale);
        if (next < p.order())
            by.add_product({next, first, p.order() - next, count, 0, 1}, -1, scale);
        scale = 1;
    }
}

// ---- trmm ---------------------------------------------------------------------------------------

bool accepts_trmm(const trmm_problem& p, const device_info&) {
    return fit_int({p.m, p.n, p.lda, p.ldb, p.ldc}) && is_usable(openblas().strmm);
}

myblasStatus_t launch_trmm(const trmm_problem& p, const launch_context& context) {
    const float alpha = resolve(p.alpha);
    if (alpha == 0)
        return multiply_by_loops(p, context);
    const bool by_blocks = !is_finite(p.m, p.n, alpha, p.b, p.ldb);
    if (!p.in_place())
        for (int64_t j = 0; j < p.n; ++j)
            std::copy_n(p.b + j * p.ldb, p.m, p.c + j * p.ldc);
    if (by_blocks) {
        multiply_by_blocks(p, alpha);
        return MYBLAS_STATUS_SUCCESS;
    }
    return openblas().strmm(
        p.right, p.upper, p.trans, p.unit, p.m, p.n, alpha, p.a, p.lda, p.c, p.ldc);
}

// ---- trsm ---------------------------------------------------------------------------------------

bool accepts_trsm(const trsm_problem& p, const device_info&) {
    return fit_int({p.m, p.n, p.lda, p.ldb}) && is_usable(openblas().strsm);
}

// Whether the reciprocals of the diagonal are normal numbers: 1 / x is at least 2^-126 up to 2^126.
bool has_reciprocals(const trsm_problem& p, const float* a) {
    if (p.unit)
        return true;
    for (int64_t i = 0; i < p.order(); ++i) {
        const float magnitude = std::fabs(a[i * (1 + p.lda)]);
        if (!(magnitude >= 0x1p-126f && magnitude <= 0x1p126f))
            return false;
    }
    return true;
}

myblasStatus_t launch_trsm(const trsm_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha);
    for (int64_t i = 0; i < p.batch_count; ++i) {
        const float* const a = batch_operand(p.a, p.stride_a, p.a_array, i);
        float* const b = batch_operand(p.b, p.stride_b, p.b_array, i);
        if (alpha == 0)
            solve_by_loops(p, a, b);
        else if (!has_reciprocals(p, a) || !is_finite(p.m, p.n, alpha, b, p.ldb))
            solve_by_blocks(p, alpha, a, b);
        else
            openblas().strsm(
                p.right, p.upper, p.trans, p.unit, p.m, p.n, alpha, a, p.lda, b, p.ldb);
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<syrk_problem> syrk_openblas = by_openblas(accepts_syrk, launch_syrk);
constinit const kernel_entry<syr2k_problem> syr2k_openblas =
    by_openblas(accepts_syr2k, launch_syr2k);
constinit const kernel_entry<symm_problem> symm_openblas = by_openblas(accepts_symm, launch_symm);
constinit const kernel_entry<trmm_problem> trmm_openblas = by_openblas(accepts_trmm, launch_trmm);
constinit const kernel_entry<trsm_problem> trsm_openblas = by_openblas(accepts_trsm, launch_trsm);

} // namespace myblas::host

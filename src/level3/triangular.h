// The eight forms of a triangular operand (side, uplo, trans) as one: a lower triangle L on the
// left.
//
// X * op(A) is (op(A)^T * X^T)^T: with A on the right, lines are the rows of B. An upper triangle
// is a lower one with its rows and columns reversed. With signed strides there is a single form,
//   L(i, j) = a[i * a_row + j * a_col], j <= i
//   element i of a line of X: x[i * along + line * across]
// `actual` converts a range of i to rows of the caller's matrix.
#pragma once

#include "level3/plan.h"

#include <cstdint>

namespace myblas {

struct triangular_form {
    bool right, trans; // trans: whether L, on the left, is transposed in memory
    bool reversed;
    int64_t n, lda;

    template <class Problem> // trmm_problem, trsm_problem
    explicit triangular_form(const Problem& p)
        : right(p.right), trans(p.trans != p.right), reversed(p.upper != trans), n(p.order()),
          lda(p.lda) {}

    // The first row, in the caller's matrix, of rows [first, first + count) of L.
    int64_t actual(int64_t first, int64_t count) const {
        return reversed ? n - first - count : first;
    }
    // The row of the caller's matrix that is row `first` of L: where strides, which may be
    // negative, start.
    int64_t row(int64_t first) const { return reversed ? n - 1 - first : first; }
    int64_t sign() const { return reversed ? -1 : 1; }

    int64_t a_row() const { return sign() * (trans ? lda : 1); }
    int64_t a_col() const { return sign() * (trans ? 1 : lda); }
    int64_t along(int64_t ld) const { return right ? ld : 1; } // without the sign
    int64_t across(int64_t ld) const { return right ? 1 : ld; }
};

// A step with `n` rows of L and the lines of X and Y, without a batch. The caller sets what it
// does, its factors and its operands.
template <class Problem> // trmm_problem, trsm_problem
triangle_step
step_of(const Problem& p, const triangular_form& form, int64_t n, int64_t ldx, int64_t ldy) {
    triangle_step step{};
    step.unit = p.unit;
    step.n = step.block = n;
    step.lines = p.lines();
    step.gate = {1};
    step.a_row = form.a_row();
    step.a_col = form.a_col();
    step.x_along = form.sign() * form.along(ldx);
    step.x_across = form.across(ldx);
    step.y_along = form.sign() * form.along(ldy);
    step.y_across = form.across(ldy);
    step.batch_count = 1;
    return step;
}

// Y_rows += alpha * L(rows, cols) * X_cols for rectangles of L. Offsets and strides are in
// elements, from the caller's pointers.
struct placed_product {
    sgemm_problem problem; // without operands
    int64_t offset_l, offset_x, offset_y;
    int64_t stride_l, stride_x, stride_y;
};

inline placed_product place(const triangular_form& form,
                            const rectangles& r,
                            bool trans,
                            int64_t lines,
                            int64_t ldx,
                            int64_t ldy) {
    // If reversed, the last rectangle has the lowest address.
    const int64_t skipped = form.reversed ? r.step * (r.count - 1) : 0;
    const int64_t row = form.actual(r.row + skipped, r.rows);
    const int64_t col = form.actual(r.col + skipped, r.cols);
    placed_product q{};
    q.problem.m = form.right ? lines : r.rows;
    q.problem.n = form.right ? r.rows : lines;
    q.problem.k = r.cols;
    (form.right ? q.problem.transb : q.problem.transa) = trans;
    q.offset_l = form.trans ? col + row * form.lda : row + col * form.lda;
    q.offset_x = col * form.along(ldx);
    q.offset_y = row * form.along(ldy);
    q.stride_l = r.step * (1 + form.lda);
    q.stride_x = r.step * form.along(ldx);
    q.stride_y = r.step * form.along(ldy);
    return q;
}

} // namespace myblas

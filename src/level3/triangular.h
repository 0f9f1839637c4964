// The sixteen forms of a triangular operand (side, uplo, trans) as one: a lower triangle L on the left.
//
// X * op(A) is (op(A)^T * X^T)^T: on the right, lines are the rows of B. An upper triangle is a lower one with its rows and
// columns in reverse. So with signed strides there is a single form,
//   L(i, j) = a[i * a_row + j * a_col], j <= i      element i of a line of X at x[i * along + line * across]
// and what a range of i is in the caller's matrix, `actual` tells.
#pragma once

#include "core/problem.h"

#include <cstdint>

namespace myblas {

struct triangular_form {
    bool right, trans; // trans: of L, seen from the left
    bool reversed;
    int64_t n, lda;

    template <class Problem> // trmm_problem, trsm_problem
    explicit triangular_form(const Problem& p)
        : right(p.right), trans(p.trans != p.right), reversed(p.upper != trans), n(p.order()),
          lda(p.lda) {}

    // The first row in the caller's matrix of rows [first, first + count) of L.
    int64_t actual(int64_t first, int64_t count) const {
        return reversed ? n - first - count : first;
    }
    // Where row `first` is, for strides that may be negative.
    int64_t row(int64_t first) const { return reversed ? n - 1 - first : first; }
    int64_t sign() const { return reversed ? -1 : 1; }

    int64_t a_row() const { return sign() * (trans ? lda : 1); }
    int64_t a_col() const { return sign() * (trans ? 1 : lda); }
    int64_t along(int64_t ld) const { return right ? ld : 1; } // without the sign
    int64_t across(int64_t ld) const { return right ? 1 : ld; }
};

} // namespace myblas

#include "reference.h"

#include "machine.h"

namespace bench {
namespace {

using kind = matrix_view::kind;

// A view of a call; it starts as the view of a product of the call's A and B.
struct view_maker {
    view_maker(const shape& s, const operands& o, int64_t batch_index)
        : s(s), stride(batch_strides(s)),
          a(static_cast<const float*>(o.a) + batch_index * stride.a),
          b(static_cast<const float*>(o.b) + batch_index * stride.b),
          c(static_cast<const float*>(o.c) + batch_index * stride.c) {
        p.m = s.m;
        p.n = s.n;
        p.k = s.k;
        p.a = {a, s.lda, s.transa};
        p.b = whole_b;
        p.c = {c, s.ldc};
    }

    void in_place(const matrix_view& result) {
        p.c = result;
        p.was_poisoned = false;
    }
    void solves(const matrix_view& x) {
        in_place(x);
        p.is_solution = true;
        p.old_scale = -1;
    }
    void updates(const matrix_view& row) { // the matrix A, by vectors
        in_place({a, s.lda});
        p.k = 1;
        p.a = column_b;
        p.b = row;
        p.alpha = update_alpha;
        p.old_scale = 1;
    }
    void one_column(const matrix_view& matrix, int64_t rows, int64_t depth) {
        p.m = rows;
        p.n = 1;
        p.k = depth;
        p.a = matrix;
        p.b = column_b;
        p.c = column_c;
    }
    void beside_b() { // the special matrix, on its side
        p.k = order_of(s);
        p.a = s.right ? whole_b : special;
        p.b = s.right ? special : whole_b;
    }

    void of_level_2() {
        switch (s.routine) {
        case routine::gemv:
            return one_column(p.a, s.transa ? s.n : s.m, s.transa ? s.m : s.n);
        case routine::ger:
            return updates(row_c);
        case routine::syr:
        case routine::syr2:
            p.twice = s.routine == routine::syr2;
            updates(p.twice ? row_c : row_b);
            p.m = s.n;
            p.results = half;
            return;
        default:
            one_column(special, s.n, s.n);
        }
        if (s.routine == routine::trsv)
            solves(column_b);
        if (s.routine == routine::trmv) {
            p.b = column_c; // its old value
            in_place(column_b);
        }
    }

    void of_level_3() {
        switch (s.routine) {
        case routine::syrk:
        case routine::syr2k:
            p.m = s.n;
            p.twice = s.routine == routine::syr2k;
            p.b = {p.twice ? b : a, p.twice ? s.ldb : s.lda, !s.transa};
            p.results = half;
            break;
        default:
            beside_b();
        }
        if (s.routine == routine::trsm)
            solves(whole_b);
    }

    const shape& s;
    operand_sizes stride;
    const float *a, *b, *c;
    product_view::part half = s.upper ? product_view::part::upper : product_view::part::lower;
    bool is_symmetric = s.routine == routine::symm || s.routine == routine::symv;
    matrix_view special{
        a, s.lda, s.transa, is_symmetric ? kind::symmetric : kind::triangle, s.upper, s.unit};
    matrix_view whole_b{b, s.ldb}, column_b{b, s.incx, true}, column_c{c, s.incx, true};
    matrix_view row_b{b, s.incx}, row_c{c, s.incx};
    product_view p;
};

} // namespace

product_view view_product(const shape& s, const operands& o, int64_t batch_index, uint64_t seed) {
    view_maker made(s, o, batch_index);
    product_view& p = made.p;
    if (s.routine == routine::gemsum) {
        made.one_column(p.a, s.transa ? s.n : s.m, s.transa ? s.m : s.n);
        p.b = {}; // ones
    } else if (is_matrix_blas(s.routine) && counts_flops(s.routine)) {
        made.of_level_3();
    } else if (is_matrix_blas(s.routine)) {
        made.of_level_2();
    } else {
        p.b.trans = s.transb;
        p.alpha = s.alpha;
        p.old_scale = s.beta;
        p.was_poisoned = s.beta == 0;
        p.bias = static_cast<const float*>(o.bias);
        p.activation = s.activation;
    }
    p.old_seed = seed;
    p.old_offset = s.offset + batch_index * made.stride.c;
    return p;
}

pair_view view_pair(const shape& s, const operands& o, uint64_t seed_x, uint64_t seed_y) {
    const auto with = [&](float xx, float xy, float yx, float yy) {
        return pair_view{static_cast<const float*>(o.a),
                         static_cast<const float*>(o.b),
                         s.n,
                         s.incx,
                         s.offset,
                         seed_x,
                         seed_y,
                         {xx, xy, yx, yy}};
    };
    switch (s.routine) {
    case routine::axpy:
        return with(1, 0, axpy_alpha, 1);
    case routine::copy:
        return with(1, 0, 1, 0);
    case routine::scal:
        return with(scal_alpha, 0, 0, 0);
    case routine::swap:
        return with(0, 1, 1, 0);
    case routine::rot:
        return with(rot_c, rot_s, -rot_s, rot_c);
    default: // rotm
        return with(rotm_param[1], rotm_param[3], rotm_param[2], rotm_param[4]);
    }
}

} // namespace bench

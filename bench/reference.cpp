#include "reference.h"

namespace bench {

product_view view_product(const shape& s, const operands& o, int64_t batch_index, uint64_t seed) {
    using kind = matrix_view::kind;
    const operand_sizes stride = batch_strides(s);
    const float* const a = static_cast<const float*>(o.a) + batch_index * stride.a;
    const float* const b = static_cast<const float*>(o.b) + batch_index * stride.b;
    const float* const c = static_cast<const float*>(o.c) + batch_index * stride.c;
    const auto half = s.upper ? product_view::part::upper : product_view::part::lower;
    const matrix_view column_b{b, s.incx, true}, column_c{c, s.incx, true};
    const matrix_view row_b{b, s.incx}, row_c{c, s.incx};
    const matrix_view special{
        a,
        s.lda,
        s.transa,
        s.routine == routine::symm || s.routine == routine::symv ? kind::symmetric : kind::triangle,
        s.upper,
        s.unit};
    const matrix_view whole_b{b, s.ldb}, whole_c{c, s.ldc};
    product_view p;
    p.m = s.m;
    p.n = s.n;
    p.k = s.k;
    p.a = {a, s.lda, s.transa};
    p.c = whole_c;
    const auto beside = [&](const matrix_view& other) { // A, or the special matrix, on its side
        p.k = order_of(s);
        p.a = s.right ? other : special;
        p.b = s.right ? special : other;
    };
    const auto in_place = [&](const matrix_view& result) {
        p.c = result;
        p.was_poisoned = false;
    };
    const auto updates = [&] { // the matrix A, by vectors
        in_place({a, s.lda});
        p.k = 1;
        p.a = column_b;
        p.alpha = update_alpha;
        p.old_scale = 1;
    };
    const auto solves = [&](const matrix_view& x) {
        in_place(x);
        p.is_solution = true;
        p.old_scale = -1;
    };
    const auto one_column = [&](const matrix_view& matrix, int64_t rows, int64_t depth) {
        p.m = rows;
        p.n = 1;
        p.k = depth;
        p.a = matrix;
        p.b = column_b;
        p.c = column_c;
    };
    switch (s.routine) {
    case routine::gemv:
        one_column({a, s.lda, s.transa}, s.transa ? s.n : s.m, s.transa ? s.m : s.n);
        break;
    case routine::symv:
        one_column(special, s.n, s.n);
        break;
    case routine::trmv:
        one_column(special, s.n, s.n);
        p.b = column_c; // as it was
        in_place(column_b);
        break;
    case routine::trsv:
        one_column(special, s.n, s.n);
        solves(column_b);
        break;
    case routine::ger:
        updates();
        p.b = row_c;
        break;
    case routine::syr:
    case routine::syr2:
        updates();
        p.m = s.n;
        p.twice = s.routine == routine::syr2;
        p.b = p.twice ? row_c : row_b;
        p.results = half;
        break;
    case routine::syrk:
    case routine::syr2k:
        p.m = s.n;
        p.twice = s.routine == routine::syr2k;
        p.b = {p.twice ? b : a, p.twice ? s.ldb : s.lda, !s.transa};
        p.results = half;
        break;
    case routine::symm:
    case routine::trmm:
        beside(whole_b);
        break;
    case routine::trsm:
        beside(whole_b);
        solves(whole_b);
        break;
    default:
        p.b = {b, s.ldb, s.transb};
        p.bias = static_cast<const float*>(o.bias);
        p.activation = s.activation;
    }
    p.old_seed = seed;
    p.old_offset = s.offset;
    return p;
}

pair_view view_pair(const shape& s, const operands& o, uint64_t seed_x, uint64_t seed_y) {
    pair_view p{static_cast<const float*>(o.a),
                static_cast<const float*>(o.b),
                s.n,
                s.incx,
                s.offset,
                seed_x,
                seed_y,
                {1, 0, 0, 1}};
    const auto set = [&](float xx, float xy, float yx, float yy) {
        p.h[0] = xx;
        p.h[1] = xy;
        p.h[2] = yx;
        p.h[3] = yy;
    };
    switch (s.routine) {
    case routine::axpy:
        set(1, 0, axpy_alpha, 1);
        break;
    case routine::copy:
        set(1, 0, 1, 0);
        break;
    case routine::scal:
        set(scal_alpha, 0, 0, 0);
        break;
    case routine::swap:
        set(0, 1, 1, 0);
        break;
    case routine::rot:
        set(rot_c, rot_s, -rot_s, rot_c);
        break;
    case routine::rotm:
        set(rotm_param[1], rotm_param[3], rotm_param[2], rotm_param[4]);
        break;
    default:
        break;
    }
    return p;
}

} // namespace bench

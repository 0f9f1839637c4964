#include "blas/level3.h"

#include "blas/layout.h"

#include <algorithm>
#include <cmath>

namespace myblas::preload {
namespace {

using kind = level3::kind;

constexpr int64_t alignment = 64; // of cuts, if the extent is large enough

// ---- Parts of operands --------------------------------------------------------------------------

// The address of element (i, j) of op(A) or op(B).
const float* at(const float* data, int64_t ld, bool trans, int64_t i, int64_t j) {
    return trans ? data + j + i * ld : data + i + j * ld;
}
const float* a_at(const level3& p, int64_t i, int64_t j) { return at(p.a, p.lda, p.transa, i, j); }
const float* b_at(const level3& p, int64_t i, int64_t j) { return at(p.b, p.ldb, p.transb, i, j); }
float* c_at(const level3& p, int64_t i, int64_t j) { return p.c + i + j * p.ldc; }

// op(A) is an upper triangle.
bool is_upper(const level3& p) { return p.upper != p.transa; }

// For a triangular A: the other rows or columns of C that the rows or columns in range r depend on.
bool depends_on_those_before(const level3& p) { return p.left != is_upper(p); }
range others(const level3& p, range r) {
    const bool before = p.updates_triangle() ? p.upper : depends_on_those_before(p);
    return before ? range{0, r.begin} : range{r.end, p.order()};
}

// A product into the same C, whose position and extents the caller sets.
level3 plain_product(const level3& p, float beta) {
    level3 q = p;
    q.what = kind::product;
    q.transa = q.transb = false;
    q.beta = beta;
    return q;
}

// The same operation on the diagonal block of range r; its slices of B and C.
level3 on_diagonal(const level3& p, range r) {
    level3 q = p;
    if (p.updates_triangle()) {
        q.m = q.n = r.size();
        q.a = a_at(p, r.begin, 0);
        q.b = p.what == kind::syr2k ? at(p.b, p.ldb, p.transa, r.begin, 0) : b_at(p, 0, r.begin);
        q.c = c_at(p, r.begin, r.begin);
        return q;
    }
    q.a = p.a + r.begin * (1 + p.lda);
    (p.left ? q.m : q.n) = r.size();
    q.c = p.left ? c_at(p, r.begin, 0) : c_at(p, 0, r.begin);
    if (p.has_b())
        q.b = p.left ? p.b + r.begin : p.b + r.begin * p.ldb;
    return q;
}

// ---- Along the triangle -------------------------------------------------------------------------

// The product with rows s of op(A) and columns r of op(B), beside the diagonal.
level3 beside_diagonal(const level3& p, range s, range r) {
    level3 q = p;
    q.what = kind::product;
    q.m = s.size();
    q.n = r.size();
    q.a = a_at(p, s.begin, 0);
    q.b = b_at(p, 0, r.begin);
    q.c = c_at(p, s.begin, r.begin);
    return q;
}

operations update_along(const level3& p, range r) {
    operations all;
    const range s = others(p, r);
    if (s.size() > 0) {
        level3 q = p;
        if (p.what == kind::syr2k)
            q.transb = !q.transa;
        all.add(beside_diagonal(q, s, r));
        if (p.what == kind::syr2k) {
            std::swap(q.a, q.b);
            std::swap(q.lda, q.ldb);
            q.beta = 1;
            all.add(beside_diagonal(q, s, r));
        }
    }
    all.add(on_diagonal(p, r));
    return all;
}

// alpha * A_ro * X_o, or alpha * X_o * A_or with A on the right, into the slice r of C. A block of
// A is given by its address and whether it is transposed there.
level3 from_others(const level3& p,
                   range r,
                   range o,
                   const float* block,
                   bool trans,
                   const float* x,
                   int64_t ldx,
                   float alpha,
                   float beta) {
    level3 q = plain_product(p, beta);
    q.alpha = alpha;
    q.k = o.size();
    const float* slice = p.left ? x + o.begin : x + o.begin * ldx;
    if (p.left) {
        q.m = r.size();
        q.transa = trans;
        q.a = block;
        q.lda = p.lda;
        q.b = slice;
        q.ldb = ldx;
        q.c = c_at(p, r.begin, 0);
    } else {
        q.n = r.size();
        q.transb = trans;
        q.a = slice;
        q.lda = ldx;
        q.b = block;
        q.ldb = p.lda;
        q.c = c_at(p, 0, r.begin);
    }
    return q;
}

operations symm_along(const level3& p, range r) {
    operations all;
    all.add(on_diagonal(p, r));
    for (const range o : {range{0, r.begin}, range{r.end, p.order()}}) {
        if (o.size() == 0)
            continue;
        // The upper triangle stores the blocks with rows before columns; the lower one stores the
        // blocks with rows after columns.
        const range rows = p.left ? r : o, cols = p.left ? o : r;
        const bool is_stored = (rows.begin < cols.begin) == p.upper;
        const float* block = is_stored ? p.a + rows.begin + cols.begin * p.lda
                                       : p.a + cols.begin + rows.begin * p.lda;
        all.add(from_others(p, r, o, block, !is_stored, p.b, p.ldb, p.alpha, 1));
    }
    return all;
}

operations triangular_along(const level3& p, range r) {
    operations all;
    const range o = others(p, r);
    const float* block = p.left ? a_at(p, r.begin, o.begin) : a_at(p, o.begin, r.begin);
    level3 diagonal = on_diagonal(p, r);
    if (p.what == kind::trmm) {
        all.add(diagonal);
        if (o.size() > 0)
            all.add(from_others(p, r, o, block, p.transa, p.c, p.ldc, p.alpha, 1));
        return all;
    }
    if (o.size() > 0) {
        all.add(from_others(p, r, o, block, p.transa, p.c, p.ldc, -1, p.alpha));
        diagonal.alpha = 1;
    }
    all.add(diagonal);
    return all;
}

} // namespace

operations along(const level3& p, range r) {
    return p.updates_triangle()   ? update_along(p, r)
           : p.what == kind::symm ? symm_along(p, r)
                                  : triangular_along(p, r);
}

// An update may go in either direction. In the chosen direction, op(A) is needed from one end on.
bool is_forward(const level3& p) {
    switch (p.what) {
    case kind::gemmtr:
    case kind::syr2k:
        return p.upper;
    case kind::trsm:
        return p.left || depends_on_those_before(p);
    case kind::trmm:
        return p.left || !depends_on_those_before(p);
    default:
        return true;
    }
}

level3 across(const level3& p, range r) {
    level3 q = p;
    (p.left ? q.n : q.m) = r.size();
    q.c = p.left ? c_at(p, 0, r.begin) : c_at(p, r.begin, 0);
    if (p.has_b())
        q.b = p.left ? p.b + r.begin * p.ldb : p.b + r.begin;
    return q;
}

operations columns_of(const level3& p, range r) {
    if (p.updates_triangle() || !p.left)
        return along(p, r);
    operations one;
    one.add(across(p, r));
    return one;
}

// ---- Halves and shares --------------------------------------------------------------------------

namespace {

int64_t middle(int64_t extent) {
    const int64_t half = (extent + 1) / 2;
    return extent > 2 * alignment ? (half + alignment - 1) / alignment * alignment : half;
}

// The order in which parts along the triangle are computed, with A on either side.
bool is_forward_along(const level3& p) {
    return p.what == kind::trsm   ? depends_on_those_before(p)
           : p.what == kind::trmm ? !depends_on_those_before(p)
                                  : true;
}

operations halves_along(const level3& p) {
    operations all;
    const int64_t half = middle(p.order());
    std::array<range, 2> parts = {range{0, half}, range{half, p.order()}};
    if (!is_forward_along(p))
        std::swap(parts[0], parts[1]);
    for (const range r : parts)
        for (const level3& q : along(p, r))
            all.add(q);
    return all;
}

operations halves_of_depth(const level3& p) {
    const int64_t half = middle(p.k);
    level3 first = p, second = p;
    first.k = half;
    second.k = p.k - half;
    second.a = a_at(p, 0, half);
    second.b = p.what == kind::syr2k ? at(p.b, p.ldb, p.transa, 0, half) : b_at(p, half, 0);
    second.beta = 1;
    operations all;
    all.add(first);
    all.add(second);
    return all;
}

operations halves_across(const level3& p) {
    const int64_t extent = p.left ? p.n : p.m, half = middle(extent);
    operations all;
    all.add(across(p, {0, half}));
    all.add(across(p, {half, extent}));
    return all;
}

} // namespace

operations halves(const level3& p) {
    const int64_t other = p.updates_triangle() ? p.k : p.left ? p.n : p.m;
    if (std::max(other, p.order()) <= 1)
        return {};
    if (other <= p.order())
        return halves_along(p);
    return p.updates_triangle() ? halves_of_depth(p) : halves_across(p);
}

range share_of(const level3& p, int index, int count) {
    const int64_t extent = p.updates_triangle() ? p.n : p.left ? p.n : p.m;
    const auto cut = [&](int i) -> int64_t {
        if (i == 0 || i == count)
            return i == 0 ? 0 : extent;
        // The columns before x hold x^2 / 2 elements of an upper triangle. The columns after x hold
        // as many of a lower one.
        const double x = static_cast<double>(i) / count;
        const double part = p.upper ? std::sqrt(x) : 1 - std::sqrt(1 - x);
        const int64_t column = p.updates_triangle()
                                   ? static_cast<int64_t>(part * static_cast<double>(extent))
                                   : extent * i / count;
        return extent > alignment * count ? column / alignment * alignment : column;
    };
    return {cut(index), cut(index + 1)};
}

level3 tile_of(const level3& p, int index, int count) {
    const auto block_at = [&](int i) {
        const auto cut = [&](int j) {
            return j == count ? p.n : p.n * j / count / alignment * alignment;
        };
        return range{cut(i), cut(i + 1)};
    };
    if (index >= tiles_beside_diagonal(count))
        return on_diagonal(p, block_at(index - tiles_beside_diagonal(count)));
    int later = 1; // of the two blocks whose rows and columns meet
    while (tiles_beside_diagonal(later + 1) <= index)
        ++later;
    const range r = block_at(later), s = block_at(index - tiles_beside_diagonal(later));
    return p.upper ? beside_diagonal(p, s, r) : beside_diagonal(p, r, s);
}

// ---- The plan -----------------------------------------------------------------------------------

extent extent_of_a(const level3& p) {
    if (p.what == kind::product)
        return p.transa ? extent{p.k, p.m} : extent{p.m, p.k};
    if (p.updates_triangle())
        return p.transa ? extent{p.k, p.n} : extent{p.n, p.k};
    return {p.order(), p.order()};
}

extent extent_of_b(const level3& p) {
    switch (p.what) {
    case kind::syr2k:
        return extent_of_a(p);
    case kind::symm:
        return {p.m, p.n};
    case kind::product:
    case kind::gemmtr:
        if (p.has_b())
            return p.transb ? extent{p.n, p.k} : extent{p.k, p.n};
        [[fallthrough]];
    default:
        return {0, 0};
    }
}

namespace {

constexpr int lag = 2; // groups that are computed before the oldest one is waited for

class planner {
public:
    planner(const level3& p,
            range cols,
            int64_t slot_elements,
            int most_groups,
            function_ref<bool(const step&)> visit)
        : p_(p), cols_(cols), slot_elements_(slot_elements), most_groups_(most_groups),
          forward_(is_forward(p)), visit_(visit), sent_(cols_needed_at_first()) {}

    bool run() {
        if (p_.left && !p_.updates_triangle() && !upload_all_of_a())
            return false;
        int count = 0;
        for (range left = cols_; left.size() > 0; ++count) {
            const range r = take(&left, group_cols(left.size(), count));
            groups_[static_cast<size_t>(count % (lag + 1))] = r;
            if (!upload_for(r, count) ||
                !visit_({step::kind::compute, {operand_name::c, {0, p_.m}, r, {}}, count}) ||
                (count >= lag && !download(count - lag)))
                return false;
        }
        for (int group = std::max(0, count - lag); group < count; ++group)
            if (!download(group))
                return false;
        return true;
    }

private:
    range cols_needed_at_first() const { return forward_ ? range{0, 0} : range{p_.n, p_.n}; }

    // The next columns in the order of computation.
    range take(range* left, int64_t cols) const {
        cols = std::min(cols, left->size());
        if (forward_) {
            left->begin += cols;
            return {left->begin - cols, left->begin};
        }
        left->end -= cols;
        return {left->end, left->end + cols};
    }

    int64_t group_cols(int64_t left, int count) const {
        if (count + 1 == most_groups_)
            return left;
        return next_group_cols(cols_.size(), left, alignment);
    }

    bool upload(operand_name of, range rows, range cols, int group, triangle part = {}) {
        return rows.size() == 0 || cols.size() == 0 ||
               visit_({step::kind::upload, {of, rows, cols, part}, group, number_});
    }
    bool upload_diagonal_of_a(range r, int group) {
        return upload(
            operand_name::a, r, r, group, {p_.upper ? triangle::upper : triangle::lower, 0});
    }

    // Uploads the triangle in strips of columns.
    bool upload_all_of_a() {
        constexpr int64_t most_strips = most_shared_parts / 2;
        const int64_t cols = std::max(least_group_cols, divide_up(p_.m, most_strips));
        for (int strip = 0; strip * cols < p_.m; ++strip) {
            const range r{strip * cols, std::min((strip + 1) * cols, p_.m)};
            const range beside = p_.upper ? range{0, r.begin} : range{r.end, p_.m};
            number_ = 2 * strip;
            if (!upload(operand_name::a, beside, r, 0))
                return false;
            number_ = 2 * strip + 1;
            if (!upload_diagonal_of_a(r, 0))
                return false;
        }
        number_ = -1;
        return true;
    }

    bool upload_for(range r, int group) {
        if (p_.updates_triangle())
            return upload_for_update(r, group);
        return p_.left ? upload_columns(r, group) : upload_for_right(r, group);
    }

    // Columns of B and C.
    bool upload_columns(range r, int group) {
        return (!p_.has_b() || upload(operand_name::b, {0, p_.m}, r, group)) &&
               (!p_.reads_c() || upload(operand_name::c, {0, p_.m}, r, group));
    }

    // Uploads the rows of op(A), and of syr2k's op(B), that are not on the device yet, or gemmtr's
    // columns of op(B), and C's part of the triangle.
    bool upload_for_update(range r, int group) {
        const range fresh = forward_ ? range{sent_.end, r.end} : range{r.begin, sent_.begin};
        (forward_ ? sent_.end : sent_.begin) = forward_ ? r.end : r.begin;
        const range depth{0, p_.k};
        const auto upload_lines = [&](operand_name of, range lines, bool are_columns) {
            return upload(of, are_columns ? depth : lines, are_columns ? lines : depth, group);
        };
        if (!upload_lines(operand_name::a, fresh, p_.transa))
            return false;
        if (p_.what == kind::syr2k && !upload_lines(operand_name::b, fresh, p_.transa))
            return false;
        if (p_.what == kind::gemmtr && p_.has_b() && !upload_lines(operand_name::b, r, !p_.transb))
            return false;
        const block of_c = columns_of_triangle(r);
        return !p_.reads_c() || upload(operand_name::c, of_c.rows, of_c.cols, group, of_c.part);
    }

    // With A on the right: uploads the parts of A that meet these columns and are not on the device
    // yet.
    bool upload_for_right(range r, int group) {
        const bool has_all_of_x = p_.what == kind::symm || p_.what == kind::trmm;
        const range all{0, p_.m};
        if (has_all_of_x && group == 0 &&
            !upload(p_.has_b() ? operand_name::b : operand_name::c, all, {0, p_.n}, 0))
            return false;
        if ((p_.what == kind::trsm || (p_.what == kind::symm && p_.reads_c())) &&
            !upload(operand_name::c, all, r, group))
            return false;
        // For a symmetric A, the block with the earlier columns was uploaded with the earlier
        // columns.
        const range o = p_.what == kind::symm ? range{r.end, p_.n} : others(p_, r);
        const bool o_is_rows = (o.begin < r.begin) == p_.upper;
        return upload_diagonal_of_a(r, group) &&
               upload(operand_name::a, o_is_rows ? o : r, o_is_rows ? r : o, group);
    }

    // A trapezium.
    block columns_of_triangle(range r) const {
        if (p_.upper)
            return {operand_name::c, {0, r.end}, r, {triangle::upper, r.begin}};
        return {operand_name::c, {r.begin, p_.n}, r, {triangle::lower, 0}};
    }

    bool download(int group) {
        range left = groups_[static_cast<size_t>(group % (lag + 1))];
        const int64_t strip_cols = std::max<int64_t>(1, slot_elements_ / p_.m);
        while (left.size() > 0) {
            const range r = take(&left, strip_cols);
            const block all{operand_name::c, {0, p_.m}, r, {}};
            if (!visit_({step::kind::download,
                         p_.updates_triangle() ? columns_of_triangle(r) : all,
                         group}))
                return false;
        }
        return true;
    }

    const level3& p_;
    const range cols_;
    const int64_t slot_elements_;
    const int most_groups_;
    const bool forward_;
    const function_ref<bool(const step&)> visit_;
    range sent_;      // rows of op(A)
    int number_ = -1; // of the next upload, if devices may share it
    std::array<range, lag + 1> groups_;
};

} // namespace

bool visit_plan(const level3& p,
                range cols,
                int64_t slot_elements,
                int most_groups,
                function_ref<bool(const step&)> visit) {
    return planner(p, cols, slot_elements, most_groups, visit).run();
}

range remaining_columns(
    const level3& p, range cols, int64_t slot_elements, int most_groups, int64_t downloads) {
    range left = cols;
    const bool forward = is_forward(p);
    visit_plan(p, cols, slot_elements, most_groups, [&](const step& s) {
        if (s.what != step::kind::download)
            return true;
        if (downloads-- == 0)
            return false;
        (forward ? left.begin : left.end) = forward ? s.which.cols.end : s.which.cols.begin;
        return true;
    });
    return left;
}

} // namespace myblas::preload

// The plans of level 3 (abi/preload/blas/level3.h): every step is done on the host. A second memory
// plays the device; only elements that were sent there may be read.
#include "blas/level3.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace myblas::preload;
using kind = level3::kind;

namespace {

constexpr float never = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t gap = 3; // between columns
int failures = 0;

struct matrix {
    int64_t rows, cols;
    std::vector<float> data;

    matrix(const extent& e, float value)
        : rows(e.rows), cols(e.cols),
          data(static_cast<size_t>((e.rows + gap) * e.cols + 1), value) {}
    int64_t ld() const { return rows + gap; }
    float& at(int64_t i, int64_t j) { return data[static_cast<size_t>(i + j * ld())]; }
};

bool is_in_triangle(const level3& p, int64_t i, int64_t j) { return p.upper ? i <= j : i >= j; }

// ---- The operations, by definition --------------------------------------------------------------

float a_of(const level3& p, int64_t i, int64_t j) {
    if (p.what == kind::symm)
        return is_in_triangle(p, i, j) ? p.a[i + j * p.lda] : p.a[j + i * p.lda];
    if (p.transa)
        std::swap(i, j);
    if (!p.is_triangular())
        return p.a[i + j * p.lda];
    return i == j && p.unit ? 1.0F : is_in_triangle(p, i, j) ? p.a[i + j * p.lda] : 0.0F;
}
float b_of(const level3& p, bool trans, int64_t i, int64_t j) {
    return trans ? p.b[j + i * p.ldb] : p.b[i + j * p.ldb];
}

// Multiplies C by the triangle, in doubles; zeros outside it multiply nothing.
void multiply_by_triangle(const level3& p) {
    std::vector<float> old(static_cast<size_t>(p.m * p.n));
    for (int64_t j = 0; j < p.n; ++j)
        for (int64_t i = 0; i < p.m; ++i)
            old[static_cast<size_t>(i + j * p.m)] = p.c[i + j * p.ldc];
    for (int64_t j = 0; j < p.n; ++j)
        for (int64_t i = 0; i < p.m; ++i) {
            double sum = 0;
            for (int64_t l = 0; l < p.order(); ++l)
                if (const float f = p.left ? a_of(p, i, l) : a_of(p, l, j); f != 0)
                    sum += f * old[static_cast<size_t>(p.left ? l + j * p.m : i + l * p.m)];
            p.c[i + j * p.ldc] = static_cast<float>(p.alpha * sum);
        }
}

// One unknown at a time.
void solve(const level3& p) {
    const bool upper = p.upper != p.transa, forward = p.left != upper;
    const int64_t order = p.order();
    for (int64_t other = 0; other < (p.left ? p.n : p.m); ++other) {
        const auto x = [&](int64_t l) -> float& {
            return p.left ? p.c[l + other * p.ldc] : p.c[other + l * p.ldc];
        };
        for (int64_t step = 0; step < order; ++step) {
            const int64_t l = forward ? step : order - 1 - step;
            double sum = static_cast<double>(p.alpha) * x(l);
            for (int64_t q = forward ? 0 : l + 1; q < (forward ? l : order); ++q)
                sum -= static_cast<double>(p.left ? a_of(p, l, q) : a_of(p, q, l)) * x(q);
            x(l) = static_cast<float>(sum / a_of(p, l, l));
        }
    }
}

void compute(const level3& p) {
    if (p.is_triangular())
        return p.what == kind::trmm ? multiply_by_triangle(p) : solve(p);
    for (int64_t j = 0; j < p.n; ++j)
        for (int64_t i = 0; i < p.m; ++i) {
            if (p.updates_triangle() && !is_in_triangle(p, i, j))
                continue;
            double sum = 0;
            const int64_t depth = p.what == kind::symm ? p.order() : p.k;
            for (int64_t l = 0; l < depth; ++l) {
                const auto a = [&](int64_t row) { return static_cast<double>(a_of(p, row, l)); };
                switch (p.what) {
                case kind::syr2k:
                    sum += a(i) * b_of(p, p.transa, j, l) + a(j) * b_of(p, p.transa, i, l);
                    break;
                case kind::symm:
                    sum += static_cast<double>(p.left ? a_of(p, i, l) : a_of(p, l, j)) *
                           (p.left ? b_of(p, false, l, j) : b_of(p, false, i, l));
                    break;
                default:
                    sum += a(i) * b_of(p, p.transb, l, j);
                }
            }
            float& c = p.c[i + j * p.ldc];
            c = static_cast<float>(p.alpha * sum +
                                   (p.beta == 0 ? 0.0 : static_cast<double>(p.beta) * c));
        }
}

// ---- A case: operands with NaN elsewhere --------------------------------------------------------

struct example {
    level3 p;
    matrix a, b, c;

    explicit example(const level3& what)
        : p(what), a(extent_of_a(what), never), b(extent_of_b(what), never),
          c({what.m, what.n}, never) {
        std::mt19937 random(7);
        std::uniform_real_distribution<float> between(-1, 1);
        const bool whole_a = p.updates_triangle() || p.what == kind::product;
        for (int64_t j = 0; j < a.cols; ++j)
            for (int64_t i = 0; i < a.rows; ++i)
                if (whole_a || (is_in_triangle(p, i, j) && !(i == j && p.unit)))
                    a.at(i, j) =
                        i == j && p.is_triangular()
                            ? 4 + between(random)
                            : between(random) / (whole_a ? 1.0F : static_cast<float>(a.rows));
        for (int64_t j = 0; j < b.cols; ++j)
            for (int64_t i = 0; i < b.rows; ++i)
                b.at(i, j) = between(random);
        for (int64_t j = 0; j < p.n; ++j)
            for (int64_t i = 0; i < p.m; ++i)
                if (p.reads_c() && (!p.updates_triangle() || is_in_triangle(p, i, j)))
                    c.at(i, j) = between(random);
        bind();
    }
    example(const example& e) : p(e.p), a(e.a), b(e.b), c(e.c) { bind(); }
    example& operator=(const example&) = delete;
    ~example() = default;

    void bind() {
        p.a = a.data.data();
        p.lda = a.ld();
        const matrix& of_b = b.cols > 0 ? b : a; // syrk
        p.b = of_b.data.data();
        p.ldb = of_b.ld();
        p.c = c.data.data();
        p.ldc = c.ld();
    }
    matrix& operand(operand_name of) {
        return of == operand_name::a ? a : of == operand_name::b ? b : c;
    }
};

// NaN where the expected matrix has NaN, and close elsewhere.
bool is_close(const example& found, const example& right) {
    for (size_t i = 0; i < right.c.data.size(); ++i) {
        const float f = found.c.data[i], r = right.c.data[i];
        if (std::isnan(f) != std::isnan(r) || std::fabs(f - r) > 2e-4F * (1 + std::fabs(r)))
            return false;
    }
    return true;
}

std::string name_of(const level3& p) {
    static constexpr const char* names[] = {"product", "gemmtr", "syr2k", "symm", "trmm", "trsm"};
    char text[128];
    std::snprintf(text,
                  sizeof text,
                  "%s left %d upper %d trans %d %d unit %d m %d n %d k %d beta %g",
                  names[static_cast<int>(p.what)],
                  p.left,
                  p.upper,
                  p.transa,
                  p.transb,
                  p.unit,
                  static_cast<int>(p.m),
                  static_cast<int>(p.n),
                  static_cast<int>(p.k),
                  static_cast<double>(p.beta));
    return text;
}

void expect(bool condition, const char* what, const level3& p) {
    if (condition)
        return;
    std::printf("%s: %s\n", what, name_of(p).c_str());
    ++failures;
}

// ---- Checks -------------------------------------------------------------------------------------

constexpr int most_groups = 59;

void copy(matrix& to, const matrix& from, const block& k, double* moved) {
    for (int64_t j = 0; j < k.cols.size(); ++j)
        for (int64_t i = k.part.first_row(j, k.rows.size()); i < k.part.end_row(j, k.rows.size());
             ++i, *moved += 1) {
            const auto at = static_cast<size_t>(k.rows.begin + i + (k.cols.begin + j) * from.ld());
            to.data[at] = from.data[at];
        }
}

// The number of elements of the operands that the routine references.
double referenced_elements(example& e) {
    double count = 0;
    for (matrix* m : {&e.a, &e.b, &e.c})
        for (int64_t j = 0; j < m->cols; ++j)
            for (int64_t i = 0; i < m->rows; ++i)
                count += !std::isnan(m->at(i, j));
    if (e.p.is_triangular() && e.p.unit)
        count += static_cast<double>(e.p.order()); // the diagonal comes, and is not used
    return count;
}

// Some columns by the plan, with `stops_after` downloads that arrive; the rest by the steps for an
// interrupted plan.
void check_plan(const level3& p, int64_t slot_elements, int shares, int64_t stops_after) {
    example host(p), right(p);
    const double referenced = referenced_elements(host);
    compute(right.p);
    double up = 0;
    for (int index = 0; index < shares; ++index) {
        const range r = share_of(p, index, shares);
        level3 part = host.p;
        range cols = r;
        if (!p.updates_triangle()) {
            if (shares > 1) { // the plan of a smaller operation: by its own definition
                compute(across(host.p, r));
                continue;
            }
            cols = {0, p.n};
        }
        example device(p);
        for (matrix* m : {&device.a, &device.b, &device.c})
            for (float& f : m->data)
                f = never;
        int64_t downloads = 0;
        double down = 0;
        const bool is_whole =
            visit_plan(part, cols, slot_elements, most_groups, [&](const step& s) {
                if (s.what == step::kind::upload)
                    copy(device.operand(s.which.of), host.operand(s.which.of), s.which, &up);
                else if (s.what == step::kind::compute)
                    for (const level3& q : columns_of(device.p, s.which.cols))
                        compute(q);
                else if (downloads++ == stops_after)
                    return false;
                else
                    copy(host.c, device.c, s.which, &down);
                expect(s.group < most_groups, "too many groups", p);
                return true;
            });
        const range left =
            is_whole ? range{0, 0}
                     : remaining_columns(part, cols, slot_elements, most_groups, stops_after);
        expect(is_whole || left.size() > 0, "nothing remains after a failure", p);
        if (left.size() > 0)
            for (const level3& q : columns_of(host.p, left))
                compute(q);
    }
    expect(is_close(host, right), "the plan is wrong", p);
    if (shares == 1 && stops_after < 0)
        expect(up == referenced, "other elements are sent than are referenced", p);
}

void check_halves(const level3& p, int depth) {
    example found(p), right(p);
    compute(right.p);
    const auto by_halves = [](auto&& self, const level3& q, int left) -> void {
        const operations parts = halves(q);
        if (left == 0 || q.what == kind::product || parts.begin() == parts.end())
            return compute(q);
        for (const level3& part : parts)
            self(self, part, left - 1);
    };
    by_halves(by_halves, found.p, depth);
    expect(is_close(found, right), "halves are wrong", p);
}

// The tiles of an update, in reverse order.
void check_tiles(const level3& p, int count) {
    example found(p), right(p);
    compute(right.p);
    for (int index = tiles_in_all(count); index-- > 0;) {
        const level3 t = tile_of(found.p, index, count);
        expect((t.what == kind::product) == (index < tiles_beside_diagonal(count)),
               "products do not come first",
               p);
        if (t.m > 0 && t.n > 0)
            compute(t);
    }
    expect(is_close(found, right), "tiles are wrong", p);
}

void check(const level3& p) {
    for (const int64_t slot_elements : {int64_t{1} << 19, p.m * 100}) {
        check_plan(p, slot_elements, 1, -1);
        for (const int64_t stops_after : {0, 1, 3})
            check_plan(p, slot_elements, 1, stops_after);
    }
    check_plan(p, 1 << 19, 3, -1);
    check_plan(p, 1 << 19, 2, 1);
    check_halves(p, 1);
    check_halves(p, 3);
    if (p.what == kind::gemmtr)
        for (const int count : {2, 3, 5})
            check_tiles(p, count);
}

level3 operation(kind what, int bits, int64_t m, int64_t n, int64_t k, float beta) {
    level3 p;
    p.what = what;
    p.upper = bits & 1;
    p.left = bits & 2;
    p.transa = (bits & 4) && what != kind::symm;
    p.unit = (bits & 8) && p.is_triangular();
    if (what == kind::gemmtr) { // with `left`: syrk
        p.transb = (bits & 2) ? !p.transa : bits & 8;
        p.ldb = (bits & 2) ? 0 : 1;
    }
    p.m = p.updates_triangle() ? n : m;
    p.n = n;
    p.k = k;
    p.alpha = -0.75F;
    p.beta = beta;
    return p;
}

} // namespace

int main() {
    struct {
        int64_t m, n, k;
    } constexpr sizes[] = {{1, 1, 1}, {5, 3, 2}, {6, 330, 9}, {300, 7, 5}};
    for (const kind what : {kind::gemmtr, kind::syr2k, kind::symm, kind::trmm, kind::trsm})
        for (int bits = 0; bits < 16; ++bits)
            for (const auto& s : sizes)
                for (const float beta : {0.0F, 0.5F})
                    check(operation(what, bits, s.m, s.n, s.k, beta));
    if (failures == 0)
        std::puts("all is well");
    return failures > 0;
}

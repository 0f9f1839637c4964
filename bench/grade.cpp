#include "grade.h"

#include "matrix_data.h"
#include "random.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace bench {
namespace {

using place = grade_input::place;
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr double unit = 0x1p-24, least = 0x1p-149;

uint64_t bits_at(const place& p, uint64_t stream = 0) {
    return random_bits(p.seed + (stream << 32), static_cast<uint64_t>(p.line * p.n + p.k));
}

float uniform(const place& p) {
    float value = 0;
    random_value(p.seed, static_cast<uint64_t>(p.line * p.n + p.k), value);
    return value;
}

float positive(const place& p) { return std::fabs(uniform(p)) + 0x1p-20f; }

float power(int64_t exponent) { return static_cast<float>(std::exp2(exponent)); }

// A number from -limit to limit, drawn for a line or for a k. A and B get the same numbers, because
// the seed plays no part.
int64_t exponent_of(int64_t index, int64_t limit) {
    return static_cast<int64_t>(random_bits(0x6772616465, static_cast<uint64_t>(index)) %
                                static_cast<uint64_t>(2 * limit + 1)) -
           limit;
}

// The data of GEMMul8's tests.
template <int phi_in_halves>
float spread(const place& p) {
    const double normal = normal_value(bits_at(p, 1));
    return static_cast<float>(uniform(p) / 2 * std::exp(0.5 * phi_in_halves * normal));
}

// Exponents that are evenly distributed, as in tests of products by integer units.
float wide(const place& p) {
    const uint64_t bits = bits_at(p, 2);
    const float fraction = 1 + static_cast<float>(bits >> 41) * 0x1p-23f;
    return (bits & 1 ? fraction : -fraction) * power(static_cast<int64_t>(bits >> 1 & 31) - 15);
}

// A sum of rows of A, or of columns of B, loses the small rows or columns.
float outer_scaled(const place& p) { return uniform(p) * power(exponent_of(p.line, 20)); }

// A D and D^-1 B: all products have the same magnitude, elements of a line do not.
float inner_scaled_a(const place& p) { return uniform(p) * power(exponent_of(p.k, 20)); }
float inner_scaled_b(const place& p) { return uniform(p) * power(-exponent_of(p.k, 20)); }

// A large and a small block on the diagonal: errors of the large block hide the small block of C.
float blocks(const place& p) {
    const bool low_line = p.line >= p.n / 2, low_k = p.k >= p.n / 2;
    return low_line != low_k ? 0 : low_line ? uniform(p) * 0x1p-20f : uniform(p);
}

// A large element in each row of A meets a zero of B.
float outlier(const place& p) { return p.k == p.n / 2 ? 0x1p24f : uniform(p); }
float zero_at_outlier(const place& p) { return p.k == p.n / 2 ? 0 : uniform(p); }

// Products come in pairs that cancel each other up to 2^-20 of their size. If n is odd, the last
// product has no partner.
float doubled(const place& p) { return uniform({p.seed, p.line, p.k / 2, p.n}); }
float opposite(const place& p) {
    const float value = doubled(p);
    return p.k % 2 ? -value * (1 + 0x1p-20f) : value;
}

// Sums of elements of A would overflow.
float huge(const place& p) { return uniform(p) * std::numeric_limits<float>::max(); }
float small(const place& p) { return uniform(p) * 0x1p-12f; }

float tiny(const place& p) { return uniform(p) * 0x1p-70f; }

// Integers of 13 bits with their sign, too many for TF32 and FP16; sums stay below 2^24.
float integer(const place& p) { return static_cast<float>(bits_at(p) >> 52) - 2048; }
float third(const place& p) { return static_cast<float>(bits_at(p) % 3) - 1; }

// For each k A or B is zero.
bool belongs_to_a(int64_t k) { return exponent_of(k, 20) > 0; }
float zero_or_a(const place& p) { return belongs_to_a(p.k) ? uniform(p) : 0; }
float zero_or_b(const place& p) { return belongs_to_a(p.k) ? 0 : uniform(p); }

float nan_in_a(const place& p) { return p.line == 1 && p.k == 3 ? nan : positive(p); }
float nan_in_b(const place& p) { return p.line == 2 && p.k == 0 ? nan : positive(p); }

// One sum has Inf, one has -Inf, one has both, and one has Inf times zero.
float inf_in_a(const place& p) {
    if (p.line == 1 && p.k == 2)
        return inf;
    if (p.line == 3 && p.k == 4)
        return -inf;
    return p.line == 5 && p.k < 2 ? (p.k ? inf : -inf) : positive(p);
}
float inf_in_b(const place& p) {
    if (p.line == 0 && p.k == 1)
        return inf;
    return p.k == 2 && p.line % 3 == 1 ? 0 : positive(p);
}

float all_nan(const place&) { return nan; }

constexpr grade_input inputs[] = {
    {"uniform", quality::accuracy, uniform, uniform},
    {"positive", quality::accuracy, positive, positive},
    {"spread 0.5", quality::accuracy, spread<1>, spread<1>},
    {"spread 1", quality::accuracy, spread<2>, spread<2>},
    {"spread 2", quality::accuracy, spread<4>, spread<4>},
    {"spread 4", quality::accuracy, spread<8>, spread<8>},
    {"exponents", quality::accuracy, wide, wide},
    {"outer-scaled", quality::accuracy, outer_scaled, outer_scaled},
    {"inner-scaled", quality::accuracy, inner_scaled_a, inner_scaled_b},
    {"blocks", quality::accuracy, blocks, blocks},
    {"outliers", quality::accuracy, outlier, zero_at_outlier},
    {"cancellation", quality::accuracy, doubled, opposite},
    {"subnormal", quality::range, tiny, tiny},
    {"near overflow", quality::classes, huge, small},
    {"integers", quality::exact, integer, third},
    {"zeros", quality::exact, zero_or_a, zero_or_b},
    {"NaN", quality::classes, nan_in_a, nan_in_b},
    {"Inf", quality::classes, inf_in_a, inf_in_b},
    {"alpha = 0", quality::classes, all_nan, all_nan, 0},
};

bool same_class(float c, double exact) {
    return std::isnan(exact) ? std::isnan(c) : std::isinf(exact) ? c == exact : std::isfinite(c);
}

// Infinity unless both are finite.
double ratio(double error, double bound) {
    return error == 0 ? 0 : std::isfinite(error) ? error / bound : inf;
}

std::vector<double> norms_of_lines(const std::vector<float>& x, int64_t n, bool are_columns) {
    std::vector<double> squares(static_cast<size_t>(n));
    for (int64_t at = 0; at < n * n; ++at) {
        const double value = x[static_cast<size_t>(at)];
        squares[static_cast<size_t>(are_columns ? at / n : at % n)] += value * value;
    }
    for (double& value : squares)
        value = std::sqrt(value);
    return squares;
}

double norm(const std::vector<double>& values) {
    double squares = 0;
    for (const double value : values)
        squares += value * value;
    return std::sqrt(squares);
}

} // namespace

std::span<const grade_input> grade_inputs() { return inputs; }

const grade_errors& errors_on(std::string_view name, std::span<const grade_errors> errors) {
    const auto found = std::find_if(
        std::begin(inputs), std::end(inputs), [&](const grade_input& i) { return i.name == name; });
    return errors[static_cast<size_t>(found - std::begin(inputs))];
}

square_product make_product(const grade_input& input, int64_t n, uint64_t seed) {
    square_product made{n, {}, {}};
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            made.a.push_back(input.a({seed, i, j, n}));
            made.b.push_back(input.b({seed + 1, j, i, n}));
        }
    return made;
}

void grade_errors::add(const grade_errors& other) {
    element = std::max(element, other.element);
    lines = std::max(lines, other.lines);
    norms = std::max(norms, other.norms);
    max_ulp = std::max(max_ulp, other.max_ulp);
    inexact += other.inexact;
    off_class += other.off_class;
}

grade_errors judge_product(const square_product& p,
                           const std::vector<float>& c,
                           const std::vector<double>& exact,
                           const std::vector<double>& magnitude,
                           double f) {
    const std::vector<double> rows = norms_of_lines(p.a, p.n, false);
    const std::vector<double> columns = norms_of_lines(p.b, p.n, true);
    grade_errors found;
    std::vector<double> errors(c.size());
    for (size_t at = 0; at < c.size(); ++at) {
        const size_t i = at % static_cast<size_t>(p.n), j = at / static_cast<size_t>(p.n);
        const bool is_finite = std::isfinite(exact[at]);
        const double error = errors[at] = is_finite ? std::fabs(c[at] - exact[at]) : 0;
        found.inexact += is_finite && c[at] != exact[at];
        found.off_class += !same_class(c[at], exact[at]);
        found.element = std::max(found.element, ratio(error, f * (unit * magnitude[at] + least)));
        found.lines =
            std::max(found.lines, ratio(error, f * (unit * rows[i] * columns[j] + least)));
        found.max_ulp = std::max(found.max_ulp, ratio(error, unit * magnitude[at]));
    }
    const double n = static_cast<double>(p.n);
    found.norms = ratio(norm(errors), f * (unit * norm(rows) * norm(columns) + n * least));
    return found;
}

char letter_of(const grade_errors& worst) {
    constexpr double half_unit = 0x1p-11;
    return worst.element <= 1                ? 'A'
           : worst.lines <= 1                ? 'B'
           : worst.norms <= 1                ? 'C'
           : worst.norms <= half_unit / unit ? 'D'
                                             : 'F';
}

double growth_of(std::span<const int64_t> n, std::span<const double> errors) {
    double x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;
    for (size_t i = 0; i < n.size(); ++i) {
        const double x = std::log2(static_cast<double>(n[i])), y = std::log2(errors[i]);
        x_sum += x;
        y_sum += y;
        xx_sum += x * x;
        xy_sum += x * y;
    }
    const double count = static_cast<double>(n.size());
    return (count * xy_sum - x_sum * y_sum) / (count * xx_sum - x_sum * x_sum);
}

std::string arithmetic_of(std::span<const grade_errors> errors) {
    if (letter_of(errors_on("uniform", errors)) == 'F')
        return "wrong";
    if (errors_on("integers", errors).inexact > 0 || errors_on("uniform", errors).norms > 1)
        return "low prec.";
    if (errors_on("outer-scaled", errors).lines > 1 || errors_on("zeros", errors).inexact > 0)
        return "Strassen";
    return errors_on("inner-scaled", errors).element > 1 ? "fixed point" : "O(n^3)";
}

} // namespace bench

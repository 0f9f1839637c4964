#include "fuzz/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace fuzz {
namespace {

constexpr double u = 0x1p-24;         // unit roundoff
constexpr double smallest = 0x1p-149; // the smallest subnormal float
constexpr double least_normal = 0x1p-126;
constexpr double overflow = 0x1.fffff0p+127; // slightly below the largest float
constexpr double infinity = std::numeric_limits<double>::infinity();

// ---- Data ---------------------------------------------------------------------------------------

uint64_t hash(uint64_t a, uint64_t b) {
    return random_source(a ^ (b * 0xD6E8FEB86659FD93u)).bits();
}

float from_unit(uint64_t h) {
    return static_cast<float>(static_cast<double>(h >> 40) * 0x1p-23 - 1);
}

float element_of_kind(int64_t kind, uint64_t h) {
    const float sign = h & 1 ? -1.0f : 1.0f;
    const int choice = static_cast<int>((h >> 1) % 1000);
    switch (kind) {
    case small_integers:
        return static_cast<float>(static_cast<int>((h >> 11) % 7) - 3);
    case wide_exponents:
        return std::ldexp(from_unit(h), choice % 61 - 30);
    case subnormals:
        return sign * std::ldexp(static_cast<float>(h >> 41), -149);
    case near_overflow:
        return std::ldexp(sign * (1 + std::fabs(from_unit(h))), 58 + choice % 6);
    case sparse:
        return choice % 10 ? sign * 0.0f : from_unit(h);
    case nonfinite:
        return choice >= 20      ? from_unit(h)
               : choice % 3 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                 : sign * std::numeric_limits<float>::infinity();
    case any_bits: {
        uint32_t bits = static_cast<uint32_t>(h >> 32);
        if ((bits & 0x7F800000u) == 0x7F800000u)
            bits ^= 0x40000000u;
        return std::bit_cast<float>(bits);
    }
    default:
        return from_unit(h);
    }
}

float element(const call_case& c, const operand& x, uint64_t h, int64_t i, int64_t j) {
    const float value = element_of_kind(c.data, h);
    if (!x.is_solved || c.seed % 5 == 0) // every fifth solution may grow
        return value;
    if (i != j)
        return std::ldexp(value, -static_cast<int>(std::ceil(std::log2(x.rows))));
    if (c.seed % 19 == 0 && h % 8 == 0) // singular
        return 0;
    const float diagonal = std::ldexp(h & 2 ? 1.0f : -1.0f, static_cast<int>(h >> 3 & 1));
    return c.data == small_integers || c.data == sparse || !std::isfinite(value) || value == 0
               ? diagonal
               : diagonal + value / 2 / std::fmax(1.0f, std::fabs(value));
}

// ---- Operands in double -------------------------------------------------------------------------

template <class T>
T read(const std::vector<unsigned char>& bytes, int64_t index) {
    T value;
    std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof value);
    return value;
}

class view {
public:
    explicit view(const contents& x) : x_(x) {}
    double operator()(int64_t b, int64_t i, int64_t j) const {
        return read<float>(x_.sent, x_.spec.index(b, i, j));
    }
    float found(int64_t b, int64_t i, int64_t j) const {
        return read<float>(x_.found, x_.spec.index(b, i, j));
    }
    const operand& spec() const { return x_.spec; }

private:
    const contents& x_;
};

// A matrix in double, by rows. For each row: whether it is finite, and its largest and its least
// nonzero magnitude.
struct dense {
    int64_t rows, cols;
    std::vector<double> values;

    dense(int64_t rows_, int64_t cols_)
        : rows(rows_), cols(cols_), values(static_cast<size_t>(rows_ * cols_)) {}
    double* row(int64_t i) { return values.data() + i * cols; }
    const double* row(int64_t i) const { return values.data() + i * cols; }
};

struct extent {
    double largest = 0, least = infinity; // of finite nonzero magnitudes
};

double finite_magnitude(double x) { return std::isfinite(x) ? std::fabs(x) : 0; }

extent extent_of(const double* x, int64_t n) {
    extent e;
    for (int64_t i = 0; i < n; ++i) {
        const double a = std::fabs(x[i]);
        if (a > 0 && std::isfinite(a))
            e.largest = std::max(e.largest, a), e.least = std::min(e.least, a);
    }
    return e;
}

// ---- Judging an element -------------------------------------------------------------------------

class judge_of_elements {
public:
    judgement result;

    // If `value` is Inf or NaN, the result must be the same. Otherwise its error must be at most
    // `bound`.
    void finite_or_class(
        const char* what, int64_t i, int64_t j, double found, double value, double bound) {
        ++result.elements;
        bool is_right;
        if (std::isnan(value)) {
            is_right = std::isnan(found);
        } else if (std::isinf(value)) {
            is_right = found == value;
        } else {
            const double error = std::fabs(found - value);
            is_right = error <= bound;
            if (bound > 0 && error / bound > result.worst && is_right)
                result.worst = error / bound;
            // An Inf within the bound of the value is an overflow.
            if (!is_right && std::isinf(found) && std::fabs(value) + bound > overflow)
                is_right = (found > 0) == (value > 0);
        }
        if (!is_right)
            fail(what, i, j, found, value, bound);
    }
    void not_finite(const char* what, int64_t i, int64_t j, double found, double value) {
        ++result.elements;
        if (std::isfinite(found))
            fail(what, i, j, found, value, 0);
    }
    void undetermined() { ++result.elements, ++result.undetermined; }
    void same(const char* what, int64_t i, int64_t j, double found, double value) {
        ++result.elements;
        if (found != value)
            fail(what, i, j, found, value, 0);
    }
    // The same bits, but for those of a NaN.
    void same_bits(const char* what, int64_t i, int64_t j, float found, float value) {
        ++result.elements;
        const bool is_same = std::bit_cast<uint32_t>(found) == std::bit_cast<uint32_t>(value);
        if (!is_same && !(std::isnan(found) && std::isnan(value)))
            fail(what, i, j, found, value, 0);
    }
    void fail(const char* what, int64_t i, int64_t j, double found, double value, double bound) {
        if (!result.wrong.empty())
            return;
        char text[256];
        std::snprintf(text,
                      sizeof text,
                      "%s(%lld, %lld) is %.9g, not %.17g within %.3g",
                      what,
                      static_cast<long long>(i),
                      static_cast<long long>(j),
                      found,
                      value,
                      bound);
        result.wrong = text;
    }
};

// alpha p q + beta c + bias: the formula of most routines, for one element.
struct formula {
    double alpha, beta, c = 0, bias = 0;
    double sum = 0, magnitudes = 0;  // of the products p q; of the finite ones
    extent p, q;                     // of the row and the column
    double units;                    // of u in the bound
    double of_largest = 0;           // times the largest of the row and of the column
    double depth = 0;                // of the sum
    bool skips_zeros = false;        // products with zeros may be left out
    bool counts_only_result = false; // no intermediate result overflows unless the result does

    double value() const { return alpha * sum + (beta == 0 ? 0 : beta * c) + bias; }
    double total() const {
        return finite_magnitude(alpha) * magnitudes + finite_magnitude(beta == 0 ? 0 : beta * c) +
               finite_magnitude(bias);
    }
    // Each underflow is an error of half a subnormal, times the later factors.
    double underflow() const {
        return (depth + 4) * (1 + std::fabs(alpha) + p.largest + q.largest) * smallest;
    }
    double bound() const {
        return units * u * total() + of_largest * std::fabs(alpha) * p.largest * q.largest +
               underflow() + (depth + 8) * 0x1p-52 * total();
    }
    bool may_overflow() const {
        const double a = std::fabs(alpha);
        if (total() > overflow)
            return true;
        return !counts_only_result &&
               (magnitudes > overflow || a * p.largest > overflow || a * q.largest > overflow);
    }
    // Whether alpha times an element may underflow to zero, which then meets an Inf.
    bool may_vanish() const { return std::fabs(alpha) * std::min(p.least, q.least) < least_normal; }
};

void judge_formula(judge_of_elements& judge,
                   const char* what,
                   int64_t i,
                   int64_t j,
                   double found,
                   const formula& f) {
    const double value = f.value();
    if (std::isfinite(value)) {
        if (f.may_overflow())
            judge.undetermined();
        else
            judge.finite_or_class(what, i, j, found, value, f.bound());
    } else if (f.skips_zeros) {
        judge.undetermined();
    } else if (!std::isfinite(f.alpha) || f.may_vanish() || f.may_overflow()) {
        judge.not_finite(what, i, j, found, value);
    } else {
        judge.finite_or_class(what, i, j, found, value, 0);
    }
}

// ---- Products -----------------------------------------------------------------------------------

// C = alpha P Q + beta C. Each row of P has a range of k, from its first number to before its last.
// Terms outside are not part of the sum. The same holds for columns of Q.
struct product {
    dense p, q;                                                // q by columns
    std::vector<std::pair<int64_t, int64_t>> of_rows, of_cols; // empty: all
    double units = 0, of_largest = 0, depth = 0;
    bool skips_zeros = false, counts_only_result = false;

    product(int64_t m, int64_t n, int64_t k) : p(m, k), q(n, k), depth(static_cast<double>(k)) {}

    void prepare() {
        for (int64_t i = 0; i < p.rows; ++i)
            extents_p_.push_back(extent_of(p.row(i), p.cols));
        for (int64_t j = 0; j < q.rows; ++j)
            extents_q_.push_back(extent_of(q.row(j), q.cols));
    }
    formula at(int64_t i, int64_t j) const {
        int64_t first = 0, last = p.cols;
        if (!of_rows.empty())
            first = of_rows[i].first, last = of_rows[i].second;
        if (!of_cols.empty())
            first = std::max(first, of_cols[j].first), last = std::min(last, of_cols[j].second);
        formula f{};
        const double *a = p.row(i), *b = q.row(j);
        double sums[4] = {}, magnitudes[4] = {};
        int64_t l = first;
        for (; l + 4 <= last; l += 4)
            for (int x = 0; x < 4; ++x) {
                const double t = a[l + x] * b[l + x];
                sums[x] += t, magnitudes[x] += std::fabs(t);
            }
        for (; l < last; ++l) {
            const double t = a[l] * b[l];
            sums[0] += t, magnitudes[0] += std::fabs(t);
        }
        f.sum = sums[0] + sums[1] + sums[2] + sums[3];
        f.magnitudes = magnitudes[0] + magnitudes[1] + magnitudes[2] + magnitudes[3];
        if (!std::isfinite(f.sum)) {
            f.magnitudes = 0;
            for (l = first; l < last; ++l)
                f.magnitudes += finite_magnitude(a[l] * b[l]);
        }
        f.p = extents_p_[i], f.q = extents_q_[j];
        f.units = units, f.of_largest = of_largest, f.depth = depth;
        f.skips_zeros = skips_zeros, f.counts_only_result = counts_only_result;
        return f;
    }

private:
    std::vector<extent> extents_p_, extents_q_;
};

// The element of a symmetric or triangular matrix, whose other triangle is not stored.
double symmetric(const view& a, int64_t i, int64_t j) {
    return a.spec().has(i, j) ? a(0, i, j) : a(0, j, i);
}

double triangular(const view& a, int64_t b, int64_t i, int64_t j) {
    if (a.spec().is_unit && i == j)
        return 1;
    return a.spec().has(i, j) ? a(b, i, j) : 0;
}

// The element that reproducible mode promises (myblas.h), before the activation. Operands and
// scalars are floats; has_bias: of a fused product.
float in_reproducible_mode(
    const product& x, int64_t i, int64_t j, const formula& f, bool has_bias = false) {
    float sum = 0;
    for (int64_t l = 0; l < x.p.cols; ++l)
        sum = std::fma(static_cast<float>(x.p.row(i)[l]), static_cast<float>(x.q.row(j)[l]), sum);
    float scaled = f.alpha == 0 ? 0 : std::fma(static_cast<float>(f.alpha), sum, 0.0f);
    if (has_bias)
        scaled += static_cast<float>(f.bias);
    return f.beta == 0 ? scaled
                       : std::fma(static_cast<float>(f.beta), static_cast<float>(f.c), scaled);
}

class judge_of_calls {
public:
    judge_of_calls(const call_case& c, const std::vector<contents>& all, const computed_by& by)
        : c_(c), g_(c.args), all_(all), by_(by) {}

    judgement run();

private:
    using range = std::pair<int64_t, int64_t>;

    const contents& at(const char* name, size_t skip = 0) const {
        for (const contents& x : all_)
            if (x.spec.name == name && skip-- == 0)
                return x;
        std::fprintf(stderr, "the case has no operand %s\n", name);
        std::abort();
    }
    bool has(const char* name) const {
        return std::any_of(
            all_.begin(), all_.end(), [&](const contents& x) { return x.spec.name == name; });
    }
    int mode() const { return by_.is_host ? 0 : static_cast<int>(c_.math); }
    bool by_openblas() const {
        return by_.kernel == "openblas" || by_.product_kernel == "openblas";
    }

    // The bound of mysgemm: (k + 4) u, and what the modes add.
    void set_gemm_bound(product& x, double k) const {
        x.units = (mode() == 0 ? k : std::max(k, 64.0)) + 4;
        x.of_largest = mode() == MYBLAS_FP32_FAST_MATH ? (k + 31) * 0x1p-36 : 0;
    }
    // The bounds of the rest of level 3: d in the square brackets, and terms after them.
    void set_level3_bound(product& x, double d, double others) const {
        x.units = level3_depth(d) + others;
        x.of_largest = mode() == MYBLAS_FP32_FAST_MATH ? (d + 1000) * 0x1p-36 : 0;
    }
    double level3_depth(double d) const {
        return mode() == 0 ? d : d + 60 * (1 + std::log2(std::max(d, 1.0)));
    }

    product gemm(const view& a,
                 const view& b,
                 int64_t batch_a,
                 int64_t batch_b,
                 bool ta,
                 bool tb,
                 int64_t m,
                 int64_t n,
                 int64_t k,
                 bool reads);
    void judge_outputs(const char* name,
                       const view& out,
                       int64_t batch,
                       product& x,
                       double alpha,
                       double beta,
                       const view* c = nullptr);
    void judge_gemm();
    void judge_groups();
    void judge_level3();
    void judge_gemv();
    void judge_rank1();
    void judge_solve(const view& a,
                     int64_t batch_a,
                     const view& b,
                     int64_t batch_b,
                     bool is_right,
                     double alpha,
                     double units,
                     double of_largest);
    void judge_level1();
    void judge_rotations();
    void judge_moves();

    const call_case& c_;
    const arguments& g_;
    const std::vector<contents>& all_;
    const computed_by& by_;
    judge_of_elements judge_;
};

product judge_of_calls::gemm(const view& a,
                             const view& b,
                             int64_t batch_a,
                             int64_t batch_b,
                             bool ta,
                             bool tb,
                             int64_t m,
                             int64_t n,
                             int64_t k,
                             bool reads) {
    product x(m, n, reads ? k : 0);
    for (int64_t i = 0; i < m && reads; ++i)
        for (int64_t l = 0; l < k; ++l)
            x.p.row(i)[l] = ta ? a(batch_a, l, i) : a(batch_a, i, l);
    for (int64_t j = 0; j < n && reads; ++j)
        for (int64_t l = 0; l < k; ++l)
            x.q.row(j)[l] = tb ? b(batch_b, j, l) : b(batch_b, l, j);
    set_gemm_bound(x, static_cast<double>(k));
    return x;
}

void judge_of_calls::judge_outputs(const char* name,
                                   const view& out,
                                   int64_t batch,
                                   product& x,
                                   double alpha,
                                   double beta,
                                   const view* c) {
    x.prepare();
    for (int64_t j = 0; j < x.q.rows; ++j)
        for (int64_t i = 0; i < x.p.rows; ++i) {
            const bool is_row = out.spec().rows == 1 && x.p.rows != 1; // a vector
            const int64_t r = is_row ? 0 : i, s = is_row ? i : j;
            if (!out.spec().has(r, s))
                continue;
            formula f = x.at(i, j);
            f.alpha = x.p.cols ? alpha : 0, f.beta = beta;
            f.c = beta == 0 ? 0 : c ? (*c)(batch, r, s) : out(batch, r, s);
            if (is_reproducible(c_))
                judge_.same_bits(
                    name, r, s, out.found(batch, r, s), in_reproducible_mode(x, i, j, f));
            else
                judge_formula(judge_, name, r, s, out.found(batch, r, s), f);
        }
}

void judge_of_calls::judge_gemm() {
    const bool is_fused = c_.f == sgemm_fused || c_.f == sgemm_fused_strided_batched;
    const bool is_array = c_.f == sgemm_batched;
    const view a(at(is_array ? "Aarray" : "A")), b(at(is_array ? "Barray" : "B"));
    const view out(at(is_fused ? "D" : is_array ? "Carray" : "C"));
    const view in(is_fused && !c_.in_place ? at("C")
                                           : at(is_fused   ? "D"
                                                : is_array ? "Carray"
                                                           : "C"));
    const bool reads = a.spec().is_read;
    for (int64_t batch = 0; batch < out.spec().count; ++batch) {
        product x = gemm(a, b, batch, batch, g_.transa, g_.transb, g_.m, g_.n, g_.k, reads);
        if (!is_fused) {
            judge_outputs("C", out, batch, x, c_.alpha, c_.beta);
            continue;
        }
        x.units += 1;
        x.prepare();
        const bool has_bias = c_.has_epilogue && c_.has_bias;
        const bool has_aux = c_.has_epilogue && c_.has_aux;
        const int64_t activation = c_.has_epilogue ? c_.activation : 0;
        for (int64_t j = 0; j < g_.n; ++j)
            for (int64_t i = 0; i < g_.m; ++i) {
                formula f = x.at(i, j);
                f.alpha = x.p.cols ? c_.alpha : 0, f.beta = c_.beta;
                f.c = c_.beta == 0 ? 0 : in(batch, i, j);
                if (has_bias)
                    f.bias = view(at("bias"))(batch, 0, c_.bias_of == MYBLAS_BIAS_OF_ROWS ? i : j);
                const double d = out.found(batch, i, j);
                if (is_reproducible(c_)) {
                    const float before = in_reproducible_mode(x, i, j, f, has_bias);
                    const bool is_cut = activation == MYBLAS_ACTIVATION_RELU && before <= 0;
                    judge_.same_bits("D", i, j, out.found(batch, i, j), is_cut ? 0 : before);
                    if (has_aux)
                        judge_.same_bits("aux", i, j, view(at("aux")).found(batch, i, j), before);
                    continue;
                }
                if (activation == MYBLAS_ACTIVATION_NONE)
                    judge_formula(judge_, "D", i, j, d, f);
                double input = f.value(), input_error = f.bound();
                if (has_aux) {
                    input = view(at("aux")).found(batch, i, j);
                    judge_formula(judge_, "aux", i, j, input, f);
                    input_error = 0;
                } else if (!std::isfinite(input) || f.may_overflow()) {
                    judge_.undetermined();
                    continue;
                }
                if (activation == MYBLAS_ACTIVATION_RELU) {
                    const double value = std::isnan(input) ? input : std::max(input, 0.0);
                    judge_.finite_or_class("D", i, j, d, value, input_error);
                } else if (activation == MYBLAS_ACTIVATION_GELU) {
                    const double t =
                        std::sqrt(2 / M_PI) * (input + 0.044715 * input * input * input);
                    const double value = 0.5 * input * (1 + std::tanh(t));
                    judge_.finite_or_class("D",
                                           i,
                                           j,
                                           d,
                                           value,
                                           1.13 * input_error +
                                               8 * u * (std::fabs(input) + input_error) + smallest);
                }
            }
    }
}

void judge_of_calls::judge_groups() {
    const std::vector<product_group> groups = groups_of(c_);
    for (size_t g = 0; g < groups.size(); ++g) {
        const product_group& x = groups[g];
        const view a(at("Aarray", g)), b(at("Barray", g)), out(at("Carray", g));
        for (int64_t i = 0; i < x.size; ++i) {
            product y = gemm(a, b, i, i, x.transa, x.transb, x.m, x.n, x.k, a.spec().is_read);
            judge_outputs("C", out, i, y, x.alpha, x.beta);
        }
    }
}

void judge_of_calls::judge_level3() {
    const bool is_right = g_.side == MYBLAS_SIDE_RIGHT;
    if (c_.f == ssyrk || c_.f == ssyrkx || c_.f == ssyr2k) {
        const view a(at("A")), b(at(c_.f == ssyrk ? "A" : "B")), out(at("C"));
        const bool reads = a.spec().is_read;
        const bool is_double = c_.f == ssyr2k;
        const int64_t k = reads ? g_.k : 0;
        product x(g_.n, g_.n, is_double ? 2 * k : k);
        for (int64_t i = 0; i < g_.n; ++i)
            for (int64_t l = 0; l < k; ++l) {
                const double of_a = g_.trans ? a(0, l, i) : a(0, i, l);
                const double of_b = g_.trans ? b(0, l, i) : b(0, i, l);
                x.p.row(i)[l] = of_a, x.q.row(i)[l] = of_b;
                if (is_double)
                    x.p.row(i)[k + l] = of_b, x.q.row(i)[k + l] = of_a;
            }
        const double depth = static_cast<double>(is_double ? 2 * g_.k : g_.k);
        set_level3_bound(x, depth, is_double ? 6 : 5);
        judge_outputs("C", out, 0, x, c_.alpha, c_.beta);
        return;
    }
    if (c_.f == sgemmtr) {
        const view a(at("A")), b(at("B")), out(at("C"));
        product x = gemm(a, b, 0, 0, g_.transa, g_.transb, g_.n, g_.n, g_.k, a.spec().is_read);
        set_level3_bound(x, static_cast<double>(g_.k), 5);
        judge_outputs("C", out, 0, x, c_.alpha, c_.beta);
        return;
    }
    const int64_t order = is_right ? g_.n : g_.m;
    const double d = static_cast<double>(order);
    if (c_.f >= strsm) {
        const bool is_array = c_.f == strsm_batched;
        const view a(at(is_array ? "Aarray" : "A")), b(at(is_array ? "Barray" : "B"));
        for (int64_t i = 0; i < b.spec().count; ++i)
            judge_solve(a,
                        i,
                        b,
                        i,
                        is_right,
                        c_.alpha,
                        level3_depth(d) + 3 * std::log2(d) + 4,
                        mode() == MYBLAS_FP32_FAST_MATH ? (d + 1000) * 0x1p-36 : 0);
        return;
    }
    const view a(at("A")), b(at("B")), out(at(c_.in_place ? "B" : "C"));
    const bool reads = a.spec().is_read;
    product x(g_.m, g_.n, reads ? order : 0);
    const bool is_trmm = c_.f == strmm;
    const bool is_upper = (g_.uplo == MYBLAS_FILL_MODE_UPPER) != (is_trmm && g_.trans);
    for (int64_t i = 0; i < order && reads; ++i)
        for (int64_t l = 0; l < order; ++l) {
            // Row i of op(A), which is a row of P on the left, and a column of Q on the right.
            const double value = is_trmm
                                     ? (g_.trans ? triangular(a, 0, l, i) : triangular(a, 0, i, l))
                                     : symmetric(a, i, l);
            if (is_right)
                x.q.row(l)[i] = value;
            else
                x.p.row(i)[l] = value;
        }
    for (int64_t i = 0; i < (is_right ? g_.m : g_.n) && reads; ++i)
        for (int64_t l = 0; l < order; ++l)
            (is_right ? x.p : x.q).row(i)[l] = is_right ? b(0, i, l) : b(0, l, i);
    if (is_trmm) {
        std::vector<range>& ranges = is_right ? x.of_cols : x.of_rows;
        for (int64_t i = 0; i < order && reads; ++i)
            ranges.push_back(is_upper != is_right ? range(i, order) : range(0, i + 1));
        set_level3_bound(x, d, 2 * std::log2(d) + 4);
        judge_outputs("C", out, 0, x, c_.alpha, 0);
    } else {
        set_level3_bound(x, d, 8);
        judge_outputs("C", out, 0, x, c_.alpha, c_.beta);
    }
}

// op(A) X = alpha B, or X op(A) = alpha B: the residual of each element.
void judge_of_calls::judge_solve(const view& a,
                                 int64_t batch_a,
                                 const view& b,
                                 int64_t batch_b,
                                 bool is_right,
                                 double alpha,
                                 double units,
                                 double of_largest) {
    const int64_t m = b.spec().rows, n = b.spec().cols;
    const bool is_vector = c_.f == strsv;
    const int64_t order = is_vector  ? n
                          : is_right ? n
                                     : m,
                  lines = is_vector  ? 1
                          : is_right ? m
                                     : n;
    if (!a.spec().is_read) { // alpha == 0
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < m; ++i)
                judge_.same("X", i, j, b.found(batch_b, i, j), 0);
        return;
    }
    // Row i of this matrix times a line of X is element i of the line of alpha B.
    dense rows(order, order);
    const bool is_transposed = (g_.trans != 0) != (is_right && !is_vector);
    for (int64_t i = 0; i < order; ++i)
        for (int64_t l = 0; l < order; ++l)
            rows.row(i)[l] =
                is_transposed ? triangular(a, batch_a, l, i) : triangular(a, batch_a, i, l);
    const bool is_upper = (g_.uplo == MYBLAS_FILL_MODE_UPPER) != is_transposed;
    std::vector<double> x(static_cast<size_t>(order)), y(x), exact(x);
    for (int64_t line = 0; line < lines; ++line) {
        bool is_finite = std::isfinite(alpha), is_solution_finite = true;
        for (int64_t i = 0; i < order; ++i) {
            const int64_t r = is_vector  ? 0
                              : is_right ? line
                                         : i,
                          s = is_vector || is_right ? i : line;
            x[i] = b.found(batch_b, r, s);
            y[i] = b(batch_b, r, s);
            is_finite = is_finite && std::isfinite(y[i]);
            is_solution_finite = is_solution_finite && std::isfinite(x[i]);
        }
        // The largest intermediate result that a computation of the line may have had.
        double largest = 0;
        for (int64_t step = 0; step < order && is_finite; ++step) {
            const int64_t i = is_upper ? order - 1 - step : step;
            double sum = alpha * y[i], magnitudes = std::fabs(sum);
            for (int64_t l = is_upper ? i + 1 : 0; l < (is_upper ? order : i); ++l) {
                sum -= rows.row(i)[l] * exact[l];
                magnitudes += std::fabs(rows.row(i)[l] * exact[l]);
            }
            const double diagonal = rows.row(i)[i];
            exact[i] = sum / diagonal;
            is_finite = std::isfinite(exact[i]) && std::isfinite(magnitudes) &&
                        std::isfinite(diagonal) && diagonal != 0;
            // Times 4, because rounding errors grow: the computed solution is not the exact one.
            largest = std::max({largest, 4 * magnitudes, 4 * std::fabs(exact[i])});
        }
        if (!is_finite || largest > overflow) {
            judge_.undetermined();
            continue;
        }
        const extent of_x = extent_of(x.data(), order);
        // OpenBLAS multiplies by reciprocals, which may overflow where a quotient does not.
        if (!is_solution_finite && by_openblas() && largest > 0x1p80) {
            judge_.undetermined();
            continue;
        }
        for (int64_t i = 0; i < order; ++i) {
            double residual = -alpha * y[i], magnitudes = std::fabs(residual);
            for (int64_t l = is_upper ? i : 0; l <= (is_upper ? order - 1 : i); ++l) {
                residual += rows.row(i)[l] * x[l];
                magnitudes += std::fabs(rows.row(i)[l] * x[l]);
            }
            const extent of_row = extent_of(rows.row(i), order);
            const double depth = static_cast<double>(order);
            const double bound =
                units * u * magnitudes + of_largest * of_row.largest * of_x.largest +
                (depth + 4) * (1 + std::fabs(alpha) + of_row.largest + of_x.largest) * smallest +
                (depth + 8) * 0x1p-52 * magnitudes;
            const double found = is_solution_finite ? residual : std::nan("");
            judge_.finite_or_class("the residual of X", line, i, found, 0, bound);
        }
    }
}

void judge_of_calls::judge_gemv() {
    if (c_.f == ssymv || c_.f == strmv) {
        const view a(at("A")), x(at("x")), out(at(c_.f == ssymv ? "y" : "x"));
        const bool reads = a.spec().is_read;
        product y(g_.n, 1, reads ? g_.n : 0);
        const bool is_upper = (g_.uplo == MYBLAS_FILL_MODE_UPPER) != (g_.trans != 0);
        for (int64_t i = 0; i < g_.n && reads; ++i) {
            for (int64_t l = 0; l < g_.n; ++l)
                y.p.row(i)[l] = c_.f == ssymv ? symmetric(a, i, l)
                                : g_.trans    ? triangular(a, 0, l, i)
                                              : triangular(a, 0, i, l);
            y.q.row(0)[i] = x(0, 0, i);
            if (c_.f == strmv)
                y.of_rows.push_back(is_upper ? range(i, g_.n) : range(0, i + 1));
        }
        y.units = static_cast<double>(g_.n) + 4;
        y.skips_zeros = c_.f == strmv && by_openblas();
        judge_outputs(c_.f == ssymv ? "y" : "x",
                      out,
                      0,
                      y,
                      c_.f == ssymv ? c_.alpha : 1.0,
                      c_.f == ssymv ? c_.beta : 0);
        return;
    }
    const bool is_array = c_.f == sgemv_batched;
    const view a(at(is_array ? "Aarray" : "A")), x(at(is_array ? "xarray" : "x")),
        out(at(is_array ? "yarray" : "y"));
    if (!out.spec().is_written)
        return;
    const bool reads = a.spec().is_read;
    const int64_t length = g_.trans ? g_.n : g_.m, k = g_.trans ? g_.m : g_.n;
    for (int64_t batch = 0; batch < out.spec().count; ++batch) {
        product y(length, 1, reads ? k : 0);
        for (int64_t l = 0; l < k && reads; ++l)
            y.q.row(0)[l] = x(batch, 0, l);
        for (int64_t i = 0; i < length && reads; ++i)
            for (int64_t l = 0; l < k; ++l)
                y.p.row(i)[l] = g_.trans ? a(batch, l, i) : a(batch, i, l);
        y.units = static_cast<double>(k) + 4;
        judge_outputs("y", out, batch, y, c_.alpha, c_.beta);
    }
}

// ger, syr, syr2
void judge_of_calls::judge_rank1() {
    const view a(at("A")), x(at("x"));
    if (!a.spec().is_written)
        return;
    const view y(at(c_.f == ssyr ? "x" : "y"));
    const double alpha = c_.alpha;
    for (int64_t j = 0; j < a.spec().cols; ++j)
        for (int64_t i = 0; i < a.spec().rows; ++i) {
            if (!a.spec().has(i, j))
                continue;
            const bool is_syr2 = c_.f == ssyr2;
            const double p[] = {x(0, 0, i), is_syr2 ? y(0, 0, i) : 0};
            const double q[] = {y(0, 0, j), is_syr2 ? x(0, 0, j) : 0};
            formula f{};
            f.alpha = alpha, f.beta = 1, f.c = a(0, i, j);
            f.sum = is_syr2 ? p[0] * q[0] + p[1] * q[1] : p[0] * q[0];
            f.magnitudes = finite_magnitude(p[0] * q[0]) + finite_magnitude(p[1] * q[1]);
            f.p = extent_of(p, 2), f.q = extent_of(q, 2);
            f.units = is_syr2 ? 5 : 3;
            f.skips_zeros = c_.f != sger && by_openblas();
            f.counts_only_result = c_.f == sger;
            const double found = a.found(0, i, j), value = f.value();
            const double underflow =
                c_.f == sger ? smallest * (1 + std::fabs(alpha))
                             : 2 * smallest *
                                   (1 + std::fabs(alpha) + std::fabs(p[0]) + std::fabs(p[1]) +
                                    std::fabs(q[0]) + std::fabs(q[1]));
            if (std::isfinite(value) && !f.may_overflow())
                judge_.finite_or_class("A",
                                       i,
                                       j,
                                       found,
                                       value,
                                       f.units * u * f.total() + underflow + 0x1p-50 * f.total());
            else
                judge_formula(judge_, "A", i, j, found, f);
        }
}

// ---- Vectors ------------------------------------------------------------------------------------

void judge_of_calls::judge_level1() {
    const contents& of_x = at("x");
    const view x(of_x);
    const int64_t n = x.spec().cols;
    switch (c_.f) {
    case sum:
    case sasum: {
        double value = 0, magnitudes = 0;
        for (int64_t i = 0; i < n; ++i) {
            const double element = x(0, 0, i);
            value += c_.f == sum ? element : std::fabs(element);
            magnitudes += std::fabs(element);
        }
        const double count = static_cast<double>(n);
        const double units = by_.is_forced ? count : std::log2(std::max(count, 1.0)) + 16;
        const double flushed = by_.is_deterministic ? 0 : count * least_normal;
        const double found = view(at("result")).found(0, 0, 0);
        if (std::isfinite(value) && magnitudes > overflow)
            judge_.undetermined();
        else
            judge_.finite_or_class(
                "result", 0, 0, found, value, (units * u + count * 0x1p-52) * magnitudes + flushed);
        return;
    }
    case dsum: {
        long double value = 0, magnitudes = 0;
        for (int64_t i = 0; i < n; ++i) {
            const auto element = read<double>(of_x.sent, x.spec().index(0, 0, i));
            value += element;
            magnitudes += std::fabs(element);
        }
        const long double count = static_cast<long double>(n);
        const long double units = by_.is_forced ? count : std::log2(std::max(count, 1.0L)) + 16;
        const double found = read<double>(at("result").found, 0);
        const bool is_finite = std::isfinite(static_cast<double>(value));
        if (is_finite && magnitudes > 1e308L)
            judge_.undetermined();
        else
            judge_.finite_or_class(
                "result",
                0,
                0,
                is_finite ? static_cast<double>(found - value) : found,
                is_finite ? 0 : static_cast<double>(value),
                static_cast<double>((units * 0x1p-53L + count * 0x1p-63L) * magnitudes));
        return;
    }
    case sdot:
    case sdsdot: {
        const view y(at("y"));
        long double value = c_.f == sdsdot ? c_.alpha : 0;
        long double magnitudes = std::fabs(value);
        for (int64_t i = 0; i < n; ++i) {
            const long double t = static_cast<long double>(x(0, 0, i)) * y(0, 0, i);
            value += t;
            magnitudes += std::fabs(t);
        }
        const double bound = static_cast<double>(
            u * std::fabs(value) +
            static_cast<long double>(n + (c_.f == sdsdot)) * 0x1p-53L * magnitudes + 0x1p-150L);
        judge_.finite_or_class("result",
                               0,
                               0,
                               view(at("result")).found(0, 0, 0),
                               static_cast<double>(value),
                               bound * (1 + 0x1p-40));
        return;
    }
    case snrm2: {
        long double squares = 0;
        for (int64_t i = 0; i < n; ++i)
            squares += static_cast<long double>(x(0, 0, i)) * x(0, 0, i);
        const double value = static_cast<double>(std::sqrt(squares));
        const double bound =
            (1 + static_cast<double>(n) * 0x1p-29) * u * value * (1 + 0x1p-40) + 0x1p-150;
        judge_.finite_or_class("result", 0, 0, view(at("result")).found(0, 0, 0), value, bound);
        return;
    }
    case isamax:
    case isamin: {
        int64_t best = n > 0 ? 0 : -1;
        for (int64_t i = 1; i < n && !std::isnan(x(0, 0, 0)); ++i) {
            const double candidate = std::fabs(x(0, 0, i)), present = std::fabs(x(0, 0, best));
            if (c_.f == isamax ? candidate > present : candidate < present)
                best = i;
        }
        const std::vector<unsigned char>& result = at("result").found;
        const int64_t found = c_.is_wide ? read<int64_t>(result, 0) : read<int>(result, 0);
        judge_.same("result", 0, 0, static_cast<double>(found), static_cast<double>(best + 1));
        return;
    }
    default:
        break;
    }
    // Element by element in the order of the reference BLAS, because with an increment of zero
    // every step changes the same element. Values and bounds are kept for each place in memory.
    if (!x.spec().is_written && !at("y").spec.is_written)
        return;
    struct place {
        double value, error = 0;
        uint32_t bits;
        bool is_undetermined = false;
    };
    const auto places_of = [](const contents& v) {
        std::vector<place> places(static_cast<size_t>(v.spec.elements()));
        for (size_t i = 0; i < places.size(); ++i) {
            places[i].bits = read<uint32_t>(v.sent, static_cast<int64_t>(i));
            places[i].value = std::bit_cast<float>(places[i].bits);
        }
        return places;
    };
    std::vector<place> xs = places_of(of_x), ys;
    if (c_.f != sscal)
        ys = places_of(at("y"));
    // With a product that overflows, an Inf may meet its opposite.
    const auto update = [](place& out, double value, double error, double first, double second) {
        const auto overflows = [](double x) { return std::isfinite(x) && std::fabs(x) > overflow; };
        const double magnitude = std::fabs(first) + std::fabs(second);
        if (overflows(first) || overflows(second) || overflows(magnitude + error))
            out.is_undetermined = true;
        out.value = value, out.error = error;
    };
    const double alpha = c_.alpha;
    double h[4] = {c_.given[0], c_.given[1], -static_cast<double>(c_.given[1]), c_.given[0]};
    if (c_.f == srotm) {
        const float flag = c_.given[0];
        h[0] = flag == 0 ? 1 : c_.given[1], h[3] = flag == 0 ? 1 : c_.given[4];
        h[1] = flag == 1 ? 1 : c_.given[3], h[2] = flag == 1 ? -1 : c_.given[2];
    }
    for (int64_t i = 0; i < n; ++i) {
        place& p = xs[x.spec().index(0, 0, i)];
        const double a = p.value;
        if (c_.f == sscal) {
            const double value = alpha * a;
            update(p, value, u * std::fabs(value) + 0x1p-150, value, 0);
            continue;
        }
        place& q = ys[at("y").spec.index(0, 0, i)];
        const double b = q.value;
        if (c_.f == scopy) {
            q.bits = p.bits;
        } else if (c_.f == sswap) {
            std::swap(p.bits, q.bits);
        } else if (c_.f == saxpy) {
            const double magnitude = std::fabs(alpha * a) + std::fabs(b);
            q.is_undetermined = q.is_undetermined || p.is_undetermined;
            update(q, alpha * a + b, q.error + 2 * u * magnitude + smallest, alpha * a, b);
        } else { // rot, rotm
            const double mx = std::fabs(h[0] * a) + std::fabs(h[1] * b);
            const double my = std::fabs(h[2] * a) + std::fabs(h[3] * b);
            const double ex = std::fabs(h[0]) * p.error + std::fabs(h[1]) * q.error;
            const double ey = std::fabs(h[2]) * p.error + std::fabs(h[3]) * q.error;
            // A computed zero times Inf is NaN where the exact value is not zero.
            const auto may_vanish = [](const place& x) {
                return x.error > 0 && std::fabs(x.value) <= x.error;
            };
            const bool has_infinity = std::any_of(h, h + 4, [](double x) { return std::isinf(x); });
            p.is_undetermined = q.is_undetermined =
                p.is_undetermined || q.is_undetermined ||
                (has_infinity && (may_vanish(p) || may_vanish(q)));
            update(p, h[0] * a + h[1] * b, ex + 3 * u * (mx + ex) + smallest, h[0] * a, h[1] * b);
            update(q, h[2] * a + h[3] * b, ey + 3 * u * (my + ey) + smallest, h[2] * a, h[3] * b);
        }
    }
    const bool is_exact = c_.f == scopy || c_.f == sswap;
    const auto compare = [&](const contents& v, const std::vector<place>& places) {
        for (size_t i = 0; i < places.size() && v.spec.is_written; ++i) {
            const int64_t at = static_cast<int64_t>(i), step = std::abs(v.spec.ld);
            if (step > 1 && at % step)
                continue;
            const uint32_t bits = read<uint32_t>(v.found, at);
            const double found = std::bit_cast<float>(bits);
            if (is_exact) {
                ++judge_.result.elements;
                if (bits != places[i].bits)
                    judge_.fail(
                        v.spec.name.c_str(), 0, at, found, std::bit_cast<float>(places[i].bits), 0);
            } else if (places[i].is_undetermined) {
                judge_.undetermined();
            } else {
                judge_.finite_or_class(v.spec.name.c_str(),
                                       0,
                                       at,
                                       found,
                                       places[i].value,
                                       places[i].error * (1 + 0x1p-40) +
                                           0x1p-52 * std::fabs(places[i].value));
            }
        }
    };
    compare(of_x, xs);
    if (c_.f != sscal)
        compare(at("y"), ys);
}

void judge_of_calls::judge_rotations() {
    const auto found = [&](const char* name, int64_t i = 0) {
        return view(at(name)).found(0, i, 0);
    };
    const auto near = [&](const char* name, int64_t i, long double value, double units = 2) {
        judge_.finite_or_class(name,
                               i,
                               0,
                               found(name, i),
                               static_cast<double>(value),
                               units * u * static_cast<double>(std::fabs(value)) + smallest);
    };
    if (c_.f == srotg) {
        const long double a = c_.given[0], b = c_.given[1];
        if (!std::isfinite(c_.given[0]) || !std::isfinite(c_.given[1])) {
            const bool is_nan = std::isnan(c_.given[0]) || std::isnan(c_.given[1]);
            judge_.finite_or_class(
                "a", 0, 0, std::fabs(found("a")), is_nan ? std::nan("") : infinity, 0);
            return;
        }
        if (b == 0) {
            near("a", 0, a), near("b", 0, 0), near("c", 0, 1), near("s", 0, 0);
            return;
        }
        const bool a_is_larger = std::fabs(a) > std::fabs(b);
        const long double r = std::copysign(std::hypot(a, b), a_is_larger ? a : b);
        near("a", 0, r);
        near("c", 0, a / r);
        near("s", 0, b / r);
        const bool is_c_zero = found("c") == 0;
        near("b", 0, a_is_larger ? b / r : is_c_zero ? 1 : r / a);
        return;
    }
    long double d1 = c_.given[0], d2 = c_.given[1], x1 = c_.given[2];
    const long double y1 = c_.given[3], p1 = d1 * x1, p2 = d2 * y1, q1 = p1 * x1, q2 = p2 * y1;
    if (!std::isfinite(p1 + p2 + q1 + q2)) {
        judge_.undetermined();
        return;
    }
    if (d1 >= 0 && p2 == 0) {
        judge_.same("param", 0, 0, found("param"), -2);
        for (int64_t i = 1; i < 5; ++i)
            judge_.same("param", i, 0, found("param", i), 7);
        judge_.same("d1", 0, 0, found("d1"), c_.given[0]);
        judge_.same("d2", 0, 0, found("d2"), c_.given[1]);
        judge_.same("x1", 0, 0, found("x1"), c_.given[2]);
        return;
    }
    long double h11 = 1, h21 = -1, h12 = 1, h22 = 1, w = 0;
    float flag = -1;
    if (d1 >= 0 && std::fabs(q1) > std::fabs(q2)) {
        flag = 0;
        h21 = -y1 / x1, h12 = p2 / p1, w = 1 - h12 * h21;
        d1 /= w, d2 /= w, x1 *= w;
    } else if (d1 >= 0 && q2 >= 0) {
        flag = 1;
        h11 = p1 / p2, h22 = x1 / y1, w = 1 + h11 * h22;
        std::swap(d1, d2);
        d1 /= w, d2 /= w, x1 = y1 * w;
    }
    // Near a cancellation, or at a border of the scaling, the header promises little.
    if (c_.given[1] < 0 && (std::fabs(w) < 0.01L ||
                            std::fabs(std::fabs(q1) - std::fabs(q2)) <= 1e-6L * std::fabs(q1))) {
        judge_.undetermined();
        return;
    }
    if (flag < 0)
        h11 = h21 = h12 = h22 = d1 = d2 = x1 = 0;
    for (int which = 0; which < 2; ++which) {
        long double &d = which ? d2 : d1, &row_1 = which ? h21 : h11, &row_2 = which ? h22 : h12;
        while (d != 0 && std::isfinite(d) &&
               (std::fabs(d) <= 0x1p-24L || std::fabs(d) >= 0x1p24L)) {
            if (std::fabs(std::fabs(d) * 0x1p24L - 1) < 1e-12L ||
                std::fabs(std::fabs(d) * 0x1p-24L - 1) < 1e-12L) {
                judge_.undetermined();
                return;
            }
            const long double factor = std::fabs(d) < 1 ? 4096 : 1 / 4096.0L;
            d *= factor * factor, row_1 /= factor, row_2 /= factor;
            if (!which)
                x1 /= factor;
            flag = -1;
        }
    }
    judge_.same("param", 0, 0, found("param"), flag);
    const double units = c_.given[1] < 0 ? 2 + 0x1p-20 * 1e3 : 2;
    near("d1", 0, d1, units), near("d2", 0, d2, units), near("x1", 0, x1, units);
    if (flag != 0)
        near("param", 1, h11, units), near("param", 4, h22, units);
    if (flag <= 0)
        near("param", 2, h21, units), near("param", 3, h12, units);
}

// ---- Transposes, copies and counts --------------------------------------------------------------

void judge_of_calls::judge_moves() {
    if (c_.f == sgeam) {
        const view a(at("A")), b(at("B"));
        const view out(c_.in_place == 1 ? at("A") : at(c_.in_place ? "B" : "C"));
        for (int64_t j = 0; j < g_.n; ++j)
            for (int64_t i = 0; i < g_.m; ++i) {
                const double x =
                    c_.alpha == 0 ? 0 : c_.alpha * (g_.transa ? a(0, j, i) : a(0, i, j));
                const double y = c_.beta == 0 ? 0 : c_.beta * (g_.transb ? b(0, j, i) : b(0, i, j));
                const double magnitude = std::fabs(x) + std::fabs(y);
                if (std::isfinite(x + y) && magnitude > overflow)
                    judge_.undetermined();
                else if (!std::isfinite(x + y) &&
                         (std::fabs(x) > overflow || std::fabs(y) > overflow) &&
                         std::isfinite(x) + std::isfinite(y) == 1)
                    judge_.not_finite("C", i, j, out.found(0, i, j), x + y);
                else
                    judge_.finite_or_class("C",
                                           i,
                                           j,
                                           out.found(0, i, j),
                                           x + y,
                                           2 * u * magnitude + smallest + 0x1p-52 * magnitude);
            }
        return;
    }
    if (c_.f == sgemsum) {
        const view a(at("A")), out(at("result"));
        const int64_t count = g_.op ? g_.m : g_.n;
        for (int64_t i = 0; i < out.spec().cols; ++i) {
            double value = 0, magnitudes = 0;
            for (int64_t l = 0; l < count; ++l) {
                const double element = g_.op ? a(0, l, i) : a(0, i, l);
                value += element, magnitudes += std::fabs(element);
            }
            const bool is_plain = by_.kernel == "naive" || by_.kernel == "serial";
            const double units = is_plain ? static_cast<double>(count) : 12;
            if (std::isfinite(value) && magnitudes > overflow)
                judge_.undetermined();
            else
                judge_.finite_or_class("result",
                                       0,
                                       i,
                                       out.found(0, 0, i),
                                       value,
                                       (units * u + static_cast<double>(count) * 0x1p-52) *
                                           magnitudes);
        }
        return;
    }
    if (c_.f == histogram256) {
        uint64_t counts[256] = {};
        const contents &x = at("x"), &found = at("counts");
        for (int64_t i = 0; i < x.spec.elements(); ++i)
            ++counts[x.sent[static_cast<size_t>(i)]];
        for (int64_t i = 0; i < 256; ++i)
            judge_.same("counts",
                        i,
                        0,
                        static_cast<double>(read<uint64_t>(found.found, i)),
                        static_cast<double>(counts[i]));
        return;
    }
    // Bits that move.
    const bool is_transpose = c_.f >= transpose && c_.f <= transpose_strided_batched;
    const char* source = has("A") ? "A" : "x";
    const contents& from = at(source);
    const contents& to = c_.in_place ? from : at(has("B") ? "B" : "y");
    operand target = to.spec;
    if (c_.in_place) // the memory of A as B
        target.rows = g_.n, target.cols = g_.m, target.ld = g_.ldb;
    const bool swaps =
        is_transpose && by_.kernel.substr(0, 4) != "copy"; // yardsticks of transposes copy
    const auto bytes = static_cast<size_t>(from.spec.element_bytes);
    for (int64_t b = 0; b < from.spec.count; ++b)
        for (int64_t j = 0; j < from.spec.cols; ++j)
            for (int64_t i = 0; i < from.spec.rows; ++i) {
                if (is_transpose && !swaps)
                    continue;
                const int64_t at = swaps ? target.index(b, j, i) : target.index(b, i, j);
                ++judge_.result.elements;
                if (std::memcmp(from.sent.data() +
                                    static_cast<size_t>(from.spec.index(b, i, j)) * bytes,
                                to.found.data() + static_cast<size_t>(at) * bytes,
                                bytes) != 0)
                    judge_.fail("the copy of an element", i, j, 0, 0, 0);
            }
}

judgement judge_of_calls::run() {
    if (is_quick_return(c_))
        return judge_.result;
    if (c_.f == sgemm_grouped_batched)
        judge_groups();
    else if (c_.f >= sgemm && c_.f <= sgemm_fused_strided_batched)
        judge_gemm();
    else if (is_level3(c_.f))
        judge_level3();
    else if (c_.f == strsv)
        judge_solve(view(at("A")), 0, view(at("x")), 0, false, 1, static_cast<double>(g_.n) + 4, 0);
    else if (c_.f == sger || c_.f == ssyr || c_.f == ssyr2)
        judge_rank1();
    else if (c_.f >= sgemv)
        judge_gemv();
    else if (c_.f == srotg || c_.f == srotmg)
        judge_rotations();
    else if ((c_.f >= saxpy && c_.f <= srotm) || (c_.f >= sum && c_.f <= dsum))
        judge_level1();
    else
        judge_moves();
    return judge_.result;
}

} // namespace

void fill(const call_case& c, contents& x, size_t number) {
    operand& o = x.spec;
    const auto bytes = static_cast<size_t>(o.element_bytes);
    if (o.holds == content::given) {
        if (!x.sent.empty())
            std::memcpy(x.sent.data(), o.values.data(), x.sent.size());
        return;
    }
    if (!o.is_read || o.is_empty())
        return;
    const uint64_t seed = hash(static_cast<uint64_t>(c.seed), number);
    for (int64_t b = 0; b < o.count; ++b)
        for (int64_t j = 0; j < o.cols; ++j)
            for (int64_t i = 0; i < o.rows; ++i) {
                if (!o.has(i, j))
                    continue;
                const uint64_t position =
                    static_cast<uint64_t>(b * 1000003 + j) * 0x9E3779B1u + static_cast<uint64_t>(i);
                const uint64_t h = hash(seed, position);
                unsigned char* at = x.sent.data() + static_cast<size_t>(o.index(b, i, j)) * bytes;
                if (o.holds == content::bytes) {
                    for (size_t k = 0; k < bytes; ++k)
                        at[k] = static_cast<unsigned char>(h >> (k % 8 * 8));
                } else if (bytes == 8) {
                    const double value =
                        element(c, o, h, i, j) * (1 + static_cast<double>(h >> 20) * 0x1p-70);
                    std::memcpy(at, &value, bytes);
                } else {
                    const float value = element(c, o, h, i, j);
                    std::memcpy(at, &value, bytes);
                }
            }
}

judgement judge(const call_case& c, const std::vector<contents>& all, const computed_by& by) {
    return judge_of_calls(c, all, by).run();
}

} // namespace fuzz

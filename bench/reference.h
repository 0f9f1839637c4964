// The float64 references of host and GPU share this: the results that a call should have left in
// its operands, and the measure of an error. Except for the making of views, all is constexpr, so
// that kernels can use it.
#pragma once

#include "random.h"
#include "shape.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <variant>

namespace bench {

struct operands; // machine.h

// |value - reference| / magnitude. Infinite if the value is NaN, or if it is wrong and the
// magnitude is 0.
constexpr double relative_error(double value, double reference, double magnitude) {
    const double difference = value < reference ? reference - value : value - reference;
    if (difference == 0)
        return 0;
    const double ratio = difference / magnitude;
    return ratio >= 0 ? ratio : std::numeric_limits<double>::infinity();
}

// The activation functions of myblas.h.
constexpr double activated(myblasActivation_t activation, double x) {
    switch (activation) {
    case MYBLAS_ACTIVATION_RELU:
        return x < 0 ? 0 : x;
    case MYBLAS_ACTIVATION_GELU:
        return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    default:
        return x;
    }
}

// An operand of a product, after op(). A vector is a row, whose leading dimension is the increment.
// If it stands for a column, the row is transposed. If x is null, all elements are ones.
struct matrix_view {
    enum class kind { whole, symmetric, triangle };

    const float* x = nullptr;
    int64_t ld = 0;
    bool trans = false;
    kind form = kind::whole;
    bool upper = false, unit = false;

    // The index of element (i, j) of op(X).
    constexpr int64_t index(int64_t i, int64_t j) const { return trans ? j + i * ld : i + j * ld; }
    constexpr float at(int64_t i, int64_t j) const {
        if (!x)
            return 1;
        if (form == kind::whole)
            return x[index(i, j)];
        const bool is_stored = i == j || (i < j) == (upper != trans);
        if (form == kind::symmetric)
            return is_stored ? x[index(i, j)] : x[index(j, i)];
        if (i == j && unit)
            return 1;
        return is_stored ? x[index(i, j)] : 0;
    }
};

// The C that a call should leave, m x n: alpha A B + old_scale * (C before the call) + bias, with
// the activation applied. A has k columns. With `twice`, B^T A^T is added to A B. With
// `is_solution`, C is not a result; the sum above should be zero.
struct product_view {
    enum class part { all, lower, upper };

    int64_t m = 0, n = 0, k = 0;
    matrix_view a, b, c;
    bool twice = false, is_solution = false;
    part results = part::all; // the elements of C that are results; the rest must not change
    float alpha = 1;
    float old_scale = 0;
    const float* bias = nullptr; // of the rows; null: none
    myblasActivation_t activation = MYBLAS_ACTIVATION_NONE;
    bool was_poisoned = true; // C held NaN before; otherwise the data of this seed
    uint64_t old_seed = 0;
    int64_t old_offset = 0;

    constexpr int64_t depth() const { return twice ? 2 * k : k; }
    constexpr float a_at(int64_t i, int64_t l) const { return l < k ? a.at(i, l) : b.at(l - k, i); }
    constexpr float b_at(int64_t l, int64_t j) const { return l < k ? b.at(l, j) : a.at(j, l - k); }
    constexpr bool has(int64_t i, int64_t j) const {
        return results == part::all || (results == part::lower ? i >= j : i <= j);
    }
    // The old value at a place of C's memory, which begins old_offset elements before C.
    constexpr float old_value(int64_t at) const {
        float value = 0;
        random_value(old_seed, static_cast<uint64_t>(at), value);
        return value;
    }
    // The relative error of an element of C, from its sums in A B and |A| |B|.
    constexpr double error(int64_t i, int64_t j, double sum, double magnitude) const {
        const double old =
            old_scale == 0 ? 0.0 : double{old_scale} * old_value(old_offset + c.index(i, j));
        const double value = is_solution ? 0.0 : c.at(i, j);
        const double scale = alpha < 0 ? -alpha : alpha, of_row = bias ? bias[i] : 0.0f;
        return relative_error(value,
                              activated(activation, alpha * sum + old + of_row),
                              scale * magnitude + (old < 0 ? -old : old) +
                                  (of_row < 0 ? -of_row : of_row));
    }
    constexpr bool is_changed(int64_t at, float now) const {
        const uint32_t bits = std::bit_cast<uint32_t>(now);
        return bits != (was_poisoned ? ~uint32_t{0} : std::bit_cast<uint32_t>(old_value(at)));
    }
    // Whether element `at` of C's memory is outside the results.
    constexpr bool is_outside(int64_t at) const {
        if (at < old_offset)
            return true;
        const int64_t down = (at - old_offset) % c.ld, across = (at - old_offset) / c.ld;
        const int64_t i = c.trans ? across : down, j = c.trans ? down : across;
        return i >= m || j >= n || !has(i, j);
    }
};

// Two vectors x and y, which held the data of two seeds. The routine should have made them h[0] x +
// h[1] y and h[2] x + h[3] y. If there is no y, it should have made x h[0] x.
struct pair_view {
    const float *x, *y;
    int64_t n, inc, offset; // the memory begins `offset` elements before each
    uint64_t seed_x, seed_y;
    float h[4];

    // The error of element i of both vectors, relative to the sum of magnitudes.
    constexpr double error(int64_t i) const {
        float old_x = 0, old_y = 0;
        const int64_t at = i * inc;
        random_value(seed_x, static_cast<uint64_t>(offset + at), old_x);
        if (!y)
            return combined_error(x[at], h[0], old_x, 0, 0);
        random_value(seed_y, static_cast<uint64_t>(offset + at), old_y);
        const double of_x = combined_error(x[at], h[0], old_x, h[1], old_y);
        const double of_y = combined_error(y[at], h[2], old_x, h[3], old_y);
        return of_x < of_y ? of_y : of_x;
    }

private:
    static constexpr double combined_error(double value, double h, double x, double g, double y) {
        const double first = h * x, second = g * y;
        return relative_error(
            value, first + second, (first < 0 ? -first : first) + (second < 0 ? -second : second));
    }
};

// The view of a call, or of one product of a batch. Operands changed in place held the data of
// `seed` before.
product_view view_product(const shape&, const operands&, int64_t batch_index, uint64_t seed = 0);
// The view of a routine of level 1 whose results are vectors.
pair_view view_pair(const shape&, const operands&, uint64_t seed_x, uint64_t seed_y);

// ---- What machines compare element by element ---------------------------------------------------
// operator()(at) judges one of count() elements. With is_count it returns 1 for a wrong element,
// and machines add up the results. Otherwise it returns the error, and machines find the largest.

// The memory of C outside of the results, `length` elements: it must not have changed.
struct changed_elements {
    static constexpr bool is_count = true;
    product_view p;
    const float* memory;
    int64_t length;
    constexpr int64_t count() const { return length; }
    constexpr double operator()(int64_t at) const {
        return p.is_outside(at) && p.is_changed(at, memory[at]) ? 1 : 0;
    }
};

struct pair_errors {
    static constexpr bool is_count = false;
    pair_view p;
    constexpr int64_t count() const { return p.n; }
    constexpr double operator()(int64_t at) const { return p.error(at); }
};

// Elements that isamax or isamin should have found instead of element `found`.
struct preceding_elements {
    static constexpr bool is_count = true;
    const float* x;
    int64_t n, inc;
    bool is_largest;
    int64_t found;
    constexpr int64_t count() const { return n; }
    constexpr double operator()(int64_t at) const {
        const float here = x[at * inc], there = x[found * inc];
        const float size = here < 0 ? -here : here, other = there < 0 ? -there : there;
        return size == other ? at < found : (size > other) == is_largest;
    }
};

// Elements of a matrix that a transpose, or with as_copy a copy, has put elsewhere: bits alone
// count. In strips of rows, so that lines of both matrices stay in the cache.
struct misplaced_elements {
    static constexpr bool is_count = true;
    const unsigned char *source, *target;
    int64_t m, n, lda, ldb, element_bytes;
    bool as_copy;
    constexpr int64_t count() const { return m * n; }
    constexpr double operator()(int64_t at) const {
        constexpr int64_t strip = 64;
        const int64_t first = at / (strip * n) * strip, rest = at - first * n;
        const int64_t rows = m - first < strip ? m - first : strip;
        const int64_t i = first + rest % rows, j = rest / rows;
        const unsigned char* const a = source + (i + j * lda) * element_bytes;
        const unsigned char* const b =
            target + (as_copy ? i + j * ldb : j + i * ldb) * element_bytes;
        for (int64_t byte = 0; byte < element_bytes; ++byte)
            if (a[byte] != b[byte])
                return 1;
        return 0;
    }
};

// C = alpha A + beta B
struct sum_errors {
    static constexpr bool is_count = false;
    int64_t m, n;
    matrix_view a, b, c;
    float alpha, beta;
    constexpr int64_t count() const { return m * n; }
    constexpr double operator()(int64_t at) const {
        const int64_t i = at % m, j = at / m;
        const double first = double{alpha} * a.at(i, j), second = double{beta} * b.at(i, j);
        return relative_error(c.at(i, j),
                              first + second,
                              (first < 0 ? -first : first) + (second < 0 ? -second : second));
    }
};

using comparison =
    std::variant<changed_elements, pair_errors, preceding_elements, misplaced_elements, sum_errors>;

} // namespace bench

// The random data of operands. Some kinds are hard for FP32 products made of 16-bit limbs. As in
// random.h, elements can be generated in any order, on the host and in a kernel.
#pragma once

#include "random.h"
#include "shape.h"

#include <cmath>
#include <limits>
#include <variant>

namespace bench {

// An operand of a product, or the operands of a batch in a row. Its lines are the rows of op(A) or
// the columns of op(B); k runs along them.
struct operand_view {
    float* x;
    int64_t ld, cols, batch;   // of the stored matrices
    bool is_a, k_down_columns; // else k runs along rows
};

// Normally distributed, from 64 random bits (Box and Muller).
constexpr double normal_value(uint64_t bits) {
    const double radius = (static_cast<double>(bits >> 32) + 0.5) * 0x1p-32;
    const double angle = static_cast<double>(bits & 0xffffffffu) * 0x1p-32;
    return std::sqrt(-2 * std::log(radius)) * std::cos(6.283185307179586 * angle);
}

// 2 to a power from -40 to 40, which depends on the line, or on k.
constexpr float random_scale(uint64_t seed, int64_t index) {
    const int exponent = static_cast<int>(random_bits(~seed, static_cast<uint64_t>(index)) % 81);
    return static_cast<float>(std::exp2(exponent - 40));
}

// An element of an operand; `index` is its place in memory.
constexpr float
product_value(data_kind kind, bool is_a, uint64_t seed, uint64_t index, int64_t line, int64_t k) {
    constexpr float smallest = std::numeric_limits<float>::min();
    constexpr float largest = std::numeric_limits<float>::max();
    float uniform = 0;
    random_value(seed, index, uniform);
    const uint64_t bits = random_bits(seed, index);
    const float normal = static_cast<float>(normal_value(bits));
    const auto lognormal = [&](double sigma_bits) {
        const double sign = random_bits(~seed, index) & 1 ? 1 : -1;
        return static_cast<float>(sign * std::exp2(sigma_bits * normal_value(bits)));
    };
    switch (kind) {
    case data_kind::normal:
        return normal;
    case data_kind::positive:
        return uniform < 0 ? -uniform : uniform;
    case data_kind::lognormal_4:
        return lognormal(4);
    case data_kind::lognormal_8:
        return lognormal(8);
    case data_kind::row_scaled:
        return is_a ? normal * random_scale(seed, line) : normal;
    case data_kind::column_scaled:
        return is_a ? normal : normal * random_scale(seed, line);
    case data_kind::k_scaled:
        return is_a ? normal * random_scale(seed, k) : normal;
    case data_kind::graded: {
        const int exponent = static_cast<int>(k * 7 % 61) - 30;
        return uniform * static_cast<float>(std::exp2(is_a ? exponent : -exponent));
    }
    case data_kind::outlier:
        if (k != 5)
            return uniform;
        return is_a ? (line == 3 ? 1e20f : 1.0f) : 0.0f;
    case data_kind::near_largest: // with both signs, sums stay below the largest
        return uniform * (is_a ? largest : 0x1p-12f);
    case data_kind::near_smallest:
        return is_a ? (uniform < 0 ? uniform - 1 : uniform + 1) * smallest : uniform * 0x1p8f;
    default:
        return uniform;
    }
}

constexpr float product_value(const operand_view& o, data_kind kind, uint64_t seed, int64_t at) {
    const int64_t down = at % o.ld, across = at / o.ld % o.cols;
    return product_value(kind,
                         o.is_a,
                         seed,
                         static_cast<uint64_t>(at),
                         o.k_down_columns ? across : down,
                         o.k_down_columns ? down : across);
}

// A triangle, or the stored half of a symmetric matrix. Elements that must not be read are NaN: the
// other half, and the diagonal of a unit triangle.
struct triangle_view {
    float* x;
    int64_t ld, order;
    bool upper, unit;
    float scale;     // of elements off the diagonal
    bool invertible; // the diagonal has magnitudes from 1 to 1 + spread, else it is like the rest
    float spread;
};

constexpr float triangle_value(const triangle_view& t, uint64_t seed, int64_t at) {
    const int64_t i = at % t.ld, j = at / t.ld;
    const bool is_stored = t.upper ? i <= j : i >= j;
    if (i >= t.order || !is_stored || (i == j && t.unit))
        return std::numeric_limits<float>::quiet_NaN();
    float value = 0;
    random_value(seed, static_cast<uint64_t>(at), value);
    if (i == j && t.invertible)
        return value < 0 ? value * t.spread - 1 : value * t.spread + 1;
    return value * t.scale;
}

// Data that a machine writes element by element: operator()(at) writes one of count() elements.
template <class T>
struct vector_data {
    T* x;
    int64_t length;
    uint64_t seed;
    constexpr int64_t count() const { return length; }
    constexpr void operator()(int64_t at) const {
        random_value(seed, static_cast<uint64_t>(at), x[at]);
    }
};

struct operand_data {
    operand_view o;
    data_kind kind;
    uint64_t seed;
    constexpr int64_t count() const { return o.ld * o.cols * o.batch; }
    constexpr void operator()(int64_t at) const { o.x[at] = product_value(o, kind, seed, at); }
};

struct triangle_data {
    triangle_view t;
    uint64_t seed;
    constexpr int64_t count() const { return t.ld * t.order; }
    constexpr void operator()(int64_t at) const { t.x[at] = triangle_value(t, seed, at); }
};

using generated_data = std::variant<vector_data<float>,
                                    vector_data<double>,
                                    vector_data<uint32_t>,
                                    vector_data<skewed_bytes>,
                                    vector_data<equal_bytes>,
                                    operand_data,
                                    triangle_data>;

} // namespace bench

// What the float64 references of both machines share: one product of a batch, and the measure of an
// error. Everything is constexpr so that kernels can use it too.
#pragma once

#include "machine.h"

#include <cstdint>
#include <limits>

namespace bench {

struct product_view {
    bool transa, transb;
    int64_t m, n, k;
    const float* a;
    int64_t lda;
    const float* b;
    int64_t ldb;
    const float* c;
    int64_t ldc;

    constexpr float a_at(int64_t i, int64_t l) const {
        return transa ? a[l + i * lda] : a[i + l * lda];
    }
    constexpr float b_at(int64_t l, int64_t j) const {
        return transb ? b[j + l * ldb] : b[l + j * ldb];
    }
};

inline product_view view_product(const shape& s, const operands& o, int64_t batch_index) {
    const operand_sizes stride = batch_strides(s);
    return {s.transa,
            s.transb,
            s.m,
            s.n,
            s.k,
            static_cast<const float*>(o.a) + batch_index * stride.a,
            s.lda,
            static_cast<const float*>(o.b) + batch_index * stride.b,
            s.ldb,
            static_cast<const float*>(o.c) + batch_index * stride.c,
            s.ldc};
}

// Where a transpose puts element (i, j), in elements of its target; `as_copy`: where a copy puts it.
constexpr int64_t moved_to(const shape& s, int64_t i, int64_t j, bool as_copy) {
    return as_copy ? i + j * s.ldb : j + i * s.ldb;
}

// |value - reference| / magnitude; infinite where the value is NaN, or wrong though nothing was added.
constexpr double relative_error(double value, double reference, double magnitude) {
    const double difference = value < reference ? reference - value : value - reference;
    if (difference == 0)
        return 0;
    const double ratio = difference / magnitude;
    return ratio >= 0 ? ratio : std::numeric_limits<double>::infinity();
}

} // namespace bench

#include "bounds.h"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

bool has_limbs(myblasMath_t math) {
    return math == MYBLAS_FP32_EMULATED_MATH || math == MYBLAS_FP32_FAST_MATH;
}

} // namespace

double product_bound(myblasMath_t math, int64_t k) {
    constexpr int64_t least_k = 64; // the losses of limbs and chunks do not grow with k
    return static_cast<double>(has_limbs(math) ? std::max(k, least_k) : k) + 4;
}

double blas_bound(myblasMath_t math, const shape& s) {
    // d + logarithms * log2(d) + constant, the bound that myblas.h states for strict mode at depth
    // d.
    const auto promise = [&](int64_t d, double logarithms, double constant) {
        const double depth = static_cast<double>(d);
        double limit = depth + logarithms * std::log2(depth) + constant;
        if (has_limbs(math))
            limit += 60 * (1 + std::log2(depth));
        // A norm-wise bound. In random data, a few times the largest magnitudes are no more than
        // the sum of all.
        if (math == MYBLAS_FP32_FAST_MATH)
            limit += (depth + 1000) * 0x1p-9;
        return limit;
    };
    switch (s.routine) {
    case routine::sgemm:
        return product_bound(math, s.k);
    case routine::sgemm_fused: { // no slope of GELU is above 1.13
        const double limit = product_bound(math, s.k + 1);
        return s.activation == MYBLAS_ACTIVATION_GELU ? 1.13 * limit + 8 : limit;
    }
    case routine::gemv:
        return product_bound(math, s.transa ? s.m : s.n);
    case routine::ger:
    case routine::syr:
        return 3;
    case routine::syr2:
        return 5;
    case routine::syrk:
        return promise(s.k, 0, 5);
    case routine::syr2k:
        return promise(2 * s.k, 0, 6);
    case routine::symm:
        return promise(order_of(s), 0, 8);
    case routine::trmm:
        return promise(order_of(s), 2, 4);
    case routine::trsm:
        return promise(order_of(s), 3, 4);
    default: // symv, trmv, trsv
        return static_cast<double>(s.n) + 4;
    }
}

} // namespace bench

#include "host/sgemm/epilogue.h"

#include <algorithm>
#include <cmath>

namespace myblas::host {
namespace {

// 0.5 x (1 + tanh(t)) = x / (1 + exp(-2 t)), t = sqrt(2 / pi) (x + 0.044715 x^3). Nothing cancels.
// Beyond the range of floats exp is 0 or Inf, which gives x or 0. The error is less than 8 u |x|,
// as on the GPU (kernels/common/activation.cuh).
float gelu(float x) {
    constexpr float linear = -1.5957691216057308f; // -2 sqrt(2 / pi)
    constexpr float cubic = -0.0713548162726009f;  // 0.044715 times `linear`
    return x / (1 + std::exp(x * (linear + cubic * x * x)));
}

} // namespace

void activate(myblasActivation_t activation, float* x, int64_t count) {
    if (activation == MYBLAS_ACTIVATION_RELU)
        std::transform(x, x + count, x, [](float v) { return v <= 0 ? 0.0f : v; }); // keeps NaN
    else if (activation == MYBLAS_ACTIVATION_GELU)
        std::transform(x, x + count, x, gelu);
}

void copy_source(const sgemm_problem& p, int64_t batch, float* c) {
    const float* const source = p.epilogue.source + batch * p.epilogue.stride_source;
    for (int64_t j = 0; j < p.n; ++j)
        std::copy_n(source + j * p.epilogue.ld_source, p.m, c + j * p.ldc);
}

void apply_epilogue(const sgemm_problem& p, int64_t batch, float* c) {
    const product_epilogue& f = p.epilogue;
    const float* const bias = f.bias ? f.bias + batch * f.stride_bias : nullptr;
    for (int64_t j = 0; j < p.n; ++j) {
        float* const column = c + j * p.ldc;
        if (bias && f.is_bias_of_columns)
            std::transform(column, column + p.m, column, [=](float x) { return x + bias[j]; });
        else if (bias)
            std::transform(
                column, column + p.m, bias, column, [](float x, float b) { return x + b; });
        if (f.aux)
            std::copy_n(column, p.m, f.aux + batch * f.stride_aux + j * f.ld_aux);
        activate(f.activation, column, p.m);
    }
}

} // namespace myblas::host

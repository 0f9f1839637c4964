// The activation functions that follow a product.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// 2^x with a relative error of at most 2^-22. The result is 0 for x below -126 and Inf above the
// range of floats. PTX ISA, "Floating Point Instructions: ex2".
__device__ __forceinline__ float exp2_approximately(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// 1 / x with an error of at most 1 ulp. A result below 2^-126 is flushed to 0. PTX ISA, "Floating
// Point Instructions: rcp".
__device__ __forceinline__ float reciprocal_approximately(float x) {
    float quotient;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(quotient) : "f"(x));
    return quotient;
}

// GELU: 0.5 x (1 + tanh(t)) = x / (1 + exp(-2 t)), t = sqrt(2 / pi) (x + 0.044715 x^3).
//
// The error is at most 6 u |x|, u = 2^-24:
//   2 u  the reciprocal
//   1 u  the sum 1 + e
//   1 u  the last product
//   1 u  the power: its relative error is 4 u, and the derivative of 1 / (1 + e) with respect to
//        log(e) is at most 1/4
//   1 u  the exponent: its relative error of 3.5 u is multiplied by at most 0.23
// Where e leaves the range of floats it is 0 or Inf, and the result is x or 0.
__device__ __forceinline__ float gelu(float x) {
    constexpr float linear = -2.302208198144325f; // -2 sqrt(2 / pi) log2(e)
    constexpr float cubic = -0.1029432395800235f; // 0.044715 * linear
    const float e = exp2_approximately(x * fmaf(x * x, cubic, linear));
    return x * reciprocal_approximately(1 + e);
}

} // namespace myblas::cuda

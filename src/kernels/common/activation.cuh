// The activation functions that follow a product.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

// 2^x with a relative error of at most 2^-22; 0 below 2^-126, Inf above all floats. PTX ISA, "Floating Point Instructions:
// ex2".
__device__ __forceinline__ float exp2_approximately(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// 1 / x with an error of at most 1 ulp, 0 where that is below 2^-126. PTX ISA, "Floating Point Instructions: rcp".
__device__ __forceinline__ float reciprocal_approximately(float x) {
    float quotient;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(quotient) : "f"(x));
    return quotient;
}

// 0.5 x (1 + tanh(t)) = x / (1 + exp(-2 t)), t = sqrt(2 / pi) (x + 0.044715 x^3). Off by at most 6 u |x|, u = 2^-24: 2 u of
// the reciprocal, u each of the sum, the last product and, since the derivative of 1 / (1 + e) by log(e) is at most 1/4, the
// power, and less than u of the exponent, whose relative error of 3.5 u counts at most 0.23 times. Beyond the range of
// floats e is 0 or Inf, which gives x or 0.
__device__ __forceinline__ float gelu(float x) {
    constexpr float linear = -2.302208198144325f; // -2 sqrt(2 / pi) log2(e)
    constexpr float cubic = -0.1029432395800235f; // 0.044715 times that
    const float e = exp2_approximately(x * fmaf(x * x, cubic, linear));
    return x * reciprocal_approximately(1 + e);
}

} // namespace myblas::cuda

// Replaces activation.cuh on a CPU.
#pragma once

#include <cmath>

namespace myblas::cuda {

inline float gelu(float x) {
    constexpr float root = 0.7978845608f; // sqrt(2 / pi)
    return 0.5f * x * (1 + std::tanh(root * (x + 0.044715f * x * x * x)));
}

} // namespace myblas::cuda

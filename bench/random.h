// Random data that can be generated for any index in any order, and is the same on the host and in
// a kernel.
#pragma once

#include <cstdint>

namespace bench {

// The finaliser of a splittable generator (Steele, Lea, Flood 2014): neighbouring inputs give
// unrelated outputs.
constexpr uint64_t random_bits(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Uniform in [-1, 1), in multiples of 2^-23 (double: 2^-52).
constexpr void random_value(uint64_t seed, uint64_t index, float& value) {
    value = static_cast<float>(random_bits(seed, index) >> 40) * 0x1p-23f - 1.0f;
}

constexpr void random_value(uint64_t seed, uint64_t index, double& value) {
    value = static_cast<double>(random_bits(seed, index) >> 11) * 0x1p-52 - 1.0;
}

constexpr void random_value(uint64_t seed, uint64_t index, uint32_t& value) {
    value = static_cast<uint32_t>(random_bits(seed, index) >> 32);
}

// Four bytes, each v with probability 2^-(v + 1).
struct skewed_bytes {
    uint32_t word;
};

constexpr void random_value(uint64_t seed, uint64_t index, skewed_bytes& value) {
    value.word = 0;
    for (int byte = 0; byte < 4; ++byte) {
        uint64_t bits = random_bits(seed, index) >> (16 * byte) & 0xffff;
        for (; bits & 1; bits >>= 1)
            value.word += uint32_t{1} << (8 * byte);
    }
}

// Four bytes, all the same.
struct equal_bytes {
    uint32_t word;
};

constexpr void random_value(uint64_t seed, uint64_t, equal_bytes& value) {
    value.word = static_cast<uint32_t>(random_bits(seed, 0) >> 56) * 0x01010101u;
}

} // namespace bench

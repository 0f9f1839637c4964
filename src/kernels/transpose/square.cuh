// Vectors of 16 bytes, and squares of elements in registers.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

struct alignas(16) vector16 {
    uint32_t word[4];
};

// The line is one of the first to leave the caches.
__device__ inline void store_streaming(void* ptr, const vector16& value) {
    __stcs(static_cast<uint4*>(ptr),
           make_uint4(value.word[0], value.word[1], value.word[2], value.word[3]));
}

template <class T>
inline constexpr int vector_elements = sizeof(vector16) / sizeof(T);

// Transposes a square of words with elements of 1 or 2 bytes: element r of from[c] becomes element
// c of to[r].
template <class T>
__device__ __forceinline__ void transpose_word_square(const uint32_t (&from)[4 / sizeof(T)],
                                                      uint32_t (&to)[4 / sizeof(T)]) {
    if constexpr (sizeof(T) == 1) {
        // Pairs of bytes first, then pairs of pairs.
        const uint32_t low01 = __byte_perm(from[0], from[1], 0x5140);
        const uint32_t high01 = __byte_perm(from[0], from[1], 0x7362);
        const uint32_t low23 = __byte_perm(from[2], from[3], 0x5140);
        const uint32_t high23 = __byte_perm(from[2], from[3], 0x7362);
        to[0] = __byte_perm(low01, low23, 0x5410);
        to[1] = __byte_perm(low01, low23, 0x7632);
        to[2] = __byte_perm(high01, high23, 0x5410);
        to[3] = __byte_perm(high01, high23, 0x7632);
    } else {
        to[0] = __byte_perm(from[0], from[1], 0x5410);
        to[1] = __byte_perm(from[0], from[1], 0x7632);
    }
}

// Transposes a square of vectors: element r of from[c] becomes element c of to[r].
template <class T>
__device__ __forceinline__ void transpose_square(const vector16 (&from)[vector_elements<T>],
                                                 vector16 (&to)[vector_elements<T>]) {
    constexpr int v = vector_elements<T>;
    if constexpr (sizeof(T) == 1) {
        // In squares of 4 x 4 bytes: one word of each of four vectors.
#pragma unroll
        for (int q = 0; q < 4; ++q)
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                const uint32_t words[] = {from[4 * q].word[r],
                                          from[4 * q + 1].word[r],
                                          from[4 * q + 2].word[r],
                                          from[4 * q + 3].word[r]};
                uint32_t transposed[4];
                transpose_word_square<T>(words, transposed);
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    to[4 * r + k].word[q] = transposed[k];
            }
    } else if constexpr (sizeof(T) == 2) {
#pragma unroll
        for (int q = 0; q < 4; ++q)
#pragma unroll
            for (int r = 0; r < v; ++r)
                to[r].word[q] = __byte_perm(
                    from[2 * q].word[r / 2], from[2 * q + 1].word[r / 2], r % 2 ? 0x7632 : 0x5410);
    } else {
        constexpr int words = sizeof(T) / 4; // of an element
#pragma unroll
        for (int r = 0; r < v; ++r)
#pragma unroll
            for (int w = 0; w < 4; ++w)
                to[r].word[w] = from[w / words].word[r * words + w % words];
    }
}

} // namespace myblas::cuda

// Multiply-adds that are rounded once where the instruction set has them. Each is written out,
// because compilers choose differently which multiplications and additions they fuse.
#pragma once

#include "host/instructions.h"

#include <cmath>
#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace myblas::host {

#if defined(__x86_64__)

[[gnu::target("avx512f")]] inline void
fused_multiply_add(vector_of<float, 64>& sum, const vector_of<float, 64>& a, float b) {
    sum = _mm512_fmadd_ps(a, _mm512_set1_ps(b), sum);
}
[[gnu::target("avx2,fma")]] inline void
fused_multiply_add(vector_of<float, 32>& sum, const vector_of<float, 32>& a, float b) {
    sum = _mm256_fmadd_ps(a, _mm256_set1_ps(b), sum);
}
[[gnu::target("fma")]] inline void
fused_multiply_add(vector_of<float, 16>& sum, const vector_of<float, 16>& a, float b) {
    sum = _mm_fmadd_ps(a, _mm_set1_ps(b), sum);
}

#endif

// sum += a * b: rounded once if the instruction set can do that, for vectors of every length.
template <instruction_set set, class Vector>
[[gnu::always_inline]] inline void multiply_add(Vector& sum, const Vector& a, float b) {
    if constexpr (set == instruction_set::baseline)
        sum = sum + a * b;
    else
        fused_multiply_add(sum, a, b);
}

// sum = fma(a, b, sum), rounded once on every processor.
template <instruction_set set, class Vector>
[[gnu::always_inline]] inline void exact_multiply_add(Vector& sum, const Vector& a, float b) {
    if constexpr (set == instruction_set::baseline)
        for (size_t i = 0; i < sizeof(Vector) / sizeof(float); ++i)
            sum[i] = std::fma(a[i], b, sum[i]); // a call, unless the baseline has the instruction
    else
        fused_multiply_add(sum, a, b);
}

} // namespace myblas::host

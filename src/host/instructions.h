// Code compiled for several instruction sets; the processor's best one is chosen at run time.
//
// `target` attributes let one translation unit hold all of them. The code is a lambda that takes
// the length of a vector. The lambda and every function that it calls are inlined into a function
// for the instruction set, so no shared function contains instructions that the processor may lack.
// The compiler fuses no multiplication with an addition (-ffp-contract=off in src/CMakeLists.txt),
// so results have the same bits on every processor, except where code calls multiply_add
// (multiply_add.h).
#pragma once

#include <cstring>

namespace myblas::host {

enum class instruction_set { baseline, avx2, avx512 };

template <int bytes, instruction_set set>
struct vector_length {
    static constexpr int value = bytes;
    static constexpr instruction_set instructions = set;
};

template <class T, int bytes>
using vector_of [[gnu::vector_size(bytes)]] = T;

template <class Vector>
[[gnu::always_inline]] inline void load(Vector& to, const void* from) {
    std::memcpy(&to, from, sizeof(Vector));
}

template <class Vector>
[[gnu::always_inline]] inline void store(void* to, const Vector& from) {
    std::memcpy(to, &from, sizeof(Vector));
}

// The best instruction set that this processor runs. Only x86-64 has more than one.
inline instruction_set best_instructions() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma")) {
        if (__builtin_cpu_supports("avx512f"))
            return instruction_set::avx512;
        if (__builtin_cpu_supports("avx2"))
            return instruction_set::avx2;
    }
#endif
    return instruction_set::baseline;
}

#if defined(__x86_64__)

template <class Code>
[[gnu::target("avx512f,fma"), gnu::flatten]] auto run_avx512(const Code& code) {
    return code(vector_length<64, instruction_set::avx512>{});
}

template <class Code>
[[gnu::target("avx2,fma"), gnu::flatten]] auto run_avx2(const Code& code) {
    return code(vector_length<32, instruction_set::avx2>{});
}

#endif

template <class Code>
auto run_best(const Code& code) {
#if defined(__x86_64__)
    switch (best_instructions()) {
    case instruction_set::avx512:
        return run_avx512(code);
    case instruction_set::avx2:
        return run_avx2(code);
    case instruction_set::baseline:
        break;
    }
#endif
    return code(vector_length<16, instruction_set::baseline>{});
}

} // namespace myblas::host

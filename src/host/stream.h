// Stores past the caches, for results that are too large to be still in the caches when they are
// needed. A cache line that is written as a whole need not be read from memory first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace myblas::host {

// Results of at least this size are streamed. A smaller one may still be in the last-level cache
// later.
inline constexpr int64_t least_streamed_bytes = int64_t{16} << 20;

inline constexpr int64_t line_bytes = 64; // of a cache line

inline int64_t bytes_into_line(const void* address) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(address) % line_bytes);
}

// Copies bytes; whole cache lines bypass the caches. Other threads are sure to see them only after
// finish_streaming().
[[gnu::always_inline]] inline void stream_copy(void* to, const void* from, size_t bytes) {
#if defined(__x86_64__)
    constexpr size_t line = line_bytes;
    char* target = static_cast<char*>(to);
    const char* source = static_cast<const char*>(from);
    const size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % line);
    std::memcpy(target, source, head);
    size_t done = head;
    for (; done + line <= bytes; done += line)
        for (size_t part = done; part < done + line; part += sizeof(__m128i))
            _mm_stream_si128(reinterpret_cast<__m128i*>(target + part),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + part)));
    std::memcpy(target + done, source + done, bytes - done);
#else
    std::memcpy(to, from, bytes);
#endif
}

inline void finish_streaming() {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

} // namespace myblas::host

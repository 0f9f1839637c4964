#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

// Whether to leave out a case of a long test: if MYBLAS_TEST_REDUCED is set and not 0, all except a
// random one in four.
inline bool left_out() {
    static const char* const reduced = std::getenv("MYBLAS_TEST_REDUCED");
    static uint32_t state = 1;
    if (!reduced || std::strcmp(reduced, "0") == 0)
        return false;
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % 4 != 0;
}

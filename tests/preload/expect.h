// Expectations for tests without a framework: a failure is printed, the test continues, and its
// exit status is not 0.
#pragma once

#include <cstdio>
#include <string>

inline int failures = 0;

inline void expect(bool condition, const std::string& what) {
    if (condition)
        return;
    std::fprintf(stderr, "not so: %s\n", what.c_str());
    ++failures;
}

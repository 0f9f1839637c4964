// What a test without a framework expects: it goes on after a failure, says it, and ends with a status that is not 0 if there
// was one.
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

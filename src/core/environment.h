#pragma once

#include <cstdlib>

namespace myblas {

// The value of an environment variable; null if it is not set, or empty. Programs with raised
// privileges read none.
inline const char* read_variable(const char* name) noexcept {
    const char* text = secure_getenv(name);
    return text && *text ? text : nullptr;
}

// Whether a text is the given word, in upper or lower case.
inline bool is_word(const char* text, const char* word) noexcept {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
    for (; *text && lower(*text) == lower(*word); ++text, ++word) {
    }
    return lower(*text) == lower(*word);
}

// The number, from 1 on, at the beginning of a text; 0 if there is none. *rest is the remaining
// text.
inline long parse_count(const char* text, const char** rest) noexcept {
    if (*text < '0' || *text > '9')
        return 0;
    char* end;
    const long number =
        std::strtol(text, &end, 10); // the largest long, if there are too many digits
    *rest = end;
    return number;
}

// MYBLAS_NUM_THREADS, a number from 1 on. 0: it is not set, or holds anything else.
inline long read_thread_variable() noexcept {
    const char* const text = read_variable("MYBLAS_NUM_THREADS");
    const char* rest = "";
    const long number = text ? parse_count(text, &rest) : 0;
    return *rest ? 0 : number;
}
inline bool is_thread_variable_valid() noexcept {
    return !read_variable("MYBLAS_NUM_THREADS") || read_thread_variable() > 0;
}

} // namespace myblas

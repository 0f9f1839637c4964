// Settings from environment variables, also for the preload libraries and the tools. An empty
// variable counts as not set. Programs with raised privileges read no variables.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>

namespace myblas {

// Null if the variable is not set.
inline const char* read_variable(const char* name) noexcept {
    const char* text = secure_getenv(name);
    return text && *text ? text : nullptr;
}

// ---- Words --------------------------------------------------------------------------------------

// Whether a text is the given word, in upper or lower case.
inline bool is_word(const char* text, const char* word) noexcept {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
    for (; *text && lower(*text) == lower(*word); ++text, ++word) {
    }
    return lower(*text) == lower(*word);
}

template <class Value>
struct choice {
    const char* name;
    Value value;
};

// The value whose name the variable holds; `unset` if the variable is not set; `senseless` for any
// other text.
template <class Value, size_t count>
Value read_choice(const char* variable,
                  const choice<Value> (&choices)[count],
                  Value unset,
                  Value senseless) noexcept {
    const char* text = read_variable(variable);
    if (!text)
        return unset;
    for (const choice<Value>& c : choices)
        if (is_word(text, c.name))
            return c.value;
    return senseless;
}

// ---- Numbers ------------------------------------------------------------------------------------

// Whether a variable is not set, or is a number of at least 1.
inline bool is_count(const char* variable) noexcept {
    const char* text = read_variable(variable);
    return !text ||
           (text[std::strspn(text, "0123456789")] == 0 && text[std::strspn(text, "0")] != 0);
}

// The number, at most `most`; `otherwise` if the variable is not set or is no such number.
inline int read_count(const char* variable, int most, int otherwise) noexcept {
    const char* text = read_variable(variable);
    if (!text || !is_count(variable))
        return otherwise;
    const unsigned long long number = std::strtoull(text, nullptr, 10);
    return number < static_cast<unsigned long long>(most) ? static_cast<int>(number) : most;
}

// A number of bytes: decimal digits, and K, M or G for powers of 1024. False for any other text and
// for more than a size_t holds.
inline bool parse_bytes(const char* text, size_t* bytes) noexcept {
    size_t number = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
    if (error != std::errc{})
        return false;
    const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (end[shift ? 1 : 0] || number > std::numeric_limits<size_t>::max() >> shift)
        return false;
    *bytes = number << shift;
    return true;
}

// The number of bytes that a variable holds; `otherwise` if it is 0, not set or no such number.
inline size_t read_size(const char* variable, size_t otherwise) noexcept {
    const char* text = read_variable(variable);
    size_t bytes = 0;
    return text && parse_bytes(text, &bytes) && bytes != 0 ? bytes : otherwise;
}

} // namespace myblas

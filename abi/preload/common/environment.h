// Settings of the preload libraries, from environment variables. An empty variable counts as not
// set. Programs with raised privileges read no variables.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <system_error>

namespace myblas::preload {

inline const char* read_variable(const char* name) noexcept {
    const char* text = secure_getenv(name);
    return text && *text ? text : nullptr;
}

// Whether `text` equals `word`, one of a variable's possible values, in upper or lower case.
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

// A positive number of bytes or pieces, with K, M or G for powers of 1024; `otherwise` if the
// variable is not set or holds anything else.
inline size_t read_size(const char* variable, size_t otherwise) noexcept {
    const char* text = read_variable(variable);
    if (!text)
        return otherwise;
    size_t number = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
    if (error != std::errc{})
        return otherwise;
    for (const choice<int>& unit : {choice<int>{"K", 10}, {"M", 20}, {"G", 30}, {"", 0}}) {
        if (std::strcmp(end, unit.name) == 0) {
            const bool fits = number != 0 && number <= (static_cast<size_t>(-1) >> unit.value);
            return fits ? number << unit.value : otherwise;
        }
    }
    return otherwise;
}

// Whether a variable is not set, or is a number of at least 1.
inline bool is_count(const char* variable) noexcept {
    const char* text = read_variable(variable);
    return !text ||
           (text[std::strspn(text, "0123456789")] == 0 && text[std::strspn(text, "0")] != 0);
}

// The largest number if there are too many digits.
inline size_t read_count(const char* variable, size_t otherwise) noexcept {
    const char* text = read_variable(variable);
    return text && is_count(variable) ? std::strtoull(text, nullptr, 10) : otherwise;
}

} // namespace myblas::preload

// Values that have names on the command line and in files.
#pragma once

#include <cctype>
#include <optional>
#include <set>
#include <string>

namespace bench {

template <class T>
struct named {
    const char* name;
    T value;
};

// `all` is any range of named<T>.
template <class All, class T>
const char* name_of(const All& all, T value) {
    for (const named<T>& known : all)
        if (known.value == value)
            return known.name;
    return "";
}

template <class T, class All>
std::optional<T> value_of(const All& all, const std::string& name) {
    for (const named<T>& known : all)
        if (known.name == name)
            return known.value;
    return std::nullopt;
}

template <class All>
std::set<std::string> names_of(const All& all) {
    std::set<std::string> names;
    for (const auto& known : all)
        names.insert(known.name);
    return names;
}

// In ASCII.
inline std::string to_lower(std::string text) {
    for (char& c : text)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}
inline std::string to_upper(std::string text) {
    for (char& c : text)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

} // namespace bench

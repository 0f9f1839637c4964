// What is wrong with a call.
#pragma once

#include <cstdint>
#include <type_traits>

namespace myblas {

// A sentence such as "A is NULL", or an argument and the number that it has. Numbers are put into words by the logger, if
// anybody listens. A null pointer: nothing is wrong.
struct fault {
    const char* what;           // the sentence; with a rule, the argument's name
    const char* rule = nullptr; // what the value breaks
    int64_t value = 0;
    const char* unit = nullptr; // behind the bound; null: the rule has no bound
    int64_t bound = 0;

    constexpr fault(const char* sentence) : what(sentence) {}
    constexpr fault(const char* name, int64_t value_, const char* rule_)
        : what(name), rule(rule_), value(value_) {}
    template <class Enum> // for which a program may give any int
    requires std::is_enum_v<Enum>
    constexpr fault(const char* name, Enum value_, const char* rule_)
        : fault(name, static_cast<int>(value_), rule_) {}
    constexpr fault(
        const char* name, int64_t value_, const char* rule_, int64_t bound_, const char* unit_ = "")
        : what(name), rule(rule_), value(value_), unit(unit_), bound(bound_) {}

    explicit constexpr operator bool() const { return what != nullptr; }
};

constexpr fault negative(const char* name, int64_t value) {
    return {name, value, "but it must not be negative"};
}

// Of a leading dimension; the rule names the matrix: "but A has".
constexpr fault short_columns(const char* name, int64_t ld, const char* rule, int64_t rows) {
    return rows > 1 ? fault{name, ld, rule, rows, " rows"}
                    : fault{name, ld, "but it must be positive"};
}

} // namespace myblas

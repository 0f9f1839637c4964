// What is wrong with a call.
#pragma once

#include <cstdint>
#include <type_traits>

namespace myblas {

// A sentence such as "C == A needs ...", or an argument and its fault. The logger writes the
// message (logger.cpp), if anybody listens. A null pointer: nothing is wrong.
struct fault {
    enum class kind : uint8_t {
        sentence,  // `what`
        value,     // `what` = value, rule [bound unit]
        null,      // `what` is NULL
        increment, // of the vector `what`: zero
        columns,   // the leading dimension `value` of the matrix `what`, which has `bound` rows
    };
    const char* what;
    kind is = kind::sentence;
    int64_t value = 0;
    const char* rule = nullptr; // the rule that the value breaks
    int64_t bound = 0;
    const char* unit = nullptr; // behind the bound; null: the rule has no bound

    constexpr fault(const char* sentence) : what(sentence) {}
    constexpr fault(kind is_, const char* operand, int64_t value_ = 0, int64_t bound_ = 0)
        : what(operand), is(is_), value(value_), bound(bound_) {}
    constexpr fault(const char* name, int64_t value_, const char* rule_)
        : what(name), is(kind::value), value(value_), rule(rule_) {}
    template <class Enum> // a program may pass any int
    requires std::is_enum_v<Enum>
    constexpr fault(const char* name, Enum value_, const char* rule_)
        : fault(name, static_cast<int>(value_), rule_) {}
    constexpr fault(
        const char* name, int64_t value_, const char* rule_, int64_t bound_, const char* unit_ = "")
        : what(name), is(kind::value), value(value_), rule(rule_), bound(bound_), unit(unit_) {}

    explicit constexpr operator bool() const { return what != nullptr; }
};

constexpr fault negative(const char* name, int64_t value) {
    return {name, value, "but it must not be negative"};
}

} // namespace myblas

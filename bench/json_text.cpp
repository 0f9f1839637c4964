#include "json_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace bench {
namespace {

using nlohmann::ordered_json;

constexpr int line_depth = 2; // from this depth on, a container without other containers is a line

// The shortest text that is read as the same number. The text of nlohmann's library is sometimes
// longer.
std::string float_text(double value) {
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

void append(std::string& text, const ordered_json& value, int depth) {
    if (value.is_number_float()) {
        text += float_text(value.get<double>());
        return;
    }
    if (!value.is_structured() || value.empty()) {
        text += value.dump();
        return;
    }
    const bool is_line = depth >= line_depth &&
                         std::none_of(value.begin(), value.end(), [](const ordered_json& member) {
                             return member.is_structured();
                         });
    const auto end_line = [&](int level) {
        if (!is_line)
            text += '\n' + std::string(static_cast<size_t>(level), ' ');
    };
    text += value.is_object() ? '{' : '[';
    const char* separator = "";
    for (const auto& [name, member] : value.items()) {
        text += separator;
        separator = is_line ? ", " : ",";
        end_line(depth + 1);
        if (value.is_object())
            text += ordered_json(name).dump() + ": ";
        append(text, member, depth + 1);
    }
    end_line(depth);
    text += value.is_object() ? '}' : ']';
}

} // namespace

double four_digits(double value) { return std::stod(fmt::format("{:.4g}", value)); }

std::string to_json_text(const ordered_json& document) {
    std::string text;
    append(text, document, 0);
    return text + '\n';
}

} // namespace bench

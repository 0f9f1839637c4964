// Text in columns.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <sstream>
#include <string>

namespace bench {

// The name, followed by the words of the text from column `indent` on, in lines of at most
// `columns`. A name that is longer than `indent` has a separate line.
inline std::string
wrap(const std::string& name, const std::string& text, size_t indent, size_t columns) {
    std::string result = name;
    size_t column = name.size();
    if (column >= indent && column > 0) {
        result += '\n';
        column = 0;
    }
    result.append(indent - column, ' ');
    column = indent;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (column > indent && column + 1 + word.size() > columns) {
            result += fmt::format("\n{:{}}", "", indent);
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
    }
    return result + '\n';
}

} // namespace bench

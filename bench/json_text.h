// How the files of results look: indented, but with a line for each case.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace bench {

// With as many digits as a reader can use.
double four_digits(double);

// The document's own members are indented. Further inside, an object or array that holds no other
// one is a line. (measurements.py writes the same.)
std::string to_json_text(const nlohmann::ordered_json& document);

} // namespace bench

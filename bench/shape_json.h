// A call's routine and sizes, as the files of results and the log of a program's calls have them.
#pragma once

#include "shape.h"

#include <nlohmann/json.hpp>

namespace bench {

// Only the fields that the routine has.
nlohmann::ordered_json to_json(const shape&);

// A whole number; throws json::exception for any other value. get<int64_t>() would also convert
// 1e300.
int64_t read_integer(const nlohmann::ordered_json&);

// The sizes of a call of this routine. A missing field keeps its default. Throws json::exception
// for a value of the wrong type, usage_error for a value out of range.
shape read_sizes(routine, const nlohmann::ordered_json&);

// Reads what to_json() wrote. Throws as read_sizes() does.
shape read_shape(const nlohmann::ordered_json&);

} // namespace bench

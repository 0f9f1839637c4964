// `myblas-bench replay LOG`: the calls of a program, as the preload libraries log them
// (MYBLAS_CALL_LOG).
#pragma once

#include "shape.h"

#include <string>
#include <vector>

namespace bench {

// Calls that cannot be timed here.
struct left_out_calls {
    std::string function, reason;
    int64_t calls = 0;
};

struct call_log {
    std::vector<shape> shapes; // complete, each once; by routine, those with the most work first
    std::vector<left_out_calls> left_out;
};

// Throws usage_error, with the number of the line, for a file that is not such a log.
call_log read_call_log(const std::string& file);

} // namespace bench

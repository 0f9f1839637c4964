// How a case is shown: as C code, and as a command of myblas-bench where that can express it.
#pragma once

#include "fuzz/call.h"

#include <string>

namespace fuzz {

std::string as_c_program(const call_case& c);
std::string as_bench_command(const call_case& c); // empty: it cannot be expressed

} // namespace fuzz

// A case as a C program, and as a command of myblas-bench if there is one.
#pragma once

#include "fuzz/call.h"

#include <string>

namespace fuzz {

std::string as_c_program(const call_case& c);
std::string as_bench_command(const call_case& c); // empty: there is none

} // namespace fuzz

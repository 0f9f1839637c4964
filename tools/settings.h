// The variables of the environment that myblas reads, and what is wrong with them.
#pragma once

#include <string>
#include <vector>

namespace tools {

struct setting {
    std::string name, value;
    std::string fault;    // empty: it makes sense
    bool is_known = true; // myblas reads it
};

// All that are named MYBLAS_ and are not empty, by name.
std::vector<setting> read_settings();

// Those that make no sense, each with the reason, for an error; nothing if all do. Kernels may be chosen otherwise.
std::string describe_faults(bool with_kernels);

// The kernel or family of a routine exists on one of the backends.
bool has_kernel(int routine, const std::string& name);

} // namespace tools

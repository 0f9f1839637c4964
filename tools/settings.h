// The variables of the environment that myblas reads, and what is wrong with them.
#pragma once

#include <string>
#include <vector>

namespace tools {

struct setting {
    std::string name, value;
    std::string fault;        // empty: it makes sense
    bool is_known = true;     // myblas reads it
    bool is_misspelt = false; // it does not, but reads one of nearly that name
};

// All that are named MYBLAS_ and are not empty, by name.
std::vector<setting> read_settings();

// "NAME=value: what is wrong with it".
std::string describe(const setting&);

// Those that make no sense, and misspelt names, each with the reason, for an error; nothing if all do. Kernels may be chosen otherwise.
std::string describe_faults(bool with_kernels);

// What is wrong with a file to append to, which is not made here, or "stderr"; nothing if it can be written.
std::string check_output(const std::string& value);

// The kernel or family of a routine exists on one of the backends.
bool has_kernel(int routine, const std::string& name);

} // namespace tools

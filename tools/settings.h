// The environment variables that myblas reads, and the faults in them.
#pragma once

#include <string>
#include <vector>

namespace tools {

struct setting {
    std::string name, value;
    std::string fault;        // empty: it makes sense
    bool is_known = true;     // myblas reads it
    bool is_misspelt = false; // myblas reads a variable with a similar name
};

// All variables whose name begins with MYBLAS_, and CUBLAS_EMULATE_SINGLE_PRECISION, if they are
// not empty, sorted by name.
std::vector<setting> read_settings();

// "NAME=value: what is wrong with it".
std::string describe(const setting&);

// The wrong settings and misspelt names, each with the reason, as the text of an error; empty if
// there are none. Without `with_kernels`, the variables *_KERNEL are left out, because kernels may
// be chosen otherwise.
std::string describe_faults(bool with_kernels);

// Why a file cannot be appended to; empty if it can, or if the value is "stderr". The file is not
// created here.
std::string check_output(const std::string& value);

// The kernel or family of a routine exists on one of the backends.
bool has_kernel(int routine, const std::string& name);

} // namespace tools

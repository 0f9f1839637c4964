// From the name of a program to the file that finally runs: through PATH, scripts and shims.
#pragma once

#include <string>
#include <vector>

namespace tools {

// The file that a shell finds for the name; the name itself if none is found.
std::string find_program(const std::string& name);

// The files in the order of starting: scripts, and last the program. The first file is the named
// one.
std::vector<std::string> programs_behind(const std::string& name);

// Whether the last file is a shell for a script that does not show which program it starts.
bool ends_in_shell_script(const std::vector<std::string>& programs);

// Whether a Python runs the file.
bool is_python_script(const std::string& path);

// Why the file cannot be read; empty if it can.
std::string why_unreadable(const std::string& path);

} // namespace tools

// From the name of a program to the file that runs in the end: through PATH, scripts and shims.
#pragma once

#include <string>
#include <vector>

namespace tools {

// As a shell finds it; the name itself if nothing does.
std::string find_program(const std::string& name);

// The files that are started one after the other: scripts, and last the program. The first is the one that was named.
std::vector<std::string> programs_behind(const std::string& name);

// Whether the last of them is a shell for a script that does not tell what it starts.
bool ends_in_shell_script(const std::vector<std::string>& programs);

// Whether a Python runs the file.
bool is_python_script(const std::string& path);

// What keeps the file from being read, or nothing.
std::string why_unreadable(const std::string& path);

} // namespace tools

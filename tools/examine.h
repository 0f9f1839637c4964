// Finds the calls of a program that the preload libraries can get. Reads the program's files and
// does not run it.
#pragma once

#include <string>
#include <vector>

namespace tools {

enum class finding { can_interpose, cannot_interpose, unreadable };

// Prints the findings. `command`: a program and its arguments. The arguments matter if the program
// is a Python.
finding examine_program(const std::vector<std::string>& command);

// What happens to the calls of a LAPACK's solvers, if not all of these calls can be interposed. One
// text a line.
std::vector<std::string> remarks_on_solvers(const std::string& path);

// Prints one finding in a line. `about` is the subject, or empty for the subject of the line above.
void print_finding(const std::string& about, const std::string& text);

} // namespace tools

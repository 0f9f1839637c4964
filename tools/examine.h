// Which calls of a program the preload libraries can get: read from its files, without running it.
#pragma once

#include <string>
#include <vector>

namespace tools {

enum class finding { can_interpose, cannot_interpose, unreadable };

// Prints what there is to say. `command`: a program and its arguments, which matter if the program is a Python.
finding examine_program(const std::vector<std::string>& command);

// What becomes of the calls of the solvers of a LAPACK, if not all of them can be interposed; one text a line.
std::vector<std::string> remarks_on_solvers(const std::string& path);

// A line of findings: what they are about, or nothing for the same as above, and one of them.
void print_finding(const std::string& about, const std::string& text);

} // namespace tools

// Finds the imports of a Python program by reading files: nothing is run.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tools {

// The folders in which a Python looks for its packages; none if the program is not a Python.
// `programs`: see programs_behind.
std::vector<std::filesystem::path> python_folders(const std::vector<std::string>& programs);

// The code that a Python is told to run.
struct python_code {
    std::string name; // a script's file, or an option with its value
    std::string text;
    std::filesystem::path folder; // of the code's own modules
    std::string fault;            // why a script cannot be read
};

// Empty if a Python is started without a script, -c or -m.
std::optional<python_code> python_code_of(const std::vector<std::string>& programs,
                                          const std::vector<std::string>& arguments);

struct python_imports {
    std::map<std::string, std::filesystem::path> found; // packages and their folders
    std::set<std::string> missing; // what the code itself imports, but no folder has:
                                   // the standard library's modules, too
};

// The packages that the code imports, and the packages that these import when they are loaded.
python_imports follow_imports(const python_code& code,
                              const std::vector<std::filesystem::path>& folders);

} // namespace tools

// Reads the symbols of an ELF file that show whether the file's calls can be interposed.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace tools {

using name_set = std::set<std::string, std::less<>>;

struct elf_file {
    enum class kind { program, static_program, shared_library, other };
    kind what = kind::other;
    std::string interpreter;      // the loader
    bool is_executable = false;   // DF_1_PIE: a program that is loaded anywhere
    bool binds_to_itself = false; // DF_SYMBOLIC: its own definitions come first
    std::set<std::string> imports;
    std::set<std::string> exports; // with a program's own symbols, unless stripped
    std::set<std::string> bound;   // symbols that the loader binds, exports included
    // Names that appear in the read-only data although the file does not import them, such as
    // arguments of dlsym.
    std::set<std::string> mentions;

    // The preload libraries need the GNU C library's loader. Another loader might run the program
    // that it is asked to list.
    bool has_gnu_loader() const { return interpreter.find("/ld-linux") != std::string::npos; }
};

// `names`: the names to look for in `mentions`. The result is empty if the file is not an ELF file
// for this kind of machine.
std::optional<elf_file> read_elf(const std::string& path, const name_set& names);

} // namespace tools

// What an ELF file says about its symbols: as much as tells whether its calls can be interposed.
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
    std::set<std::string> exports; // of a program, what it contains, too, unless that was stripped
    std::set<std::string> bound; // symbols that the loader binds, also those that it exports itself
    // Names that stand in its read-only data although it does not import them, as arguments of dlsym do.
    std::set<std::string> mentions;

    // The preload libraries are the GNU C library's; another loader might even run what it shall list.
    bool has_gnu_loader() const { return interpreter.find("/ld-linux") != std::string::npos; }
};

// `names`: those that `mentions` is about. Nothing if the file is no ELF file of this machine's kind.
std::optional<elf_file> read_elf(const std::string& path, const name_set& names);

} // namespace tools

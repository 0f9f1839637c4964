#include "program.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tools {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text ? text : "";
}

std::string first_line(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

std::string first_word(const fs::path& file) {
    std::string word;
    std::ifstream(file) >> word;
    return word;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        if (!part.empty())
            parts.push_back(part);
    return parts;
}

// The command that follows env with its options and variables; any other word is the command
// itself.
std::string behind_env(const std::string& word, std::istream& more) {
    if (fs::path(word).filename() != "env")
        return word;
    for (std::string next; more >> next;)
        if (!next.starts_with("-") && next.find('=') == std::string::npos)
            return next;
    return word;
}

// The interpreter that the first line of a script names. If no interpreter is named, python3 for a
// file whose name ends in .py. Empty if the file is no script.
std::string interpreter_of(const std::string& path) {
    const std::string line = first_line(path);
    if (!line.starts_with("#!"))
        return fs::path(path).extension() == ".py" ? find_program("python3") : "";
    std::istringstream words(line.substr(2));
    std::string word;
    words >> word;
    return word.empty() ? "" : find_program(behind_env(word, words));
}

bool is_shell(const std::string& interpreter) {
    const std::string name = fs::path(interpreter).filename();
    return name == "sh" || name == "bash" || name == "dash";
}

// The file that a shim of pyenv runs in the version chosen here; empty if the system's version is
// chosen.
std::string behind_pyenv(const fs::path& root, const std::string& name) {
    std::error_code ignored;
    std::string version = variable("PYENV_VERSION");
    for (fs::path folder = fs::current_path(ignored); version.empty() && !folder.empty();
         folder = folder.has_relative_path() ? folder.parent_path() : fs::path())
        version = first_word(folder / ".python-version");
    if (version.empty())
        version = first_word(root / "version");
    const fs::path program = root / "versions" / version / "bin" / name;
    return !version.empty() && fs::exists(program, ignored) ? program.string() : "";
}

// The program that a shell script executes at its end, if the script says so plainly: exec
// /its/program, perhaps with variables in front. A shim of pyenv is such a script.
std::string behind_shell_script(const std::string& path) {
    std::ifstream stream(path);
    std::string program;
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string word, next;
        words >> word;
        while (word.find('=') != std::string::npos && words >> word)
            ;
        if (word != "exec" || !(words >> word))
            continue;
        word = behind_env(word, words);
        words >> next;
        std::erase(word, '"');
        std::erase(word, '\'');
        if (word.find('$') != std::string::npos)
            program.clear();
        else if (fs::path(word).filename() == "pyenv" && next == "exec")
            program =
                behind_pyenv(fs::path(word).parent_path().parent_path(), fs::path(path).filename());
        else
            program = find_program(word);
    }
    std::error_code ignored;
    return fs::exists(program, ignored) ? program : "";
}

} // namespace

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return name;
    for (const std::string& directory : split(variable("PATH"), ':')) {
        const fs::path path = fs::path(directory) / name;
        std::error_code ignored;
        if (access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, ignored))
            return path;
    }
    return name;
}

std::vector<std::string> programs_behind(const std::string& name) {
    constexpr size_t most = 8; // a script may lead to itself
    std::vector<std::string> programs = {find_program(name)};
    while (programs.size() < most && why_unreadable(programs.back()).empty()) {
        const std::string script = programs.back(), interpreter = interpreter_of(script);
        if (interpreter.empty())
            break;
        const std::string behind = is_shell(interpreter) ? behind_shell_script(script) : "";
        programs.push_back(behind.empty() ? interpreter : behind);
    }
    return programs;
}

bool is_python_script(const std::string& path) {
    return why_unreadable(path).empty() &&
           fs::path(interpreter_of(path)).filename().string().starts_with("python");
}

bool ends_in_shell_script(const std::vector<std::string>& programs) {
    return programs.size() > 1 && is_shell(programs.back());
}

std::string why_unreadable(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
        return error ? error.message() : "there is no such file";
    if (fs::is_directory(status))
        return "it is a directory";
    if (!fs::is_regular_file(status))
        return "it is no regular file";
    return access(path.c_str(), R_OK) == 0 ? "" : std::strerror(errno);
}

} // namespace tools

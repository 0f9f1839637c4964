#include "python.h"

#include "program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace tools {
namespace {

namespace fs = std::filesystem;

// Whether the prefix is a virtual environment that does not see the packages of its Python.
bool is_isolated(const fs::path& prefix) {
    std::ifstream settings(prefix / "pyvenv.cfg");
    if (!settings)
        return false;
    for (std::string line; std::getline(settings, line);) {
        std::erase(line, ' ');
        if (line == "include-system-site-packages=true")
            return false;
    }
    return true;
}

std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// ---- Statements ---------------------------------------------------------------------------------

struct statement {
    std::string text;
    bool is_indented;
};

// The end of the string literal that begins at `at`.
size_t end_of_literal(std::string_view text, size_t at) {
    const char quote = text[at];
    const bool is_long = text.substr(at, 3) == std::string(3, quote);
    const std::string end(is_long ? 3 : 1, quote);
    for (at += end.size(); at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text.substr(at, end.size()) == end)
            return at + end.size();
        else if (text[at] == '\n' && !is_long)
            return at; // not closed: not valid Python
    }
    return text.size();
}

// The statements, without comments and without the contents of strings, each on one line.
std::vector<statement> statements_of(std::string_view text) {
    std::vector<statement> statements;
    std::string current;
    bool is_indented = false;
    int depth = 0; // of brackets
    const auto end_statement = [&] {
        const size_t begin = current.find_first_not_of(" \t\r");
        if (begin != std::string::npos)
            statements.push_back({current.substr(begin), is_indented || begin > 0});
        current.clear();
    };
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (c == '"' || c == '\'') {
            at = end_of_literal(text, at);
            current += "''";
            continue;
        }
        ++at;
        if (c == '\\' && at < text.size() && text[at] == '\n') {
            ++at;
        } else if (c == '\n' && depth == 0) {
            end_statement();
            is_indented = false;
        } else if (c == ';' && depth == 0) {
            is_indented = is_indented || current.starts_with(' ') || current.starts_with('\t');
            end_statement();
            at = std::min(text.find_first_not_of(' ', at), text.size());
        } else {
            depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
            depth = std::max(depth, 0);
            current += c == '\n' ? ' ' : c;
        }
    }
    end_statement();
    return statements;
}

// The first word of each item in a list separated by commas: the imported name, without "as" and a
// new name.
std::vector<std::string> names_in(std::string list) {
    std::replace_if(
        list.begin(), list.end(), [](char c) { return c == '(' || c == ')'; }, ' ');
    std::vector<std::string> names;
    std::istringstream stream(list);
    for (std::string item, name; std::getline(stream, item, ',');)
        if (std::istringstream(item) >> name)
            names.push_back(name);
    return names;
}

// ---- Modules ------------------------------------------------------------------------------------

// Whether the text is identifiers with dots between them. Anything else is not valid Python. An
// empty identifier would name the package itself, again and again, and a path other files.
bool is_module_name(std::string_view text) {
    const auto is_in_identifier = [](char c) { // in UTF-8, other letters have bytes from 0x80 on
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
               (c >= 'a' && c <= 'z');
    };
    char before = '.';
    for (const char c : text) {
        if (c == '.' ? before == '.' : !is_in_identifier(c))
            return false;
        before = c;
    }
    return before != '.';
}

class import_follower {
public:
    import_follower(const fs::path& own, const std::vector<fs::path>& packages)
        : own_(own), packages_(packages) {}

    python_imports follow(const std::string& code) {
        read(code, "", true);
        while (!pending_.empty()) {
            const module next = pending_.back();
            pending_.pop_back();
            read(text_of(next.file), next.package, next.is_own);
        }
        return std::move(imports_);
    }

private:
    struct place {             // of a module
        fs::path folder, file; // a package has a folder
        bool is_own = false;
        bool exists() const { return !folder.empty() || !file.empty(); }
    };
    struct module {
        fs::path file;
        std::string package; // its relative imports start here
        bool is_own;
    };

    static place look_in(const fs::path& folder, const std::string& name) {
        std::error_code ignored;
        if (fs::is_regular_file(folder / name / "__init__.py", ignored))
            return {folder / name, folder / name / "__init__.py"};
        if (fs::is_regular_file(folder / (name + ".py"), ignored))
            return {{}, folder / (name + ".py")};
        return {};
    }

    place find_top(const std::string& name) const {
        if (place own = look_in(own_, name); own.exists()) {
            own.is_own = true;
            return own;
        }
        for (const fs::path& folder : packages_)
            if (place found = look_in(folder, name); found.exists())
                return found;
        std::error_code ignored;
        for (const fs::path& folder : packages_) // a package without __init__.py
            if (fs::is_directory(folder / name, ignored))
                return {folder / name, {}};
        return {};
    }

    // Loads a module and the packages above it, each once.
    void load(const std::string& name, bool by_own) {
        if (!is_module_name(name))
            return;
        place above;
        for (size_t end = 0; end != std::string::npos;) {
            end = name.find('.', end == 0 ? 0 : end + 1);
            const std::string whole = name.substr(0, end);
            if (const auto known = places_.find(whole); known != places_.end()) {
                above = known->second;
            } else {
                const size_t dot = whole.rfind('.');
                const bool is_top = dot == std::string::npos;
                place found =
                    is_top ? find_top(whole) : look_in(above.folder, whole.substr(dot + 1));
                found.is_own = found.is_own || (!is_top && above.is_own);
                places_[whole] = found;
                if (!found.file.empty())
                    pending_.push_back(
                        {found.file,
                         found.folder.empty() ? (is_top ? "" : whole.substr(0, dot)) : whole,
                         found.is_own});
                if (is_top && !found.folder.empty())
                    imports_.found[whole] = found.folder;
                above = found;
            }
            if (!above.exists() && whole.find('.') == std::string::npos && by_own)
                imports_.missing.insert(whole);
            if (above.folder.empty()) // nothing is below it
                return;
        }
    }

    // A package loads the imports at the beginning of a line. Indented imports may never run.
    void read(const std::string& text, const std::string& package, bool is_own) {
        for (const statement& s : statements_of(text)) {
            if (s.is_indented && !is_own)
                continue;
            if (s.text.starts_with("import ")) {
                for (const std::string& name : names_in(s.text.substr(7)))
                    load(name, is_own);
            } else if (s.text.starts_with("from ")) {
                read_from(s.text.substr(5), package, is_own);
            }
        }
    }

    // "a.b import c", where c may also be a module.
    void read_from(const std::string& rest, const std::string& package, bool is_own) {
        const size_t word = rest.find("import", rest.find_first_of(" ."));
        if (word == std::string::npos)
            return;
        std::string name = rest.substr(0, word);
        std::erase(name, ' ');
        if (name.starts_with('.')) {
            const size_t dots = std::min(name.find_first_not_of('.'), name.size());
            std::string base = package;
            for (size_t up = 1; up < dots && !base.empty(); ++up)
                base.erase(base.find('.') == std::string::npos ? 0 : base.rfind('.'));
            if (base.empty() && !is_own)
                return;
            name = base + (base.empty() || dots == name.size() ? "" : ".") + name.substr(dots);
        }
        if (name.empty())
            return;
        load(name, is_own);
        if (places_[name].folder.empty())
            return;
        for (const std::string& part : names_in(rest.substr(word + 6)))
            if (part != "*")
                load(std::string(name).append(".").append(part), is_own);
    }

    fs::path own_;
    const std::vector<fs::path>& packages_;
    std::map<std::string, place> places_; // of all modules that were looked for
    std::vector<module> pending_;
    python_imports imports_;
};

python_code script(const fs::path& file) {
    return {file, text_of(file), file.parent_path(), why_unreadable(file)};
}

} // namespace

std::vector<fs::path> python_folders(const std::vector<std::string>& programs) {
    std::error_code ignored;
    const fs::path real = fs::canonical(programs.back(), ignored);
    const std::string version = real.filename(); // python3.11
    if (!version.starts_with("python3."))
        return {};
    std::vector<fs::path> prefixes; // a virtual environment's comes first
    prefixes.reserve(programs.size() + 1);
    for (const std::string& program : programs)
        prefixes.push_back(fs::path(program).parent_path().parent_path());
    prefixes.push_back(real.parent_path().parent_path());
    const auto isolated = std::find_if(prefixes.begin(), prefixes.end(), is_isolated);
    const bool is_virtual = isolated != prefixes.end();
    if (is_virtual)
        prefixes = {*isolated};

    const auto variable = [](const char* name) {
        const char* text = std::getenv(name);
        return std::string(text ? text : "");
    };
    std::vector<fs::path> folders;
    std::istringstream named(variable("PYTHONPATH"));
    for (std::string folder; std::getline(named, folder, ':');)
        if (!folder.empty())
            folders.emplace_back(folder);
    if (!is_virtual && !variable("HOME").empty())
        folders.push_back(fs::path(variable("HOME")) / ".local/lib" / version / "site-packages");
    for (const fs::path& prefix : prefixes) {
        folders.push_back(prefix / "lib" / version / "site-packages");
        folders.push_back(prefix / "local/lib" / version / "dist-packages");
        folders.push_back(prefix / "lib/python3/dist-packages");
    }
    return folders;
}

std::optional<python_code> python_code_of(const std::vector<std::string>& programs,
                                          const std::vector<std::string>& arguments) {
    if (is_python_script(programs.front()))
        return script(programs.front());
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "-") // standard input
            return {};
        if (!argument.starts_with('-'))
            return script(argument);
        for (size_t at = 1; at < argument.size() && argument[1] != '-'; ++at) {
            const char option = argument[at];
            if (option != 'c' && option != 'm' && option != 'W' && option != 'X')
                continue;
            std::string value = argument.substr(at + 1);
            if (value.empty() && ++i < arguments.size())
                value = arguments[i];
            if (option == 'c')
                return python_code{"-c", value, ".", ""};
            if (option == 'm')
                return python_code{
                    "-m " + value, fmt::format("import {0}, {0}.__main__", value), ".", ""};
            break;
        }
    }
    return {};
}

python_imports follow_imports(const python_code& code, const std::vector<fs::path>& folders) {
    return import_follower(code.folder, folders).follow(code.text);
}

} // namespace tools

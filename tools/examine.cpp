#include "examine.h"

#include "blas/integers.h"
#include "common/names.h"
#include "elf_file.h"
#include "installed.h"
#include "program.h"
#include "python.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tools {
namespace {

namespace fs = std::filesystem;
using myblas::preload::remark_complex;
using myblas::preload::remark_double;
using myblas::preload::remark_half;
using myblas::preload::remark_not_served;
using myblas::preload::remark_served;

struct binary {
    std::string path;
    elf_file elf;
    std::string name() const { return fs::path(path).filename(); }
};
using binaries = std::vector<binary>;

constexpr char loads_libraries[] = "loads libraries while it runs, which this cannot foresee (with "
                                   "RTLD_DEEPBIND they would be out of "
                                   "reach): see what myblas-run --report says";

// ---- Names --------------------------------------------------------------------------------------

// The served functions, by the names that programs use.
const name_set& served_names() {
    static const name_set names = [] {
        name_set made;
        for (const std::string_view name : myblas::preload::served_blas)
            for (const auto& [before, after] : myblas::preload::blas_spellings)
                made.insert(fmt::format("{}{}{}", before, name, after));
        for (const std::string_view name : myblas::preload::served_cublas)
            made.insert(std::string(name));
        return made;
    }();
    return names;
}

const char* remark_on(const std::string& name) {
    const char* remark = myblas::preload::remark_on_blas(name);
    return remark ? remark : myblas::preload::remark_on_cublas(name);
}

// Whether a look-up by name is answered by a preload library (abi/preload/cublas/lookup.h).
bool can_look_up(std::string_view name) {
#ifdef __x86_64__
    return name.starts_with("cublas");
#else
    static_cast<void>(name);
    return false;
#endif
}

// Whether the symbol is a name that both 64-bit and 32-bit BLAS use.
bool is_plain(const std::string& symbol) {
    return myblas::preload::remark_on_blas(symbol) && !symbol.starts_with("scipy_") &&
           symbol.find("64") == std::string::npos;
}

std::string list(const std::set<std::string>& names, size_t most) {
    std::string text;
    size_t count = 0;
    for (const std::string& name : names)
        if (++count <= most)
            text += (text.empty() ? "" : ", ") + name;
    return count > most ? fmt::format("{} and {} more", text, count - most) : text;
}

std::string list(const std::set<std::string>& names) { return list(names, names.size()); }

// ---- Libraries ----------------------------------------------------------------------------------

// The libraries that the loader would map for the program, without running it.
std::vector<std::string> libraries_of(const std::string& loader, const std::string& path) {
    const std::string absolute = fs::absolute(path); // a name without a slash would be searched
    int ends[2];
    if (pipe(ends) != 0)
        return {};
    const pid_t child = fork();
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1); // unlike --list, goes on after a missing library
        execl(loader.c_str(), loader.c_str(), absolute.c_str(), nullptr);
        _exit(127);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t got; (got = read(ends[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<size_t>(got));
    close(ends[0]);
    waitpid(child, nullptr, 0);

    std::vector<std::string> paths;
    std::istringstream lines(text);
    for (std::string entry; std::getline(lines, entry);) {
        const size_t arrow = entry.find("=> /"), address = entry.rfind(" (0x");
        if (arrow != std::string::npos && address != std::string::npos)
            paths.push_back(entry.substr(arrow + 3, address - arrow - 3));
        else if (entry.find("not found") != std::string::npos)
            print_finding("",
                          "the loader does not find " +
                              entry.substr(1, entry.find(" =>") - 1)); // after a tab
    }
    return paths;
}

// A BLAS or cuBLAS. The functions that it mentions and exports are its own.
bool is_provider(const std::string& path) {
    const std::string name = fs::path(path).filename();
    return name.find("blas") != std::string::npos || name.find("mkl") != std::string::npos ||
           name.find("cusolver") != std::string::npos;
}

// A LAPACK, which may be a BLAS too. A LAPACK calls the BLAS for programs that call the LAPACK's
// solvers.
bool is_lapack(const binary& file) {
    const auto is_solver = [](const std::string& name) {
        return name.find("sgetrf_") != std::string::npos && !name.starts_with("LAPACKE_");
    };
    return (is_provider(file.path) || file.name().find("lapack") != std::string::npos) &&
           std::any_of(file.elf.exports.begin(), file.elf.exports.end(), is_solver);
}

bool is_single_solver(const std::string& name) {
    std::string_view plain = name;
    myblas::preload::drop_prefix(&plain, "scipy_");
    return plain.starts_with('s') && plain.ends_with('_') && !remark_on(name);
}

// The solvers in single precision that are called and that the LAPACK exports.
std::set<std::string> solvers_of(const elf_file& lapack, const std::set<std::string>& called) {
    std::set<std::string> solvers;
    for (const std::string& name : called)
        if (is_single_solver(name) && lapack.exports.contains(name))
            solvers.insert(name);
    return solvers;
}

// The name, for update-alternatives, of the LAPACK that a path leads to; empty if the path does not
// go through alternatives.
std::string alternative_of(fs::path path) {
    std::error_code error;
    for (int hops = 0; hops < 8 && fs::is_symlink(path, error); ++hops) {
        const fs::path target = fs::read_symlink(path, error);
        path = target.is_absolute() ? target : path.parent_path() / target;
        if (path.parent_path().filename() == "alternatives")
            return path.filename().string().starts_with("liblapack") ? path.filename() : "";
    }
    return "";
}

std::vector<std::string> remarks_on(const binary& lapack) {
    const elf_file& elf = lapack.elf;
    const bool asks_loader =
        std::any_of(elf.bound.begin(), elf.bound.end(), [](const std::string& name) {
            return name.find("sgemm_") != std::string::npos && remark_on(name);
        });
    std::vector<std::string> remarks;
    if (!asks_loader)
        remarks.push_back(fmt::format("the solvers of {} call its own BLAS directly: out of reach",
                                      lapack.name()));
    else if (elf.imports.contains("sgetrf_single") || elf.exports.contains("sgetrf_single"))
        remarks.push_back(
            fmt::format("LU and Cholesky of {} compute inside OpenBLAS: out of reach; "
                        "the calls of its other solvers can be interposed",
                        lapack.name()));
    if (const std::string name = alternative_of(lapack.path); !remarks.empty() && !name.empty())
        remarks.push_back(fmt::format("all can be with the reference LAPACK (Debian: liblapack3): "
                                      "update-alternatives --config {}",
                                      name));
    return remarks;
}

// ---- Calls --------------------------------------------------------------------------------------

struct calls {
    std::set<std::string> made; // through the loader
    std::set<std::string> contained, looked_up;
    bool binds_to_itself = false;
};

calls calls_of(const elf_file& elf) {
    calls found;
    found.made = elf.imports;
    found.binds_to_itself = elf.binds_to_itself;
    bool asks_loader = false; // for functions that it exports, as PyTorch does for MKL
    for (const std::string& name : served_names()) {
        if (elf.exports.contains(name)) {
            const bool is_made = elf.bound.contains(name) && !elf.binds_to_itself;
            (is_made ? found.made : found.contained).insert(name);
            asks_loader = asks_loader || is_made;
        }
        if (elf.mentions.contains(name))
            found.looked_up.insert(name);
    }
    if (asks_loader) // functions that the loader does not bind are not called
        found.contained.clear();
    return found;
}

bool has_calls(const calls& found) {
    return std::any_of(found.made.begin(), found.made.end(), remark_on) ||
           !found.contained.empty() || !found.looked_up.empty();
}

// The name of the file whose BLAS serves all files under plain names, if that BLAS has 64-bit
// integers.
std::string find_wide_blas(const binaries& files) {
    for (const binary& file : files)
        if (std::any_of(file.elf.exports.begin(), file.elf.exports.end(), is_plain))
            return myblas::preload::names_64_bit_integers(file.name()) ? file.name() : "";
    return "";
}

// Prints what happens to calls; true if any can be interposed.
bool describe_made(const std::string& name,
                   const std::set<std::string>& made,
                   bool with_unserved,
                   const std::string& wide_blas) {
    constexpr size_t most_unserved = 6;
    bool can_interpose = false;
    for (const char* remark :
         {remark_served, remark_not_served, remark_double, remark_complex, remark_half}) {
        std::set<std::string> called, left_alone;
        for (const std::string& symbol : made)
            if (remark_on(symbol) == remark)
                (!wide_blas.empty() && is_plain(symbol) ? left_alone : called).insert(symbol);
        if (!left_alone.empty() && with_unserved)
            print_finding("",
                          fmt::format("{} calls {}: the integers of {} have 64 bits, left alone",
                                      name,
                                      list(left_alone, most_unserved),
                                      wide_blas));
        if (called.empty() || (remark != remark_served && !with_unserved))
            continue;
        can_interpose = can_interpose || remark == remark_served;
        print_finding(
            "",
            fmt::format("{} calls {}: {}",
                        name,
                        list(called, remark == remark_served ? called.size() : most_unserved),
                        remark == remark_served ? "can be interposed" : remark));
    }
    return can_interpose;
}

// Prints which calls can be interposed; true if any can.
bool describe_calls(const std::string& name, const calls& found, const std::string& wide_blas) {
    const bool can_interpose = describe_made(name, found.made, true, wide_blas);
    if (!found.contained.empty())
        print_finding("",
                      fmt::format("{} contains {}: {}",
                                  name,
                                  list(found.contained),
                                  found.binds_to_itself
                                      ? "bound to itself (-Bsymbolic), out of reach"
                                      : "linked statically, out of reach where it calls itself"));
    std::set<std::string> answered, out_of_reach;
    for (const std::string& symbol : found.looked_up)
        (can_look_up(symbol) ? answered : out_of_reach).insert(symbol);
    if (!answered.empty())
        print_finding("",
                      fmt::format("{} names {}: looked up by dlsym, can be interposed",
                                  name,
                                  list(answered)));
    if (!out_of_reach.empty())
        print_finding(
            "",
            fmt::format("{} names {}: looked up by dlsym, out of reach", name, list(out_of_reach)));
    return can_interpose || !answered.empty();
}

// Prints which calls of a program and its libraries can be interposed.
bool examine_files(const binaries& files) {
    const std::string wide_blas = find_wide_blas(files);
    std::set<std::string> called; // by all files except LAPACKs
    for (const binary& file : files)
        if (!is_lapack(file))
            called.insert(file.elf.imports.begin(), file.elf.imports.end());
    bool can_interpose = false;
    for (const binary& file : files) {
        if (is_lapack(file)) {
            const std::set<std::string> solvers = solvers_of(file.elf, called);
            if (solvers.empty())
                continue;
            for (const std::string& solver : solvers)
                called.erase(solver); // the first LAPACK that has it is taken
            for (const std::string& remark : remarks_on(file))
                print_finding("", remark);
        }
        const calls found = calls_of(file.elf);
        // Among a BLAS's own calls, only the calls of the solvers in the BLAS matter.
        const bool is_blas =
            file.elf.what == elf_file::kind::shared_library && is_provider(file.path);
        const std::set<std::string>& made = is_lapack(file) ? found.made : file.elf.imports;
        can_interpose = (is_blas ? describe_made(file.name(), made, false, wide_blas)
                                 : describe_calls(file.name(), found, wide_blas)) ||
                        can_interpose;
    }
    return can_interpose;
}

// ---- Packages of Python -------------------------------------------------------------------------

// A fact about a package that its files do not show. Packages without a BLAS have a remark too.
const char* remark_on_package(std::string_view name) {
    if (name == "numpy")
        return "numpy.linalg computes in double precision, float32 too: not served";
    if (name == "jaxlib")
        return "computes products on a CPU by itself: out of reach; its solvers call SciPy's BLAS";
    if (name == "tensorflow")
        return "computes products on a CPU by itself: out of reach";
    return nullptr;
}

// The remarks on the LAPACK whose solvers a package's module calls.
void collect_remarks(const std::string& library,
                     std::set<std::string>* called,
                     std::vector<std::string>* remarks) {
    auto elf = read_elf(library, {});
    if (!elf)
        return;
    const binary lapack{library, std::move(*elf)};
    const std::set<std::string> solvers =
        is_lapack(lapack) ? solvers_of(lapack.elf, *called) : std::set<std::string>();
    if (solvers.empty())
        return;
    for (const std::string& solver : solvers)
        called->erase(solver); // the first LAPACK that has it is taken
    for (const std::string& remark : remarks_on(lapack))
        if (std::find(remarks->begin(), remarks->end(), remark) == remarks->end())
            remarks->push_back(remark);
}

// The calls of a package as a whole, and the source of its BLAS.
bool examine_package(const std::string& loader, const fs::path& folder) {
    calls whole;
    std::set<std::string> blas;
    std::vector<std::string> remarks;
    std::error_code ignored;
    for (fs::recursive_directory_iterator file(folder, ignored), end; file != end;
         file.increment(ignored)) {
        if (file->path().extension() != ".so")
            continue;
        const auto module = read_elf(file->path(), served_names());
        calls found = module ? calls_of(*module) : calls();
        if (!has_calls(found))
            continue;
        const std::string module_name = file->path().filename();
        if (std::any_of(module->exports.begin(), module->exports.end(), is_plain))
            blas.insert(module_name);
        if (module->exports.contains("sgetrf_"))
            remarks.push_back(fmt::format(
                "the solvers of {} may call its own BLAS directly: out of reach", module_name));
        std::set<std::string> called = found.made;
        for (const std::string& library : libraries_of(loader, file->path())) {
            const std::string name = fs::weakly_canonical(library, ignored).filename();
            if (is_provider(name))
                blas.insert(name);
            if (is_provider(name) || name.find("lapack") != std::string::npos)
                collect_remarks(library, &called, &remarks);
        }
        whole.made.merge(found.made);
        whole.contained.merge(found.contained);
        whole.looked_up.merge(found.looked_up);
    }
    const std::string name = folder.filename();
    const char* const own_remark = remark_on_package(name);
    if (!has_calls(whole) && !own_remark)
        return false;
    print_finding("package",
                  blas.empty() ? folder.string()
                               : fmt::format("{}: its BLAS is {}", folder.string(), list(blas)));
    const bool can_interpose = describe_calls(name, whole, "");
    if (own_remark)
        remarks = {own_remark};
    for (const std::string& remark : remarks)
        print_finding("", remark);
    return can_interpose;
}

// The packages that use a BLAS most.
constexpr auto known_packages = std::to_array<std::string_view>({"numpy",
                                                                 "scipy",
                                                                 "sklearn",
                                                                 "torch",
                                                                 "faiss",
                                                                 "jax",
                                                                 "jaxlib",
                                                                 "jax_plugins",
                                                                 "tensorflow",
                                                                 "cupy"});

std::map<std::string, fs::path> installed_packages(const std::vector<fs::path>& folders) {
    std::map<std::string, fs::path> found;
    std::error_code ignored;
    for (const std::string_view package : known_packages)
        for (const fs::path& folder : folders)
            if (fs::is_directory(folder / package, ignored)) {
                found[std::string(package)] = folder / package;
                break; // the first one is taken
            }
    return found;
}

// The packages that the Python code imports. If there is no code, those that may be.
finding examine_python(const std::string& loader,
                       const std::vector<fs::path>& folders,
                       const std::optional<python_code>& code) {
    std::map<std::string, fs::path> packages = installed_packages(folders);
    if (code) {
        print_finding("code", code->name);
        if (!code->fault.empty()) {
            print_finding("", fmt::format("{} cannot be read: {}", code->name, code->fault));
            return finding::unreadable;
        }
        python_imports imports = follow_imports(*code, folders);
        for (const std::string& name : imports.missing)
            if (std::find(known_packages.begin(), known_packages.end(), name) !=
                known_packages.end())
                print_finding("", fmt::format("imports {}, which this Python does not have", name));
        // JAX imports these packages when they are first used.
        for (const char* name : {"jax_plugins", "scipy"})
            if (imports.found.contains("jax") && packages.contains(name))
                imports.found[name] = packages[name];
        packages = std::move(imports.found);
    }
    bool can_interpose = false;
    for (const auto& [name, folder] : packages)
        can_interpose = examine_package(loader, folder) || can_interpose;
    if (code && !can_interpose) {
        print_finding(
            "",
            "no package that it imports makes a call that can be interposed; what it loads "
            "otherwise this cannot foresee");
        return finding::cannot_interpose;
    }
    print_finding("", loads_libraries);
    return finding::can_interpose;
}

// ---- Programs -----------------------------------------------------------------------------------

// The loader of this program, which lists the libraries of a library.
std::string own_loader() {
    const auto self = read_elf(this_program(), {});
    return self ? self->interpreter : "";
}

// Whether a program starts other programs, as Octave's launcher does, or mpirun through a library.
bool starts_programs(const binaries& files) {
    return std::any_of(files.begin(), files.end(), [](const binary& file) {
        return std::any_of(
            file.elf.imports.begin(), file.elf.imports.end(), [](const std::string& name) {
                return name.starts_with("execv") || name.starts_with("execl") ||
                       name.starts_with("posix_spawn");
            });
    });
}

// Why nothing can be preloaded into a program; empty if it can.
std::string why_out_of_reach(const std::string& path, const elf_file& program) {
    if (program.what == elf_file::kind::static_program)
        return "linked statically: nothing can be preloaded";
    if (program.what == elf_file::kind::program && !program.has_gnu_loader())
        return fmt::format(
            "its loader is {}, and the preload libraries want that of the GNU C library",
            program.interpreter);
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)))
        return "runs with raised privileges: the loader ignores LD_PRELOAD, and myblas its "
               "variables";
    return "";
}

} // namespace

void print_finding(const std::string& about, const std::string& text) {
    fmt::print("{:<10} {}\n", about, text);
}

std::vector<std::string> remarks_on_solvers(const std::string& path) {
    auto elf = read_elf(path, {});
    if (!elf)
        return {};
    const binary lapack{path, std::move(*elf)};
    return is_lapack(lapack) ? remarks_on(lapack) : std::vector<std::string>();
}

finding examine_program(const std::vector<std::string>& command) {
    const std::vector<std::string> programs = programs_behind(command.front());
    const std::string& path = programs.back();
    std::string chain = programs.front();
    for (size_t i = 1; i < programs.size(); ++i)
        chain += ", which starts " + programs[i];
    print_finding("program", chain);
    if (const std::string why = why_unreadable(path); !why.empty()) {
        print_finding("", fmt::format("{} cannot be read: {}", path, why));
        return finding::unreadable;
    }
    if (ends_in_shell_script(programs)) {
        print_finding(
            "", "a shell script: the programs that it starts are to be examined by themselves");
        return finding::can_interpose;
    }
    using kind = elf_file::kind;
    auto program = read_elf(path, served_names());
    if (!program || program->what == kind::other) {
        print_finding("", "no 64-bit ELF program or shared library of this machine's processor");
        return finding::unreadable;
    }
    if (const std::string why = why_out_of_reach(path, *program); !why.empty()) {
        print_finding("", why);
        return finding::cannot_interpose;
    }
    const bool is_library = program->what == kind::shared_library;
    if (is_library)
        print_finding("", "a shared library: what is said holds for dynamic programs that load it");
    const std::string loader = is_library ? own_loader() : program->interpreter;
    const bool opens_libraries = program->imports.contains("dlopen");
    binaries files = {{path, std::move(*program)}};
    for (const std::string& library : libraries_of(loader, path))
        if (auto elf = read_elf(library, served_names()))
            files.push_back({library, std::move(*elf)});
    const bool can_interpose = examine_files(files);
    if (const std::vector<fs::path> folders = python_folders(programs); !folders.empty())
        return examine_python(
            loader, folders, python_code_of(programs, {command.begin() + 1, command.end()}));
    if (opens_libraries)
        print_finding("", loads_libraries);
    if (opens_libraries || can_interpose)
        return finding::can_interpose;
    const bool has_blas = std::any_of(files.begin(), files.end(), [](const binary& file) {
        return !is_lapack(file) && !is_provider(file.path) && has_calls(calls_of(file.elf));
    });
    if (!is_library && !has_blas && starts_programs(files)) {
        print_finding("", "starts other programs, which are to be examined by themselves");
        return finding::can_interpose;
    }
    print_finding("", "makes no call that can be interposed");
    return finding::cannot_interpose;
}

} // namespace tools

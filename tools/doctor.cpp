// myblas-doctor: what there is on this machine for myblas to work with, and which calls of a program the
// preload libraries can get.
#include "blas/integers.h"
#include "common/names.h"
#include "elf_file.h"
#include "installed.h"
#include "program.h"
#include "settings.h"

#include "myblas/myblas_kernels.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

void line(const std::string& what, const std::string& finding) {
    fmt::print("{:<10} {}\n", what, finding);
}

// ---- The machine ---------------------------------------------------------------------------------

std::string path_of(void* library) {
    link_map* map = nullptr;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

template <class Function>
bool find(void* library, Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    return function != nullptr;
}

void describe_library() {
    int version = 0, kernels = 0;
    myblasGetVersion(nullptr, &version);
    myblasGetKernelCount(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, &kernels);
    line("myblas",
         fmt::format("{}.{}.{}, {}",
                     version / 10000,
                     version / 100 % 100,
                     version % 100,
                     kernels ? "with CUDA" : "built without CUDA: its host backend alone"));
    for (const char* file : {tools::cublas_preload, tools::blas_preload}) {
        const fs::path path = tools::preload_library(file);
        line("", fs::exists(path) ? path.string() : path.string() + ": not there");
    }
}

void describe_gpus() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        line("driver", "none (libcuda.so.1 is not on the loader's path)");
        return;
    }
    int (*initialise)(unsigned);
    int (*get_version)(int*);
    int (*get_count)(int*);
    int (*get)(int*, int);
    int (*get_name)(char*, int, int);
    if (!find(driver, initialise, "cuInit") || !find(driver, get_version, "cuDriverGetVersion") ||
        !find(driver, get_count, "cuDeviceGetCount") || !find(driver, get, "cuDeviceGet") ||
        !find(driver, get_name, "cuDeviceGetName")) {
        line("driver", path_of(driver) + " lacks functions");
        return;
    }
    int version = 0, count = 0;
    get_version(&version);
    line("driver",
         fmt::format(
             "{}, for CUDA up to {}.{}", path_of(driver), version / 1000, version % 1000 / 10));
    const int error = initialise(0);
    if (error != 0 || get_count(&count) != 0 || count == 0) {
        line("GPU", error != 0 ? fmt::format("none (cuInit answers {})", error) : "none");
        return;
    }
    for (int i = 0; i < count; ++i) {
        int device = 0;
        char name[256] = "?";
        if (get(&device, i) == 0)
            get_name(name, sizeof name, device);
        line(i == 0 ? "GPU" : "", name);
    }
}

std::string last_message;
void keep_message(const char* message) { last_message = message; }

// Whether a handle can be made on the GPU, and if not, the library's own words.
void try_backend() {
    myblasHandle_t handle = nullptr;
    myblasSetLoggerCallback(keep_message);
    const myblasStatus_t status = myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA);
    line("backend",
         status == MYBLAS_STATUS_SUCCESS
             ? "cuda can be used"
             : "cuda cannot be used, so the host computes: " + last_message);
    if (handle)
        myblasDestroy(handle);
    myblasSetLoggerCallback(nullptr);
}

void describe_cublas() {
    bool found = false;
    for (const char* soname : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}) {
        void* library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            continue;
        int (*get_property)(int, int*);
        std::array<int, 3> version{};
        if (find(library, get_property, "cublasGetProperty"))
            for (int i = 0; i < 3; ++i)
                get_property(i, &version[i]);
        const bool is_served = version[0] == 12 || version[0] == 13;
        line(found ? "" : "cuBLAS",
             fmt::format("{}, version {}.{}.{}{}",
                         path_of(library),
                         version[0],
                         version[1],
                         version[2],
                         is_served ? "" : ": calls to it are forwarded, never served"));
        found = true;
    }
    if (!found)
        line("cuBLAS", "none on the loader's path (programs may bring their own)");
}

void describe_blas() {
    bool found = false;
    for (const char* soname :
         {"libblas.so.3", "libopenblas.so.0", "libblas64.so.3", "libopenblas64.so.0"}) {
        void* library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            continue;
        const char* (*get_config)();
        std::string what =
            find(library, get_config, "openblas_get_config") ? get_config() : "no OpenBLAS";
        if (std::string(soname).find("64") != std::string::npos ||
            what.find("USE64BITINT") != std::string::npos)
            what += "; 64-bit integers: left alone";
        line(found ? "" : "BLAS",
             fmt::format("{}: {}", fs::weakly_canonical(path_of(library)).string(), what));
        found = true;
    }
    if (!found)
        line("BLAS", "none on the loader's path");
}

// ---- The environment -----------------------------------------------------------------------------

void describe_settings() {
    for (const tools::setting& s : tools::read_settings()) {
        const char* verdict = s.fault.empty() ? "" : s.is_known ? ": makes no sense: " : ": ";
        line("setting", fmt::format("{}={}{}{}", s.name, s.value, verdict, s.fault));
    }
    for (const char* variable : {"LD_PRELOAD", "CUDA_VISIBLE_DEVICES"})
        if (const char* value = std::getenv(variable); value && *value)
            line("setting", fmt::format("{}={}", variable, value));
}

// ---- A program -----------------------------------------------------------------------------------

// What is served, as a program names it.
const tools::name_set& served_names() {
    static const tools::name_set names = [] {
        tools::name_set made;
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

// The libraries that the loader would map for the program, without running it.
std::vector<std::string> libraries_of(const std::string& loader, const std::string& path) {
    const std::string absolute = fs::absolute(path); // a name without a slash would be searched for
    int ends[2];
    if (pipe(ends) != 0)
        return {};
    const pid_t child = fork();
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        setenv(
            "LD_TRACE_LOADED_OBJECTS", "1", 1); // unlike --list it goes on behind a missing library
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
            line("",
                 "the loader does not find " +
                     entry.substr(1, entry.find(" =>") - 1)); // behind a tab
    }
    return paths;
}

std::string list(const std::set<std::string>& names, size_t most) {
    std::string text;
    size_t count = 0;
    for (const std::string& name : names)
        if (++count <= most)
            text += (text.empty() ? "" : ", ") + name;
    return count > most ? fmt::format("{} and {} more", text, count - most) : text;
}

std::set<std::string> served_among(const std::set<std::string>& found) {
    std::set<std::string> served;
    for (const std::string& name : served_names())
        if (found.contains(name))
            served.insert(name);
    return served;
}

// A BLAS or cuBLAS itself: what it mentions and exports is its own.
bool is_provider(const std::string& path) {
    const std::string name = fs::path(path).filename();
    return name.find("blas") != std::string::npos || name.find("mkl") != std::string::npos ||
           name.find("cusolver") != std::string::npos;
}

// Whether a look-up by name is answered by a preload library (abi/cublas/lookup.h).
bool can_look_up(std::string_view name) {
#ifdef __x86_64__
    return name.starts_with("cublas");
#else
    static_cast<void>(name);
    return false;
#endif
}

// A BLAS with solvers that call it without asking the loader.
bool has_own_solvers(const tools::elf_file& elf) {
    const auto is_solver = [](const std::string& name) {
        return name.find("sgetrf_") != std::string::npos;
    };
    const auto is_product = [](const std::string& name) {
        return name.find("sgemm_") != std::string::npos && remark_on(name);
    };
    return std::any_of(elf.exports.begin(), elf.exports.end(), is_solver) &&
           std::none_of(elf.bound.begin(), elf.bound.end(), is_product);
}

// Whether it is one of the names that a BLAS with 64-bit integers shares with one of 32 bits.
bool is_plain(const std::string& symbol) {
    return myblas::preload::remark_on_blas(symbol) && !symbol.starts_with("scipy_") &&
           symbol.find("64") == std::string::npos;
}

// The name of the file whose BLAS all files get under plain names, if it has 64-bit integers.
std::string find_wide_blas(const std::vector<std::pair<std::string, tools::elf_file>>& files) {
    for (const auto& [path, elf] : files)
        if (std::any_of(elf.exports.begin(), elf.exports.end(), is_plain)) {
            const std::string name = fs::path(path).filename();
            return myblas::preload::names_64_bit_integers(name) ? name : "";
        }
    return "";
}

// Says what becomes of calls; true if any can be had.
bool describe_calls(const std::string& name,
                    const std::set<std::string>& imports,
                    bool with_unserved,
                    const std::string& wide_blas = "") {
    using namespace myblas::preload;
    constexpr size_t most_unserved = 6;
    bool can_interpose = false;
    for (const char* remark :
         {remark_served, remark_not_served, remark_double, remark_complex, remark_half}) {
        std::set<std::string> called, left_alone;
        for (const std::string& symbol : imports)
            if (remark_on(symbol) == remark)
                (!wide_blas.empty() && is_plain(symbol) ? left_alone : called).insert(symbol);
        if (!left_alone.empty() && with_unserved)
            line("",
                 fmt::format("{} calls {}: the integers of {} have 64 bits, left alone",
                             name,
                             list(left_alone, most_unserved),
                             wide_blas));
        if (called.empty() || (remark != remark_served && !with_unserved))
            continue;
        can_interpose = can_interpose || remark == remark_served;
        line("",
             fmt::format("{} calls {}: {}",
                         name,
                         list(called, remark == remark_served ? called.size() : most_unserved),
                         remark == remark_served ? "can be interposed" : remark));
    }
    return can_interpose;
}

// Says what can be got of a file's calls; true if any can.
bool examine(const std::string& path, const tools::elf_file& elf, const std::string& wide_blas) {
    const std::string name = fs::path(path).filename();
    const bool is_blas = elf.what == tools::elf_file::kind::shared_library && is_provider(path);
    const bool can_interpose = describe_calls(name, elf.imports, !is_blas, wide_blas);
    if (is_blas)
        return can_interpose;
    if (const auto own = served_among(elf.exports); !own.empty())
        line("",
             fmt::format("{} contains {}: {}",
                         name,
                         list(own, own.size()),
                         elf.binds_to_itself
                             ? "bound to itself (-Bsymbolic), out of reach"
                             : "linked statically, out of reach where it calls itself"));
    std::set<std::string> looked_up, out_of_reach;
    for (const std::string& symbol : served_among(elf.mentions))
        (can_look_up(symbol) ? looked_up : out_of_reach).insert(symbol);
    if (!looked_up.empty())
        line("",
             fmt::format("{} names {}: looked up by dlsym, can be interposed",
                         name,
                         list(looked_up, looked_up.size())));
    if (!out_of_reach.empty())
        line("",
             fmt::format("{} names {}: looked up by dlsym, out of reach",
                         name,
                         list(out_of_reach, out_of_reach.size())));
    return can_interpose || !looked_up.empty();
}

// The calls of a Python package, as a whole, and from where it gets its BLAS.
bool examine_package(const std::string& loader, const fs::path& folder) {
    tools::elf_file whole;
    std::set<std::string> blas; // files
    std::error_code ignored;
    for (fs::recursive_directory_iterator file(folder, ignored), end; file != end;
         file.increment(ignored)) {
        if (file->path().extension() != ".so")
            continue;
        const auto module = tools::read_elf(file->path(), {});
        if (!module || std::none_of(module->imports.begin(), module->imports.end(), remark_on))
            continue;
        whole.imports.insert(module->imports.begin(), module->imports.end());
        for (const std::string& library : libraries_of(loader, file->path()))
            if (is_provider(library))
                blas.insert(fs::weakly_canonical(library, ignored));
    }
    if (whole.imports.empty())
        return false;
    std::set<std::string> names, closed;
    for (const std::string& path : blas) {
        const std::string name = fs::path(path).filename();
        names.insert(name);
        if (const auto elf = tools::read_elf(path, {}); elf && has_own_solvers(*elf))
            closed.insert(name);
    }
    line("package", fmt::format("{}: its BLAS is {}", folder.string(), list(names, names.size())));
    const bool can_interpose = describe_calls(folder.filename(), whole.imports, true);
    if (!closed.empty())
        line("",
             fmt::format("the solvers of {} call its own BLAS directly: out of reach",
                         list(closed, closed.size())));
    return can_interpose;
}

bool examine_packages(const std::string& loader, const std::vector<std::string>& programs) {
    bool can_interpose = false;
    for (const char* package : {"numpy", "scipy"})
        for (const fs::path& folder : tools::python_folders(programs)) {
            std::error_code ignored;
            if (!fs::is_directory(folder / package, ignored))
                continue;
            can_interpose = examine_package(loader, folder / package) || can_interpose;
            break; // the first one is taken
        }
    return can_interpose;
}

// This program's own loader lists the libraries of a library.
std::string own_loader() {
    const auto self = tools::read_elf(tools::this_program(), {});
    return self ? self->interpreter : "";
}

// As Octave's launcher does, or mpirun.
bool starts_programs(const tools::elf_file& elf) {
    return std::any_of(elf.imports.begin(), elf.imports.end(), [](const std::string& name) {
        return name.starts_with("execv") || name.starts_with("execl") ||
               name.starts_with("posix_spawn");
    });
}

enum class finding { can_interpose, cannot_interpose, unreadable };

finding examine_program(const std::string& name) {
    const std::vector<std::string> programs = tools::programs_behind(name);
    const std::string& path = programs.back();
    std::string chain = programs.front();
    for (size_t i = 1; i < programs.size(); ++i)
        chain += ", which starts " + programs[i];
    line("program", chain);
    if (const std::string why = tools::why_unreadable(path); !why.empty()) {
        line("", fmt::format("{} cannot be read: {}", path, why));
        return finding::unreadable;
    }
    if (tools::ends_in_shell_script(programs)) {
        line("", "a shell script: the programs that it starts are to be examined by themselves");
        return finding::can_interpose;
    }
    using kind = tools::elf_file::kind;
    const auto program = tools::read_elf(path, served_names());
    if (!program || program->what == kind::other) {
        line("", "no 64-bit ELF program or shared library of this machine's processor");
        return finding::unreadable;
    }
    if (program->what == kind::static_program) {
        line("", "linked statically: nothing can be preloaded");
        return finding::cannot_interpose;
    }
    const bool is_library = program->what == kind::shared_library;
    if (is_library)
        line("", "a shared library: what is said holds for dynamic programs that load it");
    if (!is_library && !program->has_gnu_loader()) {
        line("",
             fmt::format(
                 "its loader is {}, and the preload libraries want that of the GNU C library",
                 program->interpreter));
        return finding::cannot_interpose;
    }
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID))) {
        line(
            "",
            "runs with raised privileges: the loader ignores LD_PRELOAD, and myblas its variables");
        return finding::cannot_interpose;
    }

    const std::string loader = is_library ? own_loader() : program->interpreter;
    std::vector<std::pair<std::string, tools::elf_file>> files = {{path, *program}};
    for (const std::string& library : libraries_of(loader, path))
        if (auto elf = tools::read_elf(library, served_names()))
            files.emplace_back(library, std::move(*elf));
    const std::string wide_blas = find_wide_blas(files);
    bool can_interpose = false;
    for (const auto& [file, elf] : files)
        can_interpose = examine(file, elf, wide_blas) || can_interpose;
    can_interpose = examine_packages(loader, programs) || can_interpose;
    const bool loads_more =
        program->imports.contains("dlopen") || !tools::python_folders(programs).empty();
    if (loads_more)
        line("",
             "loads libraries while it runs, which this cannot foresee (with RTLD_DEEPBIND they "
             "would be out of reach): see what myblas-run --report says");
    else if (!can_interpose)
        line("", "makes no call that can be interposed");
    const bool starts_more =
        !is_library && !loads_more && !can_interpose && starts_programs(*program);
    if (starts_more)
        line("", "starts other programs, which are to be examined by themselves");
    return can_interpose || loads_more || starts_more ? finding::can_interpose
                                                      : finding::cannot_interpose;
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): if it cannot print, it has no other way to say so
int main(int argc, char** argv) {
    std::string program;
    CLI::App app(
        "Says what myblas finds on this machine, and which calls of a program it can serve.",
        "myblas-doctor");
    app.set_version_flag("--version", tools::version_text("myblas-doctor"));
    app.add_option("program", program, "the program to examine; it is not run");
    try {
        app.parse(argc, argv);
        describe_library();
        describe_gpus();
        try_backend();
        describe_cublas();
        describe_blas();
        describe_settings();
        if (program.empty())
            return 0;
        switch (examine_program(program)) {
        case finding::can_interpose:
            return 0;
        case finding::cannot_interpose:
            return tools::status_negative;
        case finding::unreadable:
            break;
        }
        return tools::status_wrong_use;
    } catch (const CLI::Success& asked) { // --help, --version
        return app.exit(asked);
    } catch (const std::exception& error) {
        fmt::print(stderr, "myblas-doctor: {}\n", error.what());
        return tools::status_wrong_use;
    }
}

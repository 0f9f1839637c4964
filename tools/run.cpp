// myblas-run: runs a program with the preload libraries, with their settings as options.
#include "elf_file.h"
#include "installed.h"
#include "program.h"
#include "settings.h"

#include "blas/local_ranks.h"
#include "common/names.h"
#include "myblas/myblas_kernels.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

// As env, nohup and their like: the tool itself fails, the program cannot be run, is not found.
constexpr int status_failed = 125, status_not_runnable = 126, status_not_found = 127;

struct options {
    bool cublas = false, blas = false;
    std::string math, kernel, report, call_log, offload;
    std::vector<std::string> command;
};

// Before it becomes a variable's value, which the program would be told of.
std::string check_file(const std::string& name) {
    const std::string fault = tools::check_output(name);
    return fault.empty() ? "" : name + " " + fault;
}

std::string check_kernel(const std::string& name) {
    return tools::has_kernel(MYBLAS_ROUTINE_SGEMM, name)
               ? ""
               : name + " is no kernel or family of sgemm (myblas-bench --list)";
}

void set(const char* variable, const std::string& value) {
    if (!value.empty())
        setenv(variable, value.c_str(), 1);
}

// In front of what is preloaded already.
void preload(const char* file) {
    const auto path = tools::preload_library(file);
    if (!std::filesystem::exists(path))
        throw std::runtime_error(fmt::format("{} is not there", path.string()));
    // The loader takes both for the end of a name, and knows no quotes.
    if (path.string().find_first_of(" :") != std::string::npos)
        throw std::runtime_error(fmt::format(
            "{}: a path with a space or a colon cannot be preloaded; install myblas elsewhere",
            path.string()));
    const char* others = std::getenv("LD_PRELOAD");
    const bool has_others = others && *others;
    set("LD_PRELOAD", has_others ? path.string() + ":" + others : path.string());
}

// Linked in.
bool has_blas(const tools::elf_file& elf) {
    return std::any_of(elf.exports.begin(), elf.exports.end(), [](const std::string& name) {
        return myblas::preload::remark_on_blas(name) != nullptr;
    });
}

// What becomes of the program itself, as far as its file tells.
std::string describe_start(const std::string& command, const std::string& preloaded) {
    using kind = tools::elf_file::kind;
    const std::vector<std::string> programs = tools::programs_behind(command);
    const std::string& program = programs.back();
    const bool is_known =
        tools::why_unreadable(program).empty() && !tools::ends_in_shell_script(programs);
    const auto elf = is_known ? tools::read_elf(program, {}) : std::nullopt;
    std::string start = "started with " + preloaded;
    struct stat status;
    if (elf && elf->what == kind::static_program)
        start = program + " is linked statically: nothing can be preloaded";
    else if (elf && elf->what == kind::program && !elf->has_gnu_loader())
        start = program + " has not the loader of the GNU C library, which preloads";
    else if (elf && has_blas(*elf))
        start += ", but contains a BLAS, which is out of reach";
    else if (stat(program.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)))
        start = program + " runs with raised privileges: the loader ignores what is preloaded";
    return fmt::format("myblas-run: {}, process {}: {}\n", command, getpid(), start);
}

// The processes append to the file: it starts with a text, and has the same place whatever their directory is. Of several
// ranks of an MPI job each adds its text, for none of them is the first.
void start_file(const char* variable, const std::string& file, const std::string& text) {
    if (file.empty())
        return;
    if (file == "stderr") {
        set(variable, file);
        fmt::print(stderr, "{}", text);
        return;
    }
    const bool is_shared = myblas::preload::read_local_ranks().count > 1 ||
                           file.starts_with("/dev/"); // where others write, too
    std::FILE* started = std::fopen(file.c_str(), is_shared ? "a" : "w");
    if (!started)
        throw std::runtime_error(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
    std::fputs(text.c_str(), started);
    if (std::fclose(started) != 0)
        throw std::runtime_error(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
    set(variable, std::filesystem::absolute(file).string());
}

// Files that variables name have the same place wherever the program goes.
void make_absolute(const char* variable) {
    const char* file = std::getenv(variable);
    if (file && *file && std::strcmp(file, "stderr") != 0)
        set(variable, std::filesystem::absolute(file).string());
}

// Where in the arguments the program begins, or behind the last: they are passed on as they are.
int command_at(int argc, char** argv) {
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; ++at) {
        const std::string option = argv[at];
        if (option == "--")
            return at + 1;
        for (const char* known : {"--math", "--kernel", "--offload", "--report", "--call-log"})
            if (option == known)
                ++at; // its value
    }
    return at;
}

// With a wrong variable the program would run without what its user asked for.
void refuse_wrong_settings() {
    if (const std::string faults = tools::describe_faults(true); !faults.empty())
        throw std::runtime_error(faults);
}

int run(const options& chosen) {
    set("MYBLAS_MATH", chosen.math);
    set("MYBLAS_SGEMM_KERNEL", chosen.kernel);
    set("MYBLAS_OFFLOAD", chosen.offload);
    set("MYBLAS_REPORT", chosen.report);
    set("MYBLAS_CALL_LOG", chosen.call_log);
    refuse_wrong_settings();
    if (!chosen.report.empty() && chosen.report == chosen.call_log && chosen.report != "stderr")
        throw std::runtime_error("--report and --call-log want a file each");
    const bool both = chosen.cublas == chosen.blas;
    if (chosen.blas || both)
        preload(tools::blas_preload);
    if (chosen.cublas || both)
        preload(tools::cublas_preload);
    start_file("MYBLAS_REPORT",
               chosen.report,
               describe_start(chosen.command[0],
                              both          ? "both preload libraries"
                              : chosen.blas ? tools::blas_preload
                                            : tools::cublas_preload));
    start_file("MYBLAS_CALL_LOG", chosen.call_log, "");
    make_absolute("MYBLAS_REPORT");
    make_absolute("MYBLAS_CALL_LOG");
    set("MYBLAS_RUN_PROCESS", std::to_string(getpid())); // the program's, too

    std::vector<char*> arguments;
    for (const std::string& argument : chosen.command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    const int error = errno;
    fmt::print(stderr, "myblas-run: {}: {}\n", chosen.command[0], std::strerror(error));
    return error == ENOENT ? status_not_found : status_not_runnable;
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): if it cannot print an error, it has no other way to say so
int main(int argc, char** argv) {
    options chosen;
    CLI::App app("Runs a program so that its BLAS and cuBLAS calls go to myblas.", "myblas-run");
    app.set_version_flag("--version", tools::version_text("myblas-run"));
    app.add_flag("--cublas", chosen.cublas, "interpose on cuBLAS (default: both)");
    app.add_flag("--blas", chosen.blas, "interpose on Fortran BLAS and CBLAS (default: both)");
    app.add_option("--math", chosen.math, "arithmetic of products: strict, emulated, fast")
        ->check(CLI::IsMember({"strict", "emulated", "fast"}, CLI::ignore_case));
    app.add_option(
           "--kernel", chosen.kernel, "the kernel or family of kernels that computes products")
        ->check(check_kernel);
    app.add_option(
           "--offload",
           chosen.offload,
           "which calls are served: auto (those that gain), always (of a CPU's BLAS) or never")
        ->check(CLI::IsMember({"auto", "always", "never"}, CLI::ignore_case));
    app.add_option(
           "--report", chosen.report, "file (or stderr) for a report on the calls; default: none")
        ->check(check_file);
    app.add_option(
           "--call-log",
           chosen.call_log,
           "file (or stderr) for a list of the calls, for myblas-bench replay; default: none")
        ->check(check_file);
    app.add_option("command", chosen.command, "the program and its arguments, after --")
        ->required();
    app.prefix_command(false);
    app.positionals_at_end();
    try {
        const int begin = command_at(argc, argv);
        app.parse(std::min(begin + 1, argc), argv);
        chosen.command.assign(argv + std::min(begin, argc), argv + argc);
        return run(chosen);
    } catch (const CLI::Success& asked) { // --help, --version
        return tools::with_output_written(app.exit(asked), "myblas-run", status_failed);
    } catch (const std::exception& error) {
        fmt::print(stderr, "myblas-run: {}\n", error.what());
        return status_failed;
    }
}

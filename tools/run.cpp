// myblas-run: runs a program with the preload libraries, with their settings as options.
#include "elf_file.h"
#include "installed.h"
#include "program.h"
#include "settings.h"
#include "watch.h"

#include "common/local_ranks.h"
#include "common/names.h"
#include "common/report_text.h"
#include "common/run_records.h"
#include "myblas/myblas_kernels.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

// The statuses of env, nohup and similar tools: the tool itself fails, the program cannot be run,
// the program is not found.
constexpr int status_failed = 125, status_not_runnable = 126, status_not_found = 127;

struct options {
    bool cublas = false, blas = false;
    std::string math, kernel, report, report_detail, call_log, offload;
    std::vector<std::string> command;
};

// Checks the file before its name becomes a variable's value, because the program would be told of
// the variable.
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

// Puts the file in front of the files that are already preloaded.
void preload(const char* file) {
    const auto path = tools::preload_library(file);
    if (!std::filesystem::exists(path))
        throw std::runtime_error(fmt::format("{} is not there", path.string()));
    // The loader takes a space or a colon as the end of a name, and knows no quotes.
    if (path.string().find_first_of(" :") != std::string::npos)
        throw std::runtime_error(fmt::format(
            "{}: a path with a space or a colon cannot be preloaded; install myblas elsewhere",
            path.string()));
    const char* others = std::getenv("LD_PRELOAD");
    const bool has_others = others && *others;
    set("LD_PRELOAD", has_others ? path.string() + ":" + others : path.string());
}

// Whether a BLAS is linked in.
bool has_blas(const tools::elf_file& elf) {
    return std::any_of(elf.exports.begin(), elf.exports.end(), [](const std::string& name) {
        return myblas::preload::remark_on_blas(name) != nullptr;
    });
}

// Whether the preload libraries reach the program itself, as far as its file shows.
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
    const auto rank = myblas::preload::read_rank_name();
    return fmt::format("myblas-run: {}, process {}{}{}: {}\n",
                       command,
                       getpid(),
                       *rank.text ? ", " : "",
                       rank.text,
                       start);
}

// The processes append to the file, which has the same path in any working directory. The file is
// emptied first, but not by the ranks of a job: no rank knows whether it is the first, and hosts
// may share the file.
void start_file(const char* variable, const std::string& file) {
    if (file.empty())
        return;
    if (file == "stderr") {
        set(variable, file);
        return;
    }
    const bool is_shared = myblas::preload::is_one_of_several() ||
                           file.starts_with("/dev/"); // where other programs write too
    std::FILE* started = std::fopen(file.c_str(), is_shared ? "a" : "w");
    if (!started)
        throw std::runtime_error(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
    std::fclose(started);
    set(variable, std::filesystem::absolute(file).string());
}

// Returns 0 or an error number.
int append_to_report(std::string text) {
    return myblas::preload::write_report({text.data(), text.size() + 1, text.size()});
}

// Makes the path absolute, so that the variable names the same file in any working directory.
void make_absolute(const char* variable) {
    const char* file = std::getenv(variable);
    if (file && *file && std::strcmp(file, "stderr") != 0)
        set(variable, std::filesystem::absolute(file).string());
}

// The index of the program among the arguments, or the number of arguments if there is none. The
// program's arguments are passed on unchanged.
int command_at(int argc, char** argv) {
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; ++at) {
        const std::string option = argv[at];
        if (option == "--")
            return at + 1;
        for (const char* known :
             {"--math", "--kernel", "--offload", "--report", "--report-detail", "--call-log"})
            if (option == known)
                ++at; // its value
    }
    return at;
}

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value;
}

// Executes the program; returns only on failure.
int start(const options& chosen, const std::string& preloaded) {
    start_file("MYBLAS_REPORT", chosen.report);
    start_file("MYBLAS_CALL_LOG", chosen.call_log);
    const int error =
        chosen.report.empty() ? 0 : append_to_report(describe_start(chosen.command[0], preloaded));
    if (error != 0)
        throw std::runtime_error(
            fmt::format("cannot write {}: {}", chosen.report, std::strerror(error)));
    set("MYBLAS_RUN_PROCESS", std::to_string(getpid())); // the program's, too

    std::vector<char*> arguments;
    for (const std::string& argument : chosen.command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    const int why_not = errno;
    fmt::print(stderr, "myblas-run: {}: {}\n", chosen.command[0], std::strerror(why_not));
    return why_not == ENOENT ? status_not_found : status_not_runnable;
}

// ---- What is left of the processes of the run ---------------------------------------------------

// Makes the folder in which each process keeps its counts.
std::string make_folder_of_records() {
    std::string folder = myblas::preload::temporary_folder() + std::string("/myblas-run-XXXXXX");
    if (!mkdtemp(folder.data()))
        throw std::runtime_error(
            fmt::format("cannot make a folder as {}: {}", folder, std::strerror(errno)));
    return folder;
}

std::string counted(uint64_t number, const std::string& what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

// The end of the report, of all processes.
std::string describe_end(const std::string& records) {
    uint64_t started = 0, reported = 0, parts = 0, served = 0, forwarded = 0;
    for (const char* title : {myblas::preload::blas_title,
                              myblas::preload::cublas_title,
                              myblas::preload::system_blas_title}) {
        const auto* counts = myblas::preload::map_counts(records.c_str(), title, false);
        if (!counts)
            continue;
        // Each library counts the processes into which it is loaded.
        if (counts->started > started) {
            started = counts->started;
            reported = counts->reported;
        }
        parts += counts->parts;
        served += counts->served;
        forwarded += counts->forwarded;
    }
    const auto rank = myblas::preload::read_rank_name();
    const std::string whose = *rank.text ? fmt::format("{}: ", rank.text) : "";
    std::string text;
    if (parts > 1)
        text += fmt::format("myblas-run: {}{} seen in all, {} served, {} forwarded\n",
                            whose,
                            counted(served + forwarded, "call"),
                            served,
                            forwarded);
    if (reported < started)
        text += fmt::format("myblas-run: {}{} processes started, {} reported completely\n",
                            whose,
                            started,
                            reported);
    return text;
}

void finish(const std::string& records) {
    // Some processes end because the program has ended: by a signal to all, or because a pipe was
    // closed.
    constexpr int tries = 50;
    constexpr auto pause = std::chrono::milliseconds(5);
    for (int i = 0; i < tries && myblas::preload::report_for_others(records.c_str(), false) > 0;
         ++i)
        std::this_thread::sleep_for(pause);
    myblas::preload::report_for_others(records.c_str(), true);
    append_to_report(describe_end(records));
    std::error_code ignored;
    std::filesystem::remove_all(records, ignored);
}

// Refuses wrong settings: with a wrong variable, the program would run without the effect that its
// user wants.
void refuse_wrong_settings() {
    if (const std::string faults = tools::describe_faults(true); !faults.empty())
        throw std::runtime_error(faults);
}

int run(const options& chosen) {
    set("MYBLAS_MATH", chosen.math);
    set("MYBLAS_SGEMM_KERNEL", chosen.kernel);
    set("MYBLAS_OFFLOAD", chosen.offload);
    set("MYBLAS_REPORT", chosen.report);
    set("MYBLAS_REPORT_DETAIL", chosen.report_detail);
    set("MYBLAS_CALL_LOG", chosen.call_log);
    refuse_wrong_settings();
    if (!chosen.report.empty() && chosen.report == chosen.call_log && chosen.report != "stderr")
        throw std::runtime_error("--report and --call-log want a file each");
    const bool both = chosen.cublas == chosen.blas;
    if (chosen.blas || both)
        preload(tools::blas_preload);
    if (chosen.cublas || both)
        preload(tools::cublas_preload);
    const std::string preloaded = both          ? "both preload libraries"
                                  : chosen.blas ? tools::blas_preload
                                                : tools::cublas_preload;
    const bool has_files = is_set("MYBLAS_REPORT") || is_set("MYBLAS_CALL_LOG");
    const bool are_own = !chosen.report.empty() || !chosen.call_log.empty();
    // If another myblas-run asked for the files, that one also writes them.
    if (!has_files || (!are_own && is_set(myblas::preload::records_variable)))
        return start(chosen, preloaded);
    make_absolute("MYBLAS_REPORT");
    make_absolute("MYBLAS_CALL_LOG");
    const std::string records = make_folder_of_records();
    set(myblas::preload::records_variable, records);
    return tools::watch(
        {.start = [&] { return start(chosen, preloaded); },
         .meanwhile = [&] { myblas::preload::report_for_others(records.c_str(), false); },
         .finish = [&] { finish(records); }});
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): if an error cannot be printed, nothing can
int main(int argc, char** argv) {
    options chosen;
    CLI::App app("Runs a program so that its BLAS and cuBLAS calls go to myblas.", "myblas-run");
    app.set_version_flag("--version", tools::version_text("myblas-run"));
    app.add_flag("--cublas", chosen.cublas, "interpose on cuBLAS (default: both)");
    app.add_flag("--blas", chosen.blas, "interpose on Fortran BLAS and CBLAS (default: both)");
    app.add_option(
           "--math", chosen.math, "arithmetic of products: strict, emulated, fast, reproducible")
        ->check(CLI::IsMember({"strict", "emulated", "fast", "reproducible"}, CLI::ignore_case));
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
    app.add_option("--report-detail",
                   chosen.report_detail,
                   "full: the report also names what a process refers to whose calls were not seen")
        ->check(CLI::IsMember({"brief", "full"}, CLI::ignore_case));
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

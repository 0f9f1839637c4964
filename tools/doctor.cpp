// myblas-doctor: what there is on this machine for myblas to work with, and which calls of a program the
// preload libraries can get.
#include "elf_file.h"
#include "installed.h"

#include "myblas/myblas_kernels.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
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
         status == MYBLAS_STATUS_SUCCESS ? "cuda can be used"
                                         : "cuda cannot be used: " + last_message);
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

// Null if it is not set, or empty.
const char* read_variable(const char* name) {
    const char* text = std::getenv(name);
    return text && *text ? text : nullptr;
}

void describe_settings() {
    const std::vector<std::pair<const char*, std::set<std::string>>> choices = {
        {"MYBLAS_BACKEND", {"auto", "host", "cuda"}},
        {"MYBLAS_MATH", {"strict", "emulated", "fast"}},
        {"MYBLAS_OFFLOAD", {"auto", "always", "never"}},
        {"MYBLAS_CUBLAS_TF32", {"forward", "serve"}}};
    for (const auto& [variable, values] : choices) {
        const char* value = read_variable(variable);
        if (value)
            line("setting",
                 fmt::format(
                     "{}={}{}", variable, value, values.contains(value) ? "" : ": makes no sense"));
    }
    for (const char* variable : {"LD_PRELOAD",
                                 "MYBLAS_SGEMM_KERNEL",
                                 "MYBLAS_WORKSPACE",
                                 "MYBLAS_REPORT",
                                 "MYBLAS_DEVICES",
                                 "MYBLAS_CUBLAS_WORKSPACE",
                                 "MYBLAS_DEVICE_MEMORY",
                                 "CUDA_VISIBLE_DEVICES"})
        if (const char* value = read_variable(variable))
            line("setting", fmt::format("{}={}", variable, value));
}

// ---- A program -----------------------------------------------------------------------------------

const std::set<std::string>& blas_names() {
    static const std::set<std::string> names = [] {
        std::set<std::string> made;
        for (const char* stem :
             {"sgemm", "sgemv", "sasum", "sdot", "saxpy", "scopy", "somatcopy", "simatcopy"}) {
            made.insert(fmt::format("{}_", stem));
            made.insert(fmt::format("cblas_{}", stem));
        }
        return made;
    }();
    return names;
}

const std::set<std::string>& cublas_names() {
    static const std::set<std::string> names = [] {
        std::set<std::string> made;
        for (const char* name : {"cublasSgemm_v2",
                                 "cublasSgemmStridedBatched",
                                 "cublasSgemmBatched",
                                 "cublasGemmEx",
                                 "cublasGemmStridedBatchedEx",
                                 "cublasSgemv_v2",
                                 "cublasSgeam",
                                 "cublasSasum_v2",
                                 "cublasSdot_v2",
                                 "cublasSaxpy_v2",
                                 "cublasScopy_v2"}) {
            made.insert(name);
            made.insert(fmt::format("{}_64", name));
        }
        return made;
    }();
    return names;
}

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return name;
    const char* path = std::getenv("PATH");
    std::istringstream directories(path ? path : "");
    for (std::string directory; std::getline(directories, directory, ':');)
        if (access((fs::path(directory) / name).c_str(), X_OK) == 0)
            return fs::path(directory) / name;
    return name;
}

// The interpreter that the first line of a script names, or nothing.
std::string interpreter_of(const std::string& path) {
    std::ifstream file(path);
    std::string first;
    if (!std::getline(file, first) || first.rfind("#!", 0) != 0)
        return "";
    std::istringstream words(first.substr(2));
    std::string interpreter, argument;
    words >> interpreter >> argument;
    return fs::path(interpreter).filename() == "env" && !argument.empty() ? find_program(argument)
                                                                          : interpreter;
}

// The libraries that the loader would map for the program, without running it.
std::vector<std::string> libraries_of(const std::string& loader, const std::string& path) {
    int ends[2];
    if (pipe(ends) != 0)
        return {};
    const pid_t child = fork();
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execl(loader.c_str(), loader.c_str(), "--list", path.c_str(), nullptr);
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
            line("", "the loader does not find " + entry.substr(0, entry.find(" =>")));
    }
    return paths;
}

std::string among(const std::set<std::string>& found, const std::set<std::string>& names) {
    std::string list;
    for (const std::string& name : names)
        if (found.contains(name))
            list += (list.empty() ? "" : ", ") + name;
    return list;
}

// A BLAS or cuBLAS itself: what it mentions and exports is its own.
bool is_provider(const std::string& path) {
    const std::string name = fs::path(path).filename();
    return name.find("blas") != std::string::npos || name.find("mkl") != std::string::npos ||
           name.find("cusolver") != std::string::npos;
}

// Says what can be got of a file's calls; true if any can.
bool examine(const std::string& path, const tools::elf_file& elf) {
    const std::string name = fs::path(path).filename();
    bool can_interpose = false;
    for (const auto* names : {&cublas_names(), &blas_names()}) {
        const std::string called = among(elf.imports, *names);
        if (!called.empty()) {
            line("", fmt::format("{} calls {}: can be interposed", name, called));
            can_interpose = true;
        }
        if (is_provider(path))
            continue;
        const std::string own = among(elf.exports, *names);
        if (!own.empty())
            line("",
                 fmt::format("{} contains {}: {}",
                             name,
                             own,
                             elf.binds_to_itself
                                 ? "bound to itself (-Bsymbolic), out of reach"
                                 : "linked statically, out of reach where it calls itself"));
        const std::string looked_up = among(elf.mentions, *names);
        if (!looked_up.empty())
            line("", fmt::format("{} names {}: looked up by dlsym, out of reach", name, looked_up));
    }
    for (const std::string& symbol : elf.imports)
        if (symbol.rfind("sgemm_64", 0) == 0 || symbol.rfind("cblas_sgemm64", 0) == 0 ||
            symbol.rfind("scipy_", 0) == 0)
            line("", fmt::format("{} calls {}: a BLAS of other names, left alone", name, symbol));
    return can_interpose;
}

bool examine_program(const std::string& name) {
    std::string path = find_program(name);
    const std::string interpreter = interpreter_of(path);
    if (!interpreter.empty()) {
        line("program", fmt::format("{}, a script for {}", path, interpreter));
        path = interpreter;
    } else {
        line("program", path);
    }
    std::set<std::string> names = blas_names();
    names.insert(cublas_names().begin(), cublas_names().end());
    const auto program = tools::read_elf(path, names);
    if (!program) {
        line("", "no 64-bit ELF program that can be read");
        return false;
    }
    if (program->interpreter.empty()) {
        line("", "linked statically: nothing can be preloaded");
        return false;
    }
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)))
        line(
            "",
            "runs with raised privileges: the loader ignores LD_PRELOAD, and myblas its variables");

    bool can_interpose = examine(path, *program);
    for (const std::string& library : libraries_of(program->interpreter, path)) {
        const std::string file = fs::path(library).filename();
        if (file.find("64.so") != std::string::npos && file.find("blas") != std::string::npos)
            line("", fmt::format("{} has 64-bit integers: calls to it are left alone", file));
        if (const auto elf = tools::read_elf(library, names))
            can_interpose = examine(library, *elf) || can_interpose;
    }
    if (program->imports.contains("dlopen"))
        line("",
             "loads libraries while it runs, which this cannot foresee (with RTLD_DEEPBIND they "
             "would be "
             "out of reach): see what myblas-run --report says");
    else if (!can_interpose)
        line("", "makes no call that can be interposed");
    return can_interpose || program->imports.contains("dlopen");
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): if it cannot print, it has no other way to say so
int main(int argc, char** argv) {
    std::string program;
    CLI::App app(
        "Says what there is for myblas to work with, and which calls of a program it can get.",
        "myblas-doctor");
    app.set_version_flag("--version", tools::version_text("myblas-doctor"));
    app.add_option("program", program, "the program to examine; it is not run");
    CLI11_PARSE(app, argc, argv);
    describe_library();
    describe_gpus();
    try_backend();
    describe_cublas();
    describe_blas();
    describe_settings();
    return program.empty() || examine_program(program) ? 0 : 1;
}

// myblas-doctor: shows what this machine offers to myblas, and which calls of a program the preload
// libraries can get.
#include "examine.h"
#include "installed.h"
#include "settings.h"

#include "myblas/myblas_kernels.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

using tools::print_finding;

// ---- The machine --------------------------------------------------------------------------------

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
    print_finding(
        "myblas",
        fmt::format("{}.{}.{}, {}",
                    version / 10000,
                    version / 100 % 100,
                    version % 100,
                    kernels ? "with CUDA" : "built without CUDA: its host backend alone"));
    for (const char* file : {tools::cublas_preload, tools::blas_preload}) {
        const fs::path path = tools::preload_library(file);
        print_finding("", fs::exists(path) ? path.string() : path.string() + ": not there");
    }
}

void describe_gpus() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        print_finding("driver", "none (libcuda.so.1 is not on the loader's path)");
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
        print_finding("driver", path_of(driver) + " lacks functions");
        return;
    }
    int version = 0, count = 0;
    get_version(&version);
    print_finding(
        "driver",
        fmt::format(
            "{}, for CUDA up to {}.{}", path_of(driver), version / 1000, version % 1000 / 10));
    const int error = initialise(0);
    if (error != 0 || get_count(&count) != 0 || count == 0) {
        print_finding("GPU", error != 0 ? fmt::format("none (cuInit answers {})", error) : "none");
        return;
    }
    for (int i = 0; i < count; ++i) {
        int device = 0;
        char name[256] = "?";
        if (get(&device, i) == 0)
            get_name(name, sizeof name, device);
        print_finding(i == 0 ? "GPU" : "", name);
    }
}

std::string last_message;
void keep_message(const char* message) { last_message = message; }

// Prints whether a handle can be created on the GPU. If not, prints the library's message.
void try_backend() {
    myblasHandle_t handle = nullptr;
    myblasSetLoggerCallback(keep_message);
    const myblasStatus_t status = myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA);
    print_finding("backend",
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
        print_finding(found ? "" : "cuBLAS",
                      fmt::format("{}, version {}.{}.{}{}",
                                  path_of(library),
                                  version[0],
                                  version[1],
                                  version[2],
                                  is_served ? "" : ": calls to it are forwarded, never served"));
        found = true;
    }
    if (!found)
        print_finding("cuBLAS", "none on the loader's path (programs may bring their own)");
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
        print_finding(found ? "" : "BLAS",
                      fmt::format("{}: {}", fs::weakly_canonical(path_of(library)).string(), what));
        found = true;
    }
    if (!found)
        print_finding("BLAS", "none on the loader's path");
}

// Describes the LAPACK that Debian's packages share.
void describe_lapack() {
    void* library = dlopen("liblapack.so.3", RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return;
    const std::string path = path_of(library);
    print_finding("LAPACK", fs::weakly_canonical(path).string());
    for (const std::string& remark : tools::remarks_on_solvers(path))
        print_finding("", remark);
}

// ---- The environment ----------------------------------------------------------------------------

void describe_settings() {
    for (const tools::setting& s : tools::read_settings()) {
        const char* verdict = s.fault.empty() ? "" : s.is_known ? ": makes no sense: " : ": ";
        print_finding("setting", fmt::format("{}={}{}{}", s.name, s.value, verdict, s.fault));
    }
    for (const char* variable : {"LD_PRELOAD", "CUDA_VISIBLE_DEVICES"})
        if (const char* value = std::getenv(variable); value && *value)
            print_finding("setting", fmt::format("{}={}", variable, value));
}

int status_of(tools::finding finding) {
    switch (finding) {
    case tools::finding::can_interpose:
        return 0;
    case tools::finding::cannot_interpose:
        return tools::status_negative;
    case tools::finding::unreadable:
        break;
    }
    return tools::status_wrong_use;
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): if it cannot print, it has no other way to say so
int main(int argc, char** argv) {
    std::vector<std::string> command;
    CLI::App app(
        "Says what myblas finds on this machine, and which calls of a program it can serve.",
        "myblas-doctor");
    app.set_version_flag("--version", tools::version_text("myblas-doctor"));
    app.add_option(
        "program", command, "the program to examine, perhaps with arguments; it is not run");
    int status = 0;
    try {
        // Options from the program on belong to the program.
        int begin = 1;
        while (begin < argc && argv[begin][0] == '-' && std::strcmp(argv[begin], "--") != 0)
            ++begin;
        app.parse(begin, argv);
        begin += begin < argc && std::strcmp(argv[begin], "--") == 0;
        command.assign(argv + std::min(begin, argc), argv + argc);
        describe_library();
        describe_gpus();
        try_backend();
        describe_cublas();
        describe_blas();
        describe_lapack();
        describe_settings();
        if (!command.empty())
            status = status_of(tools::examine_program(command));
    } catch (const CLI::Success& asked) { // --help, --version
        status = app.exit(asked);
    } catch (const std::exception& error) {
        fmt::print(stderr, "myblas-doctor: {}\n", error.what());
        return tools::status_wrong_use;
    }
    return tools::with_output_written(status, "myblas-doctor", tools::status_wrong_use);
}

#include "installed.h"

#include "myblas/myblas.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <sys/auxv.h>

namespace tools {

std::filesystem::path this_program() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::filesystem::weakly_canonical( // no /proc
                       reinterpret_cast<const char*>(getauxval(AT_EXECFN)),
                       error)
                 : program;
}

std::filesystem::path preload_library(const std::string& file) {
    return (this_program().parent_path() / MYBLAS_BIN_TO_LIB / "myblas" / file).lexically_normal();
}

int with_output_written(int status, const char* tool, int failed) {
    if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
        return status;
    fmt::print(stderr, "{}: standard output cannot be written\n", tool);
    return failed;
}

std::string version_text(const std::string& tool) {
    return fmt::format(
        "{} {}.{}.{}", tool, MYBLAS_VERSION_MAJOR, MYBLAS_VERSION_MINOR, MYBLAS_VERSION_PATCH);
}

} // namespace tools

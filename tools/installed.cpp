#include "installed.h"

#include "myblas/myblas.h"

#include <fmt/format.h>

namespace tools {

std::filesystem::path preload_library(const std::string& file) {
    const auto executable = std::filesystem::read_symlink("/proc/self/exe");
    return (executable.parent_path() / MYBLAS_BIN_TO_LIB / "myblas" / file).lexically_normal();
}

std::string version_text(const std::string& tool) {
    return fmt::format(
        "{} {}.{}.{}", tool, MYBLAS_VERSION_MAJOR, MYBLAS_VERSION_MINOR, MYBLAS_VERSION_PATCH);
}

} // namespace tools

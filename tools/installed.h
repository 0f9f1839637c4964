// Where the parts of the installation are, seen from the running tool; and the version.
#pragma once

#include <filesystem>
#include <string>

namespace tools {

// lib/myblas/<file> of the prefix (or build tree) that holds this executable.
std::filesystem::path preload_library(const std::string& file);

inline constexpr const char* blas_preload = "libmyblas-blas-preload.so";
inline constexpr const char* cublas_preload = "libmyblas-cublas-preload.so";

std::string version_text(const std::string& tool);

} // namespace tools

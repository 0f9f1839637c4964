// Where the parts of the installation are, seen from the running tool; and the version.
#pragma once

#include <filesystem>
#include <string>

namespace tools {

// lib/myblas/<file> of the prefix (or build tree) that holds this executable.
std::filesystem::path preload_library(const std::string& file);

inline constexpr const char* blas_preload = "libmyblas-blas-preload.so";
inline constexpr const char* cublas_preload = "libmyblas-cublas-preload.so";

// The file of the running tool.
std::filesystem::path this_program();

// Exit statuses of all tools; myblas-run has its program's, and status_failed for both of these.
inline constexpr int status_negative =
    1; // what was asked for is not so: a check failed, nothing can be interposed
inline constexpr int status_wrong_use = 2; // arguments, variables or files are wrong

// The status, or `failed` and a line on standard error if what the tool printed could not be written.
int with_output_written(int status, const char* tool, int failed);

std::string version_text(const std::string& tool);

} // namespace tools

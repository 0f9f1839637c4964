// The places of the parts of the installation, relative to the running tool; and the version.
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

// Exit statuses of all tools. myblas-run exits with its program's status, or with status_failed
// instead of the two statuses below.
inline constexpr int status_negative =
    1; // the answer is no: a check failed, or nothing can be interposed
inline constexpr int status_wrong_use = 2; // arguments, variables or files are wrong

// Returns `status`. If the tool's output could not be written, prints a line on standard error and
// returns `failed`.
int with_output_written(int status, const char* tool, int failed);

std::string version_text(const std::string& tool);

} // namespace tools

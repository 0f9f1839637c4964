#include "settings.h"

#include "common/kernel_variables.h"
#include "common/run_records.h"
#include "myblas/myblas_kernels.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>
#include <unistd.h>

namespace tools {
namespace {

// ---- What is wrong with a value, or nothing ----------------------------------------------------------

// A number, with K, M or G for powers of 1024.
std::string check_size(const std::string& value, unsigned long long least) {
    constexpr const char* fault = "no number such as 512M or 4G";
    if (value.empty() || value[0] < '0' || value[0] > '9')
        return fault;
    char* end;
    errno = 0;
    const unsigned long long number = std::strtoull(value.c_str(), &end, 10);
    const std::string_view unit = end;
    if (errno != 0 || (!unit.empty() && unit != "K" && unit != "M" && unit != "G"))
        return fault;
    const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
    if (number > std::numeric_limits<size_t>::max() >> shift)
        return "too large";
    return number < least ? "has to be positive" : "";
}

// A number of threads.
std::string check_count(const std::string& value) {
    const bool is_number = value.find_first_not_of("0123456789") == std::string::npos;
    return is_number && value.find_first_not_of('0') != std::string::npos ? ""
                                                                          : "no number from 1 on";
}

std::string check_choice(const std::string& value, std::initializer_list<const char*> choices) {
    std::string list;
    for (size_t i = 0; i < choices.size(); ++i) {
        const char* choice = std::data(choices)[i];
        if (value == choice)
            return "";
        list += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + std::string(choice);
    }
    return "not " + list;
}

std::string check_input(const std::string& value) {
    std::error_code ignored;
    if (std::filesystem::is_directory(value, ignored))
        return "cannot be read: it is a directory";
    return access(value.c_str(), R_OK) == 0
               ? ""
               : std::string("cannot be read: ") + std::strerror(errno);
}

// A file to append to, which is not made here.
std::string check_output(const std::string& value) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::is_directory(value, ignored))
        return "cannot be written: it is a directory";
    fs::path tried = value;
    if (!fs::exists(tried, ignored)) // then its folder has to be there
        tried = tried.has_parent_path() ? tried.parent_path() : fs::path(".");
    return access(tried.c_str(), W_OK) == 0
               ? ""
               : std::string("cannot be written: ") + std::strerror(errno);
}

std::string find_fault(const std::string& name, const std::string& value, bool* is_known) {
    *is_known = true;
    if (name == "MYBLAS_BACKEND")
        return check_choice(value, {"auto", "host", "cuda"});
    if (name == "MYBLAS_MATH")
        return check_choice(value, {"strict", "emulated", "fast"});
    if (name == "MYBLAS_OFFLOAD")
        return check_choice(value, {"auto", "always", "never"});
    if (name == "MYBLAS_CUBLAS_TF32")
        return check_choice(value, {"forward", "serve"});
    if (name == "MYBLAS_WORKSPACE")
        return check_size(value, 0);
    if (name == "MYBLAS_CUBLAS_WORKSPACE" || name == "MYBLAS_DEVICE_MEMORY")
        return check_size(value, 1);
    if (name == "MYBLAS_NUM_THREADS" || name == "MYBLAS_DEVICES")
        return check_count(value);
    if (name == "MYBLAS_LOG")
        return value == "stdout" || value == "stderr" ? "" : check_output(value);
    if (name == "MYBLAS_REPORT" || name == "MYBLAS_CALL_LOG")
        return value == "stderr" ? "" : check_output(value);
    if (name == "MYBLAS_REPORT_DETAIL")
        return check_choice(value, {"brief", "full"});
    if (name == "MYBLAS_TUNING")
        return check_input(value);
    for (int i = 0; i < MYBLAS_ROUTINE_COUNT; ++i)
        if (name == myblas::kernel_variables[i])
            return has_kernel(i, value) ? "" : "no kernel or family (myblas-bench --list)";
    *is_known = name == "MYBLAS_COMMIT" || name == "MYBLAS_RUN_PROCESS" ||
                name == myblas::preload::records_variable;
    return *is_known ? "" : "no variable that myblas reads";
}

} // namespace

bool has_kernel(int routine, const std::string& name) {
    for (const myblasBackend_t backend : {MYBLAS_BACKEND_CUDA, MYBLAS_BACKEND_HOST}) {
        const myblasRoutine_t r = static_cast<myblasRoutine_t>(routine);
        int count = 0;
        if (myblasGetKernelCount(backend, r, &count) != MYBLAS_STATUS_SUCCESS)
            continue;
        for (int i = 0; i < count; ++i) {
            myblasKernelInfo_t info{};
            info.size_bytes = sizeof info;
            if (myblasGetKernelInfo(backend, r, i, &info) == MYBLAS_STATUS_SUCCESS &&
                (info.name == name || std::string_view(info.name).starts_with(name + "/")))
                return true;
        }
    }
    return false;
}

std::vector<setting> read_settings() {
    std::vector<setting> settings;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        const size_t equals = text.find('=');
        if (!text.starts_with("MYBLAS_") || equals == std::string_view::npos ||
            equals + 1 == text.size())
            continue;
        setting s{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)), ""};
        s.fault = find_fault(s.name, s.value, &s.is_known);
        settings.push_back(s);
    }
    std::sort(settings.begin(), settings.end(), [](const setting& a, const setting& b) {
        return a.name < b.name;
    });
    return settings;
}

std::string describe_faults(bool with_kernels) {
    std::string faults;
    for (const setting& s : read_settings())
        if (s.is_known && !s.fault.empty() && (with_kernels || !s.name.ends_with("_KERNEL")))
            faults += (faults.empty() ? "" : "; ") + s.name + "=" + s.value + ": " + s.fault;
    return faults;
}

} // namespace tools

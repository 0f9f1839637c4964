#include "settings.h"

#include "common/run_records.h"
#include "core/environment.h"
#include "core/kernel_variables.h"
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

constexpr std::string_view prefix = "MYBLAS_";
constexpr const char* emulation = "CUBLAS_EMULATE_SINGLE_PRECISION"; // cuBLAS's own

// ---- What is wrong with a value, or nothing -----------------------------------------------------

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

// A number of threads, GPUs or multiprocessors.
std::string check_count(const std::string& value) {
    const bool is_number = value.find_first_not_of("0123456789") == std::string::npos;
    return is_number && value.find_first_not_of('0') != std::string::npos ? ""
                                                                          : "no number from 1 on";
}

std::string check_choice(const std::string& value, std::initializer_list<const char*> choices) {
    std::string list;
    for (size_t i = 0; i < choices.size(); ++i) {
        const char* choice = std::data(choices)[i];
        if (myblas::is_word(value.c_str(), choice))
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

// ---- The variables ------------------------------------------------------------------------------

using text = const std::string&;

constexpr struct {
    const char* name;
    std::string (*find_fault)(text value);
} variables[] = {
    // clang-format off
    {"MYBLAS_BACKEND", [](text v) { return check_choice(v, {"auto", "host", "cuda"}); }},
    {"MYBLAS_MATH",
     [](text v) { return check_choice(v, {"strict", "emulated", "fast", "reproducible"}); }},
    {"MYBLAS_OFFLOAD", [](text v) { return check_choice(v, {"auto", "always", "never"}); }},
    {"MYBLAS_CUBLAS_TF32", [](text v) { return check_choice(v, {"forward", "serve"}); }},
    {"MYBLAS_REPORT_DETAIL", [](text v) { return check_choice(v, {"brief", "full"}); }},
    // clang-format on
    {"MYBLAS_WORKSPACE", [](text v) { return check_size(v, 0); }},
    {"MYBLAS_CUBLAS_WORKSPACE", [](text v) { return check_size(v, 1); }},
    {"MYBLAS_DEVICE_MEMORY", [](text v) { return check_size(v, 1); }},
    {"MYBLAS_NUM_THREADS", check_count},
    {"MYBLAS_DEVICES", check_count},
    {"MYBLAS_SMS", check_count},
    {"MYBLAS_LOGICAL_BLOCK", [](text v) { return v == "0" ? "" : check_count(v); }},
    {"MYBLAS_LOG", [](text v) { return v == "stdout" ? "" : check_output(v); }},
    {"MYBLAS_REPORT", check_output},
    {"MYBLAS_CALL_LOG", check_output},
    {"MYBLAS_TUNING", check_input},
    {emulation,
     [](text v) {
         return check_choice(v, {"0", "1"});
     }},
    // What the tools set and read
    {"MYBLAS_COMMIT", nullptr},
    {"MYBLAS_RUN_PROCESS", nullptr},
    {myblas::preload::records_variable, nullptr},
};

// The number of characters that must be inserted, deleted, replaced or exchanged with the next one
// to turn one name into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
        for (size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min(
                {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

// The variable that an unknown name probably means; empty if no variable is similar.
std::string most_similar_variable(std::string_view name) {
    std::string found;
    size_t least = std::numeric_limits<size_t>::max();
    const auto consider = [&](std::string_view candidate) {
        const size_t length = candidate.size() - prefix.size();
        const size_t most = std::min<size_t>(2, length / 3); // any name would be near a short one
        const size_t distance = edit_distance(name, candidate);
        if (distance <= most && distance < least) {
            least = distance;
            found = candidate;
        }
    };
    for (const auto& v : variables)
        if (v.find_fault && v.name != emulation)
            consider(v.name);
    for (const char* candidate : myblas::kernel_variables)
        consider(candidate);
    return found;
}

void judge(setting* s) {
    for (const auto& v : variables)
        if (s->name == v.name) {
            s->fault = v.find_fault ? v.find_fault(s->value) : "";
            return;
        }
    for (int i = 0; i < MYBLAS_ROUTINE_COUNT; ++i)
        if (s->name == myblas::kernel_variables[i]) {
            s->fault = has_kernel(i, s->value) ? "" : "no kernel or family (myblas-bench --list)";
            return;
        }
    s->is_known = false;
    const std::string meant = most_similar_variable(s->name);
    s->is_misspelt = !meant.empty();
    s->fault = s->is_misspelt ? "is not known; did you mean " + meant + "?"
                              : "no variable that myblas reads";
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
        if ((!text.starts_with(prefix) && text.substr(0, equals) != emulation) ||
            equals == std::string_view::npos || equals + 1 == text.size())
            continue;
        setting s{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)), ""};
        judge(&s);
        settings.push_back(s);
    }
    std::sort(settings.begin(), settings.end(), [](const setting& a, const setting& b) {
        return a.name < b.name;
    });
    return settings;
}

std::string check_output(const std::string& value) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (value == "stderr")
        return "";
    if (fs::is_directory(value, ignored))
        return "cannot be written: it is a directory";
    fs::path tried = value;
    if (!fs::exists(tried, ignored)) // then its folder has to be there
        tried = tried.has_parent_path() ? tried.parent_path() : fs::path(".");
    return access(tried.c_str(), W_OK) == 0
               ? ""
               : std::string("cannot be written: ") + std::strerror(errno);
}

std::string describe(const setting& s) {
    return s.is_misspelt ? s.name + " " + s.fault : s.name + "=" + s.value + ": " + s.fault;
}

std::string describe_faults(bool with_kernels) {
    std::string faults;
    for (const setting& s : read_settings())
        // With a senseless value, cuBLAS's own variable counts as not set.
        if ((s.is_known || s.is_misspelt) && !s.fault.empty() && s.name != emulation &&
            (with_kernels || !s.name.ends_with("_KERNEL")))
            faults += (faults.empty() ? "" : "; ") + describe(s);
    return faults;
}

} // namespace tools

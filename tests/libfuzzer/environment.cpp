// Environment variables: lines NAME=value. The tools must call a value wrong exactly if its reader
// ignores it.
#include "core/environment.h"

#include "common/local_ranks.h"
#include "core/environment.h"
#include "core/workspace.h"
#include "myblas/myblas_kernels.h"
#include "settings.h"
#include "target.h"

#include <algorithm>
#include <vector>

// In place of the library: one kernel of each routine, on the host.
extern "C" myblasStatus_t
myblasGetKernelCount(myblasBackend_t backend, myblasRoutine_t, int* count) {
    *count = backend == MYBLAS_BACKEND_HOST;
    return MYBLAS_STATUS_SUCCESS;
}
extern "C" myblasStatus_t
myblasGetKernelInfo(myblasBackend_t, myblasRoutine_t, int, myblasKernelInfo_t* info) {
    info->name = "family/kernel";
    return MYBLAS_STATUS_SUCCESS;
}

namespace {

namespace preload = myblas::preload;

bool is_read_as_size(const char* variable) {
    constexpr size_t one = 1, other = 2; // the result for a wrong value
    return myblas::read_size(variable, one) == myblas::read_size(variable, other);
}

bool is_read_as_choice(const char* variable, std::initializer_list<const char*> words) {
    const char* const text = myblas::read_variable(variable);
    return std::any_of(
        words.begin(), words.end(), [&](const char* word) { return is_word(text, word); });
}

bool is_valid(const char* name) {
    const std::string_view variable = name;
    if (variable == "MYBLAS_NUM_THREADS")
        return myblas::is_count(name);
    if (variable == "MYBLAS_DEVICES")
        return myblas::is_count(name);
    if (variable == "MYBLAS_WORKSPACE") {
        size_t bytes;
        return myblas::parse_bytes(myblas::read_variable(name), &bytes);
    }
    if (variable == "MYBLAS_MATH")
        return is_read_as_choice(name, {"strict", "emulated", "fast", "reproducible"});
    if (variable == "MYBLAS_OFFLOAD")
        return is_read_as_choice(name, {"auto", "always", "never"});
    return is_read_as_size(name);
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::vector<std::string> names;
    std::string_view text = text_of(data, size);
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const size_t equals = line.find('=');
        if (equals == 0 || equals == std::string_view::npos ||
            line.substr(0, equals).find('\0') != std::string_view::npos)
            continue;
        names.emplace_back(line.substr(0, equals));
        setenv(names.back().c_str(), std::string(line.substr(equals + 1)).c_str(), 1);
    }

    for (const tools::setting& s : tools::read_settings()) {
        require(!s.value.empty(), "an empty variable counts as not set");
        require(!describe(s).empty(), "a setting can be described");
        for (const char* name : {"MYBLAS_NUM_THREADS",
                                 "MYBLAS_DEVICES",
                                 "MYBLAS_WORKSPACE",
                                 "MYBLAS_MATH",
                                 "MYBLAS_OFFLOAD",
                                 "MYBLAS_CUBLAS_WORKSPACE",
                                 "MYBLAS_DEVICE_MEMORY"})
            if (s.name == name)
                require(s.fault.empty() == is_valid(name), name);
    }
    tools::describe_faults(true);
    const preload::local_ranks ranks = preload::read_local_ranks();
    require(0 <= ranks.rank && ranks.rank < ranks.count, "a rank is below the count");
    for (const int gpus : {1, 2, 3, 8}) {
        int taken = 0;
        for (int gpu = 0; gpu < gpus; ++gpu) {
            require(ranks.on(gpu, gpus) >= 1, "every GPU is taken");
            taken += ranks.take(gpu, gpus);
        }
        require(taken >= 1, "a rank takes a GPU");
    }
    require(preload::read_rank() >= -1, "a rank of the job is no negative number");

    for (const std::string& name : names)
        unsetenv(name.c_str());
    return 0;
}

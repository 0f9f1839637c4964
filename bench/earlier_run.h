// The results that an interrupted run has left in its file, for --resume.
#pragma once

#include "machine.h"
#include "report.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct earlier_run {
    nlohmann::ordered_json context;
    results so_far;
    uint64_t seed = 0;
    ceilings limits; // as the file has them, rounded
    std::string date;
};

// Empty if there is no such file. Throws usage_error for a file that holds no such results.
std::optional<earlier_run> read_earlier_run(const std::string& file);

// Throws usage_error if the file holds results of an interrupted run, which a new run would
// overwrite.
void check_may_overwrite(const std::string& file);

// What of the context has to be the same in both runs.
inline constexpr const char* fields_of_same_runs[] = {
    "command", "commit", "library", "backend", "gpu", "driver", "cuda", "cublas", "cpu", "seed"};

// Throws usage_error unless both runs are of the same command, commit, machine and shapes.
void check_same_run(const std::string& file,
                    const earlier_run&,
                    const context&,
                    const std::vector<shape>&);

} // namespace bench

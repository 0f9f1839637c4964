// Writes measurements: as a table on standard output, as JSON and as CSV.
#pragma once

#include "call_log.h"
#include "machine.h"
#include "progress.h"
#include "shape.h"
#include "timing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct incumbent_time {
    std::string name;
    summary time;
};

// One kernel, and the incumbents that were timed in turn with it. The files have a row for each
// incumbent, or a single row if there is none.
struct row {
    shape sizes;
    std::string kernel, math, workspace;
    bool cold = false;
    summary time;
    std::vector<incumbent_time> incumbents;
    std::optional<double> max_err; // only when verified
    int64_t checked = 0;           // elements of the result that were
    bool passed = true;
};

// A kernel that was requested and not measured.
struct skipped_row {
    shape sizes;
    std::string kernel, reason;
};

struct context {
    facts machine;
    std::string backend, library, commit, command, date;
    uint64_t seed = 0;
    // The summary names ratios below it. No threshold: rows that do not belong together, such as
    // the rows of all kernels, have no summary.
    std::optional<double> threshold;
    ceilings limits;
};

// The results of a run so far, as its file has them.
struct results {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
    size_t shapes = 0, finished = 0; // numbers; finished: measured or skipped
    bool all_passed = true;
};

// The files that a run writes. An empty name: no file.
struct outputs {
    std::string json_file, csv_file;
    bool shows_table = true;
};
inline constexpr const char* standard_output = "-"; // the CSV goes there; then there is no table

// As the files hold it.
nlohmann::ordered_json to_json(const context&);
// JSON has no infinity, and no NaN: those become text.
nlohmann::ordered_json number_or_text(double);

// Throws usage_error if the file cannot be written.
std::ofstream open_file(const std::string& name);
// Writes a whole file, or throws usage_error. An existing file keeps its content until the new one
// is complete.
void write_file(const std::string& name, const std::string& text);

// Writes the context and `parts`, for commands that measure no sweep. An empty name: no file.
void write_results(const std::string& file, const context&, const nlohmann::ordered_json& parts);

class report {
public:
    // Throws usage_error if a file cannot be written. `so_far` has the results of an earlier run.
    report(context, outputs, results so_far, progress&);

    void print_heading() const;
    void add(const row&);
    void add(const skipped_row&);
    void add(const left_out_calls&);
    // Notes that all rows of a shape are known. Writes the files from time to time, so that an
    // interrupted run leaves nearly all its results, and a long run does not spend its time on
    // writing.
    void finish_shape();
    // Ends the run, whether or not all shapes are done, and writes everything.
    void finish();
    // For each routine and incumbent how many cases there are, the geometric mean of their ratios,
    // the worst, and those under the threshold.
    void print_summary() const;

    bool all_passed() const { return results_.all_passed; }
    size_t row_count() const { return results_.rows.size(); }

private:
    struct comparison {
        std::string routine, incumbent, of, name; // of: its class; name: its shape and kernel
        double ratio, us, incumbent_us;
        int64_t calls;
    };
    // The comparisons by routine and incumbent, in the order of their appearance.
    std::vector<std::vector<comparison>> groups() const;
    static double percentile_5(const std::vector<comparison>&);
    nlohmann::ordered_json summarise() const;
    void save();
    template <class... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) const;

    context context_;
    outputs outputs_;
    results results_;
    progress& progress_;
    std::chrono::steady_clock::time_point saved_;
    std::chrono::steady_clock::duration save_time_{};
};

} // namespace bench

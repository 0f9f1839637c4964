// What was measured, and the forms it is written in: a table on stdout, JSON, CSV.
#pragma once

#include "machine.h"
#include "shape.h"
#include "timing.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace bench {

// One kernel against one incumbent.
struct row {
    shape sizes;
    std::string kernel, math, workspace;
    bool cold = false;
    summary time;
    std::string incumbent; // empty: none
    summary incumbent_time;
    std::optional<double> max_err; // only when verified
    int64_t checked = 0;           // elements of the result that were
    bool passed = true;
};

// A kernel that was asked for and not measured.
struct skipped_row {
    shape sizes;
    std::string kernel, reason;
};

struct context {
    facts machine;
    std::string backend, library, commit, command, date;
    uint64_t seed = 0;
    // Ratios below it are named in the summary. None: rows that do not belong together, such as those of
    // all kernels, have no summary.
    std::optional<double> threshold;
    ceilings limits;
};

// As the files hold it.
nlohmann::ordered_json to_json(const context&);
// JSON has no infinity, and no NaN: those become text.
nlohmann::ordered_json number_or_text(double);

// Throws usage_error if the file cannot be written.
std::ofstream open_file(const std::string& name);

class report {
public:
    // Throws usage_error if a file cannot be written. Empty names: no file.
    report(context, std::string json_file, std::string csv_file);

    void print_heading() const;
    void add(const row&);
    void add(const skipped_row&);
    // For each routine and incumbent how many cases there are, the geometric mean of their ratios, the
    // worst, and those under the threshold.
    void print_summary() const;

    // Writes the files anew with all that is there.
    void save();
    // The same, but every few seconds only: an interrupted run leaves nearly all that it has, and a long one does
    // not spend its time on writing.
    void save_if_due();

    bool all_passed() const { return all_passed_; }
    size_t row_count() const { return results_.size(); }

private:
    struct comparison {
        std::string routine, incumbent, name; // of the case: its shape and kernel
        double ratio;
    };
    // The comparisons by routine and incumbent, in the order of their appearance.
    std::vector<std::vector<comparison>> groups() const;
    nlohmann::ordered_json summarise() const;

    context context_;
    std::vector<comparison> comparisons_;
    std::string json_file_, csv_file_;
    std::chrono::steady_clock::time_point saved_;
    nlohmann::ordered_json results_ = nlohmann::ordered_json::array();
    nlohmann::ordered_json skipped_ = nlohmann::ordered_json::array();
    bool all_passed_ = true;
};

} // namespace bench

#include "commands.h"

#include "accuracy.h"
#include "attribution.h"
#include "errors.h"
#include "json_text.h"
#include "task.h"

#include <fmt/format.h>

namespace bench {
namespace {

using nlohmann::ordered_json;

ordered_json number(double value) { return number_or_text(four_digits(value)); }

ordered_json to_json(const outcome& o, const shape& s) {
    const auto ratio = [](double value) { return value > 0 ? number(value) : nullptr; };
    ordered_json json = {{"data", to_text(s.data)}, {"m", s.m}, {"n", s.n}, {"k", s.k}};
    json["contender"] = o.asked.name;
    if (!o.kernel.empty()) {
        json["kernel"] = o.kernel;
        json["computed_by"] = to_text(o.computed_by);
    }
    json["max_ulp"] = number(o.errors.max_ulp);
    json["mean_ulp"] = number(o.errors.mean_ulp);
    json["frobenius"] = number(o.errors.frobenius);
    json["max_ratio"] = ratio(o.max_ratio);
    json["mean_ratio"] = ratio(o.mean_ratio);
    return json;
}

std::string case_name(const shape& s) {
    return fmt::format("{} {}x{}x{}", to_text(s.data), s.m, s.n, s.k);
}

class error_report {
public:
    error_report(const context& known, const std::string& file) : context_(known), file_(file) {
        save();
        fmt::print("errors of {} on {}: |C - AB| / |A||B| in units of 2^-24\n",
                   known.library,
                   known.machine.name());
        fmt::print("commit {}, {}, seed {}\n\n", known.commit, known.date, known.seed);
        fmt::print("contender: kernel                   computed        max      mean Frobenius    "
                   "max x   mean x  check\n");
    }

    static void print_case(const shape& s) { fmt::print("\n{}\n", case_name(s)); }

    void add(const shape& s, const outcome& o) {
        results_.push_back(to_json(o, s));
        all_passed_ = all_passed_ && o.passed;
        const bool is_ours = !o.kernel.empty();
        if (is_ours && o.asked.math != MYBLAS_FP32_STRICT_MATH) {
            ordered_json& group = group_of(o.asked.name);
            group["cases"] = group["cases"].get<int>() + 1;
            if (!o.is_within_limit)
                group["over_limit"].push_back({{"case", case_name(s) + " " + o.kernel},
                                               {"limit", limit_of(s.data)},
                                               {"max_ratio", number(o.max_ratio)},
                                               {"mean_ratio", number(o.mean_ratio)}});
        }
        const char* check = "-";
        if (is_ours)
            check = !o.passed ? "FAIL" : o.is_within_limit ? "ok" : "over";
        const bool names_kernel = is_ours && o.kernel != o.asked.name;
        fmt::print("{:<35} {:<9} {:>9.4g} {:>9.4g} {:>9.3g} {:>8.3g} {:>8.3g}  {}\n",
                   o.asked.name + (names_kernel ? ": " + o.kernel : ""),
                   is_ours ? to_text(o.computed_by) : "-",
                   o.errors.max_ulp,
                   o.errors.mean_ulp,
                   o.errors.frobenius,
                   o.max_ratio,
                   o.mean_ratio,
                   check);
        std::fflush(stdout);
    }

    void skip(const shape& s, const std::string& reason) {
        skipped_.push_back(
            {{"data", to_text(s.data)}, {"m", s.m}, {"n", s.n}, {"k", s.k}, {"reason", reason}});
        fmt::print("skipped: {}\n", reason);
    }

    void print_summary() const {
        for (const ordered_json& group : summary_) {
            fmt::print("\n{}: {} cases, {} over the limit\n",
                       group["contender"].get<std::string>(),
                       group["cases"].get<int>(),
                       group["over_limit"].size());
            for (const ordered_json& entry : group["over_limit"])
                fmt::print("  max {}, mean {} of {}: {}\n",
                           entry["max_ratio"].dump(),
                           entry["mean_ratio"].dump(),
                           entry["limit"].dump(),
                           entry["case"].get<std::string>());
        }
    }

    // Writes all results so far, so that an interrupted run leaves a complete file.
    void save() const {
        // With these sums of k, the kernel that computed can be told at any k. In files without
        // them, the attribution is right up to k = 1024 alone.
        const ordered_json strict_ends = {strict_end_chunk, strict_end_group};
        write_results(file_,
                      context_,
                      {{"strict_ends", strict_ends},
                       {"summary", summary_},
                       {"results", results_},
                       {"skipped", skipped_}});
    }

    bool all_passed() const { return all_passed_; }
    bool is_empty() const { return results_.empty(); }

private:
    ordered_json& group_of(const std::string& contender) {
        for (ordered_json& group : summary_)
            if (group["contender"] == contender)
                return group;
        summary_.push_back(
            {{"contender", contender}, {"cases", 0}, {"over_limit", ordered_json::array()}});
        return summary_.back();
    }

    const context& context_;
    std::string file_;
    ordered_json summary_ = ordered_json::array();
    ordered_json results_ = ordered_json::array();
    ordered_json skipped_ = ordered_json::array();
    bool all_passed_ = true;
};

} // namespace

bool run_accuracy(const session& of) {
    const accuracy_options& asked = of.chosen.accuracy;
    std::vector<data_kind> kinds = asked.data;
    if (kinds.empty())
        for (const named<data_kind>& kind : data_kinds)
            if (is_of_products(kind.value))
                kinds.push_back(kind.value);
    error_report report(of.known, of.chosen.json_file);
    const contest runs(of.handle, of.device, of.chosen.seed);
    for (const data_kind data : kinds)
        for (const int64_t side : asked.sides)
            for (const int64_t depth : asked.depths) {
                const shape s = complete({.m = side, .n = side, .k = depth, .data = data});
                error_report::print_case(s);
                if (const auto why = task::why_no_room(of.device, s, 2); !why.empty()) {
                    report.skip(s, why);
                    continue;
                }
                for (const outcome& o : runs.run(s))
                    report.add(s, o);
                report.save();
            }
    report.print_summary();
    if (report.is_empty())
        throw failure("nothing was computed");
    return report.all_passed();
}

} // namespace bench

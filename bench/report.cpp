#include "report.h"

#include "errors.h"
#include "json_text.h"
#include "shape_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace bench {
namespace {

using nlohmann::ordered_json;

double round_to(double value, int decimals) {
    const double scale = std::pow(10.0, decimals);
    return std::round(value * scale) / scale;
}

// Small rates have four digits, so that a reader can compute the work from them.
double round_rate(double rate) { return round_to(rate, rate < 100 ? 4 : 1); }

// Times are rounded to a nanosecond; rates and ratios have the digits that a reader can use.
double keep_ns(double us) { return round_to(us, 3); }

bool counts_flops(const row& r) { return counts_flops(r.sizes.routine); }
// The time of the host's part of a call (enqueue) has no rate.
bool has_rate(const row& r) { return r.time.how != timing::enqueue; }
// GFLOP/s or GB/s.
double rate(const shape& s, const summary& time) {
    return (counts_flops(s.routine) ? count_flops(s) : count_bytes(s)) / time.median_us / 1000;
}

// The measured ceiling that the rate is compared with; 0 if it was not measured.
double ceiling_of(const row& r, const ceilings& limits) {
    if (!has_rate(r))
        return 0;
    if (counts_flops(r))
        return limits.fma_gflops;
    return describe(r.sizes.routine).limit == limit::read ? limits.read_gbps : limits.copy_gbps;
}

double percent_of_ceiling(const row& r, const ceilings& limits) {
    const double limit = ceiling_of(r, limits);
    return limit > 0 ? 100 * rate(r.sizes, r.time) / limit : 0;
}

// The least time that the call can take: its bytes at the machine's rate, and in strict mode its
// multiply-adds at the measured ceiling; 0 where these are not known. With operands in the L2 cache
// it may take less.
double limit_us(const row& r, const ceilings& limits) {
    const shape& s = r.sizes;
    const bool is_product = s.routine == routine::sgemm || s.routine == routine::sgemm_fused;
    if (!has_rate(r) || limits.fma_gflops <= 0 || (counts_flops(r) && !is_product))
        return 0;
    const double flops_us = r.math == "strict" ? count_flops(s) / limits.fma_gflops / 1000 : 0;
    const double bytes = is_product ? count_product_bytes(s) : count_bytes(s);
    const bool only_reads = !is_product && describe(s.routine).limit == limit::read;
    const double gbps = only_reads ? limits.read_gbps : limits.copy_gbps;
    return std::max(flops_us, bytes / gbps / 1000);
}

std::string percent_of(double limit, double us) {
    return limit > 0 ? fmt::format("{:.0f}%", 100 * limit / us) : "-";
}

double ratio(const row& r, const incumbent_time& other) {
    return other.time.median_us / r.time.median_us;
}

// Widths of the first two columns. With the figures, a line has at most 100 characters. The line
// breaks after a text that is longer than its column.
constexpr int case_width = 26, name_width = 21;

std::string case_name(const shape& s) {
    return fmt::format("{} {}", describe(s.routine).name, to_text(s));
}

std::string cell(const std::string& text, int width, int indent) {
    const bool fits = static_cast<int>(text.size()) <= width;
    return fits ? fmt::format("{:<{}}", text, width)
                : fmt::format("{}\n{:{}}", text, "", indent + width);
}

std::string first_cells(const std::string& name_of_case, const std::string& name) {
    return cell(name_of_case, case_width, 0) + " " + cell(name, name_width, case_width + 1);
}

// Time, rate, spread and percentage of the limit of a line.
std::string figures(const shape& s, const summary& time, double limit) {
    std::string rate_text = "-";
    if (time.how != timing::enqueue) {
        const double giga = rate(s, time);
        rate_text = fmt::format("{:.{}f} {}{}/s",
                                giga < 1000 ? giga : giga / 1000,
                                giga < 100 ? 2 : 1,
                                giga < 1000 ? 'G' : 'T',
                                counts_flops(s.routine) ? "FLOP" : "B");
    }
    return fmt::format(" {:>10.2f} {:>13} {:>5.0f}% {:>5}",
                       time.median_us,
                       rate_text,
                       100 * (time.max_us - time.min_us) / time.median_us,
                       percent_of(limit, time.median_us));
}

ordered_json to_json(const row& r, const incumbent_time* other, const ceilings& limits) {
    ordered_json json = to_json(r.sizes);
    json["kernel"] = r.kernel;
    json["math"] = r.math;
    if (counts_flops(r))
        json["workspace"] = r.workspace;
    json["timing"] = to_text(r.time.how);
    json["cold"] = r.cold;
    json["time_us"] = keep_ns(r.time.median_us);
    json["time_us_min"] = keep_ns(r.time.min_us);
    json["time_us_max"] = keep_ns(r.time.max_us);
    if (!other) {
        json["incumbent"] = json["incumbent_timing"] = json["incumbent_us"] = nullptr;
        json["ratio"] = nullptr;
    } else {
        json["incumbent"] = other->name;
        json["incumbent_timing"] = to_text(other->time.how);
        json["incumbent_us"] = keep_ns(other->time.median_us);
        json["ratio"] = round_to(ratio(r, *other), 4);
    }
    if (has_rate(r))
        json[counts_flops(r) ? "gflops" : "gbps"] = round_rate(rate(r.sizes, r.time));
    if (ceiling_of(r, limits) > 0)
        json["percent_of_ceiling"] = round_to(percent_of_ceiling(r, limits), 1);
    if (const double limit = limit_us(r, limits); limit > 0)
        json["limit_us"] = keep_ns(limit);
    json["max_err"] = nullptr;
    if (r.max_err)
        json["max_err"] = number_or_text(*r.max_err);
    json["checked"] = r.max_err ? ordered_json(r.checked) : ordered_json(nullptr);
    json["sm_clock_mhz"] = r.time.sm_clock_mhz;
    return json;
}

// A cell with a comma or a quotation mark stands in quotation marks (RFC 4180).
std::string csv_cell(const ordered_json& value) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.find_first_of(",\"\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

// Columns stand in the order of their first appearance. Not every routine has every column.
std::string to_csv(const ordered_json& results) {
    std::vector<std::string> columns;
    for (const ordered_json& result : results)
        for (const auto& [name, value] : result.items())
            if (std::find(columns.begin(), columns.end(), name) == columns.end())
                columns.push_back(name);
    std::string text = fmt::format("{}\n", fmt::join(columns, ","));
    for (const ordered_json& result : results) {
        std::vector<std::string> cells;
        for (const std::string& name : columns) {
            const auto found = result.find(name);
            const bool is_empty = found == result.end() || found->is_null();
            cells.push_back(is_empty ? "" : csv_cell(*found));
        }
        text += fmt::format("{}\n", fmt::join(cells, ","));
    }
    return text;
}

} // namespace

std::ofstream open_file(const std::string& name) {
    std::ofstream file(name, std::ios::trunc);
    if (!file)
        throw usage_error(fmt::format("cannot write {}", name));
    return file;
}

void write_file(const std::string& name, const std::string& text) {
    namespace fs = std::filesystem;
    const bool is_device =
        name.starts_with("/dev/") || (fs::exists(name) && !fs::is_regular_file(name));
    const fs::path target = fs::weakly_canonical(name);
    const std::string fresh = target.string() + ".new";
    std::ofstream file;
    if (!is_device)
        file.open(fresh, std::ios::trunc);
    const bool is_fresh = file.is_open();
    if (!is_fresh)
        file = open_file(name);
    file << text << std::flush;
    if (!file)
        throw failure(fmt::format("cannot write {}", name));
    if (is_fresh)
        fs::rename(fresh, target);
}

ordered_json number_or_text(double value) {
    if (std::isnan(value))
        return "nan";
    return std::isinf(value) ? ordered_json("inf") : ordered_json(value);
}

ordered_json to_json(const context& c) {
    const auto or_null = [](const std::string& text) {
        return text.empty() ? ordered_json(nullptr) : ordered_json(text);
    };
    const auto measured = [](double value) {
        return value > 0 ? ordered_json(round_to(value, 2)) : ordered_json(nullptr);
    };
    ordered_json json;
    json["gpu"] = or_null(c.machine.gpu);
    json["driver"] = or_null(c.machine.driver);
    json["cuda"] = or_null(c.machine.cuda);
    json["cublas"] = or_null(c.machine.cublas);
    json["cpu"] = or_null(c.machine.cpu);
    json["backend"] = c.backend;
    json["library"] = c.library;
    json["commit"] = c.commit;
    json["command"] = c.command;
    json["date"] = c.date;
    json["seed"] = c.seed;
    for (const auto& [name, ceiling] : ceiling_names)
        json["ceilings"][name] = measured(c.limits.*ceiling);
    return json;
}

void write_results(const std::string& file, const context& known, const ordered_json& parts) {
    if (file.empty())
        return;
    ordered_json json;
    json["context"] = to_json(known);
    json.update(parts);
    write_file(file, to_json_text(json));
}

report::report(context c, outputs where, results so_far, progress& shown)
    : context_(std::move(c)), outputs_(std::move(where)), results_(std::move(so_far)),
      progress_(shown) {
    save();
}

template <class... Arguments>
void report::print(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    progress_.clear();
    if (!outputs_.shows_table)
        return;
    fmt::print(format, std::forward<Arguments>(arguments)...);
    std::fflush(stdout);
}

void report::print_heading() const {
    const facts& machine = context_.machine;
    const ceilings& limits = context_.limits;
    if (machine.gpu.empty())
        print("{} on {}\n", context_.library, machine.cpu.empty() ? "the host" : machine.cpu);
    else
        print("{} on {}, driver {}, CUDA {}, cuBLAS {}\n",
              context_.library,
              machine.gpu,
              machine.driver.empty() ? "unknown" : machine.driver,
              machine.cuda,
              machine.cublas.empty() ? "not found" : machine.cublas);
    print("commit {}, {}, seed {}\n", context_.commit, context_.date, context_.seed);
    if (limits.fma_gflops > 0)
        print("measured ceilings: {:.0f} GFLOP/s FP32 FMA, copy {:.0f} GB/s, read {:.0f} GB/s, "
              "empty kernel {:.2f} us\n",
              limits.fma_gflops,
              limits.copy_gbps,
              limits.read_gbps,
              limits.empty_graph_us);
    print("\n{} {:>10} {:>13} {:>6} {:>5}  check, ratio\n",
          first_cells("case", "kernel, then others"),
          "time us",
          "rate",
          "spread",
          "limit");
}

void report::add(const row& r) {
    for (const incumbent_time& other : r.incumbents)
        results_.rows.push_back(to_json(r, &other, context_.limits));
    if (r.incumbents.empty())
        results_.rows.push_back(to_json(r, nullptr, context_.limits));
    results_.all_passed = results_.all_passed && r.passed;
    if (has_rate(r))
        progress_.learn(predict_work(r.sizes), r.time.median_us * 1e-6);
    if (!r.passed && !outputs_.shows_table)
        fmt::print(stderr, "myblas-bench: a wrong result: {}: {}\n", case_name(r.sizes), r.kernel);

    const std::string check =
        r.max_err ? fmt::format("  {} {:.2g}", r.passed ? "ok" : "FAIL", *r.max_err) : "";
    const double limit = limit_us(r, context_.limits);
    print("{}{}{}\n",
          first_cells(case_name(r.sizes), r.kernel),
          figures(r.sizes, r.time, limit),
          check);
    for (const incumbent_time& other : r.incumbents)
        print("{}{}  {:.3f}\n",
              first_cells("", other.name),
              figures(r.sizes, other.time, limit),
              ratio(r, other));
}

void report::add(const skipped_row& r) {
    ordered_json json = to_json(r.sizes);
    json["kernel"] = r.kernel;
    json["reason"] = r.reason;
    results_.skipped.push_back(json);
    print("{} skipped: {}\n", first_cells(case_name(r.sizes), r.kernel), r.reason);
}

void report::add(const left_out_calls& left) {
    results_.skipped.push_back(
        {{"function", left.function}, {"calls", left.calls}, {"reason", left.reason}});
    print("left out: {} calls of {}: {}\n", left.calls, left.function, left.reason);
}

std::vector<std::vector<report::comparison>> report::groups() const {
    constexpr double least_ratio = 0.5e-4; // smaller ones are rounded to 0
    std::vector<std::vector<comparison>> found;
    for (const ordered_json& r : results_.rows) {
        if (r["incumbent"].is_null())
            continue;
        const shape sizes = read_shape(r);
        const comparison c = {describe(sizes.routine).name,
                              r["incumbent"],
                              r.value("class", std::string()),
                              fmt::format("{} {}", to_text(sizes), r["kernel"].get<std::string>()),
                              std::max(r["ratio"].get<double>(), least_ratio),
                              r["time_us"],
                              r["incumbent_us"],
                              sizes.calls};
        const auto same = [&](const std::vector<comparison>& group) {
            return group[0].routine == c.routine && group[0].incumbent == c.incumbent &&
                   group[0].of == c.of;
        };
        const auto group = std::find_if(found.begin(), found.end(), same);
        if (group == found.end())
            found.push_back({c});
        else
            group->push_back(c);
    }
    return found;
}

// The ratios ascend; values between neighbours are interpolated linearly.
double report::percentile_5(const std::vector<comparison>& group) {
    const double place = 0.05 * static_cast<double>(group.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, group.size() - 1);
    const double part = place - static_cast<double>(below);
    return group[below].ratio * (1 - part) + group[above].ratio * part;
}

ordered_json report::summarise() const {
    ordered_json summary = ordered_json::array();
    if (!context_.threshold)
        return summary;
    const auto describe_case = [](const comparison& c) {
        return ordered_json{{"case", c.name}, {"ratio", round_to(c.ratio, 4)}};
    };
    for (std::vector<comparison>& group : groups()) {
        std::sort(group.begin(), group.end(), [](const comparison& x, const comparison& y) {
            return x.ratio < y.ratio;
        });
        double log_sum = 0;
        ordered_json under = ordered_json::array();
        for (const comparison& c : group) {
            log_sum += std::log(c.ratio);
            if (c.ratio < *context_.threshold)
                under.push_back(describe_case(c));
        }
        const double mean = std::exp(log_sum / static_cast<double>(group.size()));
        ordered_json of = {{"routine", group[0].routine}, {"incumbent", group[0].incumbent}};
        if (!group[0].of.empty())
            of["class"] = group[0].of;
        summary.push_back(of);
        summary.back().update({{"cases", group.size()},
                               {"geometric_mean", round_to(mean, 4)},
                               {"percentile_5", round_to(percentile_5(group), 4)},
                               {"worst", describe_case(group[0])},
                               {"threshold", *context_.threshold},
                               {"under_threshold", under}});
        const auto total = [&](double comparison::*us) {
            double sum = 0;
            for (const comparison& c : group)
                sum += static_cast<double>(c.calls) * c.*us;
            return keep_ns(sum);
        };
        if (group[0].calls > 0) { // a replay of a program's calls
            int64_t calls = 0;
            for (const comparison& c : group)
                calls += c.calls;
            summary.back()["calls"] = calls;
            summary.back()["total_us"] = total(&comparison::us);
            summary.back()["incumbent_total_us"] = total(&comparison::incumbent_us);
        }
    }
    return summary;
}

void report::print_summary() const {
    for (const ordered_json& group : summarise()) {
        const ordered_json& under = group["under_threshold"];
        const std::string of = group.value("class", std::string());
        print("\n{}{} against {}: {} case{}, geometric mean of the ratios {:.3f}, {} under {}\n",
              group["routine"].get<std::string>(),
              of.empty() ? "" : ", " + of + ",",
              group["incumbent"].get<std::string>(),
              group["cases"].get<size_t>(),
              group["cases"] == 1 ? "" : "s",
              group["geometric_mean"].get<double>(),
              under.size(),
              group["threshold"].get<double>());
        constexpr size_t many = 20; // with fewer cases, a percentile says little
        if (group["cases"] >= many)
            print("  5th percentile {:.3f}, least {:.3f}\n",
                  group["percentile_5"].get<double>(),
                  group["worst"]["ratio"].get<double>());
        if (group.contains("calls")) {
            const double ours = group["total_us"], others = group["incumbent_total_us"];
            print("  all {} calls: {:.4g} ms, by {} {:.4g} ms ({:.3f})\n",
                  group["calls"].get<int64_t>(),
                  ours / 1000,
                  group["incumbent"].get<std::string>(),
                  others / 1000,
                  others / ours);
        }
        const ordered_json lowest = ordered_json::array({group["worst"]});
        for (const ordered_json& entry : under.empty() ? lowest : under)
            print("  {:.3f}  {}\n", entry["ratio"].get<double>(), entry["case"].get<std::string>());
    }
}

void report::finish_shape() {
    constexpr int least_share = 50; // saving takes at most a fiftieth of the time
    ++results_.finished;
    if (std::chrono::steady_clock::now() - saved_ >= least_share * save_time_)
        save();
}

void report::finish() {
    save();
    if (outputs_.csv_file != standard_output)
        return;
    progress_.clear();
    fmt::print("{}", to_csv(results_.rows));
    std::fflush(stdout);
}

void report::save() {
    const auto begin = std::chrono::steady_clock::now();
    if (!outputs_.json_file.empty()) {
        ordered_json json;
        json["context"] = to_json(context_);
        json["run"] = {{"shapes", results_.shapes},
                       {"finished", results_.finished},
                       {"all_passed", results_.all_passed}};
        json["summary"] = summarise();
        json["results"] = results_.rows;
        json["skipped"] = results_.skipped;
        write_file(outputs_.json_file, to_json_text(json));
    }
    if (!outputs_.csv_file.empty() && outputs_.csv_file != standard_output)
        write_file(outputs_.csv_file, to_csv(results_.rows));
    saved_ = std::chrono::steady_clock::now();
    save_time_ = saved_ - begin;
}

} // namespace bench

#include "report.h"

#include "errors.h"
#include "json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace bench {
namespace {

using nlohmann::ordered_json;

ordered_json describe_sizes(const shape& s) {
    const auto op = [](bool transposed) { return transposed ? "T" : "N"; };
    const routine_info& info = describe(s.routine);
    const auto applies = [&](char option) { return has_option(s.routine, option); };

    ordered_json json;
    json["routine"] = info.name;
    if (applies('h'))
        json["side"] = s.right ? "R" : "L";
    if (applies('w'))
        json["uplo"] = s.upper ? "U" : "L";
    if (applies('t'))
        json["transa"] = op(s.transa);
    if (applies('u'))
        json["transb"] = op(s.transb);
    if (applies('o'))
        json["trans"] = op(s.transa);
    if (applies('g'))
        json["diag"] = s.unit ? "U" : "N";
    if (applies('m'))
        json["m"] = s.m;
    json["n"] = s.n;
    if (applies('k'))
        json["k"] = s.k;
    if (applies('a'))
        json["lda"] = s.lda;
    if (applies('s'))
        json["ldb"] = s.ldb;
    if (applies('l'))
        json["ldc"] = s.ldc;
    if (applies('i'))
        json["incx"] = s.incx;
    if (applies('d'))
        json["data"] = to_text(s.data);
    json["elem_bytes"] = s.element_bytes;
    json["offset"] = s.offset;
    if (applies('b')) {
        json["batch"] = s.batch;
        json["pointer_array"] = s.pointer_array;
    }
    if (applies('p'))
        json["in_place"] = s.in_place;
    return json;
}

double round_to(double value, int decimals) {
    const double scale = std::pow(10.0, decimals);
    return std::round(value * scale) / scale;
}

// Four digits of small ones, from which a reader can tell the work.
double round_rate(double rate) { return round_to(rate, rate < 100 ? 4 : 1); }

// Times keep a nanosecond, rates and ratios what a reader can use.
double keep_ns(double us) { return round_to(us, 3); }

double gflops(const row& r) { return count_flops(r.sizes) / r.time.median_us / 1000; }
double gbps(const row& r) { return count_bytes(r.sizes) / r.time.median_us / 1000; }
bool counts_flops(const row& r) { return counts_flops(r.sizes.routine); }
// The host's part of a call moves nothing.
bool has_rate(const row& r) { return r.time.how != timing::enqueue; }

// What the rate is held against; 0 if it was not measured.
double ceiling_of(const row& r, const ceilings& limits) {
    if (!has_rate(r))
        return 0;
    if (counts_flops(r))
        return limits.fma_gflops;
    return describe(r.sizes.routine).limit == limit::read ? limits.read_gbps : limits.copy_gbps;
}

double percent_of_ceiling(const row& r, const ceilings& limits) {
    const double limit = ceiling_of(r, limits);
    return limit > 0 ? 100 * (counts_flops(r) ? gflops(r) : gbps(r)) / limit : 0;
}

double ratio(const row& r) { return r.incumbent_time.median_us / r.time.median_us; }

// A cell of the table's clock column, which only a GPU has.
std::string clock_cell(const context& c, const std::string& text) {
    return c.machine.gpu.empty() ? "" : fmt::format(" {:>5}", text);
}

ordered_json to_json(const row& r, const ceilings& limits) {
    ordered_json json = describe_sizes(r.sizes);
    json["kernel"] = r.kernel;
    json["math"] = r.math;
    if (counts_flops(r))
        json["workspace"] = r.workspace;
    json["timing"] = to_text(r.time.how);
    json["cold"] = r.cold;
    json["time_us"] = keep_ns(r.time.median_us);
    json["time_us_min"] = keep_ns(r.time.min_us);
    json["time_us_max"] = keep_ns(r.time.max_us);
    if (r.incumbent.empty()) {
        json["incumbent"] = json["incumbent_timing"] = json["incumbent_us"] = nullptr;
        json["ratio"] = nullptr;
    } else {
        json["incumbent"] = r.incumbent;
        json["incumbent_timing"] = to_text(r.incumbent_time.how);
        json["incumbent_us"] = keep_ns(r.incumbent_time.median_us);
        json["ratio"] = round_to(ratio(r), 4);
    }
    if (has_rate(r) && counts_flops(r))
        json["gflops"] = round_rate(gflops(r));
    else if (has_rate(r))
        json["gbps"] = round_rate(gbps(r));
    if (ceiling_of(r, limits) > 0)
        json["percent_of_ceiling"] = round_to(percent_of_ceiling(r, limits), 1);
    json["max_err"] = nullptr;
    if (r.max_err)
        json["max_err"] = number_or_text(*r.max_err);
    json["checked"] = r.max_err ? ordered_json(r.checked) : ordered_json(nullptr);
    json["sm_clock_mhz"] = r.time.sm_clock_mhz;
    return json;
}

// Columns in the order of their first appearance: routines differ in what they have.
void write_csv(std::ofstream& file, const ordered_json& results) {
    std::vector<std::string> columns;
    for (const ordered_json& result : results)
        for (const auto& [name, value] : result.items())
            if (std::find(columns.begin(), columns.end(), name) == columns.end())
                columns.push_back(name);
    file << fmt::format("{}\n", fmt::join(columns, ","));
    for (const ordered_json& result : results) {
        std::vector<std::string> cells;
        for (const std::string& name : columns) {
            const auto found = result.find(name);
            if (found == result.end() || found->is_null())
                cells.emplace_back();
            else
                cells.push_back(found->is_string() ? found->get<std::string>() : found->dump());
        }
        file << fmt::format("{}\n", fmt::join(cells, ","));
    }
}

} // namespace

std::ofstream open_file(const std::string& name) {
    std::ofstream file(name, std::ios::trunc);
    if (!file)
        throw usage_error(fmt::format("cannot write {}", name));
    return file;
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
    json["ceilings"] = {{"fma_gflops", measured(c.limits.fma_gflops)},
                        {"copy_gbps", measured(c.limits.copy_gbps)},
                        {"read_gbps", measured(c.limits.read_gbps)},
                        {"empty_graph_us", measured(c.limits.empty_graph_us)}};
    return json;
}

report::report(context c, std::string json_file, std::string csv_file)
    : context_(std::move(c)), json_file_(std::move(json_file)), csv_file_(std::move(csv_file)) {
    save();
}

void report::print_heading() const {
    const facts& machine = context_.machine;
    const ceilings& limits = context_.limits;
    if (machine.gpu.empty())
        fmt::print("{} on {}\n", context_.library, machine.cpu.empty() ? "the host" : machine.cpu);
    else
        fmt::print("{} on {}, driver {}, CUDA {}, cuBLAS {}\n",
                   context_.library,
                   machine.gpu,
                   machine.driver.empty() ? "unknown" : machine.driver,
                   machine.cuda,
                   machine.cublas.empty() ? "not found" : machine.cublas);
    fmt::print("commit {}, {}, seed {}\n", context_.commit, context_.date, context_.seed);
    if (limits.fma_gflops > 0)
        fmt::print(
            "measured ceilings: {:.0f} GFLOP/s FP32 FMA, copy {:.0f} GB/s, read {:.0f} GB/s, "
            "empty kernel {:.2f} us\n",
            limits.fma_gflops,
            limits.copy_gbps,
            limits.read_gbps,
            limits.empty_graph_us);
    fmt::print(
        "\n{:<9} {:<32} {:<24} {:<10} {:>11} {:>15} {:>8} {:>7}{}  {:<22} {:>11} {:>6}  {}\n",
        "routine",
        "shape",
        "kernel",
        "timing",
        "time us",
        "rate",
        "spread",
        "ceiling",
        clock_cell(context_, "MHz"),
        "against",
        "time us",
        "ratio",
        "check");
}

void report::add(const row& r) {
    results_.push_back(to_json(r, context_.limits));
    all_passed_ = all_passed_ && r.passed;
    if (!r.incumbent.empty())
        comparisons_.push_back({describe(r.sizes.routine).name,
                                r.incumbent,
                                fmt::format("{} {}", to_text(r.sizes), r.kernel),
                                ratio(r)});

    const std::string rate = !has_rate(r)      ? "-"
                             : counts_flops(r) ? fmt::format("{:.1f} GFLOP/s", gflops(r))
                                               : fmt::format("{:.1f} GB/s", gbps(r));
    const std::string spread =
        fmt::format("{:.0f}%", 100 * (r.time.max_us - r.time.min_us) / r.time.median_us);
    const double percent = percent_of_ceiling(r, context_.limits);
    const bool alone = r.incumbent.empty();
    std::string check = "-";
    if (r.max_err)
        check = fmt::format("{} {:.3g}", r.passed ? "ok" : "FAIL", *r.max_err);
    const unsigned mhz = r.time.sm_clock_mhz;
    fmt::print(
        "{:<9} {:<32} {:<24} {:<10} {:>11.2f} {:>15} {:>8} {:>7}{}  {:<22} {:>11} {:>6}  {}\n",
        describe(r.sizes.routine).name,
        to_text(r.sizes),
        r.kernel,
        fmt::format("{}{}", to_text(r.time.how), r.cold ? " cold" : ""),
        r.time.median_us,
        rate,
        spread,
        percent > 0 ? fmt::format("{:.1f}%", percent) : "-",
        clock_cell(context_, mhz ? fmt::format("{}", mhz) : "-"),
        alone ? "-" : r.incumbent,
        alone ? "-" : fmt::format("{:.2f}", r.incumbent_time.median_us),
        alone ? "-" : fmt::format("{:.3f}", ratio(r)),
        check);
    std::fflush(stdout);
}

void report::add(const skipped_row& r) {
    ordered_json json = describe_sizes(r.sizes);
    json["kernel"] = r.kernel;
    json["reason"] = r.reason;
    skipped_.push_back(json);
    fmt::print("{:<9} {:<32} {:<24} skipped: {}\n",
               describe(r.sizes.routine).name,
               to_text(r.sizes),
               r.kernel,
               r.reason);
    std::fflush(stdout);
}

std::vector<std::vector<report::comparison>> report::groups() const {
    std::vector<std::vector<comparison>> found;
    for (const comparison& c : comparisons_) {
        const auto same = [&](const std::vector<comparison>& group) {
            return group[0].routine == c.routine && group[0].incumbent == c.incumbent;
        };
        const auto group = std::find_if(found.begin(), found.end(), same);
        if (group == found.end())
            found.push_back({c});
        else
            group->push_back(c);
    }
    return found;
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
        summary.push_back({{"routine", group[0].routine},
                           {"incumbent", group[0].incumbent},
                           {"cases", group.size()},
                           {"geometric_mean", round_to(mean, 4)},
                           {"worst", describe_case(group[0])},
                           {"threshold", *context_.threshold},
                           {"under_threshold", under}});
    }
    return summary;
}

void report::print_summary() const {
    for (const ordered_json& group : summarise()) {
        const ordered_json& under = group["under_threshold"];
        fmt::print("\n{} against {}: {} cases, geometric mean of the ratios {:.3f}, worst {:.3f} "
                   "({}), {} under {}\n",
                   group["routine"].get<std::string>(),
                   group["incumbent"].get<std::string>(),
                   group["cases"].get<size_t>(),
                   group["geometric_mean"].get<double>(),
                   group["worst"]["ratio"].get<double>(),
                   group["worst"]["case"].get<std::string>(),
                   under.size(),
                   group["threshold"].get<double>());
        for (const ordered_json& entry : under)
            fmt::print(
                "  {:.3f}  {}\n", entry["ratio"].get<double>(), entry["case"].get<std::string>());
    }
}

void report::save_if_due() {
    if (std::chrono::steady_clock::now() - saved_ >= std::chrono::seconds(5))
        save();
}

void report::save() {
    saved_ = std::chrono::steady_clock::now();
    if (!json_file_.empty()) {
        ordered_json json;
        json["context"] = to_json(context_);
        json["summary"] = summarise();
        json["results"] = results_;
        json["skipped"] = skipped_;
        open_file(json_file_) << to_json_text(json);
    }
    if (!csv_file_.empty()) {
        std::ofstream file = open_file(csv_file_);
        write_csv(file, results_);
    }
}

} // namespace bench

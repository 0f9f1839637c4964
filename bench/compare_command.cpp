#include "compare_command.h"

#include "errors.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bench {
namespace {

using nlohmann::json;

// Fields of a result that say how it was measured or what came out. All others name the case.
const std::set<std::string> outcomes = {
    "kernel",
    "time_us",
    "time_us_min",
    "time_us_max",
    "incumbent",
    "incumbent_timing",
    "incumbent_us",
    "ratio",
    "percent_of_ceiling",
    "gflops",
    "gbps",
    "max_err",
    "checked",
    "sm_clock_mhz",
    "workspace",
    "calls",
};

struct timed {
    std::string kernel;
    double us, least_us, most_us;
};

struct results_file {
    std::string name;
    json context;
    std::map<std::string, std::vector<timed>> cases; // one entry for each kernel
};

std::string name_of(const json& entry) {
    std::string name = entry.at("routine").get<std::string>();
    for (const auto& [field, value] : entry.items()) {
        // What is off, or nothing, would only make the name longer.
        if (field == "routine" || outcomes.count(field) || value == false || value == 0 ||
            value.is_null())
            continue;
        name += fmt::format(
            " {}={}", field, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return name;
}

results_file read(const std::string& path) {
    std::ifstream stream(path);
    if (!stream)
        throw usage_error(fmt::format("{} cannot be read", path));
    results_file file{path, {}, {}};
    try {
        const json all = json::parse(stream);
        file.context = all.at("context");
        for (const json& entry : all.at("results")) {
            std::vector<timed>& kernels = file.cases[name_of(entry)];
            const timed measured{entry.at("kernel").get<std::string>(),
                                 entry.at("time_us").get<double>(),
                                 entry.at("time_us_min").get<double>(),
                                 entry.at("time_us_max").get<double>()};
            // A case stands there once for each library that it is compared with.
            const bool is_known =
                std::any_of(kernels.begin(), kernels.end(), [&](const timed& other) {
                    return other.kernel == measured.kernel;
                });
            if (!is_known)
                kernels.push_back(measured);
        }
    } catch (const json::exception&) {
        throw usage_error(fmt::format("{} is no file of myblas-bench --json", path));
    }
    return file;
}

struct pair_of_times {
    std::string name;
    timed before, after;

    [[nodiscard]] double ratio() const { return before.us / after.us; }
};

// -1: slower, 1: faster, 0: within the noise. The samples of the two runs must not overlap, and the medians differ by
// more than the tolerance.
int verdict(const pair_of_times& p, double tolerance) {
    if (p.after.least_us > p.before.most_us && p.after.us > p.before.us * (1 + tolerance))
        return -1;
    if (p.after.most_us < p.before.least_us && p.before.us > p.after.us * (1 + tolerance))
        return 1;
    return 0;
}

// One kernel on each side is the library's choice, which may have changed; of several, the same are compared.
void match(const std::string& name,
           const std::vector<timed>& before,
           const std::vector<timed>& after,
           std::vector<pair_of_times>& pairs) {
    if (before.size() == 1 && after.size() == 1) {
        pairs.push_back({name, before[0], after[0]});
        return;
    }
    for (const timed& b : before)
        for (const timed& a : after)
            if (a.kernel == b.kernel)
                pairs.push_back({name, b, a});
}

std::string text_of(const json& context, const char* field) {
    const json value = context.value(field, json());
    return value.is_string() ? value.get<std::string>() : "";
}

void print_heading(const char* letter, const results_file& file) {
    const std::string gpu = text_of(file.context, "gpu");
    fmt::print("{}  {}: {}, commit {}, {}\n",
               letter,
               file.name,
               gpu.empty() ? text_of(file.context, "cpu") : gpu,
               text_of(file.context, "commit"),
               text_of(file.context, "date"));
}

void print_pair(const pair_of_times& p, const char* word) {
    const std::string kernels = p.before.kernel == p.after.kernel
                                    ? p.after.kernel
                                    : fmt::format("{} -> {}", p.before.kernel, p.after.kernel);
    fmt::print("{:<7} {:>8.3f} {:>12.2f} {:>12.2f}  {}: {}\n",
               word,
               p.ratio(),
               p.before.us,
               p.after.us,
               p.name,
               kernels);
}

} // namespace

int compare(int argc, char** argv) {
    CLI::App app("Says what is faster or slower in B than in A, beyond the noise of both.",
                 "myblas-bench compare");
    std::string before_path, after_path;
    double tolerance = 0.01;
    bool shows_all = false;
    app.add_option("A", before_path, "results of myblas-bench --json, before")->required();
    app.add_option("B", after_path, "the same, after")->required();
    app.add_option("--tolerance", tolerance, "medians that differ by less are the same (0.01)")
        ->check(CLI::Range(0.0, 10.0));
    app.add_flag("--all", shows_all, "cases within the noise, too");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0)
            return app.exit(error);
        throw usage_error(error.what());
    }

    const results_file before = read(before_path), after = read(after_path);
    std::vector<pair_of_times> pairs;
    for (const auto& [name, kernels] : before.cases) {
        const auto found = after.cases.find(name);
        if (found != after.cases.end())
            match(name, kernels, found->second, pairs);
    }
    if (pairs.empty())
        throw usage_error(fmt::format("{} and {} have no case in common", before_path, after_path));
    std::stable_sort(
        pairs.begin(), pairs.end(), [](const pair_of_times& a, const pair_of_times& b) {
            return a.ratio() < b.ratio();
        });

    print_heading("A", before);
    print_heading("B", after);
    if (text_of(before.context, "gpu") != text_of(after.context, "gpu") ||
        text_of(before.context, "cpu") != text_of(after.context, "cpu"))
        fmt::print("They were measured on different machines.\n");
    fmt::print(
        "\n{:<7} {:>8} {:>12} {:>12}  {}\n", "", "A / B", "A (us)", "B (us)", "case: kernel");
    int counts[3] = {};
    double logarithms = 0;
    for (const pair_of_times& p : pairs) {
        static constexpr const char* words[] = {"slower", "same", "faster"};
        const int found = verdict(p, tolerance) + 1;
        ++counts[found];
        logarithms += std::log(p.ratio());
        if (shows_all || found != 1)
            print_pair(p, words[found]);
    }
    fmt::print("\n{} cases: {} slower, {} the same within noise, {} faster; geometric mean of A / "
               "B {:.3f}\n",
               pairs.size(),
               counts[0],
               counts[1],
               counts[2],
               std::exp(logarithms / static_cast<double>(pairs.size())));
    return counts[0] > 0 ? 1 : 0;
}

} // namespace bench

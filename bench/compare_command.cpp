#include "commands.h"

#include "errors.h"
#include "shape_json.h"
#include "timing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace bench {
namespace {

using json = nlohmann::ordered_json;

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
    const shape s = complete(read_shape(entry));
    std::string name = fmt::format("{} {}", describe(s.routine).name, to_text(s));
    for (const char* how : {"math", "timing"})
        if (entry.contains(how))
            name += fmt::format(" {}", entry.at(how).get<std::string>());
    return entry.value("cold", false) ? name + " cold" : name;
}

results_file read(const std::string& path) {
    std::ifstream stream(path);
    if (!stream)
        throw usage_error(fmt::format("{} cannot be read", path));
    results_file file{path, {}, {}};
    try {
        const json all = json::parse(stream);
        file.context = all.at("context").get_ref<const json::object_t&>();
        for (const json& entry : all.at("results")) {
            std::vector<timed>& kernels = file.cases[name_of(entry)];
            const timed measured{entry.at("kernel").get<std::string>(),
                                 entry.at("time_us").get<double>(),
                                 entry.at("time_us_min").get<double>(),
                                 entry.at("time_us_max").get<double>()};
            if (!(measured.us > 0))
                throw usage_error(fmt::format("time_us = {} is not positive", measured.us));
            // A file has a case once for each library that it is compared with.
            const bool is_known =
                std::any_of(kernels.begin(), kernels.end(), [&](const timed& other) {
                    return other.kernel == measured.kernel;
                });
            if (!is_known)
                kernels.push_back(measured);
        }
    } catch (const usage_error& error) {
        throw usage_error(fmt::format("{}: {}", path, error.what()));
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

// -1: slower, 1: faster, 0: within the noise. The samples of the two runs must not overlap, and the
// medians differ by more than the tolerance.
int verdict(const pair_of_times& p, double tolerance) {
    if (p.after.least_us > p.before.most_us && p.after.us > p.before.us * (1 + tolerance))
        return -1;
    if (p.after.most_us < p.before.least_us && p.before.us > p.after.us * (1 + tolerance))
        return 1;
    return 0;
}

// A single kernel on each side is the library's choice, which may have changed. If there are
// several, kernels of the same name are compared.
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

// The median, and its samples.
std::string figures(const timed& t) {
    return fmt::format(
        "{:>12.2f} {:>24}", t.us, fmt::format("({:.2f} to {:.2f})", t.least_us, t.most_us));
}

// The median, over all cases, of the spread of the samples relative to their median.
double noise(const std::vector<pair_of_times>& pairs, timed pair_of_times::*side) {
    std::vector<double> spreads;
    for (const pair_of_times& p : pairs)
        spreads.push_back(((p.*side).most_us - (p.*side).least_us) / (p.*side).us);
    return median(spreads);
}

void print_pair(const pair_of_times& p, const char* word) {
    const std::string kernels = p.before.kernel == p.after.kernel
                                    ? p.after.kernel
                                    : fmt::format("{} -> {}", p.before.kernel, p.after.kernel);
    fmt::print("{:<7} {:>8.3f} {} {}\n    {}: {}\n",
               word,
               p.ratio(),
               figures(p.before),
               figures(p.after),
               p.name,
               kernels);
}

} // namespace

bool compare(const compare_options& asked) {
    const results_file before = read(asked.before), after = read(asked.after);
    std::vector<pair_of_times> pairs;
    for (const auto& [name, kernels] : before.cases) {
        const auto found = after.cases.find(name);
        if (found != after.cases.end())
            match(name, kernels, found->second, pairs);
    }
    if (pairs.empty())
        throw usage_error(
            fmt::format("{} and {} have no case in common", asked.before, asked.after));
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
        "Noise: the samples of a case spread by {:.1f}% of their median in A and by {:.1f}% in B "
        "(median over\nthe cases). A case is slower or faster if its samples in A and B do not "
        "overlap and the medians\ndiffer by more than {:g}%.\n",
        100 * noise(pairs, &pair_of_times::before),
        100 * noise(pairs, &pair_of_times::after),
        100 * asked.tolerance);
    fmt::print("\n           A / B       A (us)                  samples       B (us)              "
               "    samples\n");
    int counts[3] = {};
    double logarithms = 0;
    for (const pair_of_times& p : pairs) {
        static constexpr const char* words[] = {"slower", "same", "faster"};
        const int found = verdict(p, asked.tolerance) + 1;
        ++counts[found];
        logarithms += std::log(p.ratio());
        if (asked.shows_all || found != 1)
            print_pair(p, words[found]);
    }
    fmt::print("\n{} cases: {} slower, {} the same within noise, {} faster; geometric mean of A / "
               "B {:.3f}\n",
               pairs.size(),
               counts[0],
               counts[1],
               counts[2],
               std::exp(logarithms / static_cast<double>(pairs.size())));
    return counts[0] == 0;
}

} // namespace bench

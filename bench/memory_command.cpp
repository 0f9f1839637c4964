#include "commands.h"

#include "errors.h"
#include "memory_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace bench {
namespace {

using nlohmann::ordered_json;

constexpr int timeline_characters = 72;

double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

double gbps(const memory_options& chosen, double ms) {
    const auto values = static_cast<double>(chosen.rows * chosen.columns);
    return 2 * sizeof(float) * values / ms * 1e-6;
}

void print_heading(const memory_options& chosen) {
    const double mb = sizeof(float) * 1e-6 * static_cast<double>(chosen.rows * chosen.columns);
    const std::string work =
        chosen.is_product ? fmt::format("Y = W X, W {0} x {0} on the GPU", chosen.rows) : "Y = 2 X";
    fmt::print("{}; X and Y {} x {} in host memory, {:.0f} MB each, {} chunks\n\n",
               work,
               chosen.rows,
               chosen.columns,
               mb,
               chosen.chunks);
    fmt::print("{:<22} {:>9} {:>9} {:>7} {:>9} {:>9} {:>9}\n",
               "memory",
               "allocate",
               "total ms",
               "GB/s",
               "up",
               "compute",
               "down");
}

void print_row(const memory_options& chosen, const way_times& found) {
    if (!found.skipped.empty()) {
        fmt::print("{:<22} not measured: {}\n", found.name, found.skipped);
        return;
    }
    fmt::print("{:<22} {:>9.2f} {:>9.2f} {:>7.1f} {:>9.2f} {:>9.2f} {:>9.2f}{}\n",
               found.name,
               found.allocate_ms,
               found.median_ms,
               gbps(chosen, found.median_ms),
               busy_ms(found.spans, engine::up),
               busy_ms(found.spans, engine::compute),
               busy_ms(found.spans, engine::down),
               found.passed ? "" : "  WRONG");
    std::fflush(stdout);
}

void print_timelines(const std::vector<way_times>& all) {
    double longest = 0;
    for (const way_times& found : all)
        longest = std::max(longest, found.median_ms);
    for (const way_times& found : all) {
        if (!found.skipped.empty())
            continue;
        fmt::print("\n{}\n", found.name);
        for (const std::string& line : timeline_lines(found.spans, longest, timeline_characters))
            fmt::print("  {}\n", line);
    }
    fmt::print("\nA line is {:.2f} ms long. Steps above each other overlap.\n", longest);
}

ordered_json to_json(const memory_options& chosen, const std::vector<way_times>& all) {
    ordered_json results = ordered_json::array(), spans = ordered_json::array();
    ordered_json skipped = ordered_json::array();
    for (const way_times& found : all) {
        if (!found.skipped.empty()) {
            skipped.push_back({{"memory", found.name}, {"reason", found.skipped}});
            continue;
        }
        const auto [least, most] =
            std::minmax_element(found.rounds_ms.begin(), found.rounds_ms.end());
        results.push_back({{"work", chosen.is_product ? "product" : "vector"},
                           {"m", chosen.rows},
                           {"n", chosen.columns},
                           {"chunks", chosen.chunks},
                           {"memory", found.name},
                           {"allocate_ms", rounded(found.allocate_ms)},
                           {"total_ms", rounded(found.median_ms)},
                           {"total_ms_min", rounded(*least)},
                           {"total_ms_max", rounded(*most)},
                           {"gbps", rounded(gbps(chosen, found.median_ms))},
                           {"up_ms", rounded(busy_ms(found.spans, engine::up))},
                           {"compute_ms", rounded(busy_ms(found.spans, engine::compute))},
                           {"down_ms", rounded(busy_ms(found.spans, engine::down))},
                           {"passed", found.passed}});
        for (const span& s : found.spans)
            spans.push_back({{"memory", found.name},
                             {"step", to_text(s.by)},
                             {"begin_ms", rounded(s.begin_ms)},
                             {"end_ms", rounded(s.end_ms)}});
    }
    return {{"results", results}, {"spans", spans}, {"skipped", skipped}};
}

} // namespace

bool run_memory(const session& of) {
    const options& chosen = of.chosen;
    const myblasBackend_t backend = of.handle.backend();
    if (backend != MYBLAS_BACKEND_CUDA)
        throw failure("memory needs a GPU: it compares ways to a GPU's memory, and the host "
                      "backend has none");
    print_heading(chosen.memory);
    std::vector<way_times> all;
    measure_memory_ways(chosen.memory, backend, chosen.seed, [&](const way_times& found) {
        print_row(chosen.memory, found);
        all.push_back(found);
    });
    print_timelines(all);
    write_results(chosen.json_file, of.known, to_json(chosen.memory, all));
    return std::all_of(all.begin(), all.end(), [](const way_times& w) { return w.passed; });
}

} // namespace bench

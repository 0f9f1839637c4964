#include "timing.h"

#include <algorithm>
#include <chrono>

namespace bench {
namespace {

constexpr int max_rounds = 1000;
constexpr int clock_rounds = 10; // asking the driver costs more than a short sample

// How a subject is timed: as planned, but by a queue if the subject is slower in a graph.
timing choose(const subject& s, const plan& how) {
    return s.slow_in_graph && how.how == timing::graph ? timing::queue : how.how;
}

summary summarise(timing how, const std::vector<sample>& samples) {
    std::vector<double> times, clocks;
    for (const sample& s : samples) {
        times.push_back(s.us);
        if (s.sm_clock_mhz)
            clocks.push_back(s.sm_clock_mhz);
    }
    const auto [low, high] = std::minmax_element(times.begin(), times.end());
    return {how,
            median(times),
            *low,
            *high,
            clocks.empty() ? 0u : static_cast<unsigned>(median(clocks))};
}

} // namespace

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<summary> measure(machine& device, std::span<const subject> subjects, const plan& how) {
    std::vector<std::unique_ptr<stopwatch>> watches;
    for (const subject& s : subjects)
        watches.push_back(device.watch(s, choose(s, how), how.cold));

    std::vector<std::vector<sample>> samples(subjects.size());
    const std::chrono::duration<double> budget(how.min_time_s *
                                               static_cast<double>(subjects.size()));
    const auto start = std::chrono::steady_clock::now();
    for (int round = 0; round < std::max(max_rounds, how.min_rounds); ++round) {
        if (round >= how.min_rounds && std::chrono::steady_clock::now() - start >= budget)
            break;
        for (size_t i = 0; i < watches.size(); ++i)
            samples[i].push_back(watches[i]->take(round < clock_rounds));
    }

    std::vector<summary> summaries;
    for (size_t i = 0; i < subjects.size(); ++i)
        summaries.push_back(summarise(choose(subjects[i], how), samples[i]));
    return summaries;
}

} // namespace bench

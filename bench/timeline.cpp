#include "timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bench {

const char* to_text(engine by) {
    constexpr const char* names[engine_count] = {"up", "compute", "down"};
    return names[static_cast<int>(by)];
}

double busy_ms(std::vector<span> spans, engine by) {
    std::sort(spans.begin(), spans.end(), [](const span& a, const span& b) {
        return a.begin_ms < b.begin_ms;
    });
    double sum = 0, until = 0;
    for (const span& s : spans) {
        if (s.by != by)
            continue;
        sum += std::max(0.0, s.end_ms - std::max(s.begin_ms, until));
        until = std::max(until, s.end_ms);
    }
    return sum;
}

std::vector<std::string>
timeline_lines(const std::vector<span>& spans, double total_ms, int characters) {
    constexpr char marks[engine_count] = {'>', '#', '<'};
    std::vector<std::string> lines;
    for (int i = 0; i < engine_count; ++i) {
        std::string marked(static_cast<size_t>(characters), ' ');
        bool works = false;
        for (const span& s : spans) {
            if (static_cast<int>(s.by) != i)
                continue;
            const auto place = [&](double ms) {
                return std::clamp(
                    static_cast<int>(std::lround(ms / total_ms * characters)), 0, characters);
            };
            const int begin = std::min(place(s.begin_ms), characters - 1);
            const int end = std::max(place(s.end_ms), begin + 1);
            std::fill(marked.begin() + begin, marked.begin() + end, marks[i]);
            works = true;
        }
        if (!works)
            continue;
        marked.erase(marked.find_last_not_of(' ') + 1);
        lines.push_back(fmt::format("{:<8} {}", to_text(static_cast<engine>(i)), marked));
    }
    return lines;
}

} // namespace bench

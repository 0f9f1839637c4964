// What works when, as text: a line of characters for each engine.
#pragma once

#include <string>
#include <vector>

namespace bench {

// Who works: the engine that copies to the GPU, the multiprocessors, the engine that copies back.
enum class engine { up, compute, down };
inline constexpr int engine_count = 3;
const char* to_text(engine);

struct span {
    engine by = engine::up;
    double begin_ms = 0, end_ms = 0; // since the beginning of its round
};

// The time in which an engine has work, ms. Where spans overlap, one waits for the other: their time counts once.
double busy_ms(std::vector<span>, engine);

// One line for each engine that works, `characters` for `total_ms`; a span has at least one of them.
std::vector<std::string> timeline_lines(const std::vector<span>&, double total_ms, int characters);

} // namespace bench

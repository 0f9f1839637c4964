// Interleaved measurement: every round takes one sample of each subject, so that drifting clocks
// and temperatures affect all of them alike.
#pragma once

#include "machine.h"

#include <chrono>

namespace bench {

struct plan {
    timing how = timing::wall;
    bool cold = false;
    double min_time_s = 0.25; // for each subject
    int min_rounds = 5;
};

struct summary {
    timing how = timing::wall;
    double median_us = 0, min_us = 0, max_us = 0;
    unsigned sm_clock_mhz = 0;
};

// One summary for each subject, in order.
std::vector<summary> measure(machine&, std::span<const subject>, const plan&);

double median(std::vector<double> values);

using wall_clock = std::chrono::steady_clock;
inline double seconds_since(wall_clock::time_point start) {
    return std::chrono::duration<double>(wall_clock::now() - start).count();
}

} // namespace bench

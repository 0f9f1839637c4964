// Ways of data in host memory to a kernel and back, each timed as a whole and step by step.
#pragma once

#include "myblas/myblas.h"
#include "options.h"
#include "timeline.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct way_times {
    std::string name;
    std::string skipped;           // why it was not measured; empty: it was
    double allocate_ms = 0;        // of the host's memory, with the first write of its pages
    std::vector<double> rounds_ms; // each until the host can read all results
    double median_ms = 0;
    std::vector<span> spans; // of the round whose time is the median
    bool passed = true;      // the results are right, and the same bits as those of the first way
};

// On the current GPU, by handles of the backend. `report` gets each way as soon as it is measured. Throws usage_error if
// the data does not fit the GPU.
void measure_memory_ways(const memory_options&,
                         myblasBackend_t,
                         uint64_t seed,
                         const std::function<void(const way_times&)>& report);

} // namespace bench

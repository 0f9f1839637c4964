// Memory over time: the memory of a process after each round of calls, when all of its handles are
// gone.
#pragma once

#include <string>
#include <vector>

namespace fuzz {

struct memory_use {
    double rss_mib = 0;
    double gpu_used_mib = 0; // of the whole device; 0 without one
    double own_mib = 0;      // allocated, by all code but the CUDA driver's
    double driver_mib = 0;   // allocated by the CUDA driver's code
};

// To be called before threads start. The allocator of the C library then keeps almost no freed
// memory. By default it keeps up to 64 MiB for each thread, which looks like growth.
void return_memory_at_once();

memory_use measure_memory();

struct soak_round {
    double seconds = 0; // since the beginning, at the end of the round
    memory_use memory;
    long long calls = 0, handles = 0; // in the round
};

// Which memory keeps growing; empty: none. Memory grows if every round of the last quarter holds
// more than each round of the second quarter. In the first quarter caches fill. The memory that the
// CUDA driver's code allocates is left out.
std::string growth_in(const std::vector<soak_round>& rounds);

} // namespace fuzz

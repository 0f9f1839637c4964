// Memory over time: the memory of a process after each round of calls, when all of its handles are
// gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fuzz {

struct memory_use {
    double rss_mib = 0;
    double gpu_used_mib = 0;  // of the whole device, by all processes; 0 without one
    double own_mib = 0;       // allocated by all code but the CUDA driver's
    double driver_mib = 0;    // allocated by the CUDA driver's code, without what it loses
    double lost_mib = 0;      // allocated by the places in the driver's code that lose memory
    int64_t user_objects = 0; // made since the beginning; 0 if this is not known
};

// What the CUDA driver itself loses, without the library: version 580 keeps 200 bytes of the
// process for each instance of a graph with a user object that was launched.
struct driver_loss {
    double bytes_of_graph = 0;
    std::vector<size_t> places;                  // of driver_places()
    std::optional<size_t> place_of_user_objects; // allocates one block for each
};

// Launches and destroys such graphs by the driver alone. Finds nothing unless the library has used
// a GPU. No other thread may use the driver.
driver_loss find_driver_loss();

// To be called before threads start. The allocator of the C library then keeps almost no freed
// memory. By default it keeps up to 64 MiB for each thread, which looks like growth.
void return_memory_at_once();

memory_use measure_memory(const driver_loss&);

struct soak_round {
    double seconds = 0; // since the beginning, at the end of the round
    memory_use memory;
    long long calls = 0, handles = 0, graphs = 0; // in the round
};

struct soak_run {
    std::vector<soak_round> rounds;
    double bytes_of_graph = 0; // of driver_loss
};

// Which memory keeps growing; empty: none. Memory grows if every round of the last quarter holds
// more than each round of the second quarter. In the first quarter caches fill. What the driver
// loses may grow by bytes_of_graph for each user object, or for each graph if user objects cannot
// be counted.
std::string growth_in(const soak_run&);

} // namespace fuzz

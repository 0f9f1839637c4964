// The memory that this process has allocated and not freed, by malloc and its kind.
#pragma once

#include <cstdint>
#include <vector>

namespace fuzz {

// All code but that of the CUDA driver.
int64_t own_live_bytes();

struct place_use {
    int64_t bytes = 0;  // allocated and not freed
    int64_t blocks = 0; // allocated ever
};

// The code of the CUDA driver, by the places in it that have allocated. A place keeps its
// index.
std::vector<place_use> driver_places();

// From now on, what the code of the CUDA driver's mapped libraries allocates is the driver's.
void find_driver();

} // namespace fuzz

// The memory that this process has allocated and not freed, by malloc and its kind.
#pragma once

#include <cstdint>

namespace fuzz {

struct live_bytes {
    int64_t driver = 0; // allocated by the CUDA driver's code
    int64_t rest = 0;
};

live_bytes count_live_bytes();

// From now on, allocations from within the CUDA driver's libraries that are mapped are the driver's.
void find_driver();

} // namespace fuzz

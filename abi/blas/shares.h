// What several devices, and the host where they fail, do together for one call.
#pragma once

#include "blas/whole_call.h"

#include <cstdint>

namespace myblas::preload {

// Independent parts of a call, numbered from 0.
struct shares {
    int64_t count;
    double bytes;         // that each device copies, about
    size_t memory_needed; // bytes of a device's memory
    // Computes a share on a device, which is held. A share counts as begun once a download of it has arrived.
    function_ref<bool(device&, int64_t index)> compute;
    // Computes what is left of a share after so many downloads of it.
    function_ref<void(int64_t index, int64_t downloads)> finish_on_host;
};

// Bytes that each of the open devices may take.
size_t memory_of(std::span<device* const>) noexcept;

// A device that is not open yet takes none of them.
// Unless it is `served`, nothing was touched.
outcome compute_shares(std::span<device* const>, const shares&) noexcept;

inline constexpr size_t most_devices = 16;

} // namespace myblas::preload

// Divides one call among several devices. Where a device fails, the host computes the rest.
#pragma once

#include "blas/whole_call.h"

#include <cstdint>

namespace myblas::preload {

// Independent parts of a call, numbered from 0.
struct shares {
    int64_t count;
    double bytes;         // copied by each device, approximately
    size_t memory_needed; // bytes of a device's memory
    // Computes a share on a device whose lease is held. A share counts as begun once one of its
    // downloads has arrived.
    function_ref<bool(device&, int64_t index)> compute;
    // Computes the rest of a share on the host, after `downloads` of its downloads have arrived.
    function_ref<void(int64_t index, int64_t downloads)> finish_on_host;
};

// Bytes that each of the open devices may take.
size_t memory_of(std::span<device* const>) noexcept;

// Devices that are not open yet take no shares. Unless the result is `served`, no data was changed.
outcome compute_shares(std::span<device* const>, const shares&) noexcept;

inline constexpr size_t most_devices = 16;

} // namespace myblas::preload

// Divides one call among several devices. Where a device fails, the host computes the rest.
#pragma once

#include "blas/whole_call.h"

#include <array>
#include <cstdint>

namespace myblas::preload {

inline constexpr size_t most_devices = 16;

// The devices of one call: all those that can be held. Calls hold devices in the same order, so
// they do not wait for each other in a circle.
class held_devices {
public:
    explicit held_devices(std::span<device* const>) noexcept;
    ~held_devices();
    held_devices(const held_devices&) = delete;
    held_devices& operator=(const held_devices&) = delete;

    std::span<device* const> all() const { return {devices_.data(), count_}; }
    // Bytes that each device may take.
    size_t memory() const noexcept;

private:
    std::array<device*, most_devices> devices_{};
    size_t count_ = 0;
};

inline constexpr auto tell_nobody = [](int64_t) {};

// Independent parts of a call, numbered from 0. Device i computes share i at the same time as the
// other devices compute theirs. Shares beyond the number of devices go to whichever is free.
struct shares {
    int64_t count;
    double bytes;         // copied by each device, approximately
    size_t memory_needed; // bytes of a device's memory
    // Computes a share on a device that is active. A share counts as begun once one of its
    // downloads has arrived.
    function_ref<bool(device&, int64_t index)> compute;
    // Computes the rest of a share on the host, after `downloads` of its downloads have arrived.
    function_ref<void(int64_t index, int64_t downloads)> finish_on_host;
    // Called at once when a share fails or cannot begin.
    function_ref<void(int64_t index)> fail = tell_nobody;
};

// Unless the result is `served`, no data was changed.
outcome compute_shares(const held_devices&, const shares&) noexcept;

// The same for devices that share an operand if `is_shared`. A device that fails then stops the
// others, which wait for its parts: is_shared becomes false, and all begin again without sharing.
outcome compute_shares(const held_devices&, const shares&, bool& is_shared) noexcept;

} // namespace myblas::preload

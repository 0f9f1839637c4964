// An operand that several devices need is uploaded once in all. Each device uploads some parts of
// it, and fetches the other parts from the devices that have uploaded them. The operand is at the
// same place in the memory of each device.
//
// A device may be lost after it has published an upload. Devices that fetched from it then deliver
// nothing: device::fetch.
#pragma once

#include "blas/shares.h"

#include <array>
#include <atomic>

namespace myblas::preload {

class exchange {
public:
    // Device `index` is the one at this place of `devices`. Each part has an event of the device
    // that uploads it, from `first_event` on.
    exchange(std::span<device* const> devices, int first_event) noexcept
        : devices_(devices), first_event_(first_event) {}

    // Whether every device can fetch from every other one.
    bool is_possible() const noexcept;

    // The device has uploaded its share of this part, and of all parts before it, to its memory.
    bool publish(int index, const float* memory, int part) noexcept;
    // The device publishes nothing more. Devices that wait for it fail, too.
    void fail(int index) noexcept;

    // Waits until the owner has published the part, and enqueues the copy of a matrix from the
    // owner's memory to the same place in this device's memory.
    bool fetch(int index,
               int owner,
               const float* memory,
               int part,
               const device_matrix& to,
               int64_t rows,
               int64_t cols) noexcept;

private:
    static constexpr int failed = -1;
    struct entry {
        const float* memory = nullptr;
        std::atomic<int> published{0}; // parts
    };
    device& at(int index) const { return *devices_[static_cast<size_t>(index)]; }
    void tell(int index, int published) noexcept;

    const std::span<device* const> devices_;
    const int first_event_;
    std::array<entry, most_devices> entries_;
};

} // namespace myblas::preload

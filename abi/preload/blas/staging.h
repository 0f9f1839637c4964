// Operations on the program's matrices on devices: tiles are uploaded, computed with, and
// downloaded. The three stages overlap. An operand that several devices need is uploaded once in
// all, a part by each device, which then has the other parts from the other devices.
#pragma once

#include "blas/exchange.h"
#include "blas/product_schedule.h"

namespace myblas::preload {

// Computes a part of an operation that a device could not compute.
using host_function = function_ref<void(const level3&)>;

// Computes blocks of C on the devices, and by `on_host` the blocks that fail there. Unless the
// result is `served`, no data was changed.
outcome staged_product(const held_devices&, const product&, host_function on_host) noexcept;

// A product that one device computes alone, with the memory that a call may take.
class lone_product {
public:
    lone_product(const device&, const product&, size_t memory_bytes) noexcept;
    size_t bytes() const; // of device memory; SIZE_MAX: it does not fit as a whole
    bool compute(device&) const noexcept;
    // What the host has to compute if only this number of downloads has arrived.
    product rest(int64_t downloads) const;

private:
    product p_;
    product_schedule schedule_;
};

// A product of n x n matrices that are already in device memory, with arbitrary contents: for
// timing.
bool resident_product(device&, int64_t n) noexcept;

} // namespace myblas::preload

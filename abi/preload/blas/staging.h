// Operations on the program's matrices on devices: tiles are uploaded, computed with, and
// downloaded. The three stages overlap. An operand that several devices need is uploaded once in
// all, a part by each device, which then has the other parts from the other devices.
#pragma once

#include "blas/exchange.h"
#include "blas/level3.h"

namespace myblas::preload {

// Computes a part of an operation that a device could not compute.
using host_function = function_ref<void(const level3&)>;

// Computes blocks of C on the devices, and by `on_host` the blocks that fail there. Unless the
// result is `served`, no data was changed.
outcome staged_product(const held_devices&, const product&, host_function on_host) noexcept;

// A product of n x n matrices that are already in device memory, with arbitrary contents: for
// timing.
bool resident_product(device&, int64_t n) noexcept;

} // namespace myblas::preload

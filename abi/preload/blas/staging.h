// Operations on the program's matrices on devices: tiles are uploaded, computed with, and
// downloaded. The three stages overlap.
#pragma once

#include "blas/level3.h"
#include "blas/whole_call.h"

#include <cstdint>
#include <span>

namespace myblas::preload {

// Computes a part of an operation that a device could not compute.
using host_function = function_ref<void(const level3&)>;

// Computes blocks of C on the devices, and by `on_host` the blocks that fail there. Unless the
// result is `served`, no data was changed.
outcome staged_product(std::span<device* const>, const product&, host_function on_host) noexcept;

// A product of n x n matrices that are already in device memory, with arbitrary contents: for
// timing.
bool resident_product(device&, int64_t n) noexcept;

} // namespace myblas::preload

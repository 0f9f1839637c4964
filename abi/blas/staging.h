// Operations on the program's matrices by way of devices: tiles go up, are computed with, and come down,
// each of these while the others go on.
#pragma once

#include "blas/level3.h"
#include "blas/whole_call.h"

#include <cstdint>
#include <span>

namespace myblas::preload {

// Computes what a device could not: a part of the product.
using host_product = void (*)(const product&, const void* context);

// Takes blocks of C to the devices; what fails there, `fall_back` computes. `context` is for it alone.
// Unless it is `served`, nothing was touched.
outcome staged_product(std::span<device* const>,
                       const product&,
                       host_product fall_back,
                       const void* context) noexcept;

// A product of n x n matrices that are in device memory already, whatever they hold: to be timed.
bool resident_product(device&, int64_t n) noexcept;

} // namespace myblas::preload

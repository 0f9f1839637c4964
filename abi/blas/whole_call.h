// Calls whose operands go to one device as a whole: those that use their data too seldom to gain, and are served for
// tests and experiments alone (MYBLAS_OFFLOAD=always).
#pragma once

#include "blas/device.h"
#include "common/function_ref.h"

#include <span>

namespace myblas::preload {

// does_not_fit: not even in parts, in the memory that MYBLAS_DEVICE_MEMORY leaves to a call.
enum class outcome { served, no_device_free, does_not_fit, device_failed };

// A matrix of the program, or a vector as one row of it.
struct operand {
    const float* data; // null: it is only written
    float* target;     // where the device's result goes; null: it is only read
    int64_t rows, cols, ld;
    triangle part = {};
};
inline constexpr size_t most_operands = 4;

// Calls libmyblas with the operands' addresses in device memory, where they lie without gaps.
using device_call = function_ref<myblasStatus_t(const device&, float* const* operands)>;

// Unless it is `served`, nothing was touched.
outcome whole_call(device&, std::span<const operand>, device_call) noexcept;

// libmyblas's function of a name that ends in _64; without that, where a function has no sizes.
void* sized_function(const char* name) noexcept;

} // namespace myblas::preload

// Calls whose operands are copied to one device as a whole. A GPU is never faster, because they use
// their data too seldom. They are served only for tests and experiments (MYBLAS_OFFLOAD=always).
#pragma once

#include "blas/device.h"
#include "common/function_ref.h"

#include <span>

namespace myblas::preload {

// does_not_fit: the call does not fit, even in parts, into the memory that MYBLAS_DEVICE_MEMORY
// allows.
enum class outcome { served, no_device_free, does_not_fit, device_failed };

// A matrix of the program, or a vector as one row of it.
struct operand {
    const float* data; // null: it is only written
    float* target;     // destination of the device's result; null: only read
    int64_t rows, cols, ld;
    triangle part = {};
};
inline constexpr size_t most_operands = 4;

// Calls libmyblas with the operands' addresses in device memory, where the operands have no gaps.
using device_call = function_ref<myblasStatus_t(const device&, float* const* operands)>;

// Unless the result is `served`, no data was changed.
outcome whole_call(device&, std::span<const operand>, device_call) noexcept;

// libmyblas's function NAME_64; NAME alone for a function that has no sizes.
void* sized_function(const char* name) noexcept;

} // namespace myblas::preload

// Computes the other operations of level 3 on devices, as level3.h plans them.
#pragma once

#include "blas/staging.h"

namespace myblas::preload {

// The functions that compute a part which a device could not compute.
struct host_functions {
    void (*level3)(const level3&, const void* context);
    host_product product;
    const void* context;
};

// Unless the result is `served`, no data was changed.
outcome
staged_level3(std::span<device* const>, const level3&, const host_functions& on_host) noexcept;

} // namespace myblas::preload

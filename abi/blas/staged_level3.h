// The other operations of level 3 by way of devices, as level3.h plans them.
#pragma once

#include "blas/staging.h"

namespace myblas::preload {

// What computes a part that a device could not.
struct host_functions {
    void (*level3)(const level3&, const void* context);
    host_product product;
    const void* context;
};

// Unless it is `served`, nothing was touched.
outcome
staged_level3(std::span<device* const>, const level3&, const host_functions& on_host) noexcept;

} // namespace myblas::preload

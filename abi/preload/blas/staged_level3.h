// Computes the operations of level 3 on devices, as level3.h plans them; products as in staging.h.
#pragma once

#include "blas/staging.h"

namespace myblas::preload {

// `on_host` computes parts that the devices could not compute. Devices that are not open yet take
// no part. Unless the result is `served`, no data was changed.
outcome staged_level3(std::span<device* const>, const level3&, host_function on_host) noexcept;

} // namespace myblas::preload

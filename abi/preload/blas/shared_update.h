// C = alpha * op(A) * op(A)^T + beta * C on several devices, which share one upload of A.
#pragma once

#include "blas/staging.h"

namespace myblas::preload {

// Each device computes some tiles of C's triangle (level3.h), and needs all of A for that. A comes
// in panels along k. Each device uploads some columns of a panel, and fetches the others from the
// devices that upload them. Its tiles grow with each panel, while the next one arrives. With the
// last panel, a tile is finished in groups of columns, which are downloaded meanwhile.
class shared_update {
public:
    shared_update(const held_devices&, const level3&) noexcept;

    // Whether this is a rank-k update whose copies may take longer than its arithmetic, and the
    // devices can copy from each other and have the memory.
    bool can_be_used() const noexcept;

    // Unless the result is `served`, no data was changed.
    outcome run(host_function on_host) noexcept;

private:
    const held_devices& devices_;
    const level3& p_;
    const int count_; // of devices
    exchange with_;
};

} // namespace myblas::preload

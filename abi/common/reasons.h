// Why libmyblas makes no handle, or refuses what it was to compute: the settings that are wrong, by name.
#pragma once

#include "common/library.h"

namespace myblas::preload {

// Why a handle could not be made, from the status and the settings.
const char* reason_of(myblasStatus_t) noexcept;

// Which routines have a kernel forced on them by the environment that the handle's backend lacks.
class missing_kernels {
public:
    void find(const library&, myblasHandle_t) noexcept;
    // What to say of a call that failed; null if the kernel is none of its troubles.
    const char* reason(myblasRoutine_t) const noexcept;

private:
    unsigned routines_ = 0; // a bit each
};

} // namespace myblas::preload

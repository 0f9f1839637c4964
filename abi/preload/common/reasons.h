// Why libmyblas makes no handle or refuses a call, with the names of the wrong settings.
#pragma once

#include "common/library.h"

namespace myblas::preload {

// Why a handle could not be made, from the status and the settings.
const char* reason_of(myblasStatus_t) noexcept;

// Whether MYBLAS_MATH asks for reproducible mode.
bool is_reproducible() noexcept;

// The routines whose variable forces a kernel that the handle's backend lacks.
class missing_kernels {
public:
    void find(const library&, myblasHandle_t) noexcept;
    // Why a call failed; null if the kernel is not the cause.
    const char* reason(myblasRoutine_t) const noexcept;

private:
    unsigned routines_ = 0; // a bit each
};

} // namespace myblas::preload

// The histogram's kernels on the host, in ladder order.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

extern const kernel_entry<histogram_problem> histogram_serial;
extern const kernel_entry<histogram_problem> histogram_interleaved;

} // namespace myblas::host

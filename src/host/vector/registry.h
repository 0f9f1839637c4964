// Kernels of axpy and copy on the host, in ladder order.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

extern const kernel_entry<axpy_problem> axpy_reference;
extern const kernel_entry<copy_problem> copy_reference;

} // namespace myblas::host

// `myblas-bench energy`.
#pragma once

#include "library.h"
#include "options.h"
#include "report.h"

namespace bench {

// Throws failure where the driver does not count the GPU's energy.
void run_energy(const options&, const library_handle&, machine&, const context&);

} // namespace bench

// `myblas-bench memory`.
#pragma once

#include "library.h"
#include "options.h"
#include "report.h"

namespace bench {

// Whether all results are right. Throws failure on the host backend.
[[nodiscard]] bool run_memory(const options&, const library_handle&, const context&);

} // namespace bench

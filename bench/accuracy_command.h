// `myblas-bench accuracy`.
#pragma once

#include "library.h"
#include "options.h"
#include "report.h"

namespace bench {

// Whether every result kept its mode's promise, and no kernel left ordinary data to another.
bool run_accuracy(const options&, const library_handle&, machine&, const context&);

} // namespace bench

// `myblas-bench tune`: the tuner on a machine, and what it leaves behind.
#pragma once

#include "library.h"
#include "machine.h"
#include "options.h"
#include "report.h"

namespace bench {

// Writes the files that the options name and prints a summary. Throws usage_error if a file cannot be
// written, before anything is measured.
void run_tuner(const options&, const library_handle&, machine&, const context&);

} // namespace bench

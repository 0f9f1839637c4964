// `myblas-bench tune`: factors on the library's predictions for the card at hand.
#pragma once

#include "library.h"
#include "machine.h"
#include "options.h"
#include "report.h"

namespace bench {

void run_tuner(const options&, const library_handle&, machine&, const context&);

} // namespace bench

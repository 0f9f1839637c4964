// `myblas-bench compare A.json B.json`: what is faster or slower in B than in A, beyond the noise of both.
#pragma once

#include "options.h"

namespace bench {

// Whether no case is slower. Throws usage_error for files that cannot be read or have no case in common.
[[nodiscard]] bool compare(const compare_options&);

} // namespace bench

// Scalars on the host backend: in both pointer modes they are in memory that can be read at once.
#pragma once

#include "core/problem.h"

namespace myblas::host {

inline float resolve(const scalar& s) { return s.device ? *s.device : s.value; }

} // namespace myblas::host

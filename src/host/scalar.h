// Scalars on the host backend, where either pointer mode means memory that can be read at once.
#pragma once

#include "core/problem.h"

namespace myblas::host {

inline float resolve(const scalar& s) { return s.device ? *s.device : s.value; }

} // namespace myblas::host

// Scalar operands in kernels: one code path for both pointer modes.
#pragma once

#include "core/problem.h"

#include <cuda_runtime.h>

namespace myblas::cuda {

__device__ inline float resolve(scalar s) { return s.device ? *s.device : s.value; }

} // namespace myblas::cuda

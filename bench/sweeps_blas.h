// The lists of shapes of levels 2 and 3 of BLAS beside sgemm. A host takes smaller ones.
#pragma once

#include "shape.h"

#include <cstdint>
#include <vector>

namespace bench {

// The published list, whose members never change: squares in several forms, panels, and unaligned
// shapes.
std::vector<shape> public_blas_shapes(routine, bool on_host);

// Random sizes and forms, from a seed.
std::vector<shape> random_blas_shapes(routine, bool on_host, uint64_t seed);

} // namespace bench

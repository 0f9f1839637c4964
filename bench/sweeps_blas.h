// The lists of shapes of levels 2 and 3 of BLAS beside sgemm. A host takes smaller ones.
#pragma once

#include "shape.h"

#include <cstdint>
#include <vector>

namespace bench {

// Published: its members never change. Squares in several forms, panels, and some unaligned.
std::vector<shape> public_blas_shapes(routine, bool on_host);

// Sizes and forms from a seed.
std::vector<shape> random_blas_shapes(routine, bool on_host, uint64_t seed);

} // namespace bench

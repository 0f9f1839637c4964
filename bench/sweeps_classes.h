// Classes of products as programs call them.
#pragma once

#include "shape.h"

#include <cstdint>
#include <vector>

namespace bench {

// Of a class from sweep::general on. They follow from the seed alone; networks has its own list. A
// host takes fewer and smaller ones.
std::vector<shape> class_shapes(sweep, bool on_host, uint64_t seed);

} // namespace bench

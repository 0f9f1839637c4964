// Classes of products as programs call them.
#pragma once

#include "shape.h"

#include <cstdint>
#include <vector>

namespace bench {

// Shapes of a class: sweep::general or a later one. They follow from the seed alone, except for
// `networks`, which has a list. On a host, shapes are fewer and smaller.
std::vector<shape> class_shapes(sweep, bool on_host, uint64_t seed);

} // namespace bench
